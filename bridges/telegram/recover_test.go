package telegram_test

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/relay-chat/relay/bridges/bridgetest"
	"github.com/relay-chat/relay/bridges/telegram/telegramtest"
	"github.com/relay-chat/relay/server/chat"
)

// After a restart a topic leads to its session by what comes from it.
func TestTopicsLeadBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := telegramtest.NewInBubble(t)
		b, _ := makeBridge(t, f)
		th := open(t, b, "Grace", "session-1")
		if found, err := b.Find(t.Context(), "session-1"); err != nil || found.Ref != th.Ref || found.Channel != b.Channel() {
			t.Errorf("found %+v, %v", found, err)
		}
		fresh, log := makeBridge(t, f)
		in := new(bridgetest.Receiver)
		bridgetest.Receiving(t, fresh, in)
		if _, err := fresh.Find(t.Context(), "session-1"); !errors.Is(err, chat.ErrThreadGone) {
			t.Errorf("found a topic that no update named: %v", err)
		}
		bridgetest.Settled(time.Second)
		f.Write(th.Ref, "Ada", "hello", "")
		bridgetest.Settled(time.Second)
		if found, err := fresh.Find(t.Context(), "session-1"); err != nil || found.Ref != th.Ref {
			t.Errorf("found %+v, %v", found, err)
		}
		before := len(f.Requests("sendMessage"))
		if id, err := fresh.Owner(t.Context(), th); id != "session-1" || err != nil {
			t.Errorf("owned by %q, %v", id, err)
		}
		if len(f.Requests("sendMessage")) != before {
			t.Error("asked for what was known")
		}
		f.DeleteThread(th.Ref)
		if _, err := fresh.Do(t.Context(), th, chat.Op{Kind: chat.OpPost, Text: "a"}); !errors.Is(err, chat.ErrThreadGone) {
			t.Error(err)
		}
		if _, err := fresh.Find(t.Context(), "session-1"); !errors.Is(err, chat.ErrThreadGone) {
			t.Errorf("a thread that is gone is found: %v", err)
		}
		bridgetest.Clean(t, f, log)
	})
}

// The name of a topic leads back to any session whose id it can hold, and still
// says who the visitor is.
func TestTopicsLeadBackToLongIDs(t *testing.T) {
	for _, id := range []string{"s", strings.Repeat("a-_9", 27), "sess_" + strings.Repeat("0f", 32), strings.Repeat("ü/", 27)} {
		f := telegramtest.NewInBubble(t)
		b, log := makeBridge(t, f)
		th := open(t, b, strings.Repeat("Grace ", 30), id)
		if name := f.Threads()[0].Title; !strings.HasPrefix(name, "Grace") || utf8.RuneCountInString(name) > 128 {
			t.Errorf("named %q", name)
		}
		fresh, _ := makeBridge(t, f)
		if owner, err := fresh.Owner(t.Context(), th); owner != id || err != nil {
			t.Errorf("the topic of %q is owned by %q, %v", id, owner, err)
		}
		bridgetest.Clean(t, f, log)
	}
}

// A topic that a person made leads nowhere, whatever its name.
func TestTopicsOfPeopleLeadNowhere(t *testing.T) {
	f := telegramtest.NewInBubble(t)
	b, _ := makeBridge(t, f)
	ref := f.MakeTopic("Lunch · #session-1")
	if id, err := b.Owner(t.Context(), chat.Thread{Ref: ref}); !errors.Is(err, chat.ErrThreadGone) {
		t.Errorf("owned by %q, %v", id, err)
	}
	if n := len(f.Threads()[0].Messages); n != 0 {
		t.Errorf("%d messages of ours stay", n)
	}
	if _, err := b.Owner(t.Context(), chat.Thread{Ref: ref}); !errors.Is(err, chat.ErrThreadGone) || len(f.Requests("sendMessage")) != 1 {
		t.Errorf("asked %d times, %v", len(f.Requests("sendMessage")), err)
	}
}

// Messages in people's own topics cause no requests.
func TestTopicsOfPeopleAreLeftAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := telegramtest.NewInBubble(t)
		b, _ := makeBridge(t, f)
		bridgetest.Receiving(t, b, new(bridgetest.Receiver))
		ref := f.MakeTopic("Lunch")
		f.Write(ref, "Ada", "Pizza?", "")
		bridgetest.Settled(time.Second)
		if _, err := b.Owner(t.Context(), chat.Thread{Ref: ref}); !errors.Is(err, chat.ErrThreadGone) || len(f.Requests("sendMessage")) != 0 {
			t.Errorf("asked %d times, %v", len(f.Requests("sendMessage")), err)
		}
	})
}
