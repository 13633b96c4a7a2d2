package engine_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/relay-chat/relay/db"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine/queue"
)

// runInbox works on Telegram's updates until the returned function is called.
func runInbox(t *testing.T, in *queue.Inbox, parallel int, handle queue.Handler) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := in.Serve(ctx, "telegram", parallel, handle); err != nil {
			t.Errorf("inbox: %v", err)
		}
	}()
	return func() {
		cancel()
		<-done
	}
}

// journal notes what was worked on.
type journal struct {
	mu   sync.Mutex
	keys []string
}

func (j *journal) add(key string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.keys = append(j.keys, key)
}

func (j *journal) all() []string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.Clone(j.keys)
}

func receive(t *testing.T, in *queue.Inbox, thread, key string) {
	t.Helper()
	u := chat.Update{Bridge: "telegram", Thread: thread, Key: key, Raw: chat.Raw(`{"n":1}`)}
	if err := in.Receive(t.Context(), u); err != nil {
		t.Fatal(err)
	}
}

// TestInboxHandlesInOrderAndOnce: duplicates have one effect, a failing update
// holds its own thread only, and is given up after ten attempts.
func TestInboxHandlesInOrderAndOnce(t *testing.T) {
	withDatabase(t, func(t *testing.T, store *db.DB) {
		var worked journal
		in := openEngine(t, store, quiet).Inbox
		stop := runInbox(t, in, 1, func(_ context.Context, u chat.Update) error {
			worked.add(u.Key)
			if u.Key == "poison" {
				return errors.New("cannot be understood yet")
			}
			return nil
		})
		for i := range 3 {
			for range 5 {
				receive(t, in, "one", fmt.Sprint(i))
			}
		}
		receive(t, in, "two", "poison")
		receive(t, in, "two", "after poison")
		receive(t, in, "one", "3")
		synctest.Wait()
		if want := []string{"0", "1", "2", "poison", "3"}; !sameSet(worked.all(), want) {
			t.Errorf("worked on %v, want %v", worked.all(), want)
		}
		time.Sleep(time.Hour)
		synctest.Wait()
		count, got := 0, worked.all()
		for _, key := range got {
			if key == "poison" {
				count++
			}
		}
		if count != 10 || got[len(got)-1] != "after poison" {
			t.Errorf("the poisonous update was tried %d times, then came %q", count, got[len(got)-1])
		}
		stop()
	})
}

func sameSet(a, b []string) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}

// TestInboxResumesAfterRestart: an update that was acknowledged before a crash
// is worked on after it.
func TestInboxResumesAfterRestart(t *testing.T) {
	withDatabase(t, func(t *testing.T, store *db.DB) {
		receive(t, openEngine(t, store, quiet).Inbox, "one", "left behind")
		var worked journal
		in := openEngine(t, store, quiet).Inbox
		stop := runInbox(t, in, 4, func(_ context.Context, u chat.Update) error {
			worked.add(u.Key + string(u.Raw))
			return nil
		})
		synctest.Wait()
		stop()
		if want := []string{`left behind{"n":1}`}; !slices.Equal(worked.all(), want) {
			t.Errorf("worked on %v, want %v", worked.all(), want)
		}
	})
}

// TestInboxStoresOutcomesAfterOutage: an update that was worked on while nothing can be
// stored is not worked on again.
func TestInboxStoresOutcomesAfterOutage(t *testing.T) {
	withDatabase(t, func(t *testing.T, db *db.DB) {
		store := &broken{Store: db}
		in := openEngine(t, store, quiet).Inbox
		receive(t, in, "one", "0")
		receive(t, in, "one", "1")
		var worked journal
		stop := runInbox(t, in, 1, func(_ context.Context, u chat.Update) error {
			worked.add(u.Key)
			store.failures.Store(5)
			return nil
		})
		time.Sleep(time.Minute)
		stop()
		if want := []string{"0", "1"}; !slices.Equal(worked.all(), want) {
			t.Errorf("worked on %v, want %v", worked.all(), want)
		}
	})
}

// TestInboxHandlesUpdatesOfUncertainCommits: an update is handled even if the
// database stored it without confirming, and when the platform only sends it again.
func TestInboxHandlesUpdatesOfUncertainCommits(t *testing.T) {
	withDatabase(t, func(t *testing.T, memory *db.DB) {
		store := &mute{Store: memory}
		var worked journal
		in := openEngine(t, store, quiet).Inbox
		defer runInbox(t, in, 4, func(_ context.Context, u chat.Update) error { worked.add(u.Key); return nil })()
		synctest.Wait()
		store.once.Store(true)
		if err := in.Receive(t.Context(), chat.Update{Bridge: "telegram", Thread: "one", Key: "1", Raw: chat.Raw(`{}`)}); !errors.Is(err, chat.ErrAway) {
			t.Fatalf("answered %v", err)
		}
		synctest.Wait()
		if got := worked.all(); !slices.Equal(got, []string{"1"}) {
			t.Errorf("worked on %v", got)
		}
		// Stored by another process, or by one that ended: nobody was woken.
		put(t, memory, chat.Update{Bridge: "telegram", Thread: "two", Key: "2", Raw: chat.Raw(`{}`)})
		receive(t, in, "two", "2")
		synctest.Wait()
		if got := worked.all(); !slices.Equal(got, []string{"1", "2"}) {
			t.Errorf("worked on %v", got)
		}
	})
}

func put(t *testing.T, store chat.Store, u chat.Update) {
	t.Helper()
	if err := store.Apply(t.Context(), func(tx chat.Tx) error { _, err := tx.PutUpdate(&u); return err }); err != nil {
		t.Fatal(err)
	}
}

// TestInboxDoesNotCountInterruptedAttempts: however often relay is stopped, or a bridge
// restarted, while an update is worked on, it is not given up for that.
func TestInboxDoesNotCountInterruptedAttempts(t *testing.T) {
	withDatabase(t, func(t *testing.T, store *db.DB) {
		in := openEngine(t, store, quiet).Inbox
		receive(t, in, "one", "slow")
		for range 12 {
			stop := runInbox(t, in, 1, func(ctx context.Context, _ chat.Update) error {
				<-ctx.Done()
				return fmt.Errorf("fetch: %w", ctx.Err())
			})
			time.Sleep(time.Second)
			stop()
		}
		var worked journal
		defer runInbox(t, in, 1, func(_ context.Context, u chat.Update) error {
			worked.add(fmt.Sprint(u.Key, u.Attempts))
			return nil
		})()
		synctest.Wait()
		if got := worked.all(); !slices.Equal(got, []string{"slow0"}) {
			t.Errorf("worked on %v", got)
		}
	})
}

// TestInboxSurvivesPanics: an update that makes relay panic is parked, also
// after a restart; the others are worked on, and people are notified.
func TestInboxSurvivesPanics(t *testing.T) {
	withDatabase(t, func(t *testing.T, store *db.DB) {
		var log bytes.Buffer
		in := openEngine(t, store, slog.New(slog.NewTextHandler(&log, nil))).Inbox
		var worked journal
		handle := func(_ context.Context, u chat.Update) error {
			worked.add(u.Key)
			if u.Key == "bad" {
				panic("what somebody wrote")
			}
			return nil
		}
		stop := runInbox(t, in, 1, handle)
		receive(t, in, "one", "bad")
		receive(t, in, "one", "good")
		time.Sleep(time.Hour)
		stop()
		defer runInbox(t, in, 1, handle)()
		time.Sleep(time.Hour)
		if got := worked.all(); !slices.Equal(got, []string{"bad", "good"}) {
			t.Errorf("worked on %v", got)
		}
		if err := in.GivenUp("telegram"); err == nil || !errors.Is(err, chat.ErrPermanent) {
			t.Errorf("given up: %v", err)
		}
		if text := log.String(); !strings.Contains(text, "inbox_test.go") || strings.Contains(text, "somebody wrote") {
			t.Errorf("the log says %s", text)
		}
	})
}

// TestInboxClockSetBack: the clock was a day ahead when an update was stored, or
// failed once.
func TestInboxClockSetBack(t *testing.T) {
	withDatabase(t, func(t *testing.T, store *db.DB) {
		err := store.Apply(t.Context(), func(tx chat.Tx) error {
			for i, tried := range []int{0, 1} {
				u := chat.Update{Bridge: "telegram", Thread: fmt.Sprint(i), Key: fmt.Sprint(i), Raw: chat.Raw(`{}`)}
				u.NextAt = chat.Now().Add(24 * time.Hour)
				if _, err := tx.PutUpdate(&u); err != nil {
					return err
				}
				if u.Attempts = tried; tried > 0 {
					u.LastError = "down"
				}
				if err := tx.SaveUpdate(&u); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		var worked journal
		defer runInbox(t, openEngine(t, store, quiet).Inbox, 4, func(_ context.Context, u chat.Update) error { worked.add(u.Key); return nil })()
		time.Sleep(2 * time.Minute)
		if got := worked.all(); len(got) != 2 {
			t.Errorf("worked on %v", got)
		}
	})
}
