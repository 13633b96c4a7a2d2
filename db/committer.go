package db

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"time"

	"github.com/relay-chat/relay/server/chat"
)

// committer is the only writer of a SQLite database. An fsync costs the same for one
// operation as for many, so those that wait are committed as one batch; each fails alone.
//
// Operations usually fail before they write, so a batch first runs without savepoints. If
// one fails after writing, the batch is rolled back and run again with savepoints.
type committer struct {
	*group
	conn    *conn
	cache   *sessionCache
	log     *checkpointer // nil without a write-ahead log
	guard   *fileGuard    // nil where nobody looks after the files
	usual   int64         // SQLite's level of "synchronous", 0 before it is known
	relaxed bool          // the level is lower than usual
	freeing int           // how many pages the next vacuum gives back

	committed func(operations int, took time.Duration) // nil when nobody wants to know
}

func newCommitter(c *conn, log *checkpointer, guard *fileGuard, committed func(int, time.Duration)) *committer {
	w := &committer{conn: c, log: log, guard: guard, cache: newSessionCache(), freeing: mostFreed, committed: committed}
	w.group = newGroup(1, w.turn)
	return w
}

// apply hands op to the committer and waits until it is on disk.
func (w *committer) apply(ctx context.Context, op func(*tx) error) error {
	return w.wait(ctx, newRequest(op))
}

// turn commits what waits.
func (w *committer) turn(func()) {
	w.gather()
	if batch := w.take(nil); len(batch) > 0 { // else nobody waits any more
		w.commit(batch)
	}
}

// commit runs a batch and answers its callers.
func (w *committer) commit(batch []*request) {
	begun := time.Now()
	err := w.transact(batch)
	chat.CrashPoint("after commit")
	if w.committed != nil && err == nil {
		w.committed(len(batch), time.Since(begun))
	}
	for _, r := range batch {
		if err != nil {
			r.err = err
		}
	}
	w.answer(batch)
	if w.log != nil {
		w.log.after(w.conn)
	}
}

// errSpoiled is the error of a batch in which an operation failed that had
// written.
var errSpoiled = errors.New("an operation must be rolled back")

// transact is the transaction of a batch. Its own error is the error of all
// operations in it; none has happened then.
func (w *committer) transact(batch []*request) error {
	err := w.try(batch, w.plainly)
	if errors.Is(err, errSpoiled) {
		err = w.try(batch, w.carefully)
	}
	return err
}

func (w *committer) try(batch []*request, attempt func(*request) error) error {
	w.cache.changing.Lock()
	defer w.cache.changing.Unlock()
	if err := w.relax(!slices.ContainsFunc(batch, func(r *request) bool { return !r.relaxed })); err != nil {
		return fmt.Errorf("set synchronous: %w", err)
	}
	if err := w.begin(); err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	for _, r := range batch {
		err := attempt(r)
		if w.conn.broken != nil {
			err = w.conn.broken
		}
		if err != nil {
			return w.rollback(err)
		}
	}
	chat.CrashPoint("before commit")
	if _, err := w.conn.exec("COMMIT"); err != nil {
		return w.rollback(fmt.Errorf("commit: %w", err))
	}
	return nil
}

// relax sets whether the commits that follow may be on disk later, together with the
// next one that may not.
func (w *committer) relax(relaxed bool) error {
	if relaxed == w.relaxed {
		return nil
	}
	if w.usual == 0 {
		if err := w.conn.get(&w.usual, "PRAGMA synchronous"); err != nil {
			return err
		}
	}
	const normal = 1
	level := w.usual
	if relaxed {
		level = min(level, normal)
	}
	if _, err := w.conn.exec(fmt.Sprintf("PRAGMA synchronous = %d", level)); err != nil {
		return err
	}
	w.relaxed = relaxed
	return nil
}

// begin takes the write lock at once, so that no later statement fails for it.
func (w *committer) begin() error {
	w.conn.broken = nil
	if err := w.guard.check(); err != nil {
		return err
	}
	if _, err := w.conn.exec("BEGIN IMMEDIATE"); err != nil {
		return err
	}
	var version int64
	if err := w.conn.get(&version, "PRAGMA data_version"); err != nil {
		return w.rollback(err)
	}
	w.cache.refresh(version)
	return nil
}

// rollback ends a transaction. SQLite may have ended it already; that error does
// not matter.
func (w *committer) rollback(cause error) error {
	_, _ = w.conn.exec("ROLLBACK")
	w.cache.clear()
	return cause
}

// plainly runs an operation without a savepoint.
func (w *committer) plainly(r *request) error {
	w.conn.wrote = false
	r.err = protect(r.op, &tx{q: w.conn, cache: w.cache})
	if r.err != nil && w.conn.wrote {
		return errSpoiled
	}
	return nil
}

// carefully runs an operation in a savepoint.
func (w *committer) carefully(r *request) error {
	if _, err := w.conn.exec("SAVEPOINT op"); err != nil {
		return err
	}
	r.err = protect(r.op, &tx{q: w.conn, cache: w.cache})
	if w.conn.broken != nil {
		return w.conn.broken
	}
	if r.err != nil {
		w.cache.clear()
		if _, err := w.conn.exec("ROLLBACK TO op"); err != nil {
			return err
		}
	}
	_, err := w.conn.exec("RELEASE op")
	return err
}

// protect turns a panic of an operation into its error: others wait for the
// same commit.
func protect(op func(*tx) error, t *tx) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("a database operation panicked: %v\n%s", p, debug.Stack())
		}
	}()
	return op(t)
}

// A vacuum gives back as many pages as take about vacuumTime, mostFreed at most:
// others wait meanwhile.
const (
	vacuumTime = 50 * time.Millisecond
	mostFreed  = 256
)

// vacuum gives a portion of the free pages beyond those to be kept back to the
// disk. They are at the end of a transaction of their own, which is short.
func (w *committer) vacuum(ctx context.Context, keep int) (more bool, err error) {
	err = w.apply(ctx, func(t *tx) error {
		var free int
		if err := t.q.get(&free, "PRAGMA freelist_count"); err != nil || free <= keep {
			return err
		}
		n, begun, left := min(w.freeing, free-keep), time.Now(), 0
		if _, err := t.q.exec(fmt.Sprintf("PRAGMA incremental_vacuum(%d)", n)); err != nil {
			return err
		}
		w.freeing = nextPortion(w.freeing, time.Since(begun))
		err := t.q.get(&left, "PRAGMA freelist_count")
		more = left > keep && left < free // a file that others have made may not shrink
		return err
	})
	return more, err
}

// nextPortion returns how many pages to give back after up to n of them took so
// long.
func nextPortion(n int, took time.Duration) int {
	switch {
	case took > vacuumTime:
		return max(n/2, 1)
	case took < vacuumTime/4:
		return min(2*n, mostFreed)
	}
	return n
}
