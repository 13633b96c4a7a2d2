package mirror_test

import (
	"slices"
	"testing"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
)

// TestEditsOperatorsMessages: the bot cannot change an operator's message,
// so a change made elsewhere is shown as one.
func TestEditsOperatorsMessages(t *testing.T) {
	f := newFake("telegram")
	withMirrors(t, false, func(t *testing.T, o *harness) {
		id := o.greeted(t)
		o.receive(f, f.in(0, "x1", "hi!"))
		o.soon()
		h, err := o.History(t.Context(), operator, engine.HistoryQuery{SessionID: id, Limit: 9})
		o.must(err)
		_, err = o.Edit(t.Context(), operator, id, h.Messages[1].ID, "hi?")
		o.must(err)
		o.soon()
		expectTexts(t, "edited", f.shown(0), "hello", "(edited) Ada (telegram): hi?")
		o.must(o.Delete(t.Context(), operator, id, h.Messages[1].ID))
		o.soon()
		expectTexts(t, "deleted", f.shown(0), "hello")
		if op := f.ops()[len(f.ops())-1]; op.Kind != chat.OpDelete || op.Remote != "x1" {
			t.Errorf("the last op is %+v, want the original deleted", op)
		}
	}, f)
}

// TestAuthorsLaterEditWins: after an edit elsewhere the author
// changes its message where it was written, and has the last word.
func TestAuthorsLaterEditWins(t *testing.T) {
	f := newFake("telegram")
	withMirrors(t, false, func(t *testing.T, o *harness) {
		id := o.greeted(t)
		for remote, change := range map[string]chat.Inbound{
			"x1": kind(chat.InboundEdited, f.in(0, "x1", "hi there")),
			"x2": kind(chat.InboundDeleted, f.in(0, "x2", "")),
		} {
			o.receive(f, f.in(0, remote, "hi!"))
			o.soon()
			list := o.history(t, id)
			_, err := o.Edit(t.Context(), operator, id, list[len(list)-1].ID, "hi?")
			o.must(err)
			o.soon()
			expectTexts(t, "edited elsewhere", f.shown(0), "hello", "(edited) Ada (telegram): hi?")
			o.receive(f, change)
			o.soon()
			expectTexts(t, "changed by its author", f.shown(0), "hello")
		}
	}, f)
}

func TestFollowsThreads(t *testing.T) {
	f, other := newFake("telegram"), newFake("slack")
	withMirrors(t, false, func(t *testing.T, o *harness) {
		id := o.greeted(t)
		status := func(want chat.Status, closed bool) {
			t.Helper()
			o.soon()
			o.must(o.store.ReadOne(t.Context(), func(r chat.Reader) error {
				s, err := r.Session(id)
				if s.Status != want || other.state(0).closed != closed {
					t.Errorf("session %s, other thread closed %v, want %s and %v", s.Status, other.state(0).closed, want, closed)
				}
				return err
			}))
		}
		f.by(func(th *fakeThread) { th.closed = true })
		o.receive(f, kind(chat.InboundThreadClosed, f.in(0, "", "")))
		status(chat.StatusClosed, true)
		_, err := o.Rate(t.Context(), visitor, id, 5, "")
		o.must(err)
		status(chat.StatusClosed, true) // the rating is shown all the same
		if !f.state(0).closed || f.last(0) != "- The visitor rated the conversation 5 of 5." {
			t.Errorf("closed %v, shows %q", f.state(0).closed, f.shown(0))
		}
		f.by(func(th *fakeThread) { th.closed = false })
		o.receive(f, kind(chat.InboundThreadReopened, f.in(0, "", "")))
		status(chat.StatusOpen, false)
		o.receive(f, kind(chat.InboundThreadDeleted, f.in(0, "", "")))
		f.by(func(th *fakeThread) { th.gone = true })
		status(chat.StatusOpen, false)
		o.say(t, id, "still there?")
		o.soon()
		expectTexts(t, "continued", f.shown(1), "- Earlier:\nVisitor: hello", "still there?")
	}, f, other)
}

func TestFollowsChannel(t *testing.T) {
	f := newFake("telegram")
	withMirrors(t, false, func(t *testing.T, o *harness) {
		id := o.greeted(t)
		moved := f.in(0, "", "C2")
		moved.Kind = chat.InboundChannelMoved
		o.receive(f, moved)
		o.soon()
		o.must(o.store.ReadOne(t.Context(), func(r chat.Reader) error {
			th, err := r.ThreadOf(id, "telegram", "C2")
			if th.Ref != f.state(0).ref {
				t.Errorf("the thread is %+v", th)
			}
			return err
		}))
	}, f)
}

// TestReopens: an operator who writes on after the session was closed opens
// it again, with its threads; a note leaves it closed.
func TestReopens(t *testing.T) {
	f, other := newFake("telegram"), newFake("slack")
	withMirrors(t, false, func(t *testing.T, o *harness) {
		id := o.greeted(t)
		status := func() (s chat.Status) {
			o.must(o.store.ReadOne(t.Context(), func(r chat.Reader) error {
				session, err := r.Session(id)
				s = session.Status
				return err
			}))
			return s
		}
		o.must(o.Close(t.Context(), operator, id))
		o.soon()
		o.receive(f, f.in(0, "x1", "// she will be back"))
		o.soon()
		if status() != chat.StatusClosed || !f.state(0).closed {
			t.Error("a note reopened the session")
		}
		visitor := o.Hub.Subscribe(id)
		defer visitor.Close()
		o.receive(f, f.in(0, "x2", "one more thing"))
		o.soon()
		if status() != chat.StatusOpen || f.state(0).closed || other.state(0).closed {
			t.Errorf("the session is %s; the threads are closed: %v, %v", status(), f.state(0).closed, other.state(0).closed)
		}
		var types []chat.EventType
		for range len(visitor.C) {
			if e := <-visitor.C; e.Rev != 0 {
				types = append(types, e.Type)
			}
		}
		if want := []chat.EventType{chat.EventSessionReopened, chat.EventMessage}; !slices.Equal(types, want) {
			t.Errorf("the events are %v, want %v", types, want)
		}
	}, f, other)
}
