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
	stmts  map[string]*sqlx.Stmt // run by sqlx, for rows with many columns
	direct map[string]statement  // run on the driver, for everything else
	// broken is the error after which SQLite may have given up the whole
	// transaction.
	broken error
	wrote  bool // a statement changed rows since this was last reset

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
	return c.noteBroken(s.GetContext(context.Background(), dest, args...))
}

func (c *conn) list(dest any, query string, args ...any) error {
	s, err := c.preparex(query)
	if err != nil {
		return err
	}
	return c.noteBroken(s.SelectContext(context.Background(), dest, args...))
}

func (c *conn) has(column string) string { return "instr(" + column + ", ?) > 0" }

// lock adds nothing: on SQLite there is one writer.
func (c *conn) lock(query string) string { return query }

// ticket and ended have nothing to do: a transaction under way is the only one.
func (c *conn) ticket() (int64, error)    { return 0, nil }
func (c *conn) ended(int64) (bool, error) { return true, nil }

// survey keeps 200 KB of the pages that are read, until its end SQLite's usual 2 MB,
// which take 4. Otherwise the reply time, which is computed at every start, would leave
// a full cache. SQLite sets the size when it parses the text, so it is not prepared.
func (c *conn) survey() (end func()) {
	_, _ = c.raw.ExecContext(context.Background(), "PRAGMA cache_size = -200") // it cannot fail
	return func() { _, _ = c.raw.ExecContext(context.Background(), "PRAGMA cache_size = -2000") }
}

func (c *conn) preparex(query string) (*sqlx.Stmt, error) {
	if s, ok := c.stmts[query]; ok {
		return s, nil
	}
	s, err := c.raw.PreparexContext(context.Background(), query)
	if err != nil {
		return nil, c.noteBroken(fmt.Errorf("prepare %q: %w", query, err))
	}
	c.stmts[query] = s
	return s, nil
}

// diskFull reports whether a write failed for lack of space. SQLite has a code of its own
// for a full disk, but not for an exhausted quota.
func diskFull(e *sqlite.Error) bool {
	switch e.Code() {
	case sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_WRITE, sqlite3.SQLITE_IOERR_FSYNC, sqlite3.SQLITE_IOERR_SHMSIZE:
		return true
	}
	return false
}

// noteBroken translates an error and remembers it if it broke the whole transaction.
func (c *conn) noteBroken(err error) error {
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

// translateFile translates SQLite's errors into those that callers know. ErrAway is for
// failures that pass without a restart: a locked file, too many open files, a disk that
// does not respond or is read-only.
func translateFile(err error) error {
	var e *sqlite.Error
	if !errors.As(err, &e) {
		return err
	}
	if diskFull(e) {
		return fmt.Errorf("%w: %w", chat.ErrStorageFull, err)
	}
	switch e.Code() & 0xff {
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_PROTOCOL, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_READONLY:
		return fmt.Errorf("%w: %w", chat.ErrAway, err)
	}
	return err
}
