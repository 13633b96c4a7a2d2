package db_test

import (
	"reflect"
	"testing"
	"time"

	"github.com/relay-chat/relay/db"
	"github.com/relay-chat/relay/db/dbtest"
	"github.com/relay-chat/relay/server/chat"
)

// TestQueues: what waits is counted by sink and by bridge, with the age of the
// oldest; what is settled does not count.
func TestQueues(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, store *db.DB) {
		const p, s, d, f = chat.DeliveryPending, chat.DeliverySending, chat.DeliveryDone, chat.DeliveryFailed
		settled(t, store, "a", "hook", d, p, s, f)
		settled(t, store, "b", "bridge", d, f)
		apply(t, store, func(tx chat.Tx) error {
			for i, state := range []chat.UpdateState{chat.UpdateDone, chat.UpdatePending, chat.UpdatePending, chat.UpdateFailed} {
				u := chat.Update{Bridge: "telegram", Key: string(rune('a' + i)), Thread: "1", State: state, ReceivedAt: chat.Time(100 * i)}
				if _, err := tx.PutUpdate(&u); err != nil {
					return err
				}
			}
			return nil
		})
		read(t, store, func(r chat.Reader) error {
			deliveries, updates, err := r.Queues()
			if want := []chat.Queue{{Name: "hook", Waiting: 2, Oldest: 1002}}; !reflect.DeepEqual(deliveries, want) {
				t.Errorf("deliveries %v, want %v", deliveries, want)
			}
			if want := []chat.Queue{{Name: "telegram", Waiting: 2, Oldest: 100}}; !reflect.DeepEqual(updates, want) {
				t.Errorf("updates %v, want %v", updates, want)
			}
			return err
		})
	})
}

// TestSizeAndCommits: a database reports its size and each commit, whichever it is.
func TestSizeAndCommits(t *testing.T) {
	dbtest.EachURL(t, func(t *testing.T, url string) {
		var operations, commits int
		store, err := db.Open(t.Context(), url, db.Options{Committed: func(n int, took time.Duration) {
			operations, commits = operations+n, commits+1
			if took <= 0 {
				t.Errorf("a commit took %s", took)
			}
		}})
		if err != nil {
			t.Fatal(err)
		}
		newSessions(t, store, 1)
		if err := store.Close(); err != nil {
			t.Error(err)
		}
		if operations != 1 || commits != 1 {
			t.Errorf("%d operations in %d commits, want 1 in 1", operations, commits)
		}
	})
	dbtest.EachURL(t, func(t *testing.T, url string) {
		store, err := db.Open(t.Context(), url, db.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer store.Close()
		if size, _, err := store.Size(t.Context()); err != nil || size < 4096 {
			t.Errorf("its size is %d, %v", size, err)
		}
	})
}
