package db

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"runtime"
	"sync"
	"time"

	"github.com/jmoiron/sqlx"
	_ "modernc.org/sqlite" // driver "sqlite"
)

// applicationID marks a SQLite file as relay's ("rely"). The first migration
// writes it.
const applicationID = 0x72656c79

// The roles of a connection. The writer touches pages all over the file and
// keeps 4 MB of them (SQLite looks through all it keeps after most commits);
// others keep SQLite's usual 2 MB. A command waits long
// for its turn beside a relay that is writing all the time. While the log is
// being emptied nobody can write, so that waits for no reader.
const (
	forWriting  = "?_busy_timeout=5000&_pragma=cache_size(-4000)"
	forReading  = "?_busy_timeout=5000&_query_only=1"
	forCommands = "?_busy_timeout=60000&mode=rw"
	forEmptying = "?_busy_timeout=50"
)

// dsn names a SQLite file with everything that holds for each connection. What
// is removed from a page is overwritten: secrets and what people said. It
// changes nothing in a file that exists: the journal's mode is set once the
// file is known to be relay's (see useWAL).
func dsn(path, role string, relaxed bool) string {
	level := "FULL"
	if relaxed {
		level = "NORMAL"
	}
	name := url.URL{Path: path}
	return "file:" + name.EscapedPath() + role + "&_synchronous=" + level +
		"&_foreign_keys=1&_pragma=journal_size_limit(67108864)&_pragma=wal_autocheckpoint(12000)" +
		"&_pragma=trusted_schema(0)&_pragma=secure_delete(fast)&_txlock=immediate&_defensive=1&_dqs=0"
}

// giveBackPages lets a new file shrink again, page by page. It has no effect
// once there is anything in the file, and is no setting of the connection
// because it would write to the file each time.
func giveBackPages(ctx context.Context, c *conn) error {
	_, err := c.raw.ExecContext(ctx, "PRAGMA auto_vacuum = INCREMENTAL")
	return err
}

// useWAL switches a file to write-ahead logging, which it keeps.
func useWAL(ctx context.Context, c *conn) error {
	var mode string
	if err := c.raw.GetContext(ctx, &mode, "PRAGMA journal_mode = WAL"); err != nil {
		return err
	}
	if mode != "wal" {
		return fmt.Errorf("the file system does not support write-ahead logging (journal mode %q)", mode)
	}
	return nil
}

// file is the backend of a SQLite file: one writer, a few readers.
type file struct {
	path         string
	pool         *sqlx.DB
	writer       *committer
	checkpointer *checkpointer
	readers      readers
}

// newFile takes over the file's writing connection. Without a guard nobody looks
// whether they stay where they are.
func newFile(path string, pool *sqlx.DB, writer *conn, guard *fileGuard, committed func(int, time.Duration)) (*file, error) {
	source, err := sqlx.Open("sqlite", dsn(path, forReading, false))
	if err != nil {
		return nil, err
	}
	c := newCheckpointer(pool)
	f := &file{path: path, pool: pool, writer: newCommitter(writer, c, guard, committed), checkpointer: c}
	f.readers.source = source
	f.readers.free = make(chan struct{}, min(max(runtime.GOMAXPROCS(0), 4), 8))
	return f, nil
}

func (f *file) apply(ctx context.Context, op func(*tx) error) error {
	return f.writer.apply(ctx, op)
}

func (f *file) applyTo(ctx context.Context, _ string, op func(*tx) error) error {
	return f.apply(ctx, op)
}

func (f *file) applyRelaxed(ctx context.Context, op func(*tx) error) error {
	return f.writer.wait(ctx, &request{op: op, relaxed: true, done: make(chan struct{})})
}

func (f *file) read(ctx context.Context, op func(*tx) error) error {
	return f.readers.read(ctx, op)
}

func (f *file) look(ctx context.Context, op func(*tx) error) error {
	return f.readers.use(ctx, func(c *conn) error { return protect(op, &tx{q: c, committedCache: f.writer.cache}) })
}

// vacuum lets the last pages also go from the log, where what was removed is
// still to be read.
func (f *file) vacuum(ctx context.Context, keep int) (more bool, err error) {
	more, err = f.writer.vacuum(ctx, keep)
	if more || keep > 0 || err != nil {
		return more, err
	}
	return false, f.emptyLog(ctx)
}

// emptyLog empties the write-ahead log into the file, as far as no reader
// needs it. Most of it is done without keeping the writer waiting.
func (f *file) emptyLog(ctx context.Context) error {
	pool, err := sqlx.Open("sqlite", dsn(f.path, forEmptying, false))
	if err != nil {
		return err
	}
	_, err = pool.ExecContext(ctx, "PRAGMA wal_checkpoint(PASSIVE); PRAGMA wal_checkpoint(TRUNCATE)")
	return errors.Join(err, pool.Close())
}

// close empties the write-ahead log into the file.
func (f *file) close() error {
	if !f.writer.close() {
		return nil
	}
	f.checkpointer.close()
	err := f.readers.close()
	var busy, log, done int
	c := f.writer.conn
	row := c.raw.QueryRowxContext(context.Background(), "PRAGMA wal_checkpoint(TRUNCATE)")
	if failed := row.Scan(&busy, &log, &done); failed != nil {
		err = errors.Join(err, fmt.Errorf("checkpoint: %w", failed))
	}
	c.close()
	return errors.Join(err, f.pool.Close())
}

// readers is a few connections that only read, opened when needed. The one
// used last is used first, so that a quiet relay keeps one cache warm.
type readers struct {
	source *sqlx.DB
	free   chan struct{} // as many tokens as there may be connections

	mu     sync.Mutex
	idle   []*conn
	closed bool
}

// read runs op on one snapshot.
func (r *readers) read(ctx context.Context, op func(*tx) error) error {
	return r.use(ctx, func(c *conn) error {
		if _, err := c.exec("BEGIN"); err != nil {
			return fmt.Errorf("begin to read: %w", err)
		}
		err := protect(op, &tx{q: c})
		if _, failed := c.exec("ROLLBACK"); failed != nil {
			c.broken = failed // the snapshot may still be held: drop the connection
		}
		return err
	})
}

// use lends a connection to work.
func (r *readers) use(ctx context.Context, work func(*conn) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case r.free <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-r.free }()
	c, err := r.take()
	if err != nil {
		return err
	}
	defer r.put(c)
	return work(c)
}

func (r *readers) take() (*conn, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return nil, ErrClosed
	}
	if n := len(r.idle); n > 0 {
		c := r.idle[n-1]
		r.idle = r.idle[:n-1]
		return c, nil
	}
	c, err := newConn(context.Background(), r.source)
	return c, translateFile(err)
}

// put keeps a connection, unless it may be broken.
func (r *readers) put(c *conn) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if c.broken != nil || r.closed {
		c.close()
		return
	}
	r.idle = append(r.idle, c)
}

// close waits for the snapshots that are being read.
func (r *readers) close() error {
	r.mu.Lock()
	r.closed = true
	r.mu.Unlock()
	for range cap(r.free) {
		r.free <- struct{}{}
	}
	for range cap(r.free) {
		<-r.free
	}
	for _, c := range r.idle {
		c.close()
	}
	return r.source.Close()
}

// memory is the backend of a database in memory: one connection for all.
type memory struct {
	pool   *sqlx.DB
	writer *committer
}

// openMemory opens a database in memory, which fill makes relay's.
func openMemory(ctx context.Context, fill func(*conn) error) (*memory, error) {
	pool, err := sqlx.Open("sqlite", "file::memory:?_foreign_keys=1&_dqs=0")
	if err != nil {
		return nil, err
	}
	c, err := newConn(ctx, pool)
	if err != nil {
		return nil, errors.Join(err, pool.Close())
	}
	if err := fill(c); err != nil {
		c.close()
		return nil, errors.Join(err, pool.Close())
	}
	return &memory{pool: pool, writer: newCommitter(c, nil, nil, nil)}, nil
}

func (m *memory) apply(ctx context.Context, op func(*tx) error) error {
	return m.writer.apply(ctx, op)
}

func (m *memory) applyTo(ctx context.Context, _ string, op func(*tx) error) error {
	return m.apply(ctx, op)
}

func (m *memory) applyRelaxed(ctx context.Context, op func(*tx) error) error { return m.apply(ctx, op) }

// read is as good as apply: its op cannot write.
func (m *memory) read(ctx context.Context, op func(*tx) error) error {
	return m.writer.apply(ctx, op)
}

func (m *memory) look(ctx context.Context, op func(*tx) error) error {
	return m.writer.apply(ctx, op)
}

func (m *memory) vacuum(context.Context, int) (bool, error) { return false, nil }

func (m *memory) close() error {
	if !m.writer.close() {
		return nil
	}
	m.writer.conn.close()
	return m.pool.Close()
}
