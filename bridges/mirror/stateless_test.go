package mirror_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
)

// TestStateless: after a restart that forgot everything, threads lead to
// their sessions and sessions to their threads.
func TestStateless(t *testing.T) {
	f := newFake("telegram")
	f.found = map[string]chat.Thread{"s-1": {Ref: "old"}}
	f.owners = map[string]string{"old2": "s-2"}
	f.threads = []*fakeThread{{ref: "old", messages: []fakeMessage{{}}}, {ref: "old2", messages: []fakeMessage{{}}}}
	withMirrors(t, true, func(t *testing.T, o *harness) {
		for _, id := range []string{"s-1", "s-3"} {
			o.must(o.store.Apply(t.Context(), func(tx chat.Tx) error {
				return tx.CreateSession(&chat.Session{ID: id, Status: chat.StatusOpen, StartedAt: 1})
			}))
			o.say(t, id, "after the restart of "+id)
		}
		o.soon()
		expectTexts(t, "found", f.shown(0), "after the restart of s-1")
		expectTexts(t, "not found", f.shown(2), "after the restart of s-3")
		if th := f.state(2); th.sessionID != "s-3" || !strings.Contains(th.messages[0].text, "Continued") {
			t.Errorf("the new thread is %+v", th)
		}
		file := f.in(1, "x1", "for s-2")
		file.Files = []chat.InboundFile{{Ref: "r1", Filename: "a.pdf", MimeType: "application/pdf", Size: 9}}
		o.receive(f, file)
		o.receive(f, kind(chat.InboundEdited, f.in(1, "x7", "from before")))
		o.receive(f, kind(chat.InboundDeleted, f.in(1, "x8", "")))
		o.soon()
		var got []string
		o.must(o.store.Read(t.Context(), func(r chat.Reader) error {
			events, err := r.Events("s-2", 0, 10)
			for _, e := range events {
				m, _ := e.Message()
				got = append(got, string(e.Type)+" "+m.ID+" "+m.Content)
				for _, a := range m.Attachments.V {
					seal, _ := chat.NewFileSeal("secret", "")
					ref, err := seal.Open(strings.TrimPrefix(a.URL, "/files/"))
					if err != nil || ref != (chat.FileRef{Bridge: "telegram", Ref: "r1", Filename: "a.pdf", MimeType: "application/pdf", Size: 9}) {
						t.Errorf("the file is %+v, %v", ref, err)
					}
				}
			}
			return err
		}))
		expectTexts(t, "events", got, "message tg:C1:x1 for s-2", "message_edited tg:C1:x7 from before", "message_deleted tg:C1:x8 ")
	}, f)
}

// TestRecallsCopies: in bridge mode a restart forgets what shows a message.
// Where the platform can be searched, it is edited and removed there all the same.
func TestRecallsCopies(t *testing.T) {
	for name, want := range map[string][]string{
		"telegram": {"one", "aaaaaaaaaa", "bbbbb", "last", "(edited) two"},
		"slack":    {"two", "last"},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFake(name)
			f.longest, f.mindful = 10, name == "slack"
			session := engine.SessionInfo{ID: "s-1", VisitorID: "v-1"}
			withMirrors(t, true, func(t *testing.T, o *harness) {
				for i, text := range []string{"one", "aaaaaaaaaabbbbb", "last"} {
					n := engine.BackendMessage{ID: fmt.Sprint("m-", i), Sender: chat.SenderVisitor, Content: text}
					o.must(o.Backend().Send(t.Context(), visitor, session, n))
				}
				o.soon()
			}, f)
			f.found = map[string]chat.Thread{session.ID: {Ref: f.threads[0].ref}}
			withMirrors(t, true, func(t *testing.T, o *harness) {
				o.must(o.Backend().Edit(t.Context(), visitor, session, "m-0", "two", 0))
				o.must(o.Backend().Delete(t.Context(), visitor, session, "m-1", 0))
				o.soon()
				expectTexts(t, "texts", f.shown(0), want...)
			}, f)
		})
	}
}

// TestShowsEditsFromBefore: a thread that a restart has forgotten, and that
// the platform cannot find, does not hide what a visitor corrects. What is
// deleted needs no thread.
func TestShowsEditsFromBefore(t *testing.T) {
	f := newFake("telegram")
	session := engine.SessionInfo{ID: "s-1", VisitorID: "v-1"}
	withMirrors(t, true, func(t *testing.T, o *harness) {
		o.must(o.Backend().Delete(t.Context(), visitor, session, "m-0", 0))
		o.soon()
		if f.count() > 0 {
			t.Error("a thread was opened for nothing")
		}
		o.must(o.Backend().Edit(t.Context(), visitor, session, "m-1", "on Friday", 0))
		o.soon()
		expectTexts(t, "texts", f.shown(0), "(edited) on Friday")
		if opening := f.state(0).messages[0].text; f.count() != 1 || !strings.Contains(opening, "Continued") {
			t.Errorf("%d threads, the first begins with %q", f.count(), opening)
		}
	}, f)
}

// TestShowsTheLastOfEditsFromBefore: an operator corrects twice what a
// restart has forgotten, while another platform is slow.
func TestShowsTheLastOfEditsFromBefore(t *testing.T) {
	f, other := newFake("telegram"), newFake("slack")
	f.owners = map[string]string{"old": "s-1"}
	f.threads = []*fakeThread{{ref: "old", messages: []fakeMessage{{}}}}
	other.slow = func(chat.Op) time.Duration { return time.Second }
	withMirrors(t, true, func(t *testing.T, o *harness) {
		o.must(o.Backend().NewSession(t.Context(), visitor, engine.SessionInfo{ID: "s-1"}))
		for _, text := range []string{"on Monday", "on Tuesday", "on Friday"} {
			o.receive(f, kind(chat.InboundEdited, f.in(0, "x7", text)))
		}
		o.soon()
		expectTexts(t, "texts", other.shown(0), "(edited) Ada (telegram): on Friday")
		for range 2 {
			o.receive(f, kind(chat.InboundDeleted, f.in(0, "x7", "")))
		}
		o.soon()
		expectTexts(t, "after the delete", other.shown(0))
	}, f, other)
}

// TestKeysDifferAfterRestart: after a restart the revisions begin again. What
// is written then is no repetition of what was written before, for which a
// platform that compares keys would take it.
func TestKeysDifferAfterRestart(t *testing.T) {
	f := newFake("discord")
	session := engine.SessionInfo{ID: "s-1", VisitorID: "v-1"}
	f.found = map[string]chat.Thread{session.ID: {Ref: "old"}}
	f.threads = []*fakeThread{{ref: "old", messages: []fakeMessage{{}}}}
	for run := range 2 {
		withMirrors(t, true, func(t *testing.T, o *harness) {
			time.Sleep(time.Duration(run) * time.Minute)
			o.must(o.Backend().Trigger(t.Context(), visitor, session, chat.CustomEvent{Name: fmt.Sprint("clicked ", run)}))
			o.must(o.Backend().Edit(t.Context(), visitor, session, "m-0", fmt.Sprint("text ", run), 0))
			o.soon()
		}, f)
	}
	expectTexts(t, "texts", f.shown(0), "- Event: clicked 0", "(edited) text 0", "- Event: clicked 1", "(edited) text 1")
	keys := map[string]string{}
	for _, op := range f.ops() {
		if other, known := keys[op.Key]; known {
			t.Errorf("%q has the key of %q", op.Text, other)
		}
		keys[op.Key] = op.Text
	}
}

// TestShowsMessagesOfAnyID: how a backend names its messages is its own
// affair, also where the names look like what relay itself notes.
func TestShowsMessagesOfAnyID(t *testing.T) {
	f := newFake("telegram")
	session := engine.SessionInfo{ID: "@s", VisitorID: "v-1"}
	withMirrors(t, true, func(t *testing.T, o *harness) {
		o.must(o.Backend().Trigger(t.Context(), visitor, session, chat.CustomEvent{Name: "clicked"}))
		o.soon()
		want := []string{"- Event: clicked"}
		for i := range 4 {
			id := fmt.Sprint("@", i)
			o.must(o.Backend().Send(t.Context(), visitor, session, engine.BackendMessage{ID: id, Sender: chat.SenderVisitor, Content: "message " + id}))
			o.must(o.Backend().Trigger(t.Context(), visitor, session, chat.CustomEvent{Name: "read " + id}))
			o.soon()
			want = append(want, "message "+id, "- Event: read "+id)
		}
		expectTexts(t, "texts", f.shown(0), want...)
		answer := f.in(0, "x1", "that one?")
		answer.ReplyTo = f.state(0).messages[2].remote // behind the summary and the event
		o.receive(f, answer)
		o.soon()
		o.must(o.store.ReadOne(t.Context(), func(r chat.Reader) error {
			m, err := r.Message(session.ID, "tg:C1:x1")
			if m.ReplyTo != "@0" {
				t.Errorf("the answer is to %q", m.ReplyTo)
			}
			return err
		}))
		if err := o.Backend().Send(t.Context(), visitor, session, engine.BackendMessage{ID: "\ufdd03", Sender: chat.SenderVisitor, Content: "no"}); err == nil {
			t.Error("relay's own sign is accepted")
		}
	}, f)
}

// TestReopensAThreadFromBefore: a thread that a restart has forgotten is opened again with
// its session, though nobody wrote since.
func TestReopensAThreadFromBefore(t *testing.T) {
	f := newFake("discord")
	f.found = map[string]chat.Thread{"s-1": {Ref: "old", State: chat.ThreadClosed}}
	f.threads = []*fakeThread{{ref: "old", closed: true, messages: []fakeMessage{{}}}}
	withMirrors(t, true, func(t *testing.T, o *harness) {
		o.must(o.store.Apply(t.Context(), func(tx chat.Tx) error {
			return tx.CreateSession(&chat.Session{ID: "s-1", Status: chat.StatusClosed, StartedAt: 1})
		}))
		o.must(o.Reopen(t.Context(), operator, "s-1"))
		o.soon()
		if f.state(0).closed {
			t.Error("the thread stays closed")
		}
	}, f)
}
