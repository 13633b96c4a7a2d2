package telegram_test

import (
	"strings"
	"testing"
	"time"

	"relay/bridges/bridgetest"
	"relay/server/chat"
)

var byVisitor = chat.Author{Sender: chat.SenderVisitor, Source: chat.SourceWidget}

// A deleted message leaves the summary of a thread that began after it.
func TestDeletedLeavesTheSummary(t *testing.T) {
	inOffice(t, false, func(t *testing.T, o *office) {
		session := o.visit(t, "ann")
		secret, err := o.Send(t.Context(), byVisitor, chat.Post{SessionID: session, Content: "my password is hunter2"})
		if err != nil {
			t.Fatal(err)
		}
		o.say(t, session, "hello")
		time.Sleep(time.Minute)
		o.DeleteThread(o.Threads()[0].Ref)
		o.say(t, session, "still here?")
		time.Sleep(time.Minute)
		if got := shown(o.Threads()[0]); !strings.Contains(got, "hunter2") || !strings.Contains(got, "Visitor: hello") {
			t.Fatalf("the new thread shows %q", got)
		}
		if err := o.Relay.Delete(t.Context(), byVisitor, session, secret.ID); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		if got := shown(o.Threads()[0]); strings.Contains(got, "hunter2") || !strings.Contains(got, "Visitor: hello") || !strings.Contains(got, "still here?") {
			t.Errorf("the thread shows %q", got)
		}
	})
}

// Of a message that was deleted while nobody knew whether it had arrived, people
// are told: Telegram cannot be asked.
func TestDeletedInDoubt(t *testing.T) {
	inOffice(t, false, func(t *testing.T, o *office) {
		session := o.visit(t, "ann")
		o.say(t, session, "hello")
		time.Sleep(time.Minute)
		o.Fail(1, bridgetest.FaultAnswerLost)
		m, err := o.Send(t.Context(), byVisitor, chat.Post{SessionID: session, Content: "my password is hunter2"})
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(50 * time.Millisecond)
		if err := o.Relay.Delete(t.Context(), byVisitor, session, m.ID); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Hour)
		if got := shown(o.Threads()[0]); strings.Count(got, "delete it by hand") != 1 || strings.Count(got, "hunter2") > 1 {
			t.Errorf("the thread shows %q", got)
		}
	})
}
