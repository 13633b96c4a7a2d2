package discord_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/relay-chat/relay/bridges/bridgetest"
	"github.com/relay-chat/relay/server/chat"
)

// shows counts the messages of the only thread that contain a text or a file.
func (h *harness) shows(what string) (n int) {
	for _, m := range h.Threads()[0].Messages {
		if strings.Contains(m.Text, what) || what == string(m.Data) {
			n++
		}
	}
	return n
}

// interruptions keep relay from Discord for longer than nonces last, in one process or over
// a restart.
var interruptions = map[string]func(t *testing.T, h *harness){
	"restarted": func(t *testing.T, h *harness) {
		h.Stop()
		time.Sleep(10 * time.Minute)
		h.start(t)
	},
	"restarted at once": func(t *testing.T, h *harness) {
		h.Stop()
		h.start(t)
	},
	"not reached": func(_ *testing.T, h *harness) {
		h.Storm(bridgetest.Storm{Seed: 1, All: 1})
		time.Sleep(10 * time.Minute)
		h.Storm(bridgetest.Storm{})
	},
	"rebuilt while not reached": func(t *testing.T, h *harness) {
		h.Storm(bridgetest.Storm{Seed: 1, All: 1})
		time.Sleep(10 * time.Minute)
		h.Stop()
		h.start(t)
		h.Storm(bridgetest.Storm{})
	},
}

// whenAmbiguous runs a test with each interruption, after a delivered message.
func whenAmbiguous(t *testing.T, test func(t *testing.T, h *harness, session string, leave func())) {
	for name, leave := range interruptions {
		t.Run(name, func(t *testing.T) {
			withHarness(t, func(t *testing.T, h *harness) {
				session := h.Visit("ann")
				h.Say(session, "hello there")
				h.Settle()
				h.Fail(1, bridgetest.FaultAnswerLost)
				test(t, h, session, func() { leave(t, h) })
			})
		})
	}
}

// A message whose response was lost is shown once, however long the interruption, even if
// the same text was sent before.
func TestAmbiguousAcrossRestart(t *testing.T) {
	whenAmbiguous(t, func(t *testing.T, h *harness, session string, leave func()) {
		for n := range 2 {
			h.Fail(1, bridgetest.FaultAnswerLost)
			h.Say(session, "my card was charged twice")
			time.Sleep(50 * time.Millisecond)
			leave()
			h.Settle()
			if got := h.shows("my card was charged twice"); got != n+1 {
				t.Errorf("it is shown %d times, want %d", got, n+1)
			}
		}
		h.Say(session, "are you there?")
		h.Settle()
		if h.shows("are you there?") != 1 {
			t.Error("the next message is not shown")
		}
	})
}

// An ambiguous file is also shown once.
func TestAmbiguousFile(t *testing.T) {
	whenAmbiguous(t, func(t *testing.T, h *harness, session string, leave func()) {
		h.SayWithFile(session, "", "notes.txt", "what happened")
		time.Sleep(50 * time.Millisecond)
		leave()
		h.Settle()
		if n := h.shows("what happened"); n != 1 {
			t.Errorf("it is shown %d times", n)
		}
	})
}

// A message edited while ambiguous is shown once, with its new text.
func TestAmbiguousThenEdited(t *testing.T) {
	whenAmbiguous(t, func(t *testing.T, h *harness, session string, leave func()) {
		m := h.Say(session, "the first words")
		time.Sleep(50 * time.Millisecond)
		if _, err := h.Relay.Edit(t.Context(), bridgetest.Visitor, session, m.ID, "other words"); err != nil {
			t.Fatal(err)
		}
		leave()
		h.Settle()
		if before, now := h.shows("the first words"), h.shows("other words"); before != 0 || now != 1 {
			t.Errorf("shown as it was %d times, as it is %d times", before, now)
		}
	})
}

// A message deleted while ambiguous is removed.
func TestAmbiguousThenDeleted(t *testing.T) {
	for what, write := range map[string]func(h *harness, session, secret string) chat.Message{
		"text": func(h *harness, session, secret string) chat.Message { return h.Say(session, secret) },
		"file": func(h *harness, session, secret string) chat.Message {
			return h.SayWithFile(session, "", "notes.txt", secret)
		},
	} {
		t.Run(what, func(t *testing.T) {
			whenAmbiguous(t, func(t *testing.T, h *harness, session string, leave func()) {
				const secret = "my password is hunter2"
				m := write(h, session, secret)
				time.Sleep(50 * time.Millisecond)
				if h.shows(secret) != 1 {
					t.Error("nothing is ambiguous: the test proves nothing")
				}
				if err := h.Relay.Delete(t.Context(), bridgetest.Visitor, session, m.ID); err != nil {
					t.Fatal(err)
				}
				leave()
				h.Settle()
				if n := h.shows(secret); n != 0 {
					t.Errorf("it is still shown %d times", n)
				}
				if h.shows("hello there") != 1 {
					t.Error("something else was removed")
				}
			})
		})
	}
}

// Edits and deletions of an ambiguous batch are applied, and nothing is shown twice.
func TestAmbiguousBatch(t *testing.T) {
	whenAmbiguous(t, func(t *testing.T, h *harness, session string, leave func()) {
		h.Storm(bridgetest.Storm{Seed: 1, All: 1})
		var written []chat.Message
		for n := range 3 {
			written = append(written, h.Say(session, fmt.Sprint("line ", n)))
		}
		time.Sleep(50 * time.Millisecond)
		h.Storm(bridgetest.Storm{})
		h.Fail(1, bridgetest.FaultAnswerLost)
		for range 100 { // until they were sent
			if time.Sleep(time.Second); h.shows("line 0") > 0 {
				break
			}
		}
		if err := h.Relay.Delete(t.Context(), bridgetest.Visitor, session, written[0].ID); err != nil {
			t.Fatal(err)
		}
		if _, err := h.Relay.Edit(t.Context(), bridgetest.Visitor, session, written[1].ID, "line one"); err != nil {
			t.Fatal(err)
		}
		leave()
		h.Settle()
		for what, want := range map[string]int{"line 0": 0, "line 1": 0, "line one": 1, "line 2": 1} {
			if n := h.shows(what); n != want {
				t.Errorf("%q is shown %d times, want %d", what, n, want)
			}
		}
	})
}
