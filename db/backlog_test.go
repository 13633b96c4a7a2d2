package db_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/relay-chat/relay/db"
	"github.com/relay-chat/relay/db/dbtest"
	"github.com/relay-chat/relay/server/chat"
)

// backlogAfter reads the backlog behind a number.
func backlogAfter(t testing.TB, d *db.DB, n int64) (list []chat.BacklogEvent, end int64) {
	t.Helper()
	read(t, d, func(r chat.Reader) (err error) {
		if list, err = r.Backlog(n, 1000); err == nil {
			end, err = r.BacklogEnd()
		}
		return err
	})
	return list, end
}

// TestBacklogIsInTheOrderOfCommits: however many write at once, a reader never finds an
// event before one that it has read.
func TestBacklogIsInTheOrderOfCommits(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		const writers, each = 8, 25
		ids := newSessions(t, d, writers)
		var writing sync.WaitGroup
		var left atomic.Int32
		left.Store(writers)
		for i, id := range ids {
			writing.Go(func() {
				defer left.Add(-1)
				for n := range each {
					e := newEvent(id, int64(n), fmt.Sprint(n))
					err := d.Apply(t.Context(), func(tx chat.Tx) error { return tx.AppendBacklog([]chat.Event{*e, *e}) })
					if i == 0 && n%5 == 0 { // one that is rolled back leaves no gap
						want(t, d.Apply(t.Context(), func(tx chat.Tx) error {
							if err := tx.AppendBacklog([]chat.Event{*e}); err != nil {
								return err
							}
							return errOp
						}), errOp)
					}
					if err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
		last := int64(0)
		for more := true; more; {
			more = left.Load() > 0 // a last look follows
			list, _ := backlogAfter(t, d, last)
			for _, e := range list {
				if e.Number != last+1 {
					t.Fatalf("%d follows %d", e.Number, last)
				}
				last = e.Number
			}
		}
		writing.Wait()
		if last != 2*writers*each {
			t.Errorf("%d events were read", last)
		}
	})
}

func TestBacklogIsPrunedAndErased(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		ids := newSessions(t, d, 2)
		add := func(id string, n int64) {
			apply(t, d, func(tx chat.Tx) error { return tx.AppendBacklog([]chat.Event{*newEvent(id, n, "m")}) })
		}
		for n := range int64(3) {
			add(ids[0], n)
			add(ids[1], n)
		}
		if err := d.Erase(t.Context(), ids[0]); err != nil {
			t.Fatal(err)
		}
		apply(t, d, func(tx chat.Tx) error { return tx.PruneBacklog(2) })
		list, end := backlogAfter(t, d, 0)
		if len(list) != 2 || list[0].Number != 4 || list[1].Number != 6 || end != 6 || list[0].SessionID != ids[1] || string(list[0].Payload) == "" {
			t.Errorf("%+v up to %d", list, end)
		}
		apply(t, d, func(tx chat.Tx) error { return tx.PruneBacklog(6) })
		add(ids[1], 9)
		if list, _ := backlogAfter(t, d, 0); len(list) != 1 || list[0].Number != 7 {
			t.Errorf("numbers restarted: %+v", list)
		}
	})
}
