package mirror_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
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
		o.receive(f, reply)
		o.receive(f, reply) // another update of the same message
		unknown := f.in(0, "x2", "how are you?")
		unknown.ReplyTo = "nobody knows"
		o.receive(f, unknown)
		o.soon()
		expectTexts(t, "messages", o.messages(id), "visitor: hello", "operator: hi!", "operator: how are you?")
		h, err := o.History(t.Context(), operator, engine.HistoryQuery{SessionID: id, Limit: 9})
		o.must(err)
		if m := h.Messages[1]; m.ReplyTo != hello.ID || m.OperatorName != "Ada" || m.SourceBridge != "telegram" {
			t.Errorf("the reply is %+v", m)
		}
		expectTexts(t, "where it was written", f.shown(0), "hello")
		expectTexts(t, "on the other platform", other.shown(0), "hello", "Ada (telegram): hi!", "Ada (telegram): how are you?")

		o.receive(f, kind(chat.InboundEdited, f.in(0, "x1", "hi!"))) // nothing changed
		o.receive(f, kind(chat.InboundEdited, f.in(0, "x2", "how can I help?")))
		o.receive(f, kind(chat.InboundEdited, f.in(0, "x9", "of a message that is unknown")))
		o.receive(f, kind(chat.InboundEdited, f.in(0, f.remote(0, 0), "somebody edited our copy")))
		o.receive(f, kind(chat.InboundDeleted, f.in(0, "x1", "")))
		o.receive(f, kind(chat.InboundDeleted, f.in(0, f.remote(0, 0), ""))) // a copy
		o.soon()
		expectTexts(t, "messages", o.messages(id), "visitor: hello", "operator: (deleted)", "operator: how can I help?")
		expectTexts(t, "on the other platform", other.shown(0), "hello", "Ada (telegram): how can I help?")
		if h, _ := o.History(t.Context(), operator, engine.HistoryQuery{SessionID: id, Limit: 9}); h.Rev != 6 {
			t.Errorf("revision %d, want 6: nothing else happened", h.Rev)
		}
	}, f, other)
}

// TestShowsDeliveryReceipts: an operator sees that the message is on the visitor's
// page, and that it was read.
func TestShowsDeliveryReceipts(t *testing.T) {
	f := newFake("telegram")
	withMirrors(t, false, func(t *testing.T, o *harness) {
		id := o.greeted(t)
		receipt := func(remote string) string {
			f.by(func(th *fakeThread) { th.messages = append(th.messages, fakeMessage{remote: remote}) })
			o.receive(f, f.in(0, remote, "hi "+remote))
			o.soon()
			messages := f.state(0).messages
			return messages[len(messages)-1].receipt
		}
		if got := receipt("x1"); got != "" {
			t.Errorf("nobody is there, the receipt is %q", got)
		}
		page, _, err := o.Follow(t.Context(), visitor, id, "")
		o.must(err)
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
	h, err := o.History(t.Context(), operator, engine.HistoryQuery{SessionID: id, Limit: 100})
	o.must(err)
	return h.Messages
}

func TestAlbums(t *testing.T) {
	f, other := newFake("telegram"), newFake("slack")
	withMirrors(t, false, func(t *testing.T, o *harness) {
		id := o.greeted(t)
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
			o.receive(f, in)
			time.Sleep(300 * time.Millisecond)
		}
		o.receive(f, f.in(0, "x9", "behind it"))
		o.soon()
		missing := "[The file 0.txt is too large, see telegram]"
		expectTexts(t, "messages", o.messages(id), "visitor: hello", "operator: look\n"+missing, "operator: behind it")
		expectTexts(t, "on the other platform", other.shown(0), "hello", "Ada (telegram): look\n"+missing,
			"Ada (telegram): [1.txt=one]", "Ada (telegram): [2.txt=two]", "Ada (telegram): behind it")
		o.receive(f, kind(chat.InboundEdited, f.in(0, "x1", "look"))) // an echo of what is known
		o.soon()
		if h, _ := o.History(t.Context(), operator, engine.HistoryQuery{SessionID: id, Limit: 9}); h.Messages[1].EditedAt != 0 {
			t.Error("the album counts as edited")
		}
	}, f, other)
}

// TestReceivesBeforeTheThreadIsStored: an operator who is quicker than the platform's
// answer to the opening of the thread is handled.
func TestReceivesBeforeTheThreadIsStored(t *testing.T) {
	f := newFake("telegram")
	f.late = 3 * time.Second
	withMirrors(t, false, func(t *testing.T, o *harness) {
		id := o.open(t, "ann")
		o.say(t, id, "hello")
		time.Sleep(time.Second)
		o.receive(f, f.in(0, "x1", "I am here"))
		time.Sleep(time.Minute)
		expectTexts(t, "messages", o.messages(id), "visitor: hello", "operator: I am here")
		expectTexts(t, "shown", f.shown(0), "hello")
	}, f)
}

func TestWarnsInUnlinkedThreads(t *testing.T) {
	f := newFake("telegram")
	withMirrors(t, false, func(t *testing.T, o *harness) {
		f.set(func() {
			f.threads = []*fakeThread{{ref: "chat", messages: []fakeMessage{{}}}, {ref: "more", messages: []fakeMessage{{}}}}
		})
		for i := range 5 {
			o.receive(f, f.in(0, fmt.Sprint("x", i), "hello?"))
			o.receive(f, f.in(1, fmt.Sprint("y", i), "!close"))
		}
		time.Sleep(time.Minute)
		note := "- This thread is not linked to a conversation: no visitor reads what is written here."
		got := append(f.shown(0), f.shown(1)...)
		expectTexts(t, "answers", got, note)
	}, f)
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
		o.receive(f, f.in(0, "x1", "!offline"))
		time.Sleep(11 * time.Hour)
		if again := o.newEngine(); again.OperatorOnline() || o.OperatorOnline() {
			t.Error("online after 11 hours")
		}
		time.Sleep(2 * time.Hour)
		if !o.OperatorOnline() {
			t.Error("not online again after 13 hours")
		}
		o.receive(f, f.in(0, "x2", "!offline"))
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
	if n := strings.Count(log.String(), "cannot search for a thread"); n != 1 {
		t.Errorf("it was said %d times:\n%s", n, &log)
	}
}

// TestMessagesOfPeople: ids and user names on the platform lead to the person, for files
// that follow too. A display name does not: anybody can take it.
func TestMessagesOfPeople(t *testing.T) {
	f := newFake("discord")
	withMirrors(t, false, func(t *testing.T, o *harness) {
		var away atomic.Bool
		away.Store(true)
		f.fetch = func(context.Context, string) (io.ReadCloser, error) {
			if away.Load() {
				return nil, errors.New("502 Bad Gateway")
			}
			return nil, nil
		}
		f.files["a"] = "a"
		p, err := o.team.People.Add(t.Context(), chat.Person{Name: "Ada Example", Email: "ada@example.com", Role: chat.RoleOperator,
			PlatformNames: []chat.PlatformName{{Bridge: "discord", Name: "Ada"}}})
		o.must(err)
		id := o.greeted(t)
		o.receive(f, f.in(0, "x", "a forged name"))
		in := withFile(f.in(0, "y", "the right one"), "a")
		in.Handles = []string{"4711", "@ada"}
		o.receive(f, in)
		o.soon()
		away.Store(false)
		time.Sleep(10 * time.Minute)
		list := o.history(t, id)[1:]
		for i, want := range []string{" Ada", p.ID + " Ada Example", p.ID + " Ada Example"} {
			if i >= len(list) || list[i].OperatorID+" "+list[i].OperatorName != want {
				t.Errorf("message %d of %+v, want %s", i, list, want)
			}
		}
	}, f)
}

// TestLogsNoSessionIDs: a session's id opens it. What goes wrong with an operator's message
// is logged with its hash.
func TestLogsNoSessionIDs(t *testing.T) {
	var log strings.Builder
	f, id := newFake("telegram"), ""
	f.log = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	withMirrors(t, false, func(t *testing.T, o *harness) {
		id = o.greeted(t)
		file := f.in(0, "x1", "a file")
		file.Files = []chat.InboundFile{{Ref: "unknown", Filename: "a.txt", MimeType: "text/plain", Size: 1}}
		o.receive(f, file)
		o.receive(f, f.in(0, "x2", strings.Repeat("long", 20000)))
		o.soon()
	}, f)
	if lines := log.String(); strings.Contains(lines, id) || strings.Count(lines, chat.SessionRef(id)) != 2 {
		t.Errorf("of %s there is\n%s", id, lines)
	}
}
