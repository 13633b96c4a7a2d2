package db

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/jmoiron/sqlx"

	"github.com/relay-chat/relay/server/chat"
)

// Limits for PostgreSQL, so that several relays fit under its usual limit of
// 100 connections and a dead network does not hold an operation for ever.
const (
	maxConns     = 16
	dialTimeout  = 10 * time.Second
	maxTxTime    = 30 * time.Second
	maxSilence   = 2 * time.Second // longer than a machine stalls, or three lost packets
	maxAttempts  = 5
	maxIdleTime  = 5 * time.Minute
	maxConnsLife = time.Hour
)

func isPostgres(url string) bool {
	return strings.HasPrefix(url, "postgres://") || strings.HasPrefix(url, "postgresql://")
}

// postgres is the backend of a Postgres database. An operation is a transaction of its
// own on a pool, or shares one (see shared). Those that change the same session wait for
// each other at its row (see lock).
type postgres struct {
	pool    *sqlx.DB
	writing []string // how transactions that write begin
	// gate is held for reading by each operation under way, so that close can
	// wait for them.
	gate   sync.RWMutex
	closed bool

	shared    *shared
	committed func(operations int, took time.Duration)
	cluster   *cluster
}

func openPostgres(ctx context.Context, url string, opts Options) (*DB, error) {
	config, err := pgx.ParseConfig(url)
	if err != nil {
		// Not err: it repeats the URL, and a malformed one with its password.
		return nil, errors.New("the database URL is malformed; it looks like postgres://user:password@host:5432/database")
	}
	node := strings.ToLower(chat.NewID()[:8])
	prepare(config, node, opts)
	direct := config
	if opts.Direct != "" {
		if direct, err = pgx.ParseConfig(opts.Direct); err != nil {
			return nil, fmt.Errorf("%w is malformed; it looks like postgres://user:password@host:5432/database", errDirect)
		}
		prepare(direct, node, opts)
	}
	if !strings.Contains(url, "default_query_exec_mode") {
		if err := spareStatements(ctx, config); err != nil {
			return nil, fmt.Errorf("open the Postgres database: %w", err)
		}
	}
	if err := checkDirect(ctx, config, direct); err != nil {
		return nil, err
	}
	if err := migratePostgres(ctx, direct, opts); err != nil {
		return nil, fmt.Errorf("open the Postgres database: %w", err)
	}
	pool := sqlx.NewDb(stdlib.OpenDB(*config), "pgx")
	pool.SetMaxOpenConns(maxConns)
	pool.SetMaxIdleConns(maxConns)
	pool.SetConnMaxIdleTime(maxIdleTime)
	pool.SetConnMaxLifetime(maxConnsLife)
	committed := opts.Committed
	if committed == nil {
		committed = func(int, time.Duration) {}
	}
	begin := writing(config)
	return &DB{backend: &postgres{pool: pool, writing: begin, shared: newShared(pool, begin, committed), committed: committed,
		cluster: newCluster(node, config, direct)}}, nil
}

// spareStatements keeps no prepared statements behind a pooler, which may give each
// transaction another connection. A pooler does not pass on the server's process id.
func spareStatements(ctx context.Context, config *pgx.ConnConfig) error {
	c, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return err
	}
	defer c.Close(context.WithoutCancel(ctx))
	var pid uint32
	if err := c.QueryRow(ctx, `SELECT pg_backend_pid()`, pgx.QueryExecModeSimpleProtocol).Scan(&pid); err != nil {
		return err
	}
	if pid != c.PgConn().PID() {
		config.DefaultQueryExecMode = pgx.QueryExecModeCacheDescribe
	}
	return nil
}

// prepare sets what a URL leaves open. The application_name differs for each process,
// so that Others can count them; short commands are just relay.
func prepare(config *pgx.ConnConfig, node string, opts Options) {
	if config.ConnectTimeout == 0 {
		config.ConnectTimeout = dialTimeout
	}
	if config.RuntimeParams["application_name"] == "" {
		name := "relay"
		if !opts.Shared {
			name = "relay " + node
		}
		config.RuntimeParams["application_name"] = name
	}
	fatal := config.OnPgError
	config.OnPgError = func(c *pgconn.PgConn, e *pgconn.PgError) (keep bool) {
		return !slices.Contains(ofConnection, e.Code) && (fatal == nil || fatal(c, e))
	}
}

// ofConnection are the codes of refusals that follow from how the server was set when
// the connection was opened: read-only, or with short timeouts. It keeps that for as long
// as it lives, so it is closed, and the next may be better.
var ofConnection = []string{"25006", "55P03", "57014"}

// reading begins a transaction on a snapshot. It locks nothing, so it may be silent.
var reading = []string{"begin isolation level repeatable read read only"}

// writing returns the statements that begin transactions that lock rows: the server ends one
// that is silent for maxSilence, or the other nodes would wait for the locks of one that is cut
// off. A parameter of the URL wins. It is set with the beginning, because PgBouncer
// refuses it when connecting.
func writing(config *pgx.ConnConfig) []string {
	const bound = "idle_in_transaction_session_timeout"
	begin := []string{"begin isolation level read committed"}
	inURL := config.RuntimeParams[bound] != "" || strings.Contains(strings.ReplaceAll(config.RuntimeParams["options"], "-", "_"), bound)
	if !inURL {
		begin = append(begin, fmt.Sprintf("SET LOCAL %s = %d", bound, maxSilence.Milliseconds()))
	}
	return begin
}

const countOthers = `SELECT COUNT(DISTINCT application_name) FROM pg_stat_activity WHERE datname = current_database()
	AND application_name LIKE 'relay %' AND application_name <> current_setting('application_name')`

// Others returns how many other relays are connected to a Postgres database, as
// far as they keep the name that relay gives them. A SQLite file has one relay.
func (d *DB) Others(ctx context.Context) (n int, err error) {
	p, ok := d.backend.(*postgres)
	if !ok {
		return 0, nil
	}
	err = p.use(ctx, func(ctx context.Context, c *sqlx.Conn) error { return c.GetContext(ctx, &n, countOthers) })
	return n, err
}

// applyRelaxed does not wait for the server's disk.
func (p *postgres) applyRelaxed(ctx context.Context, op func(*tx) error) error {
	begin := append(slices.Clone(p.writing), `SET LOCAL synchronous_commit = off`)
	return p.enter(func() error { return p.commit(ctx, begin, false, op) })
}

func (p *postgres) apply(ctx context.Context, op func(*tx) error) error {
	return p.enter(func() error { return p.commit(ctx, p.writing, false, op) })
}

// applyTo lets op share a transaction with others, if it can.
func (p *postgres) applyTo(ctx context.Context, sessionID string, op func(*tx) error) error {
	return p.enter(func() error {
		return p.shared.apply(ctx, sessionID, op, func(ctx context.Context, op func(*tx) error) error { return p.commit(ctx, p.writing, true, op) })
	})
}

// commit runs op again when others got in its way: it looks again and finds what they
// did, and a lazy one learns at once what came of each statement.
func (p *postgres) commit(ctx context.Context, begin []string, lazy bool, op func(*tx) error) error {
	return p.use(ctx, func(ctx context.Context, c *sqlx.Conn) error {
		for attempt := 1; ; attempt++ {
			begun := time.Now()
			err := transact(ctx, c, begin, lazy && attempt == 1, op)
			if err == nil {
				p.committed(1, time.Since(begun))
			}
			if err == nil || attempt == maxAttempts || !worthRetry(err) {
				return err
			}
			time.Sleep(rand.N(time.Duration(attempt) * 5 * time.Millisecond))
		}
	})
}

func (p *postgres) read(ctx context.Context, op func(*tx) error) error {
	return p.enter(func() error {
		return p.use(ctx, func(ctx context.Context, c *sqlx.Conn) error { return transact(ctx, c, reading, false, op) })
	})
}

// look runs each statement by itself, which costs one way to the server instead of three.
func (p *postgres) look(ctx context.Context, op func(*tx) error) error {
	return p.enter(func() error {
		return p.use(ctx, func(ctx context.Context, c *sqlx.Conn) error { return transact(ctx, c, nil, false, op) })
	})
}

// enter runs work unless the database is closed, which waits for it.
func (p *postgres) enter(work func() error) error {
	p.gate.RLock()
	defer p.gate.RUnlock()
	if p.closed {
		return ErrClosed
	}
	return work()
}

// use takes a connection, for which ctx bounds the wait, and runs work on it
// whether or not ctx ends, unless that means a lost lease.
func (p *postgres) use(ctx context.Context, work func(context.Context, *sqlx.Conn) error) error {
	c, err := p.pool.Connx(ctx)
	if err != nil {
		return translate(fmt.Errorf("connect to the database: %w", err))
	}
	defer c.Close()
	ctx, cancel := untilLost(ctx)
	defer cancel()
	return translate(work(ctx, c))
}

// untilLost returns a context that ends when ctx ends for a lost lease only: a connection
// that does not answer would keep the former holder waiting while another node works.
func untilLost(ctx context.Context) (context.Context, context.CancelFunc) {
	out, cut := context.WithCancelCause(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		if cause := context.Cause(ctx); errors.Is(cause, chat.ErrLeaseLost) {
			cut(cause)
		}
	})
	return out, func() {
		stop()
		cut(nil)
	}
}

// worthRetry reports whether an operation was only unlucky: a serialization
// failure, a deadlock, or a row that somebody else inserted first, or erased
// with what the operation wanted to add to.
func worthRetry(err error) bool {
	var e *pgconn.PgError
	return errors.As(err, &e) && (e.Code == "40001" || e.Code == "40P01" || e.Code == "23505" || e.Code == "23503")
}

// translate names the errors that callers know.
func translate(err error) error {
	var e *pgconn.PgError
	switch {
	case errors.As(err, &e) && e.Code == "53100":
		return explainTrouble(fmt.Errorf("%w: %w", chat.ErrStorageFull, err))
	case isAway(err):
		return explainTrouble(fmt.Errorf("%w: %w", chat.ErrAway, err))
	}
	return err
}

// isAway reports whether the server could not be reached, had no connection left,
// ended the one there was, did not answer in time, may not write because it became
// another's standby, or keeps refusing a transaction that may succeed later.
func isAway(err error) bool {
	var connect *pgconn.ConnectError
	if errors.As(err, &connect) {
		return true
	}
	var server *pgconn.PgError
	if errors.As(err, &server) {
		return slices.Contains(away, server.Code) || strings.HasPrefix(server.Code, "57P") || strings.HasPrefix(server.Code, "08")
	}
	var network *net.OpError
	return errors.As(err, &network) || errors.Is(err, driver.ErrBadConn) || errors.Is(err, pgconn.ErrConnClosed) ||
		errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, context.DeadlineExceeded)
}

// away are the codes of a server that may accept the same later.
var away = []string{"25006", "25P03", "25P04", "40001", "40P01", "53200", "53300", "55P03", "57014"}

// vacuum is what Postgres does by itself.
func (p *postgres) vacuum(context.Context, int) (bool, error) { return false, nil }

// close waits for the operations under way.
func (p *postgres) close() error {
	p.gate.Lock()
	defer p.gate.Unlock()
	if p.closed {
		return nil
	}
	p.closed = true
	p.shared.close()
	return errors.Join(p.cluster.close(), p.pool.Close())
}
