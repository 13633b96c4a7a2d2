package discord_test

import (
	"strings"
	"testing"
)

// Whoever takes a file out of a message by an edit reads that the visitor still has it; an edit
// of the words alone says nothing.
func TestFileTakenOutByAnEdit(t *testing.T) {
	withHarness(t, func(t *testing.T, h *harness) {
		session := h.Visit("ann")
		h.Say(session, "hello")
		h.Settle()
		th := h.Threads()[0].Ref
		bill := h.Attach(th, "Ada", "bill.txt", "text/plain", []byte("bill"), "Your bill")
		h.Settle()
		said := func() (n int) {
			for _, m := range h.Threads()[0].Messages {
				n += strings.Count(m.Text, "The visitor can still open the file.")
			}
			return n
		}
		h.Edit(th, bill, "Your new bill")
		h.Settle()
		if n := said(); n != 0 {
			t.Errorf("an edit of the words says %d times that the file stays", n)
		}
		h.TakeOut(bill)
		h.Settle()
		list := h.Messages(session)
		if n := said(); n != 1 || len(list) != 2 || list[1].Content != "Your new bill" || len(list[1].Attachments.V) != 1 {
			t.Errorf("the thread says %d times that the file stays, the conversation holds %+v", n, list)
		}
	})
}
