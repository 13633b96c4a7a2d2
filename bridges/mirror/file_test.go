package mirror_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
)

// stalled is a body of which nothing comes until its reader gives up.
type stalled struct{ ctx context.Context }

func (s stalled) Read([]byte) (int, error) {
	<-s.ctx.Done()
	return 0, s.ctx.Err()
}

func (stalled) Close() error { return nil }

func withFile(in chat.Inbound, ref string) chat.Inbound {
	in.Files = []chat.InboundFile{{Ref: ref, Filename: ref + ".txt", Size: 64 << 10}}
	return in
}

// sent are the messages with the files that each brought.
func (o *harness) sent(t *testing.T, id string) (texts []string) {
	for _, m := range o.history(t, id) {
		text := m.Content
		for _, a := range m.Attachments.V {
			text += "[" + a.Filename + "]"
		}
		texts = append(texts, text)
	}
	return texts
}

// TestStalledFilesHoldNothing: what operators say arrives at once while the
// downloads of their files stand still, in that thread and in the others; a
// download that never moves is cut off, and a line stands for its file.
func TestStalledFilesHoldNothing(t *testing.T) {
	f := newFake("telegram")
	withMirrors(t, false, func(t *testing.T, o *harness) {
		f.fetch = func(ctx context.Context, ref string) (io.ReadCloser, error) {
			if strings.HasPrefix(ref, "slow") {
				return stalled{ctx}, nil
			}
			return nil, nil
		}
		ids := make([]string, 8)
		for i := range ids {
			ids[i] = o.open(t, fmt.Sprint("v", i))
			o.say(t, ids[i], "hello")
			time.Sleep(time.Second)
		}
		for i := range ids { // four times as many as updates are worked on at once
			o.receive(f, withFile(f.in(i, fmt.Sprint("x", i), "here it is"), fmt.Sprint("slow", i)))
			o.receive(f, withFile(f.in(i, fmt.Sprint("y", i), ""), fmt.Sprint("slow too", i)))
			o.receive(f, f.in(i, fmt.Sprint("z", i), "and more"))
		}
		time.Sleep(30 * time.Second)
		for _, id := range ids {
			expectTexts(t, "at once", o.sent(t, id), "hello", "here it is", "and more")
		}
		time.Sleep(time.Hour)
		for i, id := range ids {
			expectTexts(t, "in the end", o.sent(t, id), "hello", "here it is", "and more",
				fmt.Sprintf("[The file slow%d.txt could not be fetched, see telegram]", i), fmt.Sprintf("[The file slow too%d.txt could not be fetched, see telegram]", i))
		}
		if got := f.last(0); got != "- The file slow too0.txt could not be passed on. Send it again if the visitor needs it." {
			t.Errorf("the operator is reported %q", got)
		}
	}, f)
}

// TestFilesFollow: a file that cannot be had at first follows its message, once,
// also over a restart, unless the operator deletes the message meanwhile.
func TestFilesFollow(t *testing.T) {
	f := newFake("discord")
	withMirrors(t, false, func(t *testing.T, o *harness) {
		away := true
		f.fetch = func(context.Context, string) (io.ReadCloser, error) {
			if away {
				return nil, errors.New("502 Bad Gateway")
			}
			return nil, nil
		}
		f.files["a"], f.files["b"], f.files["c"], f.files["d"] = "a", "b", "c", "d"
		id := o.greeted(t)
		for i, ref := range []string{"a", "b", "c", "d"} {
			text := []string{"look", "", "not this", ""}[i]
			o.receive(f, withFile(f.in(0, ref, text), ref))
			o.receive(f, withFile(f.in(0, ref, text), ref)) // again
		}
		o.soon()
		expectTexts(t, "at once", o.sent(t, id), "hello", "look", "not this")
		o.receive(f, kind(chat.InboundDeleted, f.in(0, "c", "")))
		o.receive(f, kind(chat.InboundDeleted, f.in(0, "d", "")))
		o.soon()
		o.stop()
		away = false
		o.serve()
		time.Sleep(10 * time.Minute)
		expectTexts(t, "in the end", o.sent(t, id), "hello", "look", "", "[a.txt]", "[b.txt]")
		o.receive(f, kind(chat.InboundDeleted, f.in(0, "a", "")))
		o.soon()
		expectTexts(t, "deleted", o.sent(t, id), "hello", "", "", "", "[b.txt]")
	}, f)
}

// TestAnswersWaitAlone: while the platform wants patience, what an operator says
// behind a command reaches the visitor, and the command is answered once.
func TestAnswersWaitAlone(t *testing.T) {
	f := newFake("telegram")
	withMirrors(t, false, func(t *testing.T, o *harness) {
		id := o.greeted(t)
		limits := map[chat.OpKind]int{chat.OpNote: 1, chat.OpClose: 1}
		f.set(func() {
			f.before = func(op chat.Op) error {
				if limits[op.Kind]--; limits[op.Kind] >= 0 {
					return &chat.RetryAfter{After: 10 * time.Minute, Cause: errors.New("429")}
				}
				return nil
			}
		})
		o.receive(f, f.in(0, "x1", "!close"))
		o.receive(f, f.in(0, "x2", "!info"))
		o.receive(f, f.in(0, "x3", "// noted"))
		time.Sleep(10 * time.Second)
		expectTexts(t, "meanwhile", o.messages(id), "visitor: hello", "operator: noted")
		time.Sleep(time.Hour)
		answered := slices.DeleteFunc(f.shown(0), func(text string) bool { return !strings.HasPrefix(text, "- The conversation is closed") })
		if len(answered) != 1 || len(f.shown(0)) != 3 || !f.state(0).closed {
			t.Errorf("the thread shows %q, closed %v", f.shown(0), f.state(0).closed)
		}
	}, f)
}

// TestFilesOfBackends: they come from where the backend has them, and one
// that is away holds the conversation up for a while only.
func TestFilesOfBackends(t *testing.T) {
	f := newFake("telegram")
	withMirrors(t, true, func(t *testing.T, o *harness) {
		session := engine.SessionInfo{ID: "s-1"}
		send := func(id, text string, names ...string) {
			n := engine.BackendMessage{ID: id, Content: text, Sender: chat.SenderVisitor}
			for _, name := range names {
				n.Files = append(n.Files, chat.Attachment{Filename: name, MimeType: "text/plain", Size: 3, URL: "https://backend.example/" + name})
			}
			o.must(o.Backend().Send(t.Context(), visitor, session, n))
		}
		send("m1", "two files", "here.txt", "away.txt")
		send("m2", "and on")
		time.Sleep(5 * time.Minute)
		expectTexts(t, "texts", f.shown(0), "two files", "[here.txt=data of https://backend.example/here.txt]",
			"- The file away.txt (text/plain, 3 bytes) cannot be shown here.\nhttps://backend.example/away.txt", "and on")
	}, f)
}

func TestFiles(t *testing.T) {
	f := newFake("telegram")
	withMirrors(t, false, func(t *testing.T, o *harness) {
		id := o.open(t, "ann")
		var ids []string
		for _, name := range []string{"a.txt", "b.txt"} {
			a, err := o.Upload(t.Context(), visitor, id, name, strings.NewReader("data of "+name))
			o.must(err)
			ids = append(ids, a.ID)
		}
		f.breakAt(false, 1, chat.ErrPermanent, func(op chat.Op) bool { return op.File != nil && op.File.Filename == "b.txt" })
		m, err := o.Send(t.Context(), visitor, engine.Post{SessionID: id, Content: "two files", AttachmentIDs: ids})
		o.must(err)
		o.soon()
		expectTexts(t, "files", f.shown(0), "two files", "[a.txt=data of a.txt]", "- The file b.txt (text/plain, 13 bytes) cannot be shown here.")
		o.must(o.Delete(t.Context(), visitor, id, m.ID))
		o.soon()
		expectTexts(t, "deleted", f.shown(0))
	}, f)
}

// TestRefusedFileTakesNoTurns: where messages are counted, a file that is
// refused does not take the turn of the note that stands for it.
func TestRefusedFileTakesNoTurns(t *testing.T) {
	f := newFake("telegram")
	withMirrors(t, false, func(t *testing.T, o *harness) {
		id := o.open(t, "ann")
		a, err := o.Upload(t.Context(), visitor, id, "a.txt", strings.NewReader("data"))
		o.must(err)
		spent := false // the one message that may be sent in a while
		f.set(func() {
			f.before = func(op chat.Op) error {
				if spent {
					spent = false
					return &chat.RetryAfter{After: time.Second, Scope: chat.ScopeSink}
				}
				if op.File != nil {
					spent = true
					return chat.ErrPermanent
				}
				return nil
			}
		})
		_, err = o.Send(t.Context(), visitor, engine.Post{SessionID: id, AttachmentIDs: []string{a.ID}})
		o.must(err)
		o.say(t, id, "hello?")
		o.settle()
		expectTexts(t, "texts", f.shown(0), "- The file a.txt (text/plain, 4 bytes) cannot be shown here.", "hello?")
	}, f)
}

// TestFilesWithHeads: a text that a platform needs before a file is shown once, whatever
// fails, stays when the message is edited, and is removed with it.
func TestFilesWithHeads(t *testing.T) {
	f := newFake("discord")
	f.heads = true
	withMirrors(t, false, func(t *testing.T, o *harness) {
		id := o.greeted(t)
		var ids []string
		for _, name := range []string{"a.ogg", "b.ogg"} {
			a, err := o.Upload(t.Context(), operator, id, name, strings.NewReader(name))
			o.must(err)
			ids = append(ids, a.ID)
		}
		f.breakAt(false, 3, errors.New("down"), func(op chat.Op) bool { return op.File != nil && op.File.Filename == "b.ogg" })
		olga := chat.Author{Sender: chat.SenderOperator, Source: "console", Name: "Olga"}
		m, err := o.Send(t.Context(), olga, engine.Post{SessionID: id, Content: "listen", AttachmentIDs: ids})
		o.must(err)
		o.settle()
		files := []string{"Olga (console): file:", "[a.ogg=a.ogg]", "Olga (console): file:", "[b.ogg=b.ogg]"}
		expectTexts(t, "sent", f.shown(0), append([]string{"hello", "Olga (console): listen"}, files...)...)
		_, err = o.Edit(t.Context(), olga, id, m.ID, "hear")
		o.must(err)
		o.settle()
		expectTexts(t, "edited", f.shown(0), append([]string{"hello", "Olga (console): hear"}, files...)...)
		o.must(o.Delete(t.Context(), olga, id, m.ID))
		o.settle()
		expectTexts(t, "deleted", f.shown(0), "hello")
	}, f)
}

// TestRetriedFileIsOpenedAgain: while the note in the place of a file that cannot be opened
// waits, somebody retries: the file is there by now.
func TestRetriedFileIsOpenedAgain(t *testing.T) {
	f := newFake("telegram")
	withMirrors(t, true, func(t *testing.T, o *harness) {
		file := chat.Attachment{Filename: "away.txt", MimeType: "text/plain", Size: 3, URL: "https://backend.example/away.txt"}
		n := engine.BackendMessage{ID: "m1", Sender: chat.SenderVisitor, Content: "a file", Files: []chat.Attachment{file}}
		isNote := func(op chat.Op) bool { return op.Kind == chat.OpNote }
		f.breakAt(false, 1, &chat.RetryAfter{After: time.Hour, Scope: chat.ScopeLane}, isNote)
		o.must(o.Backend().Send(t.Context(), visitor, engine.SessionInfo{ID: "s-1"}, n))
		time.Sleep(5 * time.Minute)
		tried := len(f.ops())
		var list []chat.Delivery
		o.must(o.store.ReadOne(t.Context(), func(r chat.Reader) (err error) {
			list, err = r.Deliveries(chat.DeliveryQuery{Dest: "telegram", Limit: 10})
			return err
		}))
		for _, d := range list {
			if d.Event.MessageID != "" {
				o.must(o.Outbox.Retry(t.Context(), d.ID()))
			}
		}
		time.Sleep(time.Millisecond)
		if ops := f.ops()[tried:]; len(ops) != 1 || ops[0].File == nil {
			t.Errorf("the retry is %+v", ops)
		}
	}, f)
}
