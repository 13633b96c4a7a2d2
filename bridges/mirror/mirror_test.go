package mirror_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
)

func expectTexts(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s:\n got %q\nwant %q", what, got, want)
	}
}

func (o *harness) settle() { time.Sleep(3 * time.Hour) }

// soon is long enough for what works, and shorter than a minute's rest.
func (o *harness) soon() { time.Sleep(5 * time.Second) }

func (o *harness) must(err error) {
	o.t.Helper()
	if err != nil {
		o.t.Fatal(err)
	}
}

func isPost(op chat.Op) bool { return op.Kind == chat.OpPost }

func says(text string) func(chat.Op) bool {
	return func(op chat.Op) bool { return strings.Contains(op.Text, text) }
}

func TestShowsConversation(t *testing.T) {
	f, other := newFake("telegram"), newFake("slack")
	withMirrors(t, false, func(t *testing.T, o *harness) {
		id := o.open(t, "ann")
		first := o.say(t, id, "hello")
		second := o.say(t, id, "is <b>anybody</b> there?")
		o.soon()
		expectTexts(t, "texts", f.shown(0), "hello", "is <b>anybody</b> there?")
		o.StoreReceipts(t.Context())
		for _, m := range o.history(t, id) {
			if m.DeliveredAt == 0 {
				t.Errorf("a message that platforms have is not delivered: %+v", m)
			}
		}
		_, err := o.Edit(t.Context(), visitor, id, first.ID, "hello!")
		o.must(err)
		o.must(o.Delete(t.Context(), visitor, id, second.ID))
		o.soon()
		expectTexts(t, "after edit and delete", f.shown(0), "hello!")
		m, err := o.Send(t.Context(), chat.Author{Sender: chat.SenderOperator, Source: "console", Name: "Olga"},
			engine.Post{SessionID: id, Content: "yes", ReplyTo: first.ID})
		o.must(err)
		o.must(o.MarkRead(t.Context(), visitor, id, []string{m.ID}))
		_, err = o.Rate(t.Context(), visitor, id, 4, "quick")
		o.must(err)
		o.must(o.Trigger(t.Context(), visitor, id, chat.CustomEvent{Name: "clicked", Data: chat.Raw(`{"plan":"<pro> & \\u003c"}`)}))
		_, err = o.Identify(t.Context(), visitor, id, map[string]any{"name": "Ann", "email": "ann@example.com"}, "")
		o.must(err)
		o.must(o.Close(t.Context(), operator, id))
		o.soon()
		want := []string{"hello!", "Olga (console): yes", "- The visitor rated the conversation 4 of 5.\nquick",
			`- Event: clicked {"plan":"<pro> & \\u003c"}`, "- Name: Ann\nEmail: ann@example.com\nIdentity: not verified", "- The conversation was closed (api)."}
		expectTexts(t, "everything", f.shown(0), want...)
		expectTexts(t, "everything on the other platform", other.shown(0), want...)
		th := f.state(0)
		if got := th.messages[2]; got.replyTo != th.messages[1].remote || got.receipt != "read" {
			t.Errorf("the reply is %+v, want one to %s that was read", got, th.messages[1].remote)
		}
		if !th.closed || f.count() != 1 || th.sessionID != "" {
			t.Errorf("the thread is %+v of %d", th, f.count())
		}
		o.say(t, id, "one more thing")
		o.soon()
		if got := f.shown(0); f.state(0).closed || got[len(got)-1] != "one more thing" {
			t.Errorf("the reopened thread shows %q", got)
		}
	}, f, other)
}

func TestSplitsAndResumesWhereItStopped(t *testing.T) {
	tests := []struct {
		name string
		lost bool
		err  error
		// how often each part was tried, and how often with the warning that it may
		// have arrived
		calls, ambiguous int
	}{
		{"refused", false, errors.New("down"), 4, 0},
		{"limited", false, &chat.RetryAfter{After: time.Minute, Cause: errors.New("429")}, 4, 0},
		{"answer lost", true, chat.ErrAmbiguous, 4, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := newFake("telegram")
			f.longest = 10
			withMirrors(t, false, func(t *testing.T, o *harness) {
				f.breakAt(tt.lost, 1, tt.err, says("bbbb"))
				id := o.open(t, "ann")
				o.say(t, id, "aaaaaaaaaabbbbbbbbbbcccccccccc")
				o.settle()
				want := []string{"aaaaaaaaaa", "bbbbbbbbbb", "cccccccccc"}
				if tt.lost {
					want = slices.Insert(want, 1, "bbbbbbbbbb") // this fake cannot be searched
				}
				expectTexts(t, "parts", f.shown(0), want...)
				var posts, ambiguous int
				keys := map[string]string{}
				for _, op := range f.ops() {
					if !isPost(op) {
						continue
					}
					posts++
					if op.Ambiguous {
						ambiguous++
					}
					if known := keys[op.Text]; known != "" && known != op.Key || len(op.Key) == 0 || len(op.Key) > 25 {
						t.Errorf("key %q of %q, want %q", op.Key, op.Text, known)
					}
					keys[op.Text] = op.Key
				}
				if posts != tt.calls || ambiguous != tt.ambiguous {
					t.Errorf("%d posts, %d ambiguous, want %d and %d", posts, ambiguous, tt.calls, tt.ambiguous)
				}
			}, f)
		})
	}
}

func TestCoalesces(t *testing.T) {
	f := newFake("telegram")
	f.coalesce, f.longest = true, 40
	withMirrors(t, false, func(t *testing.T, o *harness) {
		f.breakAt(false, 1, &chat.RetryAfter{After: time.Minute, Cause: errors.New("429")}, func(op chat.Op) bool { return op.Kind == chat.OpOpen })
		id := o.open(t, "ann")
		one, two := o.say(t, id, "one"), o.say(t, id, "two")
		three := o.say(t, id, "three")
		_, err := o.Send(t.Context(), operator, engine.Post{SessionID: id, Content: "yes?"})
		o.must(err)
		four := o.say(t, id, "four")
		o.must(o.Delete(t.Context(), visitor, id, four.ID)) // before it was sent
		five := o.say(t, id, "five")
		_, err = o.Edit(t.Context(), visitor, id, five.ID, "5")
		o.must(err)
		time.Sleep(90 * time.Second)
		expectTexts(t, "sent", f.shown(0), "one\ntwo\nthree", "Operator (api): yes?", "5")
		if n := len(f.ops()); n != 5 {
			t.Errorf("%d ops, want 2 to open and 3 messages: %+v", n, f.ops())
		}
		_, err = o.Edit(t.Context(), visitor, id, two.ID, "2")
		o.must(err)
		o.soon()
		expectTexts(t, "edited", f.shown(0), "one\n2\nthree", "Operator (api): yes?", "5")
		_, err = o.Edit(t.Context(), visitor, id, two.ID, strings.Repeat("2", 60))
		o.must(err)
		o.soon()
		expectTexts(t, "edited to be long", f.shown(0), "one\n"+strings.Repeat("2", 36), "Operator (api): yes?", "5",
			"(edited) "+strings.Repeat("2", 24)+"\nthree")
		for _, m := range []chat.Message{one, two} {
			o.must(o.Delete(t.Context(), visitor, id, m.ID))
		}
		o.soon()
		expectTexts(t, "two deleted", f.shown(0), "three", "Operator (api): yes?", "5")
		o.must(o.Delete(t.Context(), visitor, id, three.ID))
		o.soon()
		expectTexts(t, "all deleted", f.shown(0), "Operator (api): yes?", "5")
	}, f)
}

// TestHealsThreads: what is gone is continued, what is closed is reopened,
// and the message that found out is not lost.
func TestHealsThreads(t *testing.T) {
	f := newFake("telegram")
	withMirrors(t, false, func(t *testing.T, o *harness) {
		id := o.open(t, "ann")
		first := o.say(t, id, "hello")
		o.soon()
		f.by(func(th *fakeThread) { th.closed = true })
		o.say(t, id, "closed?")
		o.soon()
		expectTexts(t, "reopened", f.shown(0), "hello", "closed?")
		f.by(func(th *fakeThread) { th.gone = true })
		_, err := o.Edit(t.Context(), visitor, id, first.ID, "hello!")
		o.must(err)
		o.say(t, id, "gone?")
		o.say(t, id, "and on")
		o.soon()
		expectTexts(t, "continued", f.shown(1), "- Earlier:\nVisitor: hello!\nVisitor: closed?", "gone?", "and on")
		opening := f.state(1).messages[0].text
		if !strings.Contains(opening, "Continued") {
			t.Errorf("the new thread begins with %q", opening)
		}
		o.receive(f, f.in(0, "x1", "still here")) // from the thread that is gone
		o.soon()
		expectTexts(t, "messages", o.messages(id), "visitor: hello!", "visitor: closed?", "visitor: gone?", "visitor: and on", "operator: still here")
	}, f)
}

func TestCopiesThatAreGone(t *testing.T) {
	f := newFake("telegram")
	withMirrors(t, false, func(t *testing.T, o *harness) {
		id := o.open(t, "ann")
		first, second := o.say(t, id, "hello"), o.say(t, id, "bye")
		o.soon()
		f.by(func(th *fakeThread) { th.messages = th.messages[:1] }) // somebody removed both
		_, err := o.Edit(t.Context(), visitor, id, first.ID, "hello!")
		o.must(err)
		o.must(o.Delete(t.Context(), visitor, id, second.ID))
		_, err = o.Send(t.Context(), operator, engine.Post{SessionID: id, Content: "yes", ReplyTo: first.ID})
		o.must(err)
		o.soon()
		expectTexts(t, "texts", f.shown(0), "(edited) hello!", "Operator (api): yes")
	}, f)
}

func TestMarksLateMessages(t *testing.T) {
	f := newFake("telegram")
	withMirrors(t, false, func(t *testing.T, o *harness) {
		f.breakAt(false, 8, errors.New("down"), func(chat.Op) bool { return true })
		id := o.open(t, "ann")
		o.say(t, id, "hello")
		o.settle()
		if got := f.shown(0); len(got) != 1 || !strings.HasPrefix(got[0], "hello\n\n(delivered late: written on 1 January at 00:00 UTC)") {
			t.Errorf("it shows %q", got)
		}
	}, f)
}

// TestShowsTyping: now and then, only what visitors do, and nothing while
// the bridge has trouble.
func TestShowsTyping(t *testing.T) {
	f := newFake("telegram")
	withMirrors(t, false, func(t *testing.T, o *harness) {
		ctx, cancel := context.WithCancel(context.Background())
		ended := make(chan error)
		go func() { ended <- o.mirrors[0].ShowTyping(ctx) }()
		id, silent := o.open(t, "ann"), o.open(t, "ben")
		o.say(t, id, "hello")
		o.soon()
		types := func(by chat.Author, sessionID string, active bool) {
			o.must(o.Typing(t.Context(), by, sessionID, active))
			time.Sleep(time.Second)
		}
		for range 7 {
			types(visitor, id, true)
		}
		types(visitor, id, false)
		types(visitor, silent, true)
		types(operator, id, true)
		count := func() (n int) {
			for _, op := range f.ops() {
				if op.Kind == chat.OpTyping {
					n++
				}
			}
			return n
		}
		if n := count(); n != 2 {
			t.Errorf("shown %d times in 7 seconds, want 2", n)
		}
		f.breakAt(false, 100, errors.New("down"), isPost)
		o.say(t, id, "hello")
		o.soon()
		types(visitor, id, true)
		if n := count(); n != 2 {
			t.Errorf("shown %d times, while the bridge has trouble too", n)
		}
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}, f)
}
