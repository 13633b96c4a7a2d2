package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/jmoiron/sqlx"

	"github.com/relay-chat/relay/schema"
)

// copyFile is a SQLite file as an end of a copy. It holds the lock that keeps a
// relay away.
type copyFile struct {
	lock *fileLock
	pool *sqlx.DB
	made string // the new file, until the copy has begun
}

func openCopyFile(ctx context.Context, path string, target bool) (end copyEnd, err error) {
	if err := checkPlace(path); err != nil {
		return nil, err
	}
	if !target && !exists(path) {
		return nil, ErrNone
	}
	lock, err := lockFile(path)
	if err != nil {
		return nil, err
	}
	f := &copyFile{lock: lock}
	defer func() {
		if err != nil {
			err = errors.Join(plain(err), f.close())
		}
	}()
	if exists(path + restored) {
		return nil, errHalfRestored
	}
	if target {
		if err := f.prepare(ctx, path); err != nil {
			return nil, err
		}
	}
	role := forCommands
	if !target {
		role += "&_query_only=1"
	}
	if f.pool, err = sqlx.Open("sqlite", dsn(path, role, false)); err != nil {
		return nil, err
	}
	f.pool.SetMaxOpenConns(1)
	have, err := inspect(ctx, f.pool)
	if err != nil {
		return nil, err
	}
	return f, checkCopyVersion(have, newest(schema.SQLite, "sqlite"), target)
}

// checkCopyVersion refuses an end whose schema is not this relay's.
func checkCopyVersion(have inspected, want int, target bool) error {
	switch {
	case have.version == unfinishedCopy+want && target || have.version == want && !have.dirty:
		return nil
	case have.version > want:
		return newerSchema(have.version, want)
	case have.version == 0:
		return ErrNone
	}
	return fmt.Errorf("the database has schema version %d, this relay needs %d: migrate it first, by relay migrate or by starting this relay on it once", have.version, want)
}

// prepare makes an empty database, or migrates one, unless it is an unfinished copy.
func (f *copyFile) prepare(ctx context.Context, path string) error {
	if !exists(path) {
		if err := createFile(path); err != nil {
			return err
		}
		f.made = path
	}
	pool, err := sqlx.Open("sqlite", dsn(path, forWriting, false))
	if err != nil {
		return err
	}
	defer pool.Close()
	have, err := inspect(ctx, pool)
	if err != nil || have.version > unfinishedCopy {
		return err
	}
	c, err := newConn(ctx, pool)
	if err != nil {
		return err
	}
	defer c.close()
	return makeReady(ctx, c, path, Options{})
}

// snapshot has nothing to do: nobody else writes.
func (f *copyFile) snapshot(context.Context) error { return nil }

func (f *copyFile) each(ctx context.Context, t *copyTable, after []any, use func(row []any) error) error {
	key := t.keyList("")
	query := `SELECT ` + t.columnList() + ` FROM ` + quoteName(t.name)
	if after != nil {
		query += ` WHERE (` + key + `) > (` + marks(len(t.key)) + `)`
	}
	rows, err := f.pool.QueryxContext(ctx, query+` ORDER BY `+key, after...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		row, err := rows.SliceScan()
		if err != nil {
			return err
		}
		for _, i := range t.blobs {
			if b, _ := row[i].([]byte); len(b) == 0 { // the driver returns nil for no bytes
				row[i] = []byte{}
			}
		}
		if err := use(row); err != nil {
			return err
		}
	}
	return rows.Err()
}

func (f *copyFile) count(ctx context.Context, t *copyTable) (n int64, err error) {
	return n, f.pool.GetContext(ctx, &n, `SELECT COUNT(*) FROM `+quoteName(t.name))
}

func (f *copyFile) last(ctx context.Context, t *copyTable) ([]any, error) {
	row, err := f.pool.QueryRowxContext(ctx, `SELECT `+t.keyList("")+` FROM `+quoteName(t.name)+` ORDER BY `+t.keyList(" DESC")+` LIMIT 1`).SliceScan()
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	return row, err
}

func (f *copyFile) put(ctx context.Context, t *copyTable, rows [][]any, words func(string) []string) error {
	return f.transact(ctx, func(c *sqlx.Tx) error {
		insert, err := c.PrepareContext(ctx, `INSERT INTO `+quoteName(t.name)+` (`+t.columnList()+`) VALUES (`+
			marks(len(t.columns))+`)`)
		if err != nil {
			return err
		}
		defer insert.Close()
		for _, row := range rows {
			if _, err := insert.ExecContext(ctx, row...); err != nil {
				return err
			}
			if p, ok := t.passage(row, words); ok {
				if _, err := c.ExecContext(ctx, insertWords, p.number, strings.Join(p.TitleWords, " "), strings.Join(p.TextWords, " ")); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

func (f *copyFile) transact(ctx context.Context, work func(*sqlx.Tx) error) error {
	c, err := f.pool.BeginTxx(ctx, nil)
	if err != nil {
		return err
	}
	if err := work(c); err != nil {
		return errors.Join(plain(err), c.Rollback())
	}
	return plain(c.Commit())
}

// busy has nothing to ask: the lock says so.
func (f *copyFile) busy(context.Context) error { return nil }

func (f *copyFile) begin(ctx context.Context, tables []*copyTable, source string) (resumed bool, err error) {
	have, err := inspect(ctx, f.pool)
	if err != nil {
		return false, err
	}
	if have.version > unfinishedCopy {
		var begun string
		if err := f.pool.GetContext(ctx, &begun, `SELECT source FROM copying`); err != nil {
			return true, err
		}
		return true, sameSource(begun, source)
	}
	for _, t := range tables {
		if n, err := f.count(ctx, t); err != nil || n > t.preset {
			return false, errors.Join(err, notEmpty(t.name, n))
		}
	}
	err = f.transact(ctx, func(c *sqlx.Tx) error {
		_, err := c.ExecContext(ctx, beginCopy(tables))
		if err == nil {
			_, err = c.ExecContext(ctx, `INSERT INTO copying (source) VALUES (?)`, source)
		}
		return err
	})
	if err == nil {
		f.made = ""
	}
	return false, err
}

func (f *copyFile) finish(ctx context.Context, _ []*copyTable) error {
	err := f.transact(ctx, func(c *sqlx.Tx) error {
		_, err := c.ExecContext(ctx, finishCopy)
		return err
	})
	if err == nil {
		_, err = f.pool.ExecContext(ctx, `PRAGMA optimize; PRAGMA wal_checkpoint(TRUNCATE)`)
	}
	return err
}

// close also removes a file that was made for nothing.
func (f *copyFile) close() error {
	var err error
	if f.pool != nil {
		err = f.pool.Close()
	}
	if f.made != "" {
		err = errors.Join(err, os.Remove(f.made))
	}
	return errors.Join(err, f.lock.release())
}
