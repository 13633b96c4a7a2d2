package slack_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"relay/bridges/bridgetest"
	"relay/bridges/slack"
	"relay/db"
	"relay/server/chat"
)

// What a visitor deleted is not kept in the quote above its reply, though relay
// was restarted meanwhile.
func TestQuotesFollowAcrossRestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store, err := db.Memory(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		f := bridgetest.NewSlackBubble(t)
		f.Paced = true
		b, _ := makeBridge(t, f, func(c *slack.Config) { c.Pause = 0 })
		o := &office{Slack: f, store: store}
		closeOffice := o.openFor(t, b)
		session := o.visit(t, "ann")
		m, err := o.Send(t.Context(), visitor, chat.Post{SessionID: session, Content: "my password is hunter2"})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := o.Send(t.Context(), visitor, chat.Post{SessionID: session, Content: "it does not work", ReplyTo: m.ID}); err != nil {
			t.Fatal(err)
		}
		o.settle(t)
		closeOffice()
		b, _ = makeBridge(t, f, func(c *slack.Config) { c.Pause = 0 })
		closeOffice = o.openFor(t, b)
		if err := o.Relay.Delete(t.Context(), visitor, session, m.ID); err != nil {
			t.Fatal(err)
		}
		o.settle(t)
		time.Sleep(time.Hour)
		for _, m := range o.Threads()[0].Messages {
			if strings.Contains(m.Text, "hunter2") {
				t.Errorf("Slack still shows %q", m.Text)
			}
		}
		closeOffice()
		_ = store.Close()
	})
}
