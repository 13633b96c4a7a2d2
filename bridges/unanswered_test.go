package bridges_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/relay-chat/relay/db/dbtest"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
)

// TestPushAgain: who still waits rings devices again although somebody has read what was
// written, and not after an answer.
func TestPushAgain(t *testing.T) {
	b := newBell(t, dbtest.Memory(t))
	b.subscribe(true)
	id := b.open()
	lane := b.say(id, "hello")
	operator := chat.Author{Sender: chat.SenderOperator, Source: chat.SourceConsole, Name: "Ada"}
	if err := b.MarkRead(t.Context(), operator, id, []string{lane[0].Event.MessageID}); err != nil {
		t.Fatal(err)
	}
	now := chat.Now()
	lane[0].Event = chat.NewEvent(chat.EventUnanswered, chat.SourceRelay, now, id, chat.UnansweredSince(now.Add(-90*time.Second), now))
	ring := func() {
		t.Helper()
		lane[0].Rev++
		if _, err := b.push.Deliver(t.Context(), lane); err != nil {
			t.Fatal(err)
		}
	}
	ring()
	var got struct{ Body string }
	if err := json.Unmarshal([]byte(b.notes(1)[0].Text), &got); err != nil || got.Body != "Nobody has answered for a minute." {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := b.Send(t.Context(), operator, engine.Post{SessionID: id, Content: "here"}); err != nil {
		t.Fatal(err)
	}
	ring()
	b.notes(1)
}
