package discord

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// TestStreamEndsInOrder: an event that cannot be stored at the end is left to the next
// connection, and so are those behind it, even if they could be stored.
func TestStreamEndsInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStream(&receiver{log: slog.New(slog.NewTextHandler(io.Discard, nil))}, nil)
		var storing sync.Mutex // the threads do not wait for each other
		var stored []string
		away := true
		event := func(name string) task {
			return task{what: name, do: func(context.Context) error {
				if name == "second" && away {
					return errors.New("the database is away")
				}
				storing.Lock()
				defer storing.Unlock()
				stored = append(stored, name)
				return nil
			}}
		}
		for _, name := range []string{"first", "second", "third", "fourth"} {
			s.put(t.Context(), "thread", event(name))
		}
		s.put(t.Context(), "another thread", event("fifth"))
		time.Sleep(time.Second)
		close(s.ending)
		s.working.Wait()
		slices.Sort(stored)
		if !slices.Equal(stored, []string{"fifth", "first"}) {
			t.Errorf("stored are %v", stored)
		}
		if len(s.room) != 0 || len(s.lanes) != 0 {
			t.Errorf("%d places are taken, %d lanes are left", len(s.room), len(s.lanes))
		}
	})
}
