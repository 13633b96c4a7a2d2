package engine_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/relay-chat/relay/db"
	"github.com/relay-chat/relay/server/chat"
)

// TestOutboxRetriesAllFailed: what was given up leaves again in its order, and
// what fails once more is not taken up by the same sweep.
func TestOutboxRetriesAllFailed(t *testing.T) {
	served(t, func(t *testing.T, store *db.DB, sink *testSink) {
		sink.policy.Attempts = 1
		var up atomic.Bool
		sink.answer = func(lane []chat.Delivery) (int, error) {
			if !up.Load() {
				return 0, errors.New("down")
			}
			return 1, nil
		}
		h := build(t, store, sink)
		h.run(t)
		id := h.open(t, "a")
		h.say(t, id, "one")
		h.say(t, id, "two")
		time.Sleep(time.Minute)
		for _, now := range []bool{false, true} {
			up.Store(now)
			count, next, err := h.Outbox.RetryFailed(t.Context(), "bridge", chat.Cursor{})
			if count != 3 || next != nil || err != nil {
				t.Fatalf("%d taken up, next %v, %v", count, next, err)
			}
			time.Sleep(time.Minute)
		}
		expectRevs(t, sink, id, "1", "2", "3", "1", "2", "3", "1", "2", "3")
		if got := states(t, store, "bridge"); got[chat.DeliveryDone] != 3 || len(got) != 1 {
			t.Errorf("deliveries are %v, want 3 done", got)
		}
	})
}

// TestRetriedDeliveryMayHaveArrived: what was given up after an attempt whose outcome is
// unknown is looked for when somebody retries it, however often the later attempts failed
// for good; what certainly did not arrive is not.
func TestRetriedDeliveryMayHaveArrived(t *testing.T) {
	for name, tt := range map[string]struct {
		errs []error
		want bool
	}{
		"unknown":               {[]error{chat.ErrAmbiguous, chat.ErrAmbiguous}, true},
		"unknown, then refused": {[]error{chat.ErrAmbiguous, fmt.Errorf("%w: forbidden", chat.ErrPermanent)}, true},
		"out of time":           {[]error{context.DeadlineExceeded, context.DeadlineExceeded}, true},
		"refused":               {[]error{errors.New("down"), fmt.Errorf("%w: forbidden", chat.ErrPermanent)}, false},
	} {
		t.Run(name, func(t *testing.T) {
			served(t, func(t *testing.T, store *db.DB, sink *testSink) {
				sink.policy.Attempts = 2
				var tries, retried atomic.Int64
				var ambiguous atomic.Bool
				sink.answer = func(lane []chat.Delivery) (int, error) {
					if lane[0].Rev > 1 {
						return len(lane), nil
					}
					if retried.Load() > 0 {
						ambiguous.Store(lane[0].Ambiguous())
						return 1, nil
					}
					return 0, tt.errs[tries.Add(1)-1]
				}
				h := build(t, store, sink)
				h.run(t)
				id := h.open(t, "a")
				h.say(t, id, "one")
				time.Sleep(time.Hour)
				if got := states(t, store, "bridge"); got[chat.DeliveryFailed] != 1 {
					t.Fatalf("deliveries are %v, want one that failed", got)
				}
				retried.Add(1)
				if err := h.Outbox.Retry(t.Context(), fmt.Sprintf("bridge.%s.1", id)); err != nil {
					t.Fatal(err)
				}
				time.Sleep(time.Minute)
				if got := states(t, store, "bridge"); got[chat.DeliveryFailed] != 0 || ambiguous.Load() != tt.want {
					t.Errorf("deliveries are %v; it may have arrived: %t, want %t", got, ambiguous.Load(), tt.want)
				}
			})
		})
	}
}

// TestOutboxDiscardsFailed: what was given up is removed, one by one or all at once, and
// nothing else.
func TestOutboxDiscardsFailed(t *testing.T) {
	served(t, func(t *testing.T, store *db.DB, sink *testSink) {
		sink.policy.Attempts = 1
		sink.answer = func(lane []chat.Delivery) (int, error) { return 0, errors.New("down") }
		h := build(t, store, sink)
		id := h.open(t, "a")
		h.say(t, id, "one")
		first := fmt.Sprintf("bridge.%s.1", id)
		if err := h.Outbox.Discard(t.Context(), first); err == nil {
			t.Error("a delivery that waits was discarded")
		}
		h.run(t)
		h.say(t, id, "two")
		time.Sleep(time.Minute)
		if err := h.Outbox.Discard(t.Context(), first); err != nil {
			t.Error(err)
		}
		if err := h.Outbox.Discard(t.Context(), first); !errors.Is(err, chat.ErrDeliveryNotFound) {
			t.Errorf("discarding it again: %v", err)
		}
		count, more, err := h.Outbox.DiscardFailed(t.Context(), "bridge")
		if count != 2 || more || err != nil {
			t.Errorf("%d discarded, more %v, %v", count, more, err)
		}
		if got := states(t, store, "bridge"); len(got) != 0 {
			t.Errorf("deliveries are %v, want none", got)
		}
	})
}

// TestOutboxHoldsThenPasses: a delivery that keeps failing holds the later ones
// of its session for a while, then they pass it and it is tried alone.
func TestOutboxHoldsThenPasses(t *testing.T) {
	served(t, func(t *testing.T, store *db.DB, sink *testSink) {
		sink.policy.Hold, sink.policy.Batch = 3, 4
		sink.answer = func(lane []chat.Delivery) (int, error) {
			for i := range lane {
				if lane[i].Rev == 3 {
					return i, errors.New("refused")
				}
			}
			return len(lane), nil
		}
		h := build(t, store, sink)
		id := h.open(t, "a")
		for i := range 12 {
			h.say(t, id, fmt.Sprint(i))
		}
		h.run(t)
		time.Sleep(time.Hour)
		var attempts []string
		err := store.Read(t.Context(), func(r chat.Reader) error {
			list, err := r.Deliveries(chat.DeliveryQuery{Dest: "bridge"})
			for _, d := range list {
				attempts = append(attempts, fmt.Sprint(d.Rev, d.State, d.Attempts))
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		if want := "3 failed 5"; !slices.Contains(attempts, want) || len(attempts) != 13 {
			t.Errorf("%v, want %s among 13", attempts, want)
		}
		if got := states(t, store, "bridge"); got[chat.DeliveryDone] != 12 || got[chat.DeliveryFailed] != 1 {
			t.Errorf("deliveries are %v, want 12 done and 1 failed", got)
		}
		if i, j := slices.Index(revs(id, sink.saw()), "13"), len(revs(id, sink.saw())); i < 0 || i == j-1 {
			t.Errorf("the last one did not pass: %v", revs(id, sink.saw()))
		}
	})
}
