package db_test

import (
	"reflect"
	"testing"

	"relay/db"
	"relay/db/dbtest"
	"relay/server/chat"
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
		settled(t, store, "b", "desk", d, d)
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
		want := map[string][]int64{"hook pending": {1}, "hook sending": {6}, "hook done": {10, 9, 7}, "hook failed": {8, 3}, "desk done": {2, 1}}
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
		}
		apply(t, store, func(tx chat.Tx) error { return tx.SaveDone(lane[:3]) })
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
