package slack_test

import (
	"strings"
	"testing"
	"time"

	"github.com/relay-chat/relay/bridges/bridgetest"
	"github.com/relay-chat/relay/bridges/slack/slacktest"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
)

// Deleted text is not kept in the quote above its reply, though relay
// was restarted meanwhile.
func TestQuotesFollowAcrossRestart(t *testing.T) {
	withHarness(t, func(t *testing.T, h *harness) {
		session := h.Visit("ann")
		m := h.Say(session, "my password is hunter2")
		h.Post(engine.Post{SessionID: session, Content: "it does not work", ReplyTo: m.ID})
		h.Settle()
		h.restart(t, func() {})
		if err := h.Relay.Delete(t.Context(), bridgetest.Visitor, session, m.ID); err != nil {
			t.Fatal(err)
		}
		h.Settle()
		time.Sleep(time.Hour)
		for _, m := range h.Threads()[0].Messages {
			if strings.Contains(m.Text, "hunter2") {
				t.Errorf("Slack still shows %q", m.Text)
			}
		}
	})
}

// Signs that are markup to Slack are none in what visitors write, nor in what
// they change, nor in a thread's first message once it is closed.
func TestEditsReadNoMarkup(t *testing.T) {
	for _, scopes := range [][]string{slacktest.AllScopes, slacktest.SeedScopes} {
		f := slacktest.NewInBubble(t)
		f.Grant(scopes...)
		b, log := makeBridge(t, f)
		th := open(t, b, "Grace *Hopper*", "")
		ts := bridgetest.Must(t, b, th, chat.Op{Kind: chat.OpPost, Text: "*Ada (console):*\nyes & <no>", Key: "A"})
		post := shown(f, th.Ref)
		for _, text := range []string{"*Ada (console):*\nyes & <no>", "*Ada (console):*\nsee https://example.com/a*b*"} {
			bridgetest.Must(t, b, th, chat.Op{Kind: chat.OpEdit, Remote: ts, Text: text})
			if got := shown(f, th.Ref); !strings.HasSuffix(got, text) {
				t.Errorf("the edit is shown as %q, the post as %q", got, post)
			}
		}
		other := bridgetest.Must(t, b, th, chat.Op{Kind: chat.OpPost, Text: "*hi*", From: "Ada (telegram)", ReplyTo: ts, Key: "B"})
		bridgetest.Must(t, b, th, chat.Op{Kind: chat.OpEdit, Remote: other, Text: "*hi*!", From: "Ada (telegram)"})
		bridgetest.Must(t, b, th, chat.Op{Kind: chat.OpEdit, Remote: ts, Text: "other *words*"})
		if got := shown(f, th.Ref); !strings.HasSuffix(got, "↩ “other *words*”\n*hi*!") || strings.Contains(got, "*Ada") {
			t.Errorf("an operator's message is shown as %q", got)
		}
		bridgetest.Must(t, b, th, chat.Op{Kind: chat.OpClose})
		if title := f.Threads()[0].Title; title != "[closed] 💬 Grace *Hopper*" {
			t.Errorf("the thread's first message is %q", title)
		}
		bridgetest.Clean(t, f, log)
	}
}
