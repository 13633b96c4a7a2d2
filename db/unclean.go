package db

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"time"

	"github.com/jmoiron/sqlx"

	"github.com/relay-chat/relay/server/chat"
)

// running is behind the name of a file that is there while relay runs: whoever
// finds it at the start knows that the last stop was none.
const running = ".running"

// checkTime bounds the check at the start. Systems like systemd give up a service
// that takes long to start.
const checkTime = 20 * time.Second

// errCheckLong means that the check has to be finished while relay runs.
var errCheckLong = errors.New("the check of the database takes long")

// FinishCheck reads the file to its end if that took too long at the start. Until then,
// and if it is damaged, relay says so.
func (d *DB) FinishCheck(ctx context.Context, log *slog.Logger) error {
	if state, _ := d.check.Load().(string); state != chat.CheckRunning {
		return nil
	}
	log.Warn("relay was not stopped in order, and reading the database takes long; the check goes on in the background")
	switch err := d.Check(ctx); {
	case ctx.Err() != nil:
	case errors.Is(err, ErrDamaged):
		d.check.Store(chat.CheckDamaged)
		log.Error("the database is damaged; stop relay and restore a backup (relay restore)", "err", err)
	case err != nil:
		log.Error("the database could not be checked; relay doctor tries again", "err", err)
	default:
		d.check.Store("")
		log.Info("the database is whole")
	}
	return nil
}

// checkUnclean reads the file at path from end to end if relay did not stop in order
// the last time. The mark stays on a damaged one, so that no later start passes over
// it.
func checkUnclean(ctx context.Context, path string, limit time.Duration) error {
	if !exists(path + running) {
		return nil
	}
	pool, err := sqlx.Open("sqlite", dsn(path, forCommands+"&_query_only=1", false))
	if err != nil {
		return err
	}
	bounded, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	err = errors.Join(quickCheck(bounded, pool), pool.Close())
	if bounded.Err() != nil && ctx.Err() == nil {
		return errCheckLong
	}
	if errors.Is(err, ErrDamaged) {
		err = fmt.Errorf("%w; restore a backup (relay restore)", err)
	}
	return plain(err)
}

// markRunning makes the mark.
func markRunning(path string) error {
	f, err := os.OpenFile(path+running, os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("mark the database as in use: %w", err)
	}
	inherit(path+running, path)
	return f.Close()
}

// markStopped removes the mark.
func markStopped(path string) error {
	if err := os.Remove(path + running); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
