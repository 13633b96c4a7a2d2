package engine_test

import (
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/relay-chat/relay/db"
	"github.com/relay-chat/relay/server/chat"
)

// withDatabase runs a test in a synctest bubble with a database in
// memory: pauses of hours take no time.
func withDatabase(t *testing.T, test func(t *testing.T, store *db.DB)) {
	synctest.Test(t, func(t *testing.T) {
		store, err := db.Memory(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		test(t, store)
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
}

// served runs a test with a sink of its own.
func served(t *testing.T, test func(t *testing.T, store *db.DB, sink *testSink)) {
	withDatabase(t, func(t *testing.T, store *db.DB) { test(t, store, newSink("bridge")) })
}

// revs writes what a sink saw of one session without its id.
func revs(sessionID string, saw []string) (out []string) {
	for _, s := range saw {
		var rev string
		if n, _ := fmt.Sscanf(s, sessionID+"/%s", &rev); n == 1 {
			out = append(out, rev)
		}
	}
	return out
}

func expectRevs(t *testing.T, sink *testSink, sessionID string, want ...string) {
	t.Helper()
	if got := revs(sessionID, sink.saw()); !slices.Equal(got, want) {
		t.Errorf("%s was handed %v, want %v", sink.name, got, want)
	}
}

func states(t *testing.T, store *db.DB, dest string) map[chat.DeliveryState]int {
	t.Helper()
	count := map[chat.DeliveryState]int{}
	err := store.Read(t.Context(), func(r chat.Reader) error {
		list, err := r.Deliveries(chat.DeliveryQuery{Dest: dest, Limit: 1000})
		for _, d := range list {
			count[d.State]++
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return count
}

func TestOutboxKeepsOrder(t *testing.T) {
	served(t, func(t *testing.T, store *db.DB, sink *testSink) {
		sink.answer = func([]chat.Delivery) (int, error) { time.Sleep(50 * time.Millisecond); return 1, nil }
		h := build(t, store, sink)
		stop := h.run(t)
		a, b := h.open(t, "a"), h.open(t, "b")
		for i := range 5 {
			h.say(t, a, fmt.Sprint(i))
			h.say(t, b, fmt.Sprint(i))
		}
		time.Sleep(time.Minute)
		stop()
		want := []string{"1", "2", "3", "4", "5", "6"} // new_session, then five messages
		expectRevs(t, sink, a, want...)
		expectRevs(t, sink, b, want...)
		if sink.maximum != 2 {
			t.Errorf("%d lanes at once, want 2: one session must not wait for another", sink.maximum)
		}
		if got := states(t, store, "bridge"); got[chat.DeliveryDone] != 12 || len(got) != 1 {
			t.Errorf("deliveries are %v, want 12 done", got)
		}
	})
}

// TestOutboxShowsTheFailure: what failed and then waits for its turn is shown with
// what it failed at.
func TestOutboxShowsTheFailure(t *testing.T) {
	served(t, func(t *testing.T, store *db.DB, sink *testSink) {
		asBridge(sink)
		var tries atomic.Int32
		sink.answer = func([]chat.Delivery) (int, error) {
			if tries.Add(1) <= 3 {
				return 0, errors.New("500 Internal Server Error")
			}
			return 0, &chat.RetryAfter{After: time.Minute, Scope: chat.ScopeSink, Cause: errors.New("too early")}
		}
		h := build(t, store, sink)
		h.run(t)
		id := h.open(t, "a")
		h.say(t, id, "hello")
		time.Sleep(10 * time.Minute)
		if n := tries.Load(); n < 5 {
			t.Fatalf("tried %d times", n)
		}
		err := store.Read(t.Context(), func(rd chat.Reader) error {
			lane, err := rd.Lane("bridge", id, 1)
			if err == nil && lane[0].LastError != "500 Internal Server Error" {
				t.Errorf("it waits because of %q", lane[0].LastError)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}

// asBridge gives a sink a bridge's policy: failures are retried for days.
func asBridge(sink *testSink) {
	sink.policy.MaxAge, sink.policy.Attempts, sink.policy.Batch = 72*time.Hour, 1<<30, 30
	sink.policy.Backoff, sink.policy.RetryOnRecovery = chat.Backoff(time.Second, 5*time.Minute), true
}

// TestOutboxBatches: a sink that joins deliveries sees the lane, and a failure
// in the middle belongs to the first that is not done.
func TestOutboxBatches(t *testing.T) {
	served(t, func(t *testing.T, store *db.DB, sink *testSink) {
		sink.policy.Batch = 10
		calls := 0
		sink.answer = func(lane []chat.Delivery) (int, error) {
			if calls++; calls == 1 {
				return 2, errors.New("the third was refused")
			}
			return len(lane), nil
		}
		h := build(t, store, sink)
		id := h.open(t, "a")
		for i := range 4 {
			h.say(t, id, fmt.Sprint(i))
		}
		h.run(t)
		time.Sleep(time.Minute)
		expectRevs(t, sink, id, "1", "2", "3", "4", "5", "3", "4", "5")
	})
}

// TestOutboxFault: a fault of a sink fails the delivery that met it, and no other.
func TestOutboxFault(t *testing.T) {
	served(t, func(t *testing.T, store *db.DB, sink *testSink) {
		sink.answer = func(lane []chat.Delivery) (int, error) {
			if lane[0].Rev == 2 {
				panic("a fault")
			}
			return 1, nil
		}
		h := build(t, store, sink)
		id := h.open(t, "a")
		h.say(t, id, "one")
		h.say(t, id, "two")
		h.run(t)
		time.Sleep(time.Minute)
		expectRevs(t, sink, id, "1", "2", "3")
		if got := states(t, store, "bridge"); got[chat.DeliveryFailed] != 1 || got[chat.DeliveryDone] != 2 {
			t.Errorf("deliveries are %v", got)
		}
	})
}
