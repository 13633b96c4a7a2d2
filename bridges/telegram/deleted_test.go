package telegram_test

import (
	"strings"
	"testing"
	"time"

	"github.com/relay-chat/relay/bridges/bridgetest"
)

// A deleted message leaves the summary of a thread that began after it.
func TestDeletedLeavesTheSummary(t *testing.T) {
	withHarness(t, func(t *testing.T, h *harness) {
		session := h.Visit("ann")
		secret := h.Say(session, "my password is hunter2")
		h.Say(session, "hello")
		time.Sleep(time.Minute)
		h.DeleteThread(h.Threads()[0].Ref)
		h.Say(session, "still here?")
		time.Sleep(time.Minute)
		if got := shown(h.Threads()[0]); !strings.Contains(got, "hunter2") || !strings.Contains(got, "Visitor: hello") {
			t.Fatalf("the new thread shows %q", got)
		}
		if err := h.Relay.Delete(t.Context(), bridgetest.Visitor, session, secret.ID); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		if got := shown(h.Threads()[0]); strings.Contains(got, "hunter2") || !strings.Contains(got, "Visitor: hello") || !strings.Contains(got, "still here?") {
			t.Errorf("the thread shows %q", got)
		}
	})
}

// Of a message that was deleted while nobody knew whether it had arrived, people
// are informed: Telegram cannot be asked.
func TestAmbiguousThenDeleted(t *testing.T) {
	withHarness(t, func(t *testing.T, h *harness) {
		session := h.Visit("ann")
		h.Say(session, "hello")
		time.Sleep(time.Minute)
		h.Fail(1, bridgetest.FaultAnswerLost)
		m := h.Say(session, "my password is hunter2")
		time.Sleep(50 * time.Millisecond)
		if err := h.Relay.Delete(t.Context(), bridgetest.Visitor, session, m.ID); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Hour)
		if got := shown(h.Threads()[0]); strings.Count(got, "delete it by hand") != 1 || strings.Count(got, "hunter2") > 1 {
			t.Errorf("the thread shows %q", got)
		}
	})
}
