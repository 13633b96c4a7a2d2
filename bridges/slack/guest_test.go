package slack_test

import (
	"strings"
	"testing"
	"time"

	"github.com/relay-chat/relay/bridges/slack"
	"github.com/relay-chat/relay/server/chat"
)

// saidAs lets a colleague and a person of another workspace work in a thread, and returns
// what the conversation holds and what the thread shows.
func saidAs(t *testing.T, h *harness) (session string, texts []string, thread string) {
	h.Share("Mallory", "T0OTHER")
	session = h.Visit("ann")
	h.Say(session, "hello")
	h.Settle()
	th := h.Threads()[0].Ref
	h.Write(th, "Mallory", "We never refund.", "")
	h.Settle()
	remote := h.Attach(th, "Mallory", "terms.txt", "text/plain", []byte("none"), "Our terms")
	h.Edit(th, remote, "Our new terms")
	h.Write(th, "Mallory", "!close", "")
	h.Write(th, "Mallory", "// they must not know", "")
	h.Write(th, "Ada", "We do refund.", "")
	time.Sleep(time.Minute)
	h.Settle()
	for _, m := range h.Messages(session) {
		texts = append(texts, m.Content)
	}
	return session, texts, shown(h.Platform, th)
}

// TestGuests: in a channel that is shared with another workspace, its people reach no
// visitor, by messages, files, edits, notes or commands, live or read after an outage;
// the thread says so once.
func TestGuests(t *testing.T) {
	withHarness(t, func(t *testing.T, h *harness) {
		session, texts, thread := saidAs(t, h)
		if got := strings.Join(texts, " | "); got != "hello | We do refund." {
			t.Errorf("the conversation holds %q", got)
		}
		if strings.Count(thread, "another Slack workspace") != 1 || !strings.Contains(thread, "Mallory belongs to another") {
			t.Errorf("the thread shows %q", thread)
		}
		th := h.Threads()[0].Ref
		h.Stop()
		h.Write(th, "Mallory", "Still no refund.", "")
		h.Write(th, "Ada", "Still a refund.", "")
		b, _ := makeBridge(t, h.Platform, unhurried, func(c *slack.Config) { c.Back = 24 * time.Hour })
		h.Start(b)
		time.Sleep(time.Minute)
		if list := h.Messages(session); len(list) != 3 || list[2].Content != "Still a refund." {
			t.Errorf("after the outage the conversation holds %+v", list)
		}
		expectStatus(t, h, session, chat.StatusOpen)
	})
}

// TestGuestsAllowed: a setting lets people of other workspaces answer, but their commands
// and notes have no effect.
func TestGuestsAllowed(t *testing.T) {
	allow := func(c *slack.Config) { c.OtherWorkspaces = true }
	withConfig(t, allow, func(t *testing.T, h *harness) {
		session, texts, thread := saidAs(t, h)
		if got := strings.Join(texts, " | "); got != "hello | We never refund. | Our new terms | We do refund." {
			t.Errorf("the conversation holds %q", got)
		}
		if strings.Count(thread, "only for people of your own workspace") != 2 || strings.Contains(thread, "another Slack workspace") {
			t.Errorf("the thread shows %q", thread)
		}
		expectStatus(t, h, session, chat.StatusOpen)
	})
}

func expectStatus(t *testing.T, h *harness, session string, want chat.Status) {
	t.Helper()
	err := h.Store.ReadOne(t.Context(), func(rd chat.Reader) error {
		s, err := rd.Session(session)
		if err == nil && s.Status != want {
			t.Errorf("the conversation is %v", s.Status)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
