package db

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/jmoiron/sqlx"

	"github.com/relay-chat/relay/server/chat"
)

// Up to crowd operations under way run alone: side by side on connections of their own they
// wait less, and the server flushes for several at once. More than that share at most so
// many transactions: while some wait for the disk, the next is prepared.
const (
	crowd   = 12
	sharers = 4
)

// shared is the group commit of a Postgres database under load: operations, on any
// sessions, share a transaction of two round trips. The first locks the sessions of all,
// the second writes what all of them collected (see collector) and commits.
//
// An operation that cannot share is left out, and its caller runs it alone, like any other:
// when its session is locked elsewhere, so that nobody waits for a lock while holding
// others, and when it reads, or writes something unusual. If the server rejects what was
// collected, each runs alone: then only the one to blame fails.
type shared struct {
	*group
	pool      *sqlx.DB
	begin     []string // the statements that begin a transaction
	committed func(operations int, took time.Duration)
	crowd     int64        // how many operations under way run alone
	underWay  atomic.Int64 // operations, alone or not
}

func newShared(pool *sqlx.DB, begin []string, committed func(int, time.Duration)) *shared {
	s := &shared{pool: pool, begin: begin, committed: committed, crowd: crowd}
	s.group = newGroup(sharers, s.turn)
	return s
}

// errAlone is the result of an operation that has to run alone.
var errAlone = errors.New("the operation cannot share a transaction")

// apply lets op share a transaction, or runs it alone.
func (s *shared) apply(ctx context.Context, sessionID string, op func(*tx) error, alone func(context.Context, func(*tx) error) error) error {
	defer s.underWay.Add(-1)
	if s.underWay.Add(1) > s.crowd {
		r := newRequest(op)
		r.session = sessionID
		if err := s.wait(ctx, r); err != errAlone {
			return err
		}
	}
	return alone(ctx, op)
}

// turn commits what waits. The connection is there before a batch is taken: callers that
// give up meanwhile can still leave.
func (s *shared) turn(prepared func()) {
	c, err := s.connect()
	if c != nil {
		defer c.Close()
	}
	ctx, cancel := context.WithTimeout(context.Background(), maxTxTime)
	defer cancel()
	s.gather()
	batch := s.take(cancel)
	if len(batch) == 0 {
		return
	}
	if err == nil {
		err = s.commit(ctx, c, batch, prepared)
	}
	for _, r := range batch {
		if err != nil {
			r.err = err
		}
	}
	s.answer(batch)
}

func (s *shared) connect() (*sqlx.Conn, error) {
	ctx, cancel := context.WithTimeout(context.Background(), maxTxTime)
	defer cancel()
	c, err := s.pool.Connx(ctx)
	if err != nil {
		return nil, translate(fmt.Errorf("connect to the database: %w", err))
	}
	return c, nil
}

// commit runs a batch in one transaction. Its error is that of all operations in it.
func (s *shared) commit(ctx context.Context, c *sqlx.Conn, batch []*request, prepared func()) error {
	begun, written := time.Now(), 0
	err := c.Raw(func(dc any) (err error) {
		written, err = s.transact(ctx, dc.(*stdlib.Conn).Conn(), batch, prepared)
		return err
	})
	switch {
	case err == nil:
		if written > 0 {
			s.committed(written, time.Since(begun))
		}
		return nil
	case blames(err):
		return errAlone
	case errors.Is(err, context.Canceled): // a lease was lost, see group.wait
		err = fmt.Errorf("%w: %w", chat.ErrAway, err)
	}
	return translate(err)
}

// blames reports whether the server rejected what an operation wrote, or was only
// unlucky: nothing has happened, and alone it may succeed.
func blames(err error) bool {
	var e *pgconn.PgError
	return worthRetry(err) || errors.As(err, &e) && !isAway(err) && !errors.Is(translate(err), chat.ErrStorageFull)
}

// transact is the transaction of a batch. It returns how many operations it committed.
func (s *shared) transact(ctx context.Context, c *pgx.Conn, batch []*request, prepared func()) (written int, err error) {
	sessions, err := s.lock(ctx, c, batch)
	if err != nil {
		return 0, errors.Join(fmt.Errorf("begin: %w", err), abandon(ctx, c))
	}
	all := newCollector()
	for _, r := range batch {
		if r.err = all.run(r, sessions); r.err == nil {
			written++
		}
	}
	if len(all.statements) == 0 {
		return written, abandon(ctx, c)
	}
	prepared()
	chat.CrashPoint("before commit")
	if err := all.write(ctx, c); err != nil {
		return 0, errors.Join(fmt.Errorf("commit: %w", err), abandon(ctx, c))
	}
	chat.CrashPoint("after commit")
	return written, nil
}

const lockSessions = `SELECT ` + sessionColumns + `, number, listed_at FROM sessions WHERE id = ANY($1) FOR UPDATE SKIP LOCKED`

// lock begins the transaction and locks the sessions of a batch, except those that
// another transaction has locked.
func (s *shared) lock(ctx context.Context, c *pgx.Conn, batch []*request) (*sessionCache, error) {
	var b pgx.Batch
	for _, text := range s.begin {
		b.Queue(text)
	}
	ids := make([]string, len(batch))
	for i, r := range batch {
		ids[i] = r.session
	}
	sessions := newSessionCache()
	b.Queue(lockSessions, ids).Query(func(rows pgx.Rows) error {
		for rows.Next() {
			var one stored
			if err := rows.Scan(append(variables(&one.Session), &one.Number, &one.ListedAt)...); err != nil {
				return err
			}
			sessions.put(&one)
		}
		return rows.Err()
	})
	return sessions, c.SendBatch(ctx, &b).Close()
}

// abandon ends a transaction without effect. A connection on which that fails is closed.
func abandon(ctx context.Context, c *pgx.Conn) error {
	if c.IsClosed() {
		return nil
	}
	_, err := c.Exec(ctx, "rollback")
	if err != nil {
		_ = c.Close(ctx)
	}
	return err
}
