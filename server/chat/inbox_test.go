package chat_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"relay/db"
	"relay/server/chat"
)

// runInbox works on Telegram's updates until the returned function is called.
func runInbox(t *testing.T, in *chat.Inbox, parallel int, handle chat.Handler) (stop func()) {
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

func receive(t *testing.T, in *chat.Inbox, thread, key string) {
	t.Helper()
	u := chat.Update{Bridge: "telegram", Thread: thread, Key: key, Raw: chat.Raw(`{"n":1}`)}
	if err := in.Receive(t.Context(), u); err != nil {
		t.Fatal(err)
	}
}

// TestInboxWorksInOrderAndOnce: duplicates have one effect, a failing update
// holds its own thread only, and is given up after ten attempts.
func TestInboxWorksInOrderAndOnce(t *testing.T) {
	inHouse(t, func(t *testing.T, store *db.DB) {
		var worked journal
		in := chat.NewInbox(store, quiet)
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

// TestInboxTakesUpWhatWasLeft: an update that was acknowledged before a crash
// is worked on after it.
func TestInboxTakesUpWhatWasLeft(t *testing.T) {
	inHouse(t, func(t *testing.T, store *db.DB) {
		receive(t, chat.NewInbox(store, quiet), "one", "left behind")
		var worked journal
		in := chat.NewInbox(store, quiet)
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

// TestInboxKeepsOutcomes: an update that was worked on while nothing can be
// stored is not worked on again.
func TestInboxKeepsOutcomes(t *testing.T) {
	inHouse(t, func(t *testing.T, db *db.DB) {
		store := &broken{Store: db}
		in := chat.NewInbox(store, quiet)
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
