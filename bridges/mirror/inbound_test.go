package mirror_test

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/relay-chat/relay/server/chat"
)

// last is the newest message of the n-th thread.
func (f *fakeBridge) last(n int) string {
	texts := f.shown(n)
	if len(texts) == 0 {
		return ""
	}
	return texts[len(texts)-1]
}

// remote is the platform's id of the i-th message of the n-th thread.
func (f *fakeBridge) remote(n, i int) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.threads[n].messages[i+1].remote
}

func kind(k chat.InboundKind, in chat.Inbound) chat.Inbound {
	in.Kind = k
	return in
}

func TestPassesOperatorsOn(t *testing.T) {
	f, other := newFake("telegram"), newFake("slack")
	withMirrors(t, false, func(t *testing.T, o *harness) {
		id := o.open(t, "ann")
		hello := o.say(t, id, "hello")
		o.soon()
		reply := f.in(0, "x1", "hi!")
		reply.ReplyTo = f.remote(0, 0)
		o.tell(f, reply)
		o.tell(f, reply) // another update of the same message
		unknown := f.in(0, "x2", "how are you?")
		unknown.ReplyTo = "nobody knows"
		o.tell(f, unknown)
		o.soon()
		expectTexts(t, "messages", o.messages(id), "visitor: hello", "operator: hi!", "operator: how are you?")
		h, err := o.History(t.Context(), operator, chat.HistoryQuery{SessionID: id, Limit: 9})
		o.must(err)
		if m := h.Messages[1]; m.ReplyTo != hello.ID || m.OperatorName != "Ada" || m.SourceBridge != "telegram" {
			t.Errorf("the reply is %+v", m)
		}
		expectTexts(t, "where it was written", f.shown(0), "hello")
		expectTexts(t, "on the other platform", other.shown(0), "hello", "Ada (telegram): hi!", "Ada (telegram): how are you?")

		o.tell(f, kind(chat.InboundEdited, f.in(0, "x1", "hi!"))) // nothing changed
		o.tell(f, kind(chat.InboundEdited, f.in(0, "x2", "how can I help?")))
		o.tell(f, kind(chat.InboundEdited, f.in(0, "x9", "of a message that is unknown")))
		o.tell(f, kind(chat.InboundEdited, f.in(0, f.remote(0, 0), "somebody edited our copy")))
		o.tell(f, kind(chat.InboundDeleted, f.in(0, "x1", "")))
		o.tell(f, kind(chat.InboundDeleted, f.in(0, f.remote(0, 0), ""))) // a copy
		o.soon()
		expectTexts(t, "messages", o.messages(id), "visitor: hello", "operator: (deleted)", "operator: how can I help?")
		expectTexts(t, "on the other platform", other.shown(0), "hello", "Ada (telegram): how can I help?")
		if h, _ := o.History(t.Context(), operator, chat.HistoryQuery{SessionID: id, Limit: 9}); h.Rev != 6 {
			t.Errorf("revision %d, want 6: nothing else happened", h.Rev)
		}
	}, f, other)
}

// TestEditsWhatWasWrittenHere: the bot cannot change an operator's message,
// so a change made elsewhere is shown as one.
func TestEditsWhatWasWrittenHere(t *testing.T) {
	f := newFake("telegram")
	withMirrors(t, false, func(t *testing.T, o *harness) {
		id := o.open(t, "ann")
		o.say(t, id, "hello")
		o.soon()
		o.tell(f, f.in(0, "x1", "hi!"))
		o.soon()
		h, err := o.History(t.Context(), operator, chat.HistoryQuery{SessionID: id, Limit: 9})
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

// TestTakesBackWhatItShowedOfAnEdit: after an edit elsewhere the author
// changes its message where it was written, and has the last word.
func TestTakesBackWhatItShowedOfAnEdit(t *testing.T) {
	f := newFake("telegram")
	withMirrors(t, false, func(t *testing.T, o *harness) {
		id := o.open(t, "ann")
		o.say(t, id, "hello")
		o.soon()
		for remote, change := range map[string]chat.Inbound{
			"x1": kind(chat.InboundEdited, f.in(0, "x1", "hi there")),
			"x2": kind(chat.InboundDeleted, f.in(0, "x2", "")),
		} {
			o.tell(f, f.in(0, remote, "hi!"))
			o.soon()
			list := o.history(t, id)
			_, err := o.Edit(t.Context(), operator, id, list[len(list)-1].ID, "hi?")
			o.must(err)
			o.soon()
			expectTexts(t, "edited elsewhere", f.shown(0), "hello", "(edited) Ada (telegram): hi?")
			o.tell(f, change)
			o.soon()
			expectTexts(t, "changed by its author", f.shown(0), "hello")
		}
	}, f)
}

// TestShowsWhatArrived: an operator sees that the message is on the visitor's
// page, and that it was read.
func TestShowsWhatArrived(t *testing.T) {
	f := newFake("telegram")
	withMirrors(t, false, func(t *testing.T, o *harness) {
		id := o.open(t, "ann")
		o.say(t, id, "hello")
		o.soon()
		receipt := func(remote string) string {
			f.by(func(th *fakeThread) { th.messages = append(th.messages, fakeMessage{remote: remote}) })
			o.tell(f, f.in(0, remote, "hi "+remote))
			o.soon()
			messages := f.state(0).messages
			return messages[len(messages)-1].receipt
		}
		if got := receipt("x1"); got != "" {
			t.Errorf("nobody is there, the receipt is %q", got)
		}
		page := o.Hub.Subscribe(id)
		defer page.Close()
		if got := receipt("x2"); got != "delivered" {
			t.Errorf("the page is open, the receipt is %q", got)
		}
		o.must(o.MarkRead(t.Context(), visitor, id, []string{o.history(t, id)[2].ID}))
		o.soon()
		if got := f.state(0).messages[3].receipt; got != "read" {
			t.Errorf("it was read, the receipt is %q", got)
		}
	}, f)
}

func (o *harness) history(t *testing.T, id string) []chat.Message {
	t.Helper()
	h, err := o.History(t.Context(), operator, chat.HistoryQuery{SessionID: id, Limit: 100})
	o.must(err)
	return h.Messages
}

func TestAlbums(t *testing.T) {
	f, other := newFake("telegram"), newFake("slack")
	withMirrors(t, false, func(t *testing.T, o *harness) {
		id := o.open(t, "ann")
		o.say(t, id, "hello")
		o.soon()
		f.files["r1"], f.files["r2"] = "one", "two"
		for i := range 3 {
			in := f.in(0, fmt.Sprint("x", i), "")
			in.Group = "album"
			in.Files = []chat.InboundFile{{Ref: fmt.Sprint("r", i), Filename: fmt.Sprintf("%d.txt", i), MimeType: "text/plain"}}
			if i == 1 {
				in.Text = "look"
			}
			if i == 0 {
				in.Files[0].Size = 1 << 30
			}
			o.tell(f, in)
			time.Sleep(300 * time.Millisecond)
		}
		o.tell(f, f.in(0, "x9", "behind it"))
		o.soon()
		missing := "[The file 0.txt is too large, see telegram]"
		expectTexts(t, "messages", o.messages(id), "visitor: hello", "operator: look\n"+missing, "operator: behind it")
		expectTexts(t, "on the other platform", other.shown(0), "hello", "Ada (telegram): look\n"+missing,
			"Ada (telegram): [1.txt=one]", "Ada (telegram): [2.txt=two]", "Ada (telegram): behind it")
		o.tell(f, kind(chat.InboundEdited, f.in(0, "x1", "look"))) // an echo of what is known
		o.soon()
		if h, _ := o.History(t.Context(), operator, chat.HistoryQuery{SessionID: id, Limit: 9}); h.Messages[1].EditedAt != 0 {
			t.Error("the album counts as edited")
		}
	}, f, other)
}

func TestFollowsThreads(t *testing.T) {
	f, other := newFake("telegram"), newFake("slack")
	withMirrors(t, false, func(t *testing.T, o *harness) {
		id := o.open(t, "ann")
		o.say(t, id, "hello")
		o.soon()
		status := func(want chat.Status, closed bool) {
			t.Helper()
			o.soon()
			o.must(o.store.Look(t.Context(), func(r chat.Reader) error {
				s, err := r.Session(id)
				if s.Status != want || other.state(0).closed != closed {
					t.Errorf("session %s, other thread closed %v, want %s and %v", s.Status, other.state(0).closed, want, closed)
				}
				return err
			}))
		}
		f.by(func(th *fakeThread) { th.closed = true })
		o.tell(f, kind(chat.InboundThreadClosed, f.in(0, "", "")))
		status(chat.StatusClosed, true)
		_, err := o.Rate(t.Context(), visitor, id, 5, "")
		o.must(err)
		status(chat.StatusClosed, true) // the rating is shown all the same
		if !f.state(0).closed || f.last(0) != "- The visitor rated the conversation 5 of 5." {
			t.Errorf("closed %v, shows %q", f.state(0).closed, f.shown(0))
		}
		f.by(func(th *fakeThread) { th.closed = false })
		o.tell(f, kind(chat.InboundThreadReopened, f.in(0, "", "")))
		status(chat.StatusOpen, false)
		o.tell(f, kind(chat.InboundThreadDeleted, f.in(0, "", "")))
		f.by(func(th *fakeThread) { th.gone = true })
		status(chat.StatusOpen, false)
		o.say(t, id, "still there?")
		o.soon()
		expectTexts(t, "continued", f.shown(1), "- Earlier:\nVisitor: hello", "still there?")
	}, f, other)
}

// TestHearsBeforeItKnows: an operator who is quicker than the platform's
// answer to the opening of the thread is heard.
func TestHearsBeforeItKnows(t *testing.T) {
	f := newFake("telegram")
	f.late = 3 * time.Second
	withMirrors(t, false, func(t *testing.T, o *harness) {
		id := o.open(t, "ann")
		o.say(t, id, "hello")
		time.Sleep(time.Second)
		o.tell(f, f.in(0, "x1", "I am here"))
		time.Sleep(time.Minute)
		expectTexts(t, "messages", o.messages(id), "visitor: hello", "operator: I am here")
		expectTexts(t, "shown", f.shown(0), "hello")
	}, f)
}

func TestRefusesStrangers(t *testing.T) {
	f := newFake("telegram")
	withMirrors(t, false, func(t *testing.T, o *harness) {
		f.set(func() {
			f.threads = []*fakeThread{{ref: "chat", messages: []fakeMessage{{}}}, {ref: "more", messages: []fakeMessage{{}}}}
		})
		for i := range 5 {
			o.tell(f, f.in(0, fmt.Sprint("x", i), "hello?"))
			o.tell(f, f.in(1, fmt.Sprint("y", i), "!close"))
		}
		time.Sleep(time.Minute)
		note := "- This thread is not linked to a session: no visitor reads what is written here."
		got := append(f.shown(0), f.shown(1)...)
		expectTexts(t, "answers", got, note)
	}, f)
}

func TestCommands(t *testing.T) {
	tests := []struct {
		name, text string
		wantAnswer string // the beginning of it
		want       func(o *harness, s chat.Session) bool
	}{
		{"help", "!help", "- Commands", nil},
		{"by slash", "/help@relay_bot", "- Commands", nil},
		{"close", "!close", "- The session is closed", func(o *harness, s chat.Session) bool {
			return s.Status == chat.StatusClosed && o.fakes[0].state(0).closed
		}},
		{"reopen", "!Reopen ", "- The session is open", nil},
		{"info", "!info", "- Visitor – open\nSince: 1 January 2000", nil},
		{"online", "!online", "- Visitors see you online", func(o *harness, _ chat.Session) bool { return o.OperatorOnline() }},
		{"offline", "!offline", "- Visitors see nobody", func(o *harness, _ chat.Session) bool { return !o.OperatorOnline() }},
		{"read", "!read", "- The visitor's messages", func(_ *harness, s chat.Session) bool { return s.Unread == 0 }},
		{"block", "!block", "- The visitor is shut out", func(_ *harness, s chat.Session) bool { return s.Blocked }},
		{"unblock", "!unblock", "- The visitor may", func(_ *harness, s chat.Session) bool { return !s.Blocked }},
		{"delete without a reply", "!delete", "- Write !delete as a reply", nil},
		{"shortened", "!del", "- There is no command !del, and the visitor did not see this. Did you mean !delete?", nil},
		{"mistyped", "!clsoe", "- There is no command !clsoe, and the visitor did not see this. Did you mean !close?", nil},
		{"unknown", "!wonderful day", "- There is no command !wonderful, and the visitor did not see this. !help", nil},
		{"full width", "！close", "- The session is closed", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f, other := newFake("telegram"), newFake("slack")
			withMirrors(t, false, func(t *testing.T, o *harness) {
				id := o.open(t, "ann")
				o.say(t, id, "hello")
				o.soon()
				o.tell(f, f.in(0, "x1", tt.text))
				o.tell(f, f.in(0, "x1", tt.text))
				o.tell(f, kind(chat.InboundEdited, f.in(0, "x1", "now as a text")))
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
				o.must(o.store.Look(t.Context(), func(r chat.Reader) error {
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
		id := o.open(t, "ann")
		o.say(t, id, "hello")
		o.soon()
		o.tell(f, f.in(0, "x1", "secret"))
		o.soon()
		remove := f.in(0, "x2", "!delete")
		remove.ReplyTo = "x1"
		o.tell(f, remove)
		visitors := f.in(0, "x3", "!delete")
		visitors.ReplyTo = f.remote(0, 0)
		o.tell(f, visitors)
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

// TestHoldsPresence: what operators say of themselves counts for twelve
// hours, over what the API says, until that says something new.
func TestHoldsPresence(t *testing.T) {
	f := newFake("telegram")
	withMirrors(t, false, func(t *testing.T, o *harness) {
		id := o.open(t, "ann")
		o.say(t, id, "hello")
		o.must(o.SetOperatorStatus(t.Context(), true))
		o.soon()
		o.tell(f, f.in(0, "x1", "!offline"))
		time.Sleep(11 * time.Hour)
		if again := o.newEngine(); again.OperatorOnline() || o.OperatorOnline() {
			t.Error("online after 11 hours")
		}
		time.Sleep(2 * time.Hour)
		if !o.OperatorOnline() {
			t.Error("not online again after 13 hours")
		}
		o.tell(f, f.in(0, "x2", "!offline"))
		o.soon()
		o.must(o.SetOperatorStatus(t.Context(), true))
		if !o.OperatorOnline() {
			t.Error("the API's word does not count")
		}
	}, f)
}

// TestReportsOnce: while the platform is away, no thread is found. The log
// says it once a minute, not once for each session.
func TestReportsOnce(t *testing.T) {
	var log bytes.Buffer
	f := newFake("telegram")
	f.lost, f.log = errors.New("connection refused"), slog.New(slog.NewTextHandler(&log, nil))
	withMirrors(t, true, func(t *testing.T, o *harness) {
		for i := range 10 {
			id := fmt.Sprint("s-", i)
			o.must(o.store.Apply(t.Context(), func(tx chat.Tx) error {
				return tx.CreateSession(&chat.Session{ID: id, Status: chat.StatusOpen, StartedAt: 1})
			}))
			o.say(t, id, "hello")
		}
		o.soon()
	}, f)
	if n := strings.Count(log.String(), "cannot be looked for"); n != 1 {
		t.Errorf("it was said %d times:\n%s", n, &log)
	}
}

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
		o.tell(f, file)
		o.tell(f, kind(chat.InboundEdited, f.in(1, "x7", "from before")))
		o.tell(f, kind(chat.InboundDeleted, f.in(1, "x8", "")))
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
// Where the platform can tell, it is edited and removed there all the same.
func TestRecallsCopies(t *testing.T) {
	for name, want := range map[string][]string{
		"telegram": {"one", "aaaaaaaaaa", "bbbbb", "last", "(edited) two"},
		"slack":    {"two", "last"},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFake(name)
			f.longest, f.mindful = 10, name == "slack"
			session := chat.SessionInfo{ID: "s-1", VisitorID: "v-1"}
			withMirrors(t, true, func(t *testing.T, o *harness) {
				for i, text := range []string{"one", "aaaaaaaaaabbbbb", "last"} {
					n := chat.BackendMessage{ID: fmt.Sprint("m-", i), Sender: chat.SenderVisitor, Content: text}
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
	session := chat.SessionInfo{ID: "s-1", VisitorID: "v-1"}
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
		o.must(o.Backend().NewSession(t.Context(), visitor, chat.SessionInfo{ID: "s-1"}))
		for _, text := range []string{"on Monday", "on Tuesday", "on Friday"} {
			o.tell(f, kind(chat.InboundEdited, f.in(0, "x7", text)))
		}
		o.soon()
		expectTexts(t, "texts", other.shown(0), "(edited) Ada (telegram): on Friday")
		for range 2 {
			o.tell(f, kind(chat.InboundDeleted, f.in(0, "x7", "")))
		}
		o.soon()
		expectTexts(t, "after the delete", other.shown(0))
	}, f, other)
}

// TestNamesWhatItWritesAnew: after a restart the revisions begin anew. What
// is written then is no repetition of what was written before, for which a
// platform that compares keys would take it.
func TestNamesWhatItWritesAnew(t *testing.T) {
	f := newFake("discord")
	session := chat.SessionInfo{ID: "s-1", VisitorID: "v-1"}
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
	session := chat.SessionInfo{ID: "@s", VisitorID: "v-1"}
	withMirrors(t, true, func(t *testing.T, o *harness) {
		o.must(o.Backend().Trigger(t.Context(), visitor, session, chat.CustomEvent{Name: "clicked"}))
		o.soon()
		want := []string{"- Event: clicked"}
		for i := range 4 {
			id := fmt.Sprint("@", i)
			o.must(o.Backend().Send(t.Context(), visitor, session, chat.BackendMessage{ID: id, Sender: chat.SenderVisitor, Content: "message " + id}))
			o.must(o.Backend().Trigger(t.Context(), visitor, session, chat.CustomEvent{Name: "read " + id}))
			o.soon()
			want = append(want, "message "+id, "- Event: read "+id)
		}
		expectTexts(t, "texts", f.shown(0), want...)
		answer := f.in(0, "x1", "that one?")
		answer.ReplyTo = f.state(0).messages[2].remote // behind the summary and the event
		o.tell(f, answer)
		o.soon()
		o.must(o.store.Look(t.Context(), func(r chat.Reader) error {
			m, err := r.Message(session.ID, "tg:C1:x1")
			if m.ReplyTo != "@0" {
				t.Errorf("the answer is to %q", m.ReplyTo)
			}
			return err
		}))
		if err := o.Backend().Send(t.Context(), visitor, session, chat.BackendMessage{ID: "\ufdd03", Sender: chat.SenderVisitor, Content: "no"}); err == nil {
			t.Error("relay's own sign is taken")
		}
	}, f)
}

func TestFollowsChannel(t *testing.T) {
	f := newFake("telegram")
	withMirrors(t, false, func(t *testing.T, o *harness) {
		id := o.open(t, "ann")
		o.say(t, id, "hello")
		o.soon()
		moved := f.in(0, "", "C2")
		moved.Kind = chat.InboundChannelMoved
		o.tell(f, moved)
		o.soon()
		o.must(o.store.Look(t.Context(), func(r chat.Reader) error {
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
		id := o.open(t, "ann")
		o.say(t, id, "hello")
		o.soon()
		status := func() (s chat.Status) {
			o.must(o.store.Look(t.Context(), func(r chat.Reader) error {
				session, err := r.Session(id)
				s = session.Status
				return err
			}))
			return s
		}
		o.must(o.Close(t.Context(), operator, id))
		o.soon()
		o.tell(f, f.in(0, "x1", "// she will be back"))
		o.soon()
		if status() != chat.StatusClosed || !f.state(0).closed {
			t.Error("a note reopened the session")
		}
		visitor := o.Hub.Subscribe(id)
		defer visitor.Close()
		o.tell(f, f.in(0, "x2", "one more thing"))
		o.soon()
		if status() != chat.StatusOpen || f.state(0).closed || other.state(0).closed {
			t.Errorf("the session is %s; the threads are closed: %v, %v", status(), f.state(0).closed, other.state(0).closed)
		}
		var told []chat.EventType
		for range len(visitor.C) {
			if e := <-visitor.C; e.Rev != 0 {
				told = append(told, e.Type)
			}
		}
		if want := []chat.EventType{chat.EventSessionReopened, chat.EventMessage}; !slices.Equal(told, want) {
			t.Errorf("told is %v, want %v", told, want)
		}
	}, f, other)
}
