package db_test

import (
	"errors"
	"reflect"
	"testing"

	"github.com/relay-chat/relay/db"
	"github.com/relay-chat/relay/db/dbtest"
	"github.com/relay-chat/relay/server/chat"
)

// settled puts deliveries to a destination into the store, done or failed.
func settled(t *testing.T, d *db.DB, session, dest string, states ...chat.DeliveryState) {
	t.Helper()
	apply(t, d, func(tx chat.Tx) error {
		s := newSession(session, 1)
		s.Rev = int64(len(states))
		if err := tx.CreateSession(s); err != nil {
			return err
		}
		for i, state := range states {
			rev := int64(i + 1)
			if err := tx.Append(newEvent(session, rev, "m"), []chat.Destination{{Dest: dest}}); err != nil {
				return err
			}
			if err := tx.SaveDelivery(&chat.Delivery{Dest: dest, SessionID: session, Rev: rev, State: state}); err != nil {
				return err
			}
		}
		return nil
	})
}

// TestPruneKeepsTheNewestSettled: the log of a destination is bounded, done and
// failed for themselves, and nothing goes that waits.
func TestPruneKeepsTheNewestSettled(t *testing.T) {
	const p, s, d, f = chat.DeliveryPending, chat.DeliverySending, chat.DeliveryDone, chat.DeliveryFailed
	dbtest.Each(t, func(t *testing.T, store *db.DB) {
		settled(t, store, "a", "hook", p, d, f, d, d, s, d, f, d, d)
		settled(t, store, "b", "bridge", d, d)
		for range 2 {
			if err := store.PruneSettled(t.Context(), 3); err != nil {
				t.Fatal(err)
			}
		}
		got := map[string][]int64{}
		read(t, store, func(r chat.Reader) error {
			list, err := r.Deliveries(chat.DeliveryQuery{})
			for _, e := range list {
				got[e.Dest+" "+e.State.String()] = append(got[e.Dest+" "+e.State.String()], e.Rev)
			}
			return err
		})
		want := map[string][]int64{"hook pending": {1}, "hook sending": {6}, "hook done": {10, 9, 7}, "hook failed": {8, 3}, "bridge done": {2, 1}}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("left are %v, want %v", got, want)
		}
	})
}

// TestTriesAreStored: what came of each attempt is there with the delivery,
// however it is saved.
func TestTriesAreStored(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, store *db.DB) {
		settled(t, store, "a", "hook", chat.DeliveryPending, chat.DeliveryPending, chat.DeliveryPending, chat.DeliveryPending)
		try := chat.Try{At: 1000, Status: 500, Took: 12, Error: "böse"}
		var lane []chat.Delivery
		look := func() {
			t.Helper()
			read(t, store, func(r chat.Reader) (err error) {
				lane, err = r.Deliveries(chat.DeliveryQuery{After: &chat.Cursor{}})
				return err
			})
		}
		look()
		lane[1].Note(try)
		apply(t, store, func(tx chat.Tx) error { return tx.SaveDelivery(&lane[1]) })
		look()
		for i := range lane[:3] {
			lane[i].Note(chat.Try{At: chat.Time(2000 + i), Status: 200, Took: int64(i)})
			lane[i].State, lane[i].Attempts = chat.DeliveryDone, 1
			apply(t, store, func(tx chat.Tx) error { return tx.SaveDelivery(&lane[i]) })
		}
		look()
		for i, want := range []chat.Tries{{{At: 2000, Status: 200}}, {try, {At: 2001, Status: 200, Took: 1}}, {{At: 2002, Status: 200, Took: 2}}, nil} {
			state, attempts := chat.DeliveryDone, 1
			if i == 3 {
				state, attempts = chat.DeliveryPending, 0
			}
			if got := lane[i]; !reflect.DeepEqual(got.Tries, want) || got.State != state || got.Attempts != attempts {
				t.Errorf("delivery %d is %s after %d attempts: %+v, want %+v", i+1, got.State, got.Attempts, got.Tries, want)
			}
		}
	})
}

// TestDeliveriesInTrouble: people see what was given up and what has failed often;
// a lane whose head may be passed is due at once.
func TestDeliveriesInTrouble(t *testing.T) {
	const p, d, f = chat.DeliveryPending, chat.DeliveryDone, chat.DeliveryFailed
	dbtest.Each(t, func(t *testing.T, store *db.DB) {
		settled(t, store, "a", "bridge", p, f, p, d, p, f)
		settled(t, store, "b", "bridge", p)
		apply(t, store, func(tx chat.Tx) error {
			for _, e := range []chat.Delivery{
				{SessionID: "a", Rev: 1, Attempts: 1, Passed: true, LastError: "refused", NextAt: 5000},
				{SessionID: "a", Rev: 2, State: f, LastError: "no such peer"},
				{SessionID: "a", Rev: 3, Attempts: chat.TroubleTries, LastError: "down"},
				{SessionID: "a", Rev: 5, Attempts: chat.TroubleTries - 1, LastError: "down"},
				{SessionID: "b", Rev: 1, Attempts: 1, NextAt: 7000},
			} {
				e.Dest = "bridge"
				if err := tx.SaveDelivery(&e); err != nil {
					return err
				}
			}
			return nil
		})
		read(t, store, func(r chat.Reader) error {
			list, err := r.Undelivered("a", 10)
			var revs []int64
			for _, e := range list {
				revs = append(revs, e.Rev)
			}
			if !reflect.DeepEqual(revs, []int64{1, 2, 3, 6}) || !list[0].Passed || list[2].Passed {
				t.Errorf("in trouble are %v: %+v", revs, list)
			}
			if first, _ := r.Undelivered("a", 1); len(first) != 1 {
				t.Errorf("%d of at most one", len(first))
			}
			failed, retrying, more := r.Troubles("bridge")
			if failed.Count != 2 || failed.Last.Rev != 6 || retrying.Count != 2 || retrying.Last.Rev != 3 {
				t.Errorf("failed %+v, retrying %+v", failed, retrying)
			}
			lanes, again := r.Lanes("bridge")
			due := map[string]chat.Time{}
			for _, l := range lanes {
				due[l.Key] = l.NextAt
			}
			if want := map[string]chat.Time{"a": 0, "b": 7000}; !reflect.DeepEqual(due, want) {
				t.Errorf("lanes are due at %v, want %v", due, want)
			}
			return errors.Join(err, more, again)
		})
	})
}
