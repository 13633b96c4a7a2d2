package discord_test

import (
	"testing"
	"time"

	"github.com/relay-chat/relay/bridges/discord"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
)

func (h *harness) expectStatus(t *testing.T, session string, want chat.Status) {
	t.Helper()
	err := h.Store.ReadOne(t.Context(), func(rd chat.Reader) error {
		s, err := rd.Session(session)
		if err == nil && s.Status != want {
			t.Errorf("the conversation is %v, want %v", s.Status, want)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// again starts relay again, which looks a day back.
func (h *harness) again(t *testing.T) {
	b, log := makeBridge(t, h.Platform, func(c *discord.Config) { c.CatchUp = 24 * time.Hour })
	h.log = log
	h.Start(b)
	time.Sleep(10 * time.Minute)
}

// What operators do with a thread while relay restarts happens to its conversation, too,
// but not to one whose visitor wrote after it, or which relay itself closed.
func TestTurnedWhileOff(t *testing.T) {
	withHarness(t, func(t *testing.T, h *harness) {
		session := h.Visit("ann")
		h.Say(session, "hello")
		h.Settle()
		th := h.Threads()[0].Ref
		h.Write(th, "Ada", "Bye!", "")
		time.Sleep(5 * time.Minute)
		h.Stop()
		time.Sleep(10 * time.Second)
		h.CloseThread(th)
		time.Sleep(10 * time.Second)
		h.again(t)
		h.expectStatus(t, session, chat.StatusClosed)

		h.Stop()
		time.Sleep(time.Minute)
		h.ReopenThread(th)
		time.Sleep(10 * time.Second)
		h.again(t)
		h.expectStatus(t, session, chat.StatusOpen)

		h.Stop()
		h.CloseThread(th)
		time.Sleep(time.Minute)
		h.Say(session, "One more thing")
		h.again(t)
		h.expectStatus(t, session, chat.StatusOpen)
		if h.Threads()[0].Closed {
			t.Error("the thread of the open conversation is closed")
		}

		if err := h.Close(t.Context(), console, session); err != nil {
			t.Fatal(err)
		}
		h.Settle()
		h.Stop()
		if err := h.Reopen(t.Context(), console, session); err != nil {
			t.Fatal(err)
		}
		h.again(t)
		h.expectStatus(t, session, chat.StatusOpen)
	})
}

var console = chat.Author{Sender: chat.SenderOperator, Source: chat.SourceConsole, Name: "Bob"}

// An internal note in a closed conversation is shown in its thread, which stays closed,
// also if relay was started after it was closed.
func TestNoteInClosed(t *testing.T) {
	withHarness(t, func(t *testing.T, h *harness) {
		session := h.Visit("ann")
		h.Say(session, "hello")
		h.Settle()
		if err := h.Close(t.Context(), console, session); err != nil {
			t.Fatal(err)
		}
		h.Settle()
		for n, note := range []string{"He called by phone, too.", "And again."} {
			if n == 1 {
				h.Stop()
				time.Sleep(48 * time.Hour)
				h.start(t)
			}
			if _, err := h.Send(t.Context(), console, engine.Post{SessionID: session, Content: note, Internal: true}); err != nil {
				t.Fatal(err)
			}
			h.Settle()
			if !h.Threads()[0].Closed || h.shows(note) != 1 {
				t.Errorf("closed is %v, the note is shown %d times", h.Threads()[0].Closed, h.shows(note))
			}
		}
		h.expectStatus(t, session, chat.StatusClosed)
	})
}
