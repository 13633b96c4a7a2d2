// Package db keeps relay's state, in SQLite or Postgres. It is the only
// [chat.Store]. It imports package chat, package schema, sqlx, the drivers and
// golang-migrate, and nothing else of relay.
//
// One SQL text serves both dialects; what differs is hidden in two places. On
// SQLite all writes go through one goroutine (see committer), on Postgres through a pool
// (see postgres). Both commit many operations at once (see group): on SQLite all, on
// Postgres, under load, those that lock one session and read nothing else (see shared).
//
// If you change a struct of package chat, also change its columns here, both
// folders of package schema (a new migration, never an old one) and the tests.
package db

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"github.com/relay-chat/relay/server/chat"
)

var (
	_ chat.Store        = (*DB)(nil)
	_ chat.SessionStore = (*DB)(nil)
)

// ErrClosed is the answer of a DB that was closed.
var ErrClosed = errors.New("the database is closed")

// DB is an open database.
type DB struct {
	backend backend
	lock    *fileLock // nil unless this is the process that owns the file
	path    string    // of the file, "" for memory and Postgres
	pings   pingCache
	check   atomic.Value // of a file that was not closed in order: a state of [chat.Storage].Check
	evictor *evictor     // of a bounded database
}

// backend is what differs between the dialects.
type backend interface {
	apply(ctx context.Context, op func(*tx) error) error
	// applyTo is apply for an op that locks one session only.
	applyTo(ctx context.Context, sessionID string, op func(*tx) error) error
	// applyRelaxed is apply for what can be made again: a power cut may undo it.
	applyRelaxed(ctx context.Context, op func(*tx) error) error
	read(ctx context.Context, op func(*tx) error) error
	// look runs op without a snapshot.
	look(ctx context.Context, op func(*tx) error) error
	// vacuum gives a portion of the free pages beyond those to be kept back to
	// the disk and reports whether there are more.
	vacuum(ctx context.Context, keep int) (more bool, err error)
	close() error
}

// Options are the ways to open a database.
type Options struct {
	// Shared opens the database beside a running relay, for short commands. It
	// neither creates nor migrates anything.
	Shared bool
	// Relaxed lets SQLite answer before the disk has confirmed a write: a
	// power cut, though no crash of relay, may then lose the last seconds.
	Relaxed bool
	// long is called when the check after an unclean stop takes too long for a start.
	long func()
	// Direct is the URL of a Postgres server behind the pooler that the database URL
	// leads to: a pooler in transaction mode passes no notifications.
	Direct string
	// Committed is called after each commit with how many operations it had and how
	// long it took; nil for nobody.
	Committed func(operations int, took time.Duration)
}

// Open opens the database at a URL, sqlite://path or postgres://…, creates it
// if it does not exist and migrates it. Until Close no other
// relay can open the same SQLite file, except with Options.Shared.
func Open(ctx context.Context, url string, opts Options) (*DB, error) {
	if isPostgres(url) {
		return openPostgres(ctx, url, opts)
	}
	path, err := sqlitePath(url)
	if err != nil {
		return nil, err
	}
	return openFile(ctx, path, opts)
}

// Memory opens an empty SQLite database that lives in memory and is gone after
// Close. All of a process are copies of one that was migrated.
func Memory(ctx context.Context) (*DB, error) {
	image, err := migratedImage()
	if err != nil {
		return nil, fmt.Errorf("open the memory database: %w", err)
	}
	m, err := openMemory(ctx, func(c *conn) error { return deserialize(c, image) })
	if err != nil {
		return nil, fmt.Errorf("open the memory database: %w", err)
	}
	return &DB{backend: m}, nil
}

// Apply implements [chat.Store]. ctx bounds the wait until op is accepted; an
// accepted op runs to its end. op must not use the DB itself: that would wait
// for ever.
func (d *DB) Apply(ctx context.Context, op func(chat.Tx) error) error {
	return d.backend.apply(ctx, func(t *tx) error { return op(t) })
}

// ApplyTo implements [chat.SessionStore].
func (d *DB) ApplyTo(ctx context.Context, sessionID string, op func(chat.Tx) error) error {
	return d.backend.applyTo(ctx, sessionID, func(t *tx) error { return op(t) })
}

// Read implements [chat.Store]. op must not use the DB itself.
func (d *DB) Read(ctx context.Context, op func(chat.Reader) error) error {
	return d.backend.read(ctx, func(t *tx) error { return op(t) })
}

// ReadOne implements [chat.Store]. op must not use the DB itself.
func (d *DB) ReadOne(ctx context.Context, op func(chat.Reader) error) error {
	return d.backend.look(ctx, func(t *tx) error { return op(t) })
}

// Room implements [chat.Store].
func (d *DB) Room() (free, total int64) {
	if d.path == "" {
		return 0, 0
	}
	return diskRoom(filepath.Dir(d.path))
}

// Close waits for the operations that were accepted, writes everything to the
// file and closes it. Later calls answer ErrClosed.
func (d *DB) Close() error {
	err := d.backend.close()
	if d.lock != nil {
		if err == nil {
			err = markStopped(d.path)
		}
		err = errors.Join(err, d.lock.release())
	}
	return err
}

// sqlitePath returns the path in a sqlite:// URL, absolute if it begins with a
// third slash. A symbolic link there stands for the file that it leads to.
func sqlitePath(url string) (string, error) {
	path, ok := strings.CutPrefix(url, "sqlite://")
	switch {
	case !ok:
		return "", fmt.Errorf("the database URL must begin with sqlite:// or postgres://")
	case path == "" || strings.HasSuffix(path, "/"):
		return "", fmt.Errorf("the database URL %q names no file", url)
	case strings.ContainsAny(path, "?#"):
		return "", fmt.Errorf("the database URL %q has options or characters that SQLite paths here cannot have: ? #", url)
	}
	return follow(filepath.Clean(path))
}
