package mirror_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
)

// TestNotesAreSharedByOperators: an internal note that is written in a thread is
// stored, and shown in the threads of the other platforms as a note; no visitor
// sees it.
func TestNotesAreSharedByOperators(t *testing.T) {
	f, other := newFake("telegram"), newFake("slack")
	withMirrors(t, false, func(t *testing.T, o *harness) {
		id := o.greeted(t)
		visitor := o.Hub.Subscribe(id)
		defer visitor.Close()
		o.receive(f, f.in(0, "x1", "// she is angry\n//again"))
		o.receive(f, f.in(0, "x2", "!note and right"))
		o.receive(f, f.in(0, "x3", "//"))
		o.soon()
		list := o.history(t, id)
		if len(list) != 3 || !list[1].Internal || list[1].OperatorName != "Ada" || list[1].SourceBridge != "telegram" || !list[2].Internal {
			t.Fatalf("stored are %+v", list)
		}
		expectTexts(t, "stored", o.messages(id), "visitor: hello", "operator: she is angry\nagain", "operator: and right")
		expectTexts(t, "where it was written", f.shown(0), "hello", "- Write the text of the note after !note or //.")
		expectTexts(t, "on the other platform", other.shown(0), "hello", "Internal note by Ada (telegram): she is angry\nagain", "Internal note by Ada (telegram): and right")
		for range len(visitor.C) {
			if e := <-visitor.C; e.For(chat.StreamVisitor) && e.Type != chat.StateOperatorStatus {
				t.Errorf("the visitor receives %s: %s", e.Type, e.Payload)
			}
		}

		reply := other.in(0, "y1", "we'll help you")
		reply.ReplyTo = other.remote(0, 1) // the note's copy
		o.receive(other, reply)
		o.receive(f, kind(chat.InboundEdited, f.in(0, "x1", "// she was angry")))
		o.receive(f, kind(chat.InboundDeleted, f.in(0, "x2", "")))
		o.soon()
		list = o.history(t, id)
		if m := list[3]; m.Internal || m.ReplyTo != "" {
			t.Errorf("the visitor gets %+v", m)
		}
		expectTexts(t, "stored", o.messages(id), "visitor: hello", "operator: she was angry", "operator: (deleted)", "operator: we'll help you")
		expectTexts(t, "on the other platform", other.shown(0), "hello", "Internal note by Ada (telegram): she was angry")
	}, f, other)
}

// TestNotesOpenNoThread: a note alone is no reason to open a thread; whoever
// opens one later finds it there.
func TestNotesOpenNoThread(t *testing.T) {
	f := newFake("telegram")
	withMirrors(t, false, func(t *testing.T, o *harness) {
		id := o.open(t, "ann")
		_, err := o.Send(t.Context(), operator, engine.Post{SessionID: id, Content: "comes from the fair", Internal: true})
		o.must(err)
		o.soon()
		if n := f.count(); n != 0 {
			t.Fatalf("%d threads for a note", n)
		}
		o.say(t, id, "hello")
		o.soon()
		expectTexts(t, "messages", f.shown(0), "- Earlier:\nInternal note by Operator (api): comes from the fair", "hello")
	}, f)
}

// TestWithheld: a message of which any line looks like a note or a command goes
// to nobody, and its author is informed; captions count like text.
func TestWithheld(t *testing.T) {
	f, other := newFake("telegram"), newFake("slack")
	withMirrors(t, false, func(t *testing.T, o *harness) {
		f.files["f1"], f.files["f2"] = "one", "two"
		id := o.greeted(t)
		const answer = "- Not sent: a line starts with // or with a command. Remove that line and send the rest again, " +
			"or start the message with // to make all of it an internal note."
		wanted := []string{"hello"}
		for i, text := range []string{"hi\n// secret", "hi\r\n  !close", "hi\u2028//secret", "hi\n!note secret", "hi\n／／secret", "hi\n/close"} {
			o.receive(f, f.in(0, fmt.Sprint("x", i), text))
			o.soon()
			wanted = append(wanted, answer)
			expectTexts(t, text, f.shown(0), wanted...)
		}
		album := func(remote, text, file string) chat.Inbound {
			in := f.in(0, remote, text)
			in.Group, in.Files = "g"+remote[:1], []chat.InboundFile{{Ref: file, Filename: file}}
			return in
		}
		o.receive(f, album("a1", "look", "f1"))
		o.receive(f, album("a2", "// not for her", "f2"))
		o.soon()
		expectTexts(t, "an album", f.shown(0), append(wanted, answer)...)
		expectTexts(t, "messages", o.messages(id), "visitor: hello")
		expectTexts(t, "the other platform", other.shown(0), "hello")

		o.receive(f, album("b1", "", "f1"))
		o.receive(f, album("b2", "// not for her", "f2"))
		o.soon()
		if list := o.history(t, id); len(list) != 2 || !list[1].Internal || list[1].Content != "not for her" || len(list[1].Attachments.V) != 2 {
			t.Errorf("stored are %+v", list)
		}
		o.receive(f, f.in(0, "c1", "see http://x.test // there\n!!! and\n!wow\n/usr/bin"))
		o.soon()
		if got := o.messages(id); len(got) != 3 {
			t.Errorf("an ordinary text is withheld: %q", got)
		}
	}, f, other)
}

// TestEditsAreWithheld: an edit brings no visitor what a message would not.
func TestEditsAreWithheld(t *testing.T) {
	f := newFake("telegram")
	withMirrors(t, false, func(t *testing.T, o *harness) {
		id := o.greeted(t)
		o.receive(f, f.in(0, "x1", "hi"))
		o.receive(f, f.in(0, "x2", "// secret"))
		o.soon()
		const answer = "- The edit is not passed on, and the visitor still sees the message as it was: a line starts with // or with a command."
		o.receive(f, kind(chat.InboundEdited, f.in(0, "x1", "hi\n// you fool")))
		o.receive(f, kind(chat.InboundEdited, f.in(0, "x1", "// you fool")))
		o.soon()
		expectTexts(t, "answers", f.shown(0), "hello", answer, answer)
		o.receive(f, kind(chat.InboundEdited, f.in(0, "x2", "for you")))
		o.soon()
		expectTexts(t, "messages", o.messages(id), "visitor: hello", "operator: hi", "operator: for you")
		if list := o.history(t, id); !list[2].Internal {
			t.Error("an edit made a message of a note")
		}
		if got := f.last(0); got != "- This stays an internal note. Write a new message to send it to the visitor." {
			t.Errorf("its author is reported %q", got)
		}
	}, f)
}

// TestEditsSendNothing: who edits what was withheld until it is fit for the
// visitor learns that it is still sent to nobody.
func TestEditsSendNothing(t *testing.T) {
	f := newFake("telegram")
	withMirrors(t, false, func(t *testing.T, o *harness) {
		id := o.greeted(t)
		o.receive(f, f.in(0, "x1", "hi\n// secret"))
		o.receive(f, kind(chat.InboundEdited, f.in(0, "x1", "hi there\n// secret")))
		o.soon()
		if got := f.shown(0); len(got) != 2 {
			t.Errorf("an edit that is withheld too is answered: %q", got)
		}
		o.receive(f, kind(chat.InboundEdited, f.in(0, "x1", "hi")))
		o.soon()
		if got := f.last(0); got != "- The edit is not passed on: the visitor never saw this message. Write a new one to send it." {
			t.Errorf("its author is reported %q", got)
		}
		expectTexts(t, "messages", o.messages(id), "visitor: hello")
	}, f)
}

// TestCommandCSAT: an operator asks for a rating by hand, once the visitor was
// answered.
func TestCommandCSAT(t *testing.T) {
	f := newFake("telegram")
	withMirrors(t, false, func(t *testing.T, o *harness) {
		id := o.greeted(t)
		o.receive(f, f.in(0, "x1", "!csat"))
		o.soon()
		if got := f.last(0); got != "- Only a visitor who was answered can be asked for a rating." {
			t.Errorf("answered %q", got)
		}
		o.receive(f, f.in(0, "x2", "hi"))
		o.receive(f, f.in(0, "x3", "!csat"))
		o.soon()
		if got := f.last(0); got != "- The visitor is asked for a rating, unless it was asked before." {
			t.Errorf("answered %q", got)
		}
		o.must(o.store.ReadOne(t.Context(), func(r chat.Reader) error {
			s, err := r.Session(id)
			if s.AskedAt == 0 {
				t.Error("the visitor was not asked")
			}
			return err
		}))
	}, f)
}

// TestMergedThread: who writes in the thread of a conversation that the visitor has left for a merged one
// reads where it goes on, and writing alone does not open it, not even where the platform opens the thread for that.
func TestMergedThread(t *testing.T) {
	f := newFake("telegram")
	withMirrors(t, false, func(t *testing.T, o *harness) {
		from, into := o.greeted(t), o.open(t, "bob")
		o.say(t, into, "I am Bob")
		o.soon()
		_, _, err := o.Merge(t.Context(), operator, from, into)
		o.must(err)
		o.soon()
		o.receive(f, f.in(0, "x1", "are you there?"))
		o.receive(f, f.in(0, "x2", "// who is it?"))
		o.receive(f, kind(chat.InboundThreadReopened, f.in(0, "", "")))
		o.soon()
		expectTexts(t, "messages", o.messages(from), "visitor: hello")
		shown := f.shown(0)
		if last := shown[len(shown)-1]; len(shown) < 4 || !strings.HasPrefix(last, "- Not sent: The visitor goes on in another conversation that is merged with this one, with ") {
			t.Errorf("the thread shows %q", shown)
		}
		const merged = "- This conversation was merged with another one of the same person"
		if !slices.ContainsFunc(append(shown, f.shown(1)...), func(text string) bool { return strings.HasPrefix(text, merged) }) {
			t.Errorf("the threads show %q and %q", shown, f.shown(1))
		}
		o.must(o.Store.ReadOne(t.Context(), func(r chat.Reader) error {
			s, err := r.Session(from)
			if s.Status != chat.StatusClosed {
				t.Errorf("it is %s", s.Status)
			}
			return err
		}))
	}, f)
}
