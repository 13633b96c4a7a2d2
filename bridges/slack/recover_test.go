package slack_test

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/relay-chat/relay/bridges/bridgetest"
	"github.com/relay-chat/relay/bridges/slack/slacktest"
	"github.com/relay-chat/relay/server/chat"
)

// After a restart a thread's first message leads to its session, and the
// channel to the thread.
func TestThreadsLeadBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := slacktest.NewInBubble(t)
		b, log := makeBridge(t, f)
		old := open(t, b, "Grace", "session-1")
		th := open(t, b, "Grace again", "session-1")
		for n := range 450 {
			f.StartThread("Ada", fmt.Sprint("small talk ", n))
		}
		odd := open(t, b, "Odd", "ses/sion <2> 😀")
		fresh, _ := makeBridge(t, f)
		for id, want := range map[string]chat.Thread{"session-1": th, odd.SessionID: odd} {
			if found, err := fresh.Find(t.Context(), id); err != nil || found.Ref != want.Ref || found.Channel != b.Channel() {
				t.Errorf("found %+v, %v", found, err)
			}
		}
		if _, err := fresh.Find(t.Context(), "session-9"); !errors.Is(err, chat.ErrThreadGone) {
			t.Errorf("found what there is not: %v", err)
		}
		if n := len(f.Requests("conversations.history")); n != 3 {
			t.Errorf("the channel was asked for %d times, want its three pages once", n)
		}
		if id, err := fresh.Owner(t.Context(), old); id != "session-1" || err != nil {
			t.Errorf("owned by %q, %v", id, err)
		}
		other, _ := makeBridge(t, f)
		if id, err := other.Owner(t.Context(), odd); id != odd.SessionID || err != nil {
			t.Errorf("owned by %q, %v", id, err)
		}
		f.DeleteSilently(th.Ref)
		if _, err := fresh.Do(t.Context(), th, chat.Op{Kind: chat.OpPost, Text: "a"}); !errors.Is(err, chat.ErrThreadGone) {
			t.Error(err)
		}
		if found, err := fresh.Find(t.Context(), "session-1"); err == nil && found.Ref == th.Ref {
			t.Error("a thread that is gone is found")
		}
		bridgetest.Clean(t, f, log)
	})
}

// Threads begun by people, or opened in community mode, lead nowhere.
func TestOthersThreadsLeadNowhere(t *testing.T) {
	f := slacktest.NewInBubble(t)
	b, log := makeBridge(t, f)
	for _, ref := range []string{f.StartThread("Ada", "Lunch #session-1"), open(t, b, "Grace", "").Ref, "946684800.000099"} {
		for range 2 {
			if id, err := b.Owner(t.Context(), chat.Thread{Ref: ref}); !errors.Is(err, chat.ErrThreadGone) {
				t.Errorf("owned by %q, %v", id, err)
			}
		}
	}
	bridgetest.Clean(t, f, log)
}

// After a restart the bot's messages are found by what made them; nobody
// else's, and nothing in a thread that is gone.
func TestRecall(t *testing.T) {
	f := slacktest.NewInBubble(t)
	b, log := makeBridge(t, f)
	th := open(t, b, "Grace", "session-1")
	first := bridgetest.Must(t, b, th, chat.Op{Kind: chat.OpPost, Text: "one", Key: "KEYONE"})
	f.Write(th.Ref, "Ada", "KEYTWO", "")
	third := bridgetest.Must(t, b, th, chat.Op{Kind: chat.OpPost, Text: "three", Key: "KEYTHREE"})
	fresh, _ := makeBridge(t, f)
	got, err := fresh.Recall(t.Context(), th, []string{"KEYTHREE", "KEYTWO", "KEYONE"}, 0)
	if want := []string{third, "", first}; err != nil || !slices.Equal(got, want) {
		t.Errorf("found %q, %v, want %q", got, err, want)
	}
	f.DeleteSilently(th.Ref)
	if _, err := fresh.Recall(t.Context(), th, []string{"KEYONE"}, 0); !errors.Is(err, chat.ErrThreadGone) {
		t.Error(err)
	}
	bridgetest.Clean(t, f, log)
}

// Files come from Slack and only from there, and the sign-in page is none.
func TestFetch(t *testing.T) {
	f := slacktest.NewInBubble(t)
	b, log := makeBridge(t, f)
	th := open(t, b, "Grace", "")
	f.Attach(th.Ref, "Ada", "a.txt", "text/plain", []byte("read this"), "")
	f.Attach(th.Ref, "Ada", "a.html", "text/html", []byte("<html>"), "")
	f.AttachLink(th.Ref, "Ada", "Trap", "https://evil.example/steal")
	for ref, want := range map[string]string{"F00000001": "read this", "F00000002": "<html>"} {
		body, err := b.Fetch(t.Context(), ref)
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(body)
		if err != nil || string(data) != want || body.Close() != nil {
			t.Errorf("%q, %v", data, err)
		}
	}
	f.HideFiles()
	for _, ref := range []string{"F00000001", "F00000003", "F0NOTHING"} {
		if _, err := b.Fetch(t.Context(), ref); !errors.Is(err, chat.ErrPermanent) {
			t.Errorf("%s: %v", ref, err)
		}
	}
	f.Grant("chat:write")
	var wrong *chat.Misconfigured
	if _, err := b.Fetch(t.Context(), "F00000001"); !errors.As(err, &wrong) {
		t.Error(err)
	}
	f.Storm(bridgetest.Storm{Seed: 1, All: 1})
	if _, err := b.Fetch(t.Context(), "F00000001"); err == nil || errors.Is(err, chat.ErrPermanent) {
		t.Errorf("an outage is final: %v", err)
	}
	bridgetest.Clean(t, f, log)
}

// An uncertain op is found however much was written since.
func TestAmbiguousBehindManyMessages(t *testing.T) {
	f := slacktest.NewInBubble(t)
	b, log := makeBridge(t, f)
	began := chat.Now()
	th := open(t, b, "Grace", "")
	first := bridgetest.Must(t, b, th, chat.Op{Kind: chat.OpPost, Text: "one", Key: "KEYONE"})
	last := bridgetest.Must(t, b, th, chat.Op{Kind: chat.OpPost, Text: "two", Key: "KEYTWO"})
	for range 1100 {
		f.StartThread("Ada", "Lunch?")
		f.Write(th.Ref, "Ada", "and on", "")
	}
	fresh, _ := makeBridge(t, f)
	if ref := bridgetest.Must(t, fresh, chat.Thread{}, chat.Op{Kind: chat.OpOpen, Title: "Grace", Key: "OPENGrace", Ambiguous: true, Since: began}); ref != th.Ref {
		t.Errorf("another thread was opened: %s", ref)
	}
	if got, err := fresh.Recall(t.Context(), th, []string{"KEYTWO", "KEYONE", "KEYNONE"}, began); err != nil || !slices.Equal(got, []string{last, first, ""}) {
		t.Errorf("found %q, %v", got, err)
	}
	bridgetest.Clean(t, f, log)
}
