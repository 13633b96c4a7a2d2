package engine_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/relay-chat/relay/db"
	"github.com/relay-chat/relay/db/dbtest"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
	"github.com/relay-chat/relay/server/engine/hub"
)

// reader follows a session like a browser: it is cut at random, comes back
// with its last event's id and checks that every revision comes exactly once.
type reader struct {
	h         *harness
	sessionID string
	random    *rand.Rand
	last      int64
}

// follow reads until revision end, through cuts.
func (r *reader) follow(ctx context.Context, end int64) error {
	for r.last < end {
		if err := r.connect(ctx, end, 1+r.random.IntN(40)); err != nil {
			return err
		}
	}
	return nil
}

// connect reads for one connection of at most hints hints.
func (r *reader) connect(ctx context.Context, end int64, hints int) error {
	feed, open, err := r.h.Follow(ctx, visitor, r.sessionID, strconv.FormatInt(r.last, 10))
	if err != nil {
		return err
	}
	defer feed.Close()
	if err := r.take(ctx, feed, open.Page); err != nil {
		return err
	}
	for range hints {
		if r.last >= end {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("revision %d of %d never came: %w", r.last+1, end, ctx.Err())
		case e, ok := <-feed.C():
			if !ok {
				return fmt.Errorf("the feed was closed")
			}
			page, err := feed.Next(ctx, e)
			if err != nil {
				return err
			}
			if err := r.take(ctx, feed, page); err != nil {
				return err
			}
		}
	}
	return nil
}

// take reads a page and those behind it.
func (r *reader) take(ctx context.Context, feed *hub.Feed, page hub.Page) (err error) {
	for {
		if page.Resync {
			return fmt.Errorf("asked to resync behind %d", r.last)
		}
		if len(page.Events) > 21 {
			return fmt.Errorf("%d events came at once", len(page.Events))
		}
		for _, e := range page.Events {
			if e.Rev == 0 {
				continue
			}
			if e.Rev != r.last+1 {
				return fmt.Errorf("revision %d came behind %d", e.Rev, r.last)
			}
			r.last = e.Rev
		}
		if !page.More {
			return nil
		}
		if page, err = feed.More(ctx); err != nil {
			return err
		}
	}
}

// TestFeedsNeverMissOrRepeat is the property that everything live rests on:
// two sessions, eight writers each, four readers each that are cut and come
// back at random; every reader sees every revision exactly once, in order.
func TestFeedsNeverMissOrRepeat(t *testing.T) {
	dbtest.EachLasting(t, func(t *testing.T, store *db.DB) {
		const writers, each = 8, 25
		seed := rand.Uint64()
		t.Logf("seed %d", seed)
		h := build(t, store)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // ends a reader that waits in vain
		defer cancel()
		var work sync.WaitGroup
		for n := range 2 {
			id := h.open(t, fmt.Sprint("visitor", n))
			end := int64(writers*each + 1) // and new_session
			for w := range writers {
				work.Go(func() {
					for i := range each {
						if _, err := h.Send(t.Context(), visitor, engine.Post{SessionID: id, Content: fmt.Sprint(w, " ", i)}); err != nil {
							t.Errorf("send: %v", err)
							return
						}
					}
				})
			}
			for k := range 4 {
				r := &reader{h: h, sessionID: id, random: rand.New(rand.NewPCG(seed, uint64(n*4+k)))}
				work.Go(func() {
					if err := r.follow(ctx, end); err != nil {
						t.Errorf("session %d, reader %d: %v", n, k, err)
					}
				})
			}
		}
		work.Wait()
	})
}

// TestFollowFromCursors is the table of where a stream begins.
func TestFollowFromCursors(t *testing.T) {
	dbtest.EachLasting(t, func(t *testing.T, store *db.DB) {
		h := build(t, store)
		id := h.open(t, "visitor")
		for i := range 4 {
			h.say(t, id, fmt.Sprint(i)) // revisions 2 to 5, behind new_session
		}
		for _, tt := range []struct {
			name, cursor string
			first        int64 // revision of the first event, 0 for none
			resync       bool
		}{
			{"none starts behind init", "", 1, false},
			{"the beginning", "0", 1, false},
			{"the middle", "3", 4, false},
			{"the end", "5", 0, false},
			{"from the future", "6", 0, true},
			{"negative", "-1", 0, true},
			{"nonsense", "abc", 0, true},
		} {
			t.Run(tt.name, func(t *testing.T) {
				feed, open, err := h.Follow(t.Context(), visitor, id, tt.cursor)
				if err != nil {
					t.Fatal(err)
				}
				defer feed.Close()
				var first int64
				if len(open.Events) > 0 {
					first = open.Events[0].Rev
				}
				if first != tt.first || open.Resync != tt.resync || feed.Last() != 5 {
					t.Errorf("begins at %d, resync %v, last %d; want %d, %v, 5", first, open.Resync, feed.Last(), tt.first, tt.resync)
				}
			})
		}
	})
}

// TestFollowBehindPrunedEvents: what is not stored any more cannot be resumed.
func TestFollowBehindPrunedEvents(t *testing.T) {
	dbtest.EachLasting(t, func(t *testing.T, store *db.DB) {
		h := build(t, store)
		id := h.open(t, "visitor")
		h.say(t, id, "old")
		if err := store.Prune(t.Context(), chat.Now()+1); err != nil {
			t.Fatal(err)
		}
		h.say(t, id, "new")
		feed, open, err := h.Follow(t.Context(), visitor, id, "0")
		if err != nil {
			t.Fatal(err)
		}
		defer feed.Close()
		if !open.Resync || len(open.Events) != 0 || feed.Last() != 3 {
			t.Errorf("resync %v with %d events up to %d, want a resync up to 3", open.Resync, len(open.Events), feed.Last())
		}
	})
}

// TestFeedCatchesUpAfterALoss: a reader that was too slow for its queue reads
// the store for what it lost.
func TestFeedCatchesUpAfterALoss(t *testing.T) {
	dbtest.EachLasting(t, func(t *testing.T, store *db.DB) {
		h := build(t, store)
		id := h.open(t, "visitor")
		feed, _, err := h.Follow(t.Context(), visitor, id, "0")
		if err != nil {
			t.Fatal(err)
		}
		defer feed.Close()
		for i := range 50 {
			h.say(t, id, fmt.Sprint(i))
		}
		r := &reader{}
		for r.last < 51 {
			page, err := feed.Next(t.Context(), <-feed.C())
			if err != nil {
				t.Fatal(err)
			}
			if err := r.take(t.Context(), feed, page); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// TestFeedReadsPages: a reader that is far behind never holds all it missed.
func TestFeedReadsPages(t *testing.T) {
	h := build(t, dbtest.Memory(t))
	id := h.open(t, "visitor")
	for i := range 100 {
		h.say(t, id, fmt.Sprint(i))
	}
	feed, open, err := h.Follow(t.Context(), visitor, id, "0")
	if err != nil {
		t.Fatal(err)
	}
	defer feed.Close()
	r := &reader{}
	if err := r.take(t.Context(), feed, open.Page); err != nil || !open.More || r.last != 101 {
		t.Errorf("read up to %d, want 101 in pages: %v", r.last, err)
	}
	feed, _, err = h.Follow(t.Context(), visitor, id, "0")
	if err != nil {
		t.Fatal(err)
	}
	if err := h.Block(t.Context(), operator, id, true); err != nil {
		t.Fatal(err)
	}
	if page, err := feed.More(t.Context()); err != nil || page.More {
		t.Errorf("who is blocked may read on: %v", err)
	}
}

// TestBlockEndsTheStreams of a visitor, and it cannot come back.
func TestBlockEndsTheStreams(t *testing.T) {
	h := build(t, dbtest.Memory(t))
	id := h.open(t, "visitor")
	feed, _, err := h.Follow(t.Context(), visitor, id, "")
	if err != nil {
		t.Fatal(err)
	}
	defer feed.Close()
	if err := h.Block(t.Context(), operator, id, true); err != nil {
		t.Fatal(err)
	}
	for open := true; open; {
		select {
		case _, open = <-feed.C():
		default:
			t.Fatal("the stream of a blocked visitor goes on")
		}
	}
	if _, _, err := h.Follow(t.Context(), visitor, id, ""); !errors.Is(err, chat.ErrBlocked) {
		t.Errorf("a blocked visitor comes back: %v", err)
	}
}

// TestFollowOnAFullDisk: a stream needs no writing.
func TestFollowOnAFullDisk(t *testing.T) {
	store := &broken{Store: dbtest.Memory(t)}
	h := build(t, store)
	id := h.open(t, "visitor")
	h.say(t, id, "hello")
	if err := h.Disconnect(t.Context(), visitor, id, engine.Leave{Reason: "manual"}); err != nil {
		t.Fatal(err)
	}
	store.failures.Store(1)
	feed, _, err := h.Follow(t.Context(), visitor, id, "")
	if err != nil {
		t.Fatalf("behind an announced leave: %v", err)
	}
	feed.Close()
}

// TestFeedBesideEdits: who catches up while messages are edited sees each as it
// came, and then its edit.
func TestFeedBesideEdits(t *testing.T) {
	dbtest.EachLasting(t, func(t *testing.T, store *db.DB) {
		h := build(t, store)
		id := h.open(t, "v")
		var newest atomic.Int64
		newest.Store(1)
		ended := make(chan struct{})
		defer func() { <-ended }()
		go func() {
			defer close(ended)
			for range 400 {
				m, err := h.Send(t.Context(), visitor, engine.Post{SessionID: id, Content: "first"})
				if err != nil {
					t.Error(err)
					return
				}
				newest.Store(m.Seq)
				if _, err := h.Edit(t.Context(), visitor, id, m.ID, "second"); err != nil {
					t.Error(err)
					return
				}
			}
		}()
		for {
			select {
			case <-ended:
				return
			default:
			}
			feed, open, err := h.Follow(t.Context(), visitor, id, fmt.Sprint(newest.Load()-1))
			if err != nil {
				t.Fatal(err)
			}
			feed.Close()
			for _, e := range open.Events {
				if e.Type == chat.EventMessage && !strings.Contains(string(e.Payload), `"content":"first"`) {
					t.Fatalf("the message came as %s", e.Payload)
				}
			}
		}
	})
}
