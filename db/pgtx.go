package db

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/jmoiron/sqlx"
)

// pgTx is a transaction, or the statements of a look. Each way to the server costs as much
// as a small statement there, so what need not be answered is queued and sent with the next that
// is: its beginning, and in a lazy one all that is mergeable. A message takes two ways, one to lock its session
// and one to write and commit. pgx prepares and keeps the statements.
type pgTx struct {
	ctx    context.Context
	conn   *sqlx.Conn
	lazy   bool
	begun  bool // the server may know of it
	queued *pgx.Batch
	failed error // of what was sent; then everything fails
}

// transact is one attempt at one transaction, which begins with some statements; without
// any, each statement is one by itself. database/sql cannot send several at once: pgx does.
func transact(ctx context.Context, c *sqlx.Conn, begin []string, lazy bool, op func(*tx) error) error {
	ctx, cancel := context.WithTimeout(ctx, maxTxTime)
	defer cancel()
	p := &pgTx{ctx: ctx, conn: c, lazy: lazy, queued: &pgx.Batch{}}
	for _, text := range begin {
		p.queued.Queue(text)
	}
	err := protect(op, &tx{q: p})
	if len(begin) == 0 {
		return err
	}
	if p.failed != nil { // whatever op made of it
		err = p.failed
	}
	if err == nil && (p.begun || p.queued.Len() > len(begin)) {
		err = wrap(p.commit(), "commit")
	}
	if err != nil && p.begun {
		err = errors.Join(err, p.raw(func(c *pgx.Conn) error { return abandon(ctx, c) }))
	}
	return err
}

func (p *pgTx) raw(with func(*pgx.Conn) error) error {
	return p.conn.Raw(func(dc any) error { return with(dc.(*stdlib.Conn).Conn()) })
}

// queue adds a statement to those that are sent together.
func (p *pgTx) queue(query string, args []any) (*pgx.QueuedQuery, error) {
	values := make([]any, len(args))
	for i, arg := range args {
		v, err := driver.DefaultParameterConverter.ConvertValue(arg)
		if err != nil {
			return nil, fmt.Errorf("parameter %d: %w", i, err)
		}
		values[i] = v
	}
	return p.queued.Queue(sqlx.Rebind(sqlx.DOLLAR, query), values...), nil
}

// send sends what is queued.
func (p *pgTx) send() error {
	if p.failed == nil && p.queued.Len() > 0 {
		b := p.queued
		p.queued, p.begun = &pgx.Batch{}, true
		p.failed = p.raw(func(c *pgx.Conn) error { return c.SendBatch(p.ctx, b).Close() })
	}
	return p.failed
}

// commit sends the rest. A server that has rejected something before rolls back instead.
func (p *pgTx) commit() error {
	p.queued.Queue("commit").Exec(func(tag pgconn.CommandTag) error {
		if tag.String() != "COMMIT" {
			return pgx.ErrTxCommitRollback
		}
		return nil
	})
	return p.send()
}

func (p *pgTx) exec(query string, args ...any) (n int64, err error) {
	if text, ok := mergeable[query]; ok && p.lazy {
		_, err := p.queue(text.one, args)
		return 1, err
	}
	q, err := p.queue(query, args)
	if err != nil {
		return 0, err
	}
	q.Exec(func(tag pgconn.CommandTag) error {
		n = tag.RowsAffected()
		return nil
	})
	return n, p.send()
}

func (p *pgTx) row(dest []any, query string, args ...any) error {
	q, err := p.queue(query, args)
	if err != nil {
		return err
	}
	missing := false
	q.QueryRow(func(row pgx.Row) error {
		err := row.Scan(dest...)
		if missing = errors.Is(err, pgx.ErrNoRows); missing {
			return nil
		}
		return err
	})
	if err = p.send(); err == nil && missing {
		err = sql.ErrNoRows
	}
	return err
}

func (p *pgTx) rows(next func() []any, query string, args ...any) error {
	q, err := p.queue(query, args)
	if err != nil {
		return err
	}
	q.Query(func(rows pgx.Rows) error {
		for rows.Next() {
			if err := rows.Scan(next()...); err != nil {
				return err
			}
		}
		return rows.Err()
	})
	return p.send()
}

func (p *pgTx) get(dest any, query string, args ...any) error {
	if err := p.send(); err != nil {
		return err
	}
	return p.conn.GetContext(p.ctx, dest, p.conn.Rebind(query), args...)
}

func (p *pgTx) list(dest any, query string, args ...any) error {
	if err := p.send(); err != nil {
		return err
	}
	return p.conn.SelectContext(p.ctx, dest, p.conn.Rebind(query), args...)
}

func (p *pgTx) has(column string) string { return "strpos(" + column + ", ?) > 0" }

// lock makes transactions that change the same rows wait for each other.
func (p *pgTx) lock(query string) string { return query + " FOR UPDATE" }

func (p *pgTx) ticket() (ticket int64, err error) {
	err = p.row([]any{&ticket}, `SELECT txid_current()`)
	return ticket, err
}

func (p *pgTx) ended(ticket int64) (ended bool, err error) {
	err = p.row([]any{&ended}, `SELECT txid_snapshot_xmin(txid_current_snapshot()) >= ?`, ticket)
	return ended, err
}

// survey changes nothing: the server manages its memory.
func (p *pgTx) survey() (end func()) { return func() {} }
