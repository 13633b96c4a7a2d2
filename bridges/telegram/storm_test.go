package telegram_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/relay-chat/relay/bridges/bridgetest"
)

// Sessions write while Telegram fails in every way and rests for ten minutes:
// nothing is lost, order is kept, and nothing is there twice but what was
// counted as ambiguous.
func TestStorm(t *testing.T) {
	if testing.Short() {
		t.Skip("a thousand messages take a while under the race detector")
	}
	const visitors, messages = 40, 25
	withHarness(t, func(t *testing.T, h *harness) {
		storm := bridgetest.Storm{Seed: 7, RateLimited: 0.05, Server: 0.05, AnswerLost: 0.02, RetryAfter: 3 * time.Second}
		h.InStorm(h.Platform, storm, visitors, messages, 20*time.Second, func(session string, n, m int) {
			h.Say(session, fmt.Sprintf("%d.%d", n, m))
		})
		again := 0
		for n := range visitors {
			var first []string
			back := false // in what was there already
			for _, line := range bridgetest.Numbers(h.Platform)[fmt.Sprint(n)] {
				if known := slices.Contains(first, line); known {
					if !back {
						again++
					}
					back = true
					continue
				}
				back, first = false, append(first, line)
			}
			for m := range messages {
				if len(first) != messages || first[m] != fmt.Sprint(m) {
					t.Fatalf("visitor %d: %v", n, first)
				}
			}
		}
		all, limited := h.Sends()
		t.Logf("%d sends, %d over the budget, %d ambiguous, %d messages twice, %d threads", all, limited, h.Mirror.Ambiguous(), again, len(h.Threads()))
		if len(h.Threads()) != visitors || limited*100 > all || int64(again) > h.Mirror.Ambiguous() {
			t.Error("see above")
		}
	})
}

// 200 visitors write at once: all of it arrives, and Telegram hardly ever has
// to say no.
func TestCrowd(t *testing.T) {
	if testing.Short() {
		t.Skip("200 sessions take a while under the race detector")
	}
	const visitors = 200
	withHarness(t, func(t *testing.T, h *harness) {
		begun := time.Now()
		for n := range visitors {
			session := h.Visit(fmt.Sprint("visitor", n))
			h.Say(session, fmt.Sprintf("%d.0", n))
			h.Say(session, fmt.Sprintf("%d.1", n))
		}
		for h.Undelivered() > 0 && time.Since(begun) < 2*time.Hour {
			time.Sleep(time.Minute)
		}
		lines := bridgetest.Numbers(h.Platform)
		for n := range visitors {
			if got := lines[fmt.Sprint(n)]; !slices.Equal(got, []string{"0", "1"}) {
				t.Errorf("visitor %d: %v", n, got)
			}
		}
		all, limited := h.Sends()
		t.Logf("%d sends in %s, %d answered 429", all, time.Since(begun), limited)
		if limited*100 > all {
			t.Errorf("%d of %d sends were answered 429", limited, all)
		}
	})
}

// An album is one message with its files and its caption.
func TestAlbum(t *testing.T) {
	withHarness(t, func(t *testing.T, h *harness) {
		session := h.Visit("ann")
		h.Say(session, "show me")
		time.Sleep(time.Minute)
		th := h.Threads()[0].Ref
		h.AttachAlbum(th, "Ada", "album-1", "a.jpg", "image/jpeg", []byte("one"), "Here they are")
		h.AttachAlbum(th, "Ada", "album-1", "b.jpg", "image/jpeg", []byte("two"), "")
		h.Write(th, "Ada", "Enough?", "")
		time.Sleep(time.Minute)
		list := h.Messages(session)
		if len(list) != 3 || list[1].Content != "Here they are" || len(list[1].Attachments.V) != 2 || list[2].Content != "Enough?" {
			t.Errorf("the visitor sees %+v", list)
		}
	})
}

// A closed topic that refuses the bot is opened for what a visitor writes.
func TestClosedTopicRefuses(t *testing.T) {
	withHarness(t, func(t *testing.T, h *harness) {
		h.Shut()
		session := h.Visit("ann")
		h.Say(session, "hello")
		time.Sleep(time.Minute)
		th := h.Threads()[0]
		h.CloseThread(th.Ref)
		h.Say(session, "not so fast") // before any update reports it
		time.Sleep(time.Minute)
		h.Say(session, "still here")
		time.Sleep(time.Minute)
		threads := h.Threads()
		if len(threads) != 1 || threads[0].Closed || !strings.HasSuffix(shown(threads[0]), "still here") || !strings.Contains(shown(threads[0]), "not so fast") {
			t.Errorf("the platform shows %+v", threads)
		}
	})
}
