package mirror_test

import (
	"strings"
	"testing"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
)

// TestButtonsFromThreads: the last lines of what an operator writes in a thread are what the visitor
// is offered. A note, and lines that break a rule, stay text; an edit leaves the choices as they are.
func TestButtonsFromThreads(t *testing.T) {
	f, other := newFake("telegram"), newFake("slack")
	withMirrors(t, false, func(t *testing.T, o *harness) {
		id := o.greeted(t)
		newest := func() chat.Message {
			t.Helper()
			h, err := o.History(t.Context(), operator, engine.HistoryQuery{SessionID: id, Limit: 99})
			o.must(err)
			return h.Messages[len(h.Messages)-1]
		}
		o.receive(f, f.in(0, "x1", "Shall I put one aside?\n[[Yes]] [[No]]\n[[Shop | https://shop.example/]]"))
		o.soon()
		if m := newest(); m.Content != "Shall I put one aside?" || len(m.Buttons) != 3 || m.Buttons[1].Text != "No" || m.Buttons[2].URL != "https://shop.example/" {
			t.Errorf("it is %+v", m)
		}
		if got := other.last(0); !strings.HasSuffix(got, "Shall I put one aside?\n▸ Yes\n▸ No\n▸ Shop: https://shop.example/") {
			t.Errorf("the other platform shows %q", got)
		}
		o.receive(f, kind(chat.InboundEdited, f.in(0, "x1", "Shall I keep one?\n[[Yes]] [[No]]\n[[Shop | https://shop.example/]]")))
		o.soon()
		if m := newest(); m.Content != "Shall I keep one?" || len(m.Buttons) != 3 {
			t.Errorf("edited it is %+v", m)
		}
		for i, text := range []string{"[[Yes]]", "Look\n[[Run | javascript:alert(1)]]", "In [[brackets]] here", "Too many\n[[1]][[2]][[3]][[4]][[5]][[6]][[7]]"} {
			o.receive(f, f.in(0, "y"+string(rune('a'+i)), text))
			o.soon()
			if m := newest(); m.Content != text || len(m.Buttons) != 0 {
				t.Errorf("%q is %+v", text, m)
			}
		}
		o.receive(f, f.in(0, "z1", "!note ask Ada\n[[Yes]]"))
		o.soon()
		if m := newest(); !m.Internal || len(m.Buttons) != 0 || !strings.Contains(m.Content, "[[Yes]]") {
			t.Errorf("the note is %+v", m)
		}
	}, f, other)
}

// TestButtonsWithoutStore: in bridge mode they go to the backend, and its own stand below its text.
func TestButtonsWithoutStore(t *testing.T) {
	f := newFake("telegram")
	withMirrors(t, true, func(t *testing.T, o *harness) {
		session := engine.SessionInfo{ID: "s-1", VisitorID: "v-1"}
		ai := chat.Author{Sender: chat.SenderAI, Source: chat.SourceAPI}
		o.must(o.Backend().Send(t.Context(), ai, session, engine.BackendMessage{ID: "m1", Content: "Which one?", Sender: chat.SenderAI, Buttons: chat.Buttons{{Text: "Red"}, {Text: "Blue"}}}))
		o.soon()
		if got := f.last(0); !strings.HasSuffix(got, "Which one?\n▸ Red\n▸ Blue") {
			t.Errorf("the thread shows %q", got)
		}
		o.receive(f, f.in(0, "x1", "Shall I?\n[[Yes]] [[No]]"))
		o.soon()
		o.must(o.store.Read(t.Context(), func(r chat.Reader) error {
			events, err := r.Events("s-1", 0, 20)
			found := false
			for _, e := range events {
				m, _ := e.Message()
				found = found || m.Content == "Shall I?" && len(m.Buttons) == 2
			}
			if !found {
				t.Error("no event has the buttons")
			}
			return err
		}))
	}, f)
}
