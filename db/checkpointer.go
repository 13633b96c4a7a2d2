package db

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/jmoiron/sqlx"
	"modernc.org/sqlite"
)

// checkpointAfter is how many pages the writer puts into the write-ahead log
// until they are carried over into the file. Busy pages are written again and
// again: a long log carries them over once.
const checkpointAfter = 2000

// checkpointer empties the write-ahead log into the file beside the writer:
// that takes as long as dozens of commits, for which nobody has to wait. While
// the writer never rests the log still grows; once it is long the writer
// itself carries over what is left (wal_autocheckpoint) and begins it anew.
type checkpointer struct {
	pool    *sqlx.DB
	bell    chan struct{}
	due     atomic.Int64 // so many pages are written when the bell is rung next
	working sync.WaitGroup
}

func newCheckpointer(pool *sqlx.DB) *checkpointer {
	c := &checkpointer{pool: pool, bell: make(chan struct{}, 1)}
	c.due.Store(checkpointAfter)
	c.working.Go(c.run)
	return c
}

// wrote says how many pages the writer has written since it was opened.
func (c *checkpointer) wrote(pages int64) {
	if pages < c.due.Load() {
		return
	}
	c.due.Store(pages + checkpointAfter)
	select {
	case c.bell <- struct{}{}:
	default:
	}
}

// close ends the work; wrote must not be called any more.
func (c *checkpointer) close() {
	close(c.bell)
	c.working.Wait()
}

// run works until close. What fails is left to the next checkpoint: nothing is
// lost, the log only gets longer.
func (c *checkpointer) run() {
	var own *conn // opened when it is needed
	for range c.bell {
		if own == nil {
			own, _ = newConn(context.Background(), c.pool)
		}
		if own != nil {
			_, _ = own.exec("PRAGMA wal_checkpoint(PASSIVE)")
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
