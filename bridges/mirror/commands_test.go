package mirror_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/relay-chat/relay/server/chat"
)

func TestCommands(t *testing.T) {
	tests := []struct {
		name, text string
		wantAnswer string // the beginning of it
		want       func(o *harness, s chat.Session) bool
	}{
		{"help", "!help", "- Commands", nil},
		{"by slash", "/help@relay_bot", "- Commands", nil},
		{"close", "!close", "- The conversation is closed", func(o *harness, s chat.Session) bool {
			return s.Status == chat.StatusClosed && o.fakes[0].state(0).closed
		}},
		{"reopen", "!Reopen ", "- The conversation is open", nil},
		{"info", "!info", "- Solar Wren – open\nSince: 1 January 2000", nil},
		{"online", "!online", "- Visitors see you online", func(o *harness, _ chat.Session) bool { return o.OperatorOnline() }},
		{"offline", "!offline", "- Visitors see nobody", func(o *harness, _ chat.Session) bool { return !o.OperatorOnline() }},
		{"read", "!read", "- The visitor's messages", func(_ *harness, s chat.Session) bool { return s.Unread == 0 }},
		{"block", "!block", "- The visitor is blocked", func(_ *harness, s chat.Session) bool { return s.Blocked }},
		{"unblock", "!unblock", "- The visitor may", func(_ *harness, s chat.Session) bool { return !s.Blocked }},
		{"delete without a reply", "!delete", "- Write !delete as a reply", nil},
		{"shortened", "!del", "- There is no command !del, and the visitor did not see this. Did you mean !delete?", nil},
		{"mistyped", "!clsoe", "- There is no command !clsoe, and the visitor did not see this. Did you mean !close?", nil},
		{"unknown", "!wonderful day", "- There is no command !wonderful, and the visitor did not see this. !help", nil},
		{"full width", "！close", "- The conversation is closed", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f, other := newFake("telegram"), newFake("slack")
			withMirrors(t, false, func(t *testing.T, o *harness) {
				id := o.greeted(t)
				o.receive(f, f.in(0, "x1", tt.text))
				o.receive(f, f.in(0, "x1", tt.text))
				o.receive(f, kind(chat.InboundEdited, f.in(0, "x1", "now as a text")))
				o.soon()
				if got := f.last(0); !strings.HasPrefix(got, tt.wantAnswer) {
					t.Errorf("the answer is %q, want %q", got, tt.wantAnswer)
				}
				if n := len(f.shown(0)); n > 2 {
					t.Errorf("it is answered %d times", n-1)
				}
				expectTexts(t, "messages", o.messages(id), "visitor: hello")
				if slices.ContainsFunc(other.shown(0), func(text string) bool { return strings.Contains(text, "angry") || strings.Contains(text, "no command") }) {
					t.Errorf("the other platform shows %q", other.shown(0))
				}
				o.must(o.store.ReadOne(t.Context(), func(r chat.Reader) error {
					s, err := r.Session(id)
					if tt.want != nil && !tt.want(o, s) {
						t.Errorf("the session is %+v", s)
					}
					return err
				}))
			}, f, other)
		})
	}
}

func TestDeletesByCommand(t *testing.T) {
	f, other := newFake("telegram"), newFake("slack")
	withMirrors(t, false, func(t *testing.T, o *harness) {
		id := o.greeted(t)
		o.receive(f, f.in(0, "x1", "secret"))
		o.soon()
		remove := f.in(0, "x2", "!delete")
		remove.ReplyTo = "x1"
		o.receive(f, remove)
		visitors := f.in(0, "x3", "!delete")
		visitors.ReplyTo = f.remote(0, 0)
		o.receive(f, visitors)
		o.soon()
		expectTexts(t, "messages", o.messages(id), "visitor: hello", "operator: (deleted)")
		expectTexts(t, "on the other platform", other.shown(0), "hello")
		expectTexts(t, "answers", f.shown(0), "hello", "- Only messages of operators can be deleted.")
		var removed []string
		for _, op := range f.ops() {
			if op.Kind == chat.OpDelete {
				removed = append(removed, op.Remote)
			}
		}
		expectTexts(t, "removed here", removed, "x1", "x2")
	}, f, other)
}
