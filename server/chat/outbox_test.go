package chat_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
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

func TestOutboxRetriesWithGrowingPauses(t *testing.T) {
	served(t, func(t *testing.T, store *db.DB, sink *testSink) {
		failures := 3
		sink.answer = func([]chat.Delivery) (int, error) {
			if failures--; failures >= 0 {
				return 0, errors.New("down")
			}
			return 1, nil
		}
		h := build(t, store, sink)
		h.run(t)
		id := h.open(t, "a")
		h.say(t, id, "hello")
		time.Sleep(time.Minute)
		expectRevs(t, sink, id, "1", "1", "1", "1", "2")
		for i, least := range []time.Duration{0, 1, 3, 7} { // seconds, plus up to a fifth
			if at := sink.at[i]; at < least*time.Second || at > least*time.Second*6/5 {
				t.Errorf("attempt %d came after %v", i+1, at)
			}
		}
	})
}

// TestOutboxRetriesByHand: whoever mended a receiver need not wait for hours
// until the next attempt; what has not failed is left to its time.
func TestOutboxRetriesByHand(t *testing.T) {
	served(t, func(t *testing.T, store *db.DB, sink *testSink) {
		var down atomic.Bool
		down.Store(true)
		sink.answer = func([]chat.Delivery) (int, error) {
			if down.Load() {
				return 0, errors.New("down")
			}
			return 1, nil
		}
		h := build(t, store, sink)
		h.run(t)
		id := h.open(t, "a")
		h.say(t, id, "hello")
		time.Sleep(5 * time.Second) // the fourth attempt is due after seven
		down.Store(false)
		again := func(rev int64) error {
			return h.Outbox.Retry(t.Context(), (&chat.Delivery{Dest: "bridge", SessionID: id, Rev: rev}).ID())
		}
		if err := again(2); err == nil || !strings.Contains(err.Error(), "only one that failed") {
			t.Errorf("what waits for its turn: %v", err)
		}
		if err := again(1); err != nil {
			t.Errorf("what waits for its next attempt: %v", err)
		}
		time.Sleep(time.Second)
		expectRevs(t, sink, id, "1", "1", "1", "1", "2")
		if err := again(1); err == nil || !strings.Contains(err.Error(), "only one that failed") {
			t.Errorf("what is done: %v", err)
		}
	})
}

func TestOutboxGivesUp(t *testing.T) {
	tests := []struct {
		name string
		err  error
		want []string
	}{
		{"after its attempts", errors.New("down"), []string{"1", "1", "1", "1", "1", "2"}},
		{"at once when no retry helps", fmt.Errorf("kicked out: %w", chat.ErrPermanent), []string{"1", "2"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			served(t, func(t *testing.T, store *db.DB, sink *testSink) {
				sink.answer = func(lane []chat.Delivery) (int, error) {
					if lane[0].Rev == 1 {
						return 0, tt.err
					}
					return 1, nil
				}
				h := build(t, store, sink)
				h.run(t)
				operator := h.Hub.Subscribe("")
				defer operator.Close()
				id := h.open(t, "a")
				h.say(t, id, "hello")
				time.Sleep(time.Hour)
				expectRevs(t, sink, id, tt.want...)
				if got := states(t, store, "bridge"); got[chat.DeliveryFailed] != 1 || got[chat.DeliveryDone] != 1 {
					t.Errorf("deliveries are %v, want 1 failed and 1 done", got)
				}
				notified := false
				for len(operator.C) > 0 {
					e := <-operator.C
					notified = notified || e.Type == chat.StateDeliveryFailed
				}
				if !notified {
					t.Error("no operator was notified that a delivery was given up")
				}
			})
		})
	}
}

func TestOutboxObeysRetryAfter(t *testing.T) {
	for _, tt := range []struct {
		name  string
		scope chat.Scope
		other time.Duration // when the other session's first delivery comes
	}{
		{"of the lane", chat.ScopeLane, time.Second},
		{"of the whole sink", chat.ScopeSink, 100 * time.Second},
	} {
		t.Run(tt.name, func(t *testing.T) {
			served(t, func(t *testing.T, store *db.DB, sink *testSink) {
				asked := false
				sink.answer = func([]chat.Delivery) (int, error) {
					if !asked {
						asked = true
						return 0, &chat.RetryAfter{After: 100 * time.Second, Scope: tt.scope, Cause: errors.New("429")}
					}
					return 1, nil
				}
				h := build(t, store, sink)
				h.run(t)
				a, b := h.open(t, "a"), h.open(t, "b")
				h.say(t, a, "hello")
				time.Sleep(time.Second)
				h.say(t, b, "hello")
				time.Sleep(time.Hour)
				expectRevs(t, sink, a, "1", "1", "2")
				expectRevs(t, sink, b, "1", "2")
				for i, who := range sink.saw() {
					if who == b+"/1" && sink.at[i] != tt.other {
						t.Errorf("the other session waited %v, want %v", sink.at[i], tt.other)
					}
				}
			})
		})
	}
}

// TestOutboxKeepsPacedDeliveries: a delivery that a sink asks to wait has not failed,
// however old it is and however often it is asked. A failure that says when to retry
// counts: after days of it the delivery is given up.
func TestOutboxKeepsPacedDeliveries(t *testing.T) {
	for refused, state := range map[bool]chat.DeliveryState{false: chat.DeliveryDone, true: chat.DeliveryFailed} {
		t.Run(fmt.Sprintf("refused %v", refused), func(t *testing.T) {
			served(t, func(t *testing.T, store *db.DB, sink *testSink) {
				end := time.Now().Add(3*sink.policy.MaxAge + time.Hour)
				sink.answer = func([]chat.Delivery) (int, error) {
					if time.Now().Before(end) {
						return 0, &chat.RetryAfter{After: time.Minute, Scope: chat.ScopeSink, Refused: refused, Cause: errors.New("too early")}
					}
					return 1, nil
				}
				h := build(t, store, sink)
				id := h.open(t, "a")
				h.say(t, id, "hello")
				time.Sleep(sink.policy.MaxAge)
				h.run(t)
				time.Sleep(2*sink.policy.MaxAge + 2*time.Hour)
				if got := states(t, store, "bridge"); got[state] != 2 {
					t.Errorf("deliveries are %v, want 2 %v", got, state)
				}
			})
		})
	}
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

// TestOutboxAfterDaysOff: relay was off for three days and starts before the
// network does, or meets a platform that asks for patience. Nothing of what
// waited is given up.
func TestOutboxAfterDaysOff(t *testing.T) {
	for name, failure := range map[string]error{
		"no network":     errors.New("dial tcp: network is unreachable"),
		"asked to wait":  &chat.RetryAfter{After: 5 * time.Second, Scope: chat.ScopeLane, Cause: errors.New("429 Too Many Requests")},
		"all of it":      &chat.RetryAfter{After: 5 * time.Second, Scope: chat.ScopeSink, Cause: errors.New("429 Too Many Requests")},
		"nobody answers": context.DeadlineExceeded,
	} {
		t.Run(name, func(t *testing.T) {
			withDatabase(t, func(t *testing.T, memory *db.DB) {
				sink := newSink("bridge")
				asBridge(sink)
				var up time.Time
				sink.answer = func([]chat.Delivery) (int, error) {
					if time.Now().Before(up) {
						return 0, failure
					}
					return 1, nil
				}
				h := build(t, memory, sink)
				for n := range 20 {
					id := h.open(t, fmt.Sprint("v", n))
					for m := range 5 {
						h.say(t, id, fmt.Sprint("message ", m))
					}
				}
				time.Sleep(73 * time.Hour)
				up = time.Now().Add(10 * time.Second)
				h.run(t)
				time.Sleep(time.Hour)
				if got := states(t, memory, "bridge"); got[chat.DeliveryDone] != 120 {
					t.Errorf("deliveries are %v, want 120 done", got)
				}
			})
		})
	}
}

// TestOutboxGivesUpWithTime: what fails is given up after days of attempts, not
// after a few that span days.
func TestOutboxGivesUpWithTime(t *testing.T) {
	withDatabase(t, func(t *testing.T, memory *db.DB) {
		sink := newSink("bridge")
		asBridge(sink)
		sink.answer = func([]chat.Delivery) (int, error) { return 0, errors.New("down") }
		h := build(t, memory, sink)
		id := h.open(t, "a")
		h.say(t, id, "hello")
		h.run(t)
		time.Sleep(71 * time.Hour)
		if got := states(t, memory, "bridge"); got[chat.DeliveryFailed] != 0 {
			t.Errorf("after 71 hours deliveries are %v", got)
		}
		time.Sleep(2 * time.Hour)
		if got := states(t, memory, "bridge"); got[chat.DeliveryFailed] == 0 {
			t.Errorf("after 73 hours deliveries are %v", got)
		}
		if n := len(revs(id, sink.saw())); n < 100 {
			t.Errorf("it was tried %d times", n)
		}
	})
}

// TestOutboxClockSetBack: the clock was a day ahead when a delivery was stored, or
// failed once, and then set right. No pause is that long.
func TestOutboxClockSetBack(t *testing.T) {
	for name, stored := range map[string]chat.Delivery{
		"failed":         {Attempts: 1, LastError: "down"},
		"asked to wait":  {LastError: "retry after 5s: 429"},
		"is on its way?": {Attempts: 1, State: chat.DeliverySending},
	} {
		t.Run(name, func(t *testing.T) {
			served(t, func(t *testing.T, memory *db.DB, sink *testSink) {
				h := build(t, memory, sink)
				id := h.open(t, "a")
				h.say(t, id, "hello")
				if err := memory.Apply(t.Context(), func(tx chat.Tx) error {
					lane, err := tx.Lane("bridge", id, 10)
					if err != nil {
						return err
					}
					d := &lane[0]
					d.Attempts, d.State, d.LastError, d.NextAt = stored.Attempts, stored.State, stored.LastError, chat.Now().Add(24*time.Hour+time.Second)
					return tx.SaveDelivery(d)
				}); err != nil {
					t.Fatal(err)
				}
				h.run(t) // which is a restart, too
				time.Sleep(2 * time.Minute)
				if n := len(sink.saw()); n != 2 {
					t.Errorf("%d of 2 were delivered", n)
				}
				h.say(t, id, "are you there?")
				time.Sleep(2 * time.Hour)
				if n := len(sink.saw()); n != 3 {
					t.Errorf("%d of 3 were delivered", n)
				}
			})
		})
	}
}

// TestOutboxRevives: after a long outage nothing rests any more as soon as
// anything proves that the platform lives.
func TestOutboxRevives(t *testing.T) {
	withDatabase(t, func(t *testing.T, memory *db.DB) {
		sink := newSink("bridge")
		asBridge(sink)
		var up atomic.Bool
		sink.answer = func(lane []chat.Delivery) (int, error) {
			if up.Load() {
				return len(lane), nil
			}
			return 0, errors.New("down")
		}
		h := build(t, memory, sink)
		h.run(t)
		for n := range 5 {
			h.say(t, h.open(t, fmt.Sprint("v", n)), "hello")
		}
		time.Sleep(2 * time.Hour)
		up.Store(true)
		h.Outbox.MarkReachable("bridge")
		time.Sleep(time.Second)
		if got := states(t, memory, "bridge"); got[chat.DeliveryDone] != 10 {
			t.Errorf("a second after the platform is back deliveries are %v", got)
		}
		up.Store(false)
		h.say(t, h.open(t, "late"), "hello")
		time.Sleep(time.Second)
		before := len(sink.saw())
		for range 100 { // something else works all the time: that is no outage
			h.Outbox.MarkReachable("bridge")
			time.Sleep(100 * time.Millisecond)
		}
		if n := len(sink.saw()) - before; n > 2*4 {
			t.Errorf("a lane of two that fails while others work was tried %d times in ten seconds", n/2)
		}
	})
}

// TestOutboxMarksAmbiguity: an attempt whose outcome is unknown stays unknown
// through later refusals, until the delivery is done.
func TestOutboxMarksAmbiguity(t *testing.T) {
	served(t, func(t *testing.T, store *db.DB, sink *testSink) {
		answers := []error{fmt.Errorf("answer lost: %w", chat.ErrAmbiguous), errors.New("refused"), nil, nil}
		sink.answer = func([]chat.Delivery) (int, error) {
			err := answers[0]
			answers = answers[1:]
			if err != nil {
				return 0, err
			}
			return 1, nil
		}
		h := build(t, store, sink)
		h.run(t)
		id := h.open(t, "a")
		h.say(t, id, "hello")
		time.Sleep(time.Minute)
		expectRevs(t, sink, id, "1", "1?", "1?", "2")
	})
}

// TestOutboxAfterACrash: what was on its way when relay died may have arrived;
// what was waiting goes on in order.
func TestOutboxAfterACrash(t *testing.T) {
	served(t, func(t *testing.T, store *db.DB, sink *testSink) {
		h := build(t, store, sink)
		id := h.open(t, "a")
		h.say(t, id, "one")
		h.say(t, id, "two")
		err := store.Apply(t.Context(), func(tx chat.Tx) error {
			lane, err := tx.Lane("bridge", id, 1)
			if err != nil {
				return err
			}
			lane[0].State, lane[0].Attempts = chat.DeliverySending, 1
			return tx.SaveDelivery(&lane[0])
		})
		if err != nil {
			t.Fatal(err)
		}
		h.run(t)
		time.Sleep(time.Second)
		expectRevs(t, sink, id, "1?", "2", "3")
	})
}

// TestOutboxAfterTwoCrashes: what was waiting behind it is not on its way, too,
// once relay dies again: a sink that joins deliveries could not tell what it
// joined.
func TestOutboxAfterTwoCrashes(t *testing.T) {
	withDatabase(t, func(t *testing.T, store *db.DB) {
		sink := newSink("bridge")
		sink.policy.Batch = 10
		onTheirWay := 0
		sink.answer = func(lane []chat.Delivery) (int, error) {
			onTheirWay = max(onTheirWay, states(t, store, "bridge")[chat.DeliverySending])
			return len(lane), nil
		}
		h := build(t, store, sink)
		id := h.open(t, "a")
		h.say(t, id, "one")
		err := store.Apply(t.Context(), func(tx chat.Tx) error {
			lane, err := tx.Lane("bridge", id, 10)
			for i := range lane {
				lane[i].State = chat.DeliverySending
				err = errors.Join(err, tx.SaveDelivery(&lane[i]))
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		h.say(t, id, "two")
		h.run(t)
		time.Sleep(time.Second)
		expectRevs(t, sink, id, "1?", "2?", "3")
		if onTheirWay != 2 {
			t.Errorf("%d deliveries were on their way at once, want the 2 of before", onTheirWay)
		}
	})
}

// TestOutboxFinishesRunningDeliveries: stopping relay waits for a request that
// left, and stores its outcome.
func TestOutboxFinishesRunningDeliveries(t *testing.T) {
	served(t, func(t *testing.T, store *db.DB, sink *testSink) {
		sink.answer = func([]chat.Delivery) (int, error) { time.Sleep(10 * time.Second); return 1, nil }
		h := build(t, store, sink)
		stop := h.run(t)
		id := h.open(t, "a")
		h.say(t, id, "hello")
		time.Sleep(time.Second)
		stop()
		expectRevs(t, sink, id, "1")
		if got := states(t, store, "bridge"); got[chat.DeliveryDone] != 1 || got[chat.DeliveryPending] != 1 {
			t.Errorf("deliveries are %v, want 1 done and 1 pending", got)
		}
		build(t, store, sink).run(t)
		time.Sleep(time.Minute)
		expectRevs(t, sink, id, "1", "2")
	})
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

// TestOutboxStoresOutcomesAfterOutage: what was delivered while nothing can be stored is
// not delivered again, nor is a failure counted twice or forgotten.
func TestOutboxStoresOutcomesAfterOutage(t *testing.T) {
	for _, tt := range []struct {
		name string
		err  error
		want []string
	}{
		{"done", nil, []string{"1", "2"}},
		{"given up", chat.ErrPermanent, []string{"1", "2"}},
		{"failed", errors.New("refused"), []string{"1", "1", "2"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			served(t, func(t *testing.T, db *db.DB, sink *testSink) {
				store := &broken{Store: db}
				first := true
				sink.answer = func([]chat.Delivery) (int, error) {
					if !first {
						return 1, nil
					}
					first = false
					store.failures.Store(5)
					if tt.err != nil {
						return 0, tt.err
					}
					return 1, nil
				}
				h := build(t, store, sink)
				id := h.open(t, "a")
				h.say(t, id, "hello")
				stop := h.run(t)
				time.Sleep(time.Minute)
				stop()
				expectRevs(t, sink, id, tt.want...)
			})
		})
	}
}

// TestOutboxStopsWithoutADatabase: an outcome that cannot be stored does not
// hold the end of relay.
func TestOutboxStopsWithoutADatabase(t *testing.T) {
	served(t, func(t *testing.T, db *db.DB, sink *testSink) {
		store := &broken{Store: db}
		sink.answer = func([]chat.Delivery) (int, error) {
			store.failures.Store(1 << 40)
			return 1, nil
		}
		h := build(t, store, sink)
		id := h.open(t, "a")
		h.say(t, id, "hello")
		stop := h.run(t)
		time.Sleep(time.Minute)
		stop()
		expectRevs(t, sink, id, "1")
	})
}

func TestBackoffDoublesUpToItsLongest(t *testing.T) {
	pause := chat.Backoff(time.Second, 5*time.Second)
	for n, want := range []time.Duration{1: 1, 2: 2, 3: 4, 4: 5, 100: 5} {
		if n > 0 && want > 0 && pause(n) != want*time.Second {
			t.Errorf("pause after attempt %d is %v, want %v", n, pause(n), want*time.Second)
		}
	}
}

// mute is a store that does the next operation, but whose answer is lost.
type mute struct {
	chat.Store
	once atomic.Bool
}

func (m *mute) Apply(ctx context.Context, op func(chat.Tx) error) error {
	err := m.Store.Apply(ctx, op)
	if err == nil && m.once.Swap(false) {
		return chat.ErrAway
	}
	return err
}

// TestUncertainCommitIsDelivered: an event whose commit was stored, but not confirmed by the
// database, is delivered, whether or not the caller retries.
func TestUncertainCommitIsDelivered(t *testing.T) {
	withDatabase(t, func(t *testing.T, memory *db.DB) {
		store, sink := &mute{Store: memory}, newSink("bridge")
		h := build(t, store, sink)
		defer h.run(t)()
		id := h.open(t, "visitor")
		h.say(t, id, "hello")
		synctest.Wait()
		feed, _, err := h.Follow(t.Context(), visitor, id, "2")
		if err != nil {
			t.Fatal(err)
		}
		defer feed.Close()
		operator := h.Hub.Subscribe("")
		defer operator.Close()
		store.once.Store(true)
		_, err = h.Send(t.Context(), visitor, chat.Post{SessionID: id, Content: "lost?", ClientID: "c1"})
		if !errors.Is(err, chat.ErrAway) {
			t.Fatalf("the answer was lost: %v", err)
		}
		synctest.Wait()
		if got := revs(id, sink.saw()); !slices.Equal(got, []string{"1", "2", "3"}) {
			t.Errorf("the sink saw %v", got)
		}
		for e := range feed.C() { // until the hub ends it
			if e.Type == chat.EventMessage {
				t.Errorf("who follows was sent %+v, not to look", e)
			}
		}
		if !operator.Lost() {
			t.Error("who follows all was not asked to look")
		}
		_, opening, err := h.Follow(t.Context(), visitor, id, "2")
		if err != nil || len(opening.Events) != 1 || opening.Events[0].Rev != 3 {
			t.Errorf("who comes back finds %v, %v", opening.Events, err)
		}
	})
}

// TestUncertainRetryIsDelivered: a retried delivery is sent although the database did not
// confirm the retry.
func TestUncertainRetryIsDelivered(t *testing.T) {
	for name, retry := range map[string]func(o *chat.Outbox, id string) error{
		"one": func(o *chat.Outbox, id string) error { return o.Retry(context.Background(), id) },
		"all": func(o *chat.Outbox, _ string) error {
			_, _, err := o.RetryFailed(context.Background(), "bridge", chat.Cursor{})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			withDatabase(t, func(t *testing.T, memory *db.DB) {
				store, sink := &mute{Store: memory}, newSink("bridge")
				var up atomic.Bool
				sink.answer = func([]chat.Delivery) (int, error) {
					if up.Load() {
						return 1, nil
					}
					return 0, chat.ErrPermanent
				}
				h := build(t, store, sink)
				defer h.run(t)()
				id := h.open(t, "visitor")
				h.say(t, id, "hello")
				time.Sleep(time.Second)
				up.Store(true)
				store.once.Store(true)
				if err := retry(h.Outbox, (&chat.Delivery{Dest: "bridge", SessionID: id, Rev: 1}).ID()); !errors.Is(err, chat.ErrAway) {
					t.Fatalf("the answer was lost: %v", err)
				}
				time.Sleep(time.Second)
				if got := revs(id, sink.saw()); len(got) < 3 || got[2] != "1" {
					t.Errorf("the sink was handed %v", got)
				}
			})
		})
	}
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
