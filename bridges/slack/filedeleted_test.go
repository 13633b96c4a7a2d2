package slack_test

import (
	"strings"
	"testing"
)

// A file that is deleted alone takes its message along if there is nothing else in it; else
// the operator reads that the visitor still has it.
func TestFileDeletedAlone(t *testing.T) {
	withHarness(t, func(t *testing.T, h *harness) {
		session := h.Visit("ann")
		h.Say(session, "hello")
		h.Settle()
		th := h.Threads()[0].Ref
		alone := h.Attach(th, "Ada", "secret.txt", "text/plain", []byte("secret"), "")
		captioned := h.Attach(th, "Ada", "bill.txt", "text/plain", []byte("bill"), "Your bill")
		h.Settle()
		h.DeleteFiles(alone)
		h.DeleteFiles(captioned)
		h.Settle()
		list := h.Messages(session)
		if len(list) != 3 || list[1].DeletedAt == 0 || list[2].DeletedAt != 0 || list[2].Content != "Your bill" || len(list[2].Attachments.V) != 1 {
			t.Errorf("the conversation holds %+v", list)
		}
		notes := 0
		for _, m := range h.Threads()[0].Messages {
			if strings.Contains(m.Text, "The visitor can still open the file.") {
				notes++
			}
		}
		if notes != 1 {
			t.Errorf("the thread says %d times that the file stays: %+v", notes, h.Threads()[0].Messages)
		}
	})
}
