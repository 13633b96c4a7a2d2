package db

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"

	"github.com/jmoiron/sqlx"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/relay-chat/relay/schema"
	"github.com/relay-chat/relay/server/chat"
)

var (
	// ErrNone: there is no database at the address.
	ErrNone = errors.New("there is no database")
	// ErrDamaged: the file's content is damaged.
	ErrDamaged = errors.New("the database is damaged")
	// ErrNewer: a later relay has migrated the database.
	ErrNewer = errors.New("the database belongs to a newer version of relay")

	errHalfRestored = errors.New("a restore was cut off: start relay, which finishes it")
)

// openFile opens the SQLite database at path.
func openFile(ctx context.Context, path string, opts Options) (_ *DB, err error) {
	if err := checkPlace(path); err != nil {
		return nil, err
	}
	d := &DB{path: path}
	if !opts.Shared {
		d.lock, err = lockFile(path)
		if errors.Is(err, ErrRunning) {
			return nil, fmt.Errorf("%w, or give this one a database of its own, like DATABASE_URL=sqlite://other.db, and a port", err)
		}
		if err != nil {
			return nil, err
		}
	}
	if d.lock != nil {
		_, err = finishRestore(path)
	} else if exists(path + restored) {
		err = errHalfRestored
	}
	if err == nil {
		opts.long = func() { d.check.Store(chat.CheckRunning) }
		d.backend, err = openBackend(ctx, path, opts)
	}
	if err == nil && d.lock != nil {
		err = markRunning(path)
	}
	if err != nil {
		if d.lock != nil {
			err = errors.Join(err, d.lock.release())
		}
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	return d, nil
}

func openBackend(ctx context.Context, path string, opts Options) (*file, error) {
	if !exists(path) {
		if opts.Shared {
			return nil, ErrNone
		}
		if err := createFile(path); err != nil {
			return nil, err
		}
		inherit(path, filepath.Dir(path))
	}
	role := forWriting
	if opts.Shared {
		role = forCommands
	}
	pool, err := sqlx.Open("sqlite", dsn(path, role, opts.Relaxed))
	if err != nil {
		return nil, err
	}
	c, err := newConn(ctx, pool)
	if err != nil {
		return nil, errors.Join(plain(err), pool.Close())
	}
	if err := makeReady(ctx, c, path, opts); err != nil {
		c.close()
		return nil, errors.Join(plain(err), pool.Close())
	}
	var guard *fileGuard
	if !opts.Shared {
		guard = newFileGuard(path)
	}
	return newFile(path, pool, c, guard, opts.Committed)
}

// makeReady inspects the file before it changes anything in it, then migrates it.
func makeReady(ctx context.Context, c *conn, path string, opts Options) error {
	have, err := inspect(ctx, c.raw)
	if err != nil {
		return err
	}
	if !opts.Shared {
		switch err := checkUnclean(ctx, path, checkTime); {
		case errors.Is(err, errCheckLong):
			opts.long()
		case err != nil:
			return err
		}
	}
	want := newest(schema.SQLite, "sqlite")
	switch {
	case have.version > want:
		return newerSchema(have.version, want)
	case have.version == want && !have.dirty:
	case opts.Shared:
		return fmt.Errorf("the database has schema version %d, this relay needs %d: start relay once, which migrates it", have.version, want)
	default:
		if err := errors.Join(giveBackPages(ctx, c), useWAL(ctx, c)); err != nil {
			return err
		}
		if err := migrateFile(ctx, path, have); err != nil {
			return err
		}
	}
	if err := useWAL(ctx, c); err != nil || opts.Shared {
		return err
	}
	return mayWrite(ctx, c)
}

// mayWrite fails at the start if the file or its folder is read-only.
func mayWrite(ctx context.Context, c *conn) error {
	_, err := c.raw.ExecContext(ctx, "DELETE FROM meta WHERE name = ''") // there is none
	return err
}

// inspected is the state of a database's schema.
type inspected struct {
	version int // 0: there is no schema yet
	dirty   bool
}

// inspect refuses a file that is not relay's. An empty one is accepted.
func inspect(ctx context.Context, q sqlx.QueryerContext) (inspected, error) {
	var have inspected
	var id, foreign, versioned int
	err := q.QueryRowxContext(ctx, `SELECT (SELECT application_id FROM pragma_application_id),
		(SELECT COUNT(*) FROM sqlite_schema WHERE type = 'table' AND name <> 'schema_migrations'),
		(SELECT COUNT(*) FROM sqlite_schema WHERE type = 'table' AND name = 'schema_migrations')`).
		Scan(&id, &foreign, &versioned)
	if err != nil {
		return have, err
	}
	if id != applicationID && (id != 0 || foreign > 0) {
		return have, errors.New("the file is a SQLite database, but not relay's; it was left as it is")
	}
	if versioned == 0 {
		return have, nil
	}
	rows, err := q.QueryxContext(ctx, `SELECT version, dirty FROM schema_migrations`)
	if err != nil {
		return have, err
	}
	defer rows.Close()
	if rows.Next() {
		if err := rows.Scan(&have.version, &have.dirty); err != nil {
			return have, err
		}
	}
	return have, rows.Err()
}

// plain explains SQLite's errors and their fix.
func plain(err error) error {
	var e *sqlite.Error
	if !errors.As(err, &e) {
		return err
	}
	if diskFull(e) {
		return fmt.Errorf("the disk is full, or a quota is: make room there: %w", err)
	}
	switch e.Code() & 0xff {
	case sqlite3.SQLITE_NOTADB:
		return errors.New("the file is not a SQLite database; it was left as it is")
	case sqlite3.SQLITE_CORRUPT:
		return fmt.Errorf("%w; restore a backup (relay restore): %w", ErrDamaged, err)
	case sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM:
		return fmt.Errorf("relay may not write to the database or its folder: %w", err)
	}
	return err
}

// migrated fills a memory database by all migrations, then by more SQL.
func migrated(more string) func(*conn) error {
	return func(c *conn) error { return createInMemory(c, more) }
}

// migratedImage is the file of a migrated database: a tenth of a second's work, done once in a process.
var migratedImage = sync.OnceValues(func() (image []byte, err error) {
	m, err := openMemory(context.Background(), migrated(""))
	if err != nil {
		return nil, err
	}
	defer m.close()
	err = m.writer.conn.raw.Raw(func(driver any) error {
		image, err = driver.(interface{ Serialize() ([]byte, error) }).Serialize()
		return err
	})
	return image, err
})

// deserialize makes a database in memory a copy of a file's bytes.
func deserialize(c *conn, file []byte) error {
	return c.raw.Raw(func(driver any) error {
		return driver.(interface{ Deserialize([]byte) error }).Deserialize(file)
	})
}

// createInMemory runs all migrations on a memory database, then more SQL.
func createInMemory(c *conn, more string) error {
	migrations, err := schema.SQLite.ReadDir("sqlite")
	if err != nil {
		return err
	}
	for _, m := range migrations { // in the order of their names
		text, err := schema.SQLite.ReadFile("sqlite/" + m.Name())
		if err != nil {
			return err
		}
		if _, err := c.raw.ExecContext(context.Background(), string(text)); err != nil {
			return fmt.Errorf("%s: %w", strings.TrimSuffix(m.Name(), ".up.sql"), err)
		}
	}
	_, err = c.raw.ExecContext(context.Background(), more)
	return err
}
