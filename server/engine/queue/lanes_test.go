package queue

import (
	"context"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/relay-chat/relay/server/chat"
)

// runLanes runs lanes in a synctest bubble until stop is called.
func runLanes(t *testing.T, l *lanes) (stop func()) {
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		l.run(ctx)
	}()
	return func() {
		cancel()
		<-done
	}
}

func TestLanesWorkWhenDue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := chat.Now()
		var at []time.Duration
		l := newLanes(func() int { return 1 }, func(context.Context, string) chat.Time {
			at = append(at, chat.Now().Sub(start))
			if len(at) == 2 {
				return chat.Now().Add(3 * time.Second)
			}
			return 0
		})
		defer runLanes(t, l)()
		l.wake("a", start)
		synctest.Wait()
		l.wake("a", start.Add(2*time.Second))
		time.Sleep(10 * time.Second)
		synctest.Wait()
		want := []time.Duration{0, 2 * time.Second, 5 * time.Second}
		if !slices.Equal(at, want) {
			t.Errorf("worked at %v, want %v", at, want)
		}
	})
}

func TestLanesWakeEarlier(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := chat.Now()
		var at []time.Duration
		l := newLanes(func() int { return 1 }, func(context.Context, string) chat.Time { at = append(at, chat.Now().Sub(start)); return 0 })
		defer runLanes(t, l)()
		l.wake("a", start.Add(time.Hour))
		l.wake("a", start.Add(time.Second))
		l.wake("a", start.Add(time.Minute))
		time.Sleep(2 * time.Hour)
		synctest.Wait()
		if want := []time.Duration{time.Second}; !slices.Equal(at, want) {
			t.Errorf("worked at %v, want %v", at, want)
		}
	})
}

// TestLanesOneAtATime wakes lanes at random while they are worked on: no lane
// runs twice at once, no more than parallel run at all, no wake is lost.
func TestLanesOneAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		waiting, running := map[string]int{}, map[string]bool{}
		l := newLanes(func() int { return 2 }, func(_ context.Context, key string) chat.Time {
			mu.Lock()
			if running[key] || len(running) >= 2 {
				t.Errorf("lane %s started while %v run", key, running)
			}
			running[key] = true
			waiting[key] = 0
			mu.Unlock()
			time.Sleep(7 * time.Millisecond)
			mu.Lock()
			delete(running, key)
			mu.Unlock()
			return 0
		})
		defer runLanes(t, l)()
		for i := range 300 {
			key := string(rune('a' + i%5))
			mu.Lock()
			waiting[key]++
			mu.Unlock()
			l.wake(key, chat.Now())
			time.Sleep(time.Duration(i%4) * time.Millisecond)
		}
		time.Sleep(time.Second)
		synctest.Wait()
		mu.Lock()
		defer mu.Unlock()
		for key, n := range waiting {
			if n != 0 {
				t.Errorf("lane %s was woken and never worked on", key)
			}
		}
	})
}

func TestLanesStopWaitsForWork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		finished := false
		l := newLanes(func() int { return 1 }, func(context.Context, string) chat.Time {
			time.Sleep(5 * time.Second)
			finished = true
			return chat.Now()
		})
		stop := runLanes(t, l)
		l.wake("a", chat.Now())
		synctest.Wait()
		stop()
		if !finished {
			t.Error("run returned before its work was done")
		}
	})
}
