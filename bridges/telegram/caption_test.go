package telegram_test

import (
	"strings"
	"testing"
	"time"

	"github.com/relay-chat/relay/server/chat"
)

// Correcting one caption of an album changes that one only, however often; after an edit
// elsewhere nobody knows which words were whose, so nothing is lost.
func TestAlbumCaptions(t *testing.T) {
	withHarness(t, func(t *testing.T, h *harness) {
		session := h.Visit("ann")
		h.Say(session, "show me")
		time.Sleep(time.Minute)
		th := h.Threads()[0].Ref
		a := h.AttachAlbum(th, "Ada", "album-1", "a.jpg", "image/jpeg", []byte("one"), "Left: 40 EUR")
		b := h.AttachAlbum(th, "Ada", "album-1", "b.jpg", "image/jpeg", []byte("two"), "")
		c := h.AttachAlbum(th, "Ada", "album-1", "c.bin", "application/octet-stream", make([]byte, 11<<20), "Rihgt: 60 EUR")
		time.Sleep(time.Minute)
		m := h.Messages(session)[1]
		_, missing, found := strings.Cut(m.Content, "\n[The file ")
		if !found {
			t.Fatalf("the message is %q", m.Content)
		}
		expect := func(want string) {
			t.Helper()
			time.Sleep(time.Minute)
			if got := h.Messages(session)[1].Content; got != want+"\n[The file "+missing {
				t.Errorf("the visitor reads %q, want %q", got, want)
			}
		}
		h.Edit(th, c, "Right: 60 EUR")
		expect("Left: 40 EUR\nRight: 60 EUR")
		h.Edit(th, b, "Middle: 50 EUR")
		expect("Left: 40 EUR\nMiddle: 50 EUR\nRight: 60 EUR")
		h.Edit(th, a, "Left: 45 EUR")
		expect("Left: 45 EUR\nMiddle: 50 EUR\nRight: 60 EUR")
		console := chat.Author{Sender: chat.SenderOperator, Source: chat.SourceConsole, Name: "Bob"}
		if _, err := h.Relay.Edit(t.Context(), console, session, m.ID, "All: 90 EUR"); err != nil {
			t.Fatal(err)
		}
		h.Edit(th, a, "Left: 48 EUR")
		time.Sleep(time.Minute)
		if got := h.Messages(session)[1].Content; got != "All: 90 EUR" {
			t.Errorf("after an edit elsewhere the visitor reads %q", got)
		}
	})
}

// Correcting a caption keeps the line for the file that could not be passed on.
func TestCaptionKeepsMissingFile(t *testing.T) {
	withHarness(t, func(t *testing.T, h *harness) {
		session := h.Visit("ann")
		h.Say(session, "send me the plan")
		time.Sleep(time.Minute)
		th := h.Threads()[0].Ref
		for n, first := range []string{"Here is teh plan", ""} {
			b := h.Attach(th, "Ada", "plan.bin", "application/octet-stream", make([]byte, 11<<20), first)
			time.Sleep(time.Minute)
			h.Edit(th, b, "Here is the plan")
			time.Sleep(time.Minute)
			if got := h.Messages(session)[1+n].Content; !strings.HasPrefix(got, "Here is the plan\n[The file plan.bin is too large") {
				t.Errorf("the visitor reads %q", got)
			}
		}
	})
}
