package db

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"

	"github.com/jmoiron/sqlx"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/relay-chat/relay/server/chat"
)

// conn is one SQLite connection that prepares each SQL text once. It uses no
// contexts that end: an interrupted statement would break a transaction that
// other operations share.
type conn struct {
	raw    *sqlx.Conn
	stmts  map[string]*sqlx.Stmt // for rows of many columns
	direct map[string]statement  // for all else
	// broken is the error after which SQLite may have given up the whole
	// transaction.
	broken error
	wrote  bool // since it was last set to false

	bound   []driver.NamedValue
	columns []driver.Value
}

func newConn(ctx context.Context, pool *sqlx.DB) (*conn, error) {
	raw, err := pool.Connx(ctx)
	if err != nil {
		return nil, err
	}
	return &conn{raw: raw, stmts: map[string]*sqlx.Stmt{}, direct: map[string]statement{}}, nil
}

// close gives the connection back to its pool.
func (c *conn) close() {
	for _, s := range c.stmts {
		s.Close()
	}
	for _, s := range c.direct {
		s.Close()
	}
	c.raw.Close()
}

func (c *conn) get(dest any, query string, args ...any) error {
	switch dest.(type) {
	case *string, *[]byte, *int64, *bool:
		return c.row([]any{dest}, query, args...)
	}
	s, err := c.preparex(query)
	if err != nil {
		return err
	}
	return c.failed(s.GetContext(context.Background(), dest, args...))
}

func (c *conn) list(dest any, query string, args ...any) error {
	s, err := c.preparex(query)
	if err != nil {
		return err
	}
	return c.failed(s.SelectContext(context.Background(), dest, args...))
}

// lock adds nothing: on SQLite there is one writer.
func (c *conn) lock(query string) string { return query }

func (c *conn) preparex(query string) (*sqlx.Stmt, error) {
	if s, ok := c.stmts[query]; ok {
		return s, nil
	}
	s, err := c.raw.PreparexContext(context.Background(), query)
	if err != nil {
		return nil, c.failed(fmt.Errorf("prepare %q: %w", query, err))
	}
	c.stmts[query] = s
	return s, nil
}

// noRoom reports whether the disk did not take what SQLite gave it. SQLite has
// a word of its own for a full disk, but not for a quota that is used up.
func noRoom(e *sqlite.Error) bool {
	switch e.Code() {
	case sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_WRITE, sqlite3.SQLITE_IOERR_FSYNC, sqlite3.SQLITE_IOERR_SHMSIZE:
		return true
	}
	return false
}

// failed notes an error that concerns the whole transaction.
func (c *conn) failed(err error) error {
	if err == nil {
		return nil
	}
	var e *sqlite.Error
	if !errors.As(err, &e) {
		return err
	}
	switch e.Code() & 0xff {
	case sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_NOMEM, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CORRUPT,
		sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_INTERRUPT, sqlite3.SQLITE_BUSY, sqlite3.SQLITE_PROTOCOL:
	default:
		return err
	}
	c.broken = translateFile(err)
	return c.broken
}

// translateFile names the errors of SQLite that callers know. Those that stand
// for ErrAway pass without a restart: another program keeps the file locked, the
// limit of open files is reached, the disk does not answer or is read-only.
func translateFile(err error) error {
	var e *sqlite.Error
	if !errors.As(err, &e) {
		return err
	}
	if noRoom(e) {
		return fmt.Errorf("%w: %w", chat.ErrStorageFull, err)
	}
	switch e.Code() & 0xff {
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_PROTOCOL, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_READONLY:
		return fmt.Errorf("%w: %w", chat.ErrAway, err)
	}
	return err
}
