package engine_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/relay-chat/relay/db"
	"github.com/relay-chat/relay/server/chat"
)

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

func TestOutboxKeepsToRetryAfter(t *testing.T) {
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

func TestBackoffDoublesUpToItsLongest(t *testing.T) {
	pause := chat.Backoff(time.Second, 5*time.Second)
	for n, want := range []time.Duration{1: 1, 2: 2, 3: 4, 4: 5, 100: 5} {
		if n > 0 && want > 0 && pause(n) != want*time.Second {
			t.Errorf("pause after attempt %d is %v, want %v", n, pause(n), want*time.Second)
		}
	}
}

// TestOutboxOvertakes: however many deliveries of a lane wait, what is due goes out, and those that
// wait for the same are asked about once a pause, together.
func TestOutboxOvertakes(t *testing.T) {
	served(t, func(t *testing.T, store *db.DB, sink *testSink) {
		sink.policy.Batch, sink.policy.Hold, sink.policy.Overtake = 50, 1, true
		var asked atomic.Int64
		var closed atomic.Bool
		sink.answer = func(lane []chat.Delivery) (int, error) {
			if lane[0].Event.Type == chat.EventMessage {
				asked.Add(1)
				return 0, &chat.RetryAfter{After: time.Minute, Scope: chat.ScopeLane, Cause: errors.New("somebody reads")}
			}
			if lane[0].Event.Type == chat.EventSessionClosed {
				closed.Store(true)
			}
			return 1, nil
		}
		h := build(t, store, sink)
		id := h.open(t, "a")
		for i := range 120 {
			h.say(t, id, fmt.Sprint("message ", i))
		}
		if err := h.Engine.Close(t.Context(), operator, id); err != nil {
			t.Fatal(err)
		}
		h.run(t)
		time.Sleep(10 * time.Second)
		if !closed.Load() {
			t.Error("what is due waits behind what is not")
		}
		if n := asked.Load(); n > 4 {
			t.Errorf("asked %d times about what waits", n)
		}
		time.Sleep(10 * time.Minute)
		if n := asked.Load(); n > 4*11 {
			t.Errorf("asked %d times in ten minutes", n)
		}
	})
}
