package engine_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/relay-chat/relay/db"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
	"github.com/relay-chat/relay/server/engine/queue"
)

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
		_, err = h.Send(t.Context(), visitor, engine.Post{SessionID: id, Content: "lost?", ClientID: "c1"})
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
	for name, retry := range map[string]func(o *queue.Outbox, id string) error{
		"one": func(o *queue.Outbox, id string) error { return o.Retry(context.Background(), id) },
		"all": func(o *queue.Outbox, _ string) error {
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
