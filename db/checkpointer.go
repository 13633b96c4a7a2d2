package db

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/jmoiron/sqlx"
	"modernc.org/sqlite"

	"github.com/relay-chat/relay/server/chat"
)

// checkpointAfter is how many pages the writer puts into the write-ahead log
// before they are copied into the file.
const checkpointAfter = 1000

// checkpointer copies the write-ahead log into the file while the writer goes on:
// that takes as long as dozens of commits. The writer copies the little that it
// adds meanwhile itself, so that the log restarts and stays small: overwriting it
// is quicker than letting it grow.
type checkpointer struct {
	pool    *sqlx.DB
	bell    chan struct{}
	due     int64       // so many pages are written when the bell is rung next
	rest    atomic.Bool // the writer must copy the rest
	working sync.WaitGroup
}

func newCheckpointer(pool *sqlx.DB) *checkpointer {
	c := &checkpointer{pool: pool, bell: make(chan struct{}, 1), due: checkpointAfter}
	c.working.Go(c.run)
	return c
}

// after is called by the writer after each commit.
func (c *checkpointer) after(writer *conn) {
	if c.rest.CompareAndSwap(true, false) {
		checkpoint(writer)
	}
	pages := writer.pagesWritten()
	if pages < c.due {
		return
	}
	c.due = pages + checkpointAfter
	select {
	case c.bell <- struct{}{}:
	default:
	}
}

// checkpoint copies what it can without waiting. A failure is left to the next
// one: nothing is lost, the log only gets longer.
func checkpoint(c *conn) { _, _ = c.exec("PRAGMA wal_checkpoint(PASSIVE)") }

// close ends the work; after must not be called any more.
func (c *checkpointer) close() {
	close(c.bell)
	c.working.Wait()
}

// run works until close. Its connection is opened when it is needed, and again
// if that failed.
func (c *checkpointer) run() {
	var own *conn
	for range c.bell {
		if own == nil {
			own, _ = newConn(context.Background(), c.pool)
		}
		if own != nil {
			chat.CrashPoint("before checkpoint")
			checkpoint(own)
			chat.CrashPoint("after checkpoint")
			c.rest.Store(true)
		}
	}
	if own != nil {
		own.close()
	}
}

// pagesWritten returns how many pages a connection has written since it was
// opened.
func (c *conn) pagesWritten() (pages int64) {
	_ = c.raw.Raw(func(dc any) error {
		n, _, err := dc.(sqlite.DBStatus).Status(sqlite.DBStatusCacheWrite, false)
		pages = int64(n)
		return err
	})
	return pages
}
