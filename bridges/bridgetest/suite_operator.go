package bridgetest

import (
	"bytes"
	"strings"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
)

func operatorSpeaks(e *fixture) {
	id := e.Visit("ann")
	hello := e.Say(id, "hello there")
	th := e.thread("hello there")
	e.quiet()
	copied, _ := e.now(th.Ref).find("hello there")
	replyTo := copied.Remote
	if lacks(e.platform, "replies") {
		replyTo = ""
	}
	e.platform.Write(th.Ref, "Ada", "good <b>morning</b> & welcome", replyTo)
	m := e.received(id, "good <b>morning</b> & welcome")
	if m.OperatorName != "Ada" || m.SourceBridge != e.Bridge.Name() || m.Sender != chat.SenderOperator {
		e.t.Errorf("the message is %+v", m)
	}
	if m.ReplyTo != hello.ID && replyTo != "" {
		e.t.Errorf("it answers %q, want %q", m.ReplyTo, hello.ID)
	}
	remote := e.platform.Write(th.Ref, "Ada", "a question", "")
	e.received(id, "a question")
	e.platform.Edit(th.Ref, remote, "a better question")
	e.received(id, "a better question")
	want := 3
	if !e.platform.Delete(th.Ref, "Ada", remote) { // the platform reports no deletes; operators say so
		remote = e.platform.Write(th.Ref, "Ada", "a mistake", "")
		e.received(id, "a mistake")
		e.platform.Write(th.Ref, "Ada", "!delete", remote)
		want++
	}
	e.await("the message deleted", func() bool {
		list := e.Messages(id)
		return list[len(list)-1].DeletedAt != 0
	})
	if n := len(e.Messages(id)); n != want {
		e.t.Errorf("the session has %d messages, want %d", n, want)
	}
}

func operatorsFile(e *fixture) {
	id := e.Visit("ann")
	e.Say(id, "hello there")
	th := e.thread("hello there")
	e.platform.Attach(th.Ref, "Ada", "manual.txt", "text/plain", []byte("read this"), "here it is")
	m := e.received(id, "here it is")
	if len(m.Attachments.V) != 1 {
		e.t.Fatalf("the message is %+v", m)
	}
	file, err := e.Open(e.t.Context(), m.Attachments.V[0].ID)
	e.must(err)
	var data bytes.Buffer
	_, err = data.ReadFrom(file)
	e.must(err)
	if data.String() != "read this" || file.Filename != "manual.txt" {
		e.t.Errorf("the file is %s with %q", file.Filename, &data)
	}
}

// otherSinks: what an operator does elsewhere is shown with its name, what it does here
// is delivered there, and nothing comes back.
func otherSinks(e *fixture) {
	id := e.Visit("ann")
	e.Say(id, "hello there")
	th := e.thread("hello there")
	olga := chat.Author{Sender: chat.SenderOperator, Source: chat.SourceConsole, Name: "Olga"}
	m, err := e.Send(e.t.Context(), olga, engine.Post{SessionID: id, Content: "from the console"})
	e.must(err)
	if shown := e.shows(th.Ref, "from the console"); !strings.Contains(shown.Text, "Olga") || !shown.FromBot {
		e.t.Errorf("it is shown as %+v", shown)
	}
	_, err = e.Edit(e.t.Context(), olga, id, m.ID, "corrected at the console")
	e.must(err)
	e.shows(th.Ref, "corrected at the console")
	e.must(e.Delete(e.t.Context(), olga, id, m.ID))
	e.hides(th.Ref, "corrected at the console")
	e.platform.Write(th.Ref, "Ada", "from the platform", "")
	e.received(id, "from the platform")
	e.quiet()
	if n := e.other.times("message from the platform"); n != 1 {
		e.t.Errorf("it was delivered elsewhere %d times", n)
	}
	if n := e.now(th.Ref).times("from the platform"); n != 1 {
		e.t.Errorf("it is shown %d times where it was written", n)
	}
}

func duplicates(e *fixture) {
	id := e.Visit("ann")
	e.Say(id, "hello there")
	th := e.thread("hello there")
	remote := e.platform.Write(th.Ref, "Ada", "only once", "")
	e.received(id, "only once")
	e.platform.Edit(th.Ref, remote, "only once more")
	e.received(id, "only once more")
	e.platform.Redeliver()
	e.platform.Write(th.Ref, "Ada", "the end", "")
	e.received(id, "the end")
	e.quiet()
	if n := len(e.Messages(id)); n != 3 {
		e.t.Errorf("the session has %d messages, want 3", n)
	}
	if n := e.other.times("message only once"); n != 1 {
		e.t.Errorf("it was delivered elsewhere %d times", n)
	}
}

func elsewhere(e *fixture) {
	id := e.Visit("ann")
	e.Say(id, "hello there")
	th := e.thread("hello there")
	e.platform.WriteElsewhere("not for anybody")
	e.platform.Write(th.Ref, "Ada", "for Ann", "")
	e.received(id, "for Ann")
	if n := len(e.Messages(id)); n != 2 || e.other.times("message not for anybody") > 0 {
		e.t.Errorf("the session has %d messages, want 2", n)
	}
}

func commands(e *fixture) {
	id := e.Visit("ann")
	e.Say(id, "hello there")
	th := e.thread("hello there")
	for _, c := range []struct{ text, answer string }{
		{"!help", "!unblock"}, {"!clsoe", "Did you mean !close"}, {"!info", "shop.example/ann"}, {"!block", "is blocked"}, {"!unblock", "may write"},
	} {
		e.platform.Write(th.Ref, "Ada", c.text, "")
		if m := e.shows(th.Ref, c.answer); !m.FromBot {
			e.t.Errorf("%s is answered by %+v", c.text, m)
		}
	}
	e.platform.Write(th.Ref, "Ada", "// she sounds angry", "")
	e.platform.Write(th.Ref, "Ada", "!note very angry", "")
	e.platform.Write(th.Ref, "Ada", "wow!!!", "")
	e.received(id, "wow!!!")
	e.platform.Write(th.Ref, "Ada", "!close", "")
	e.await("a closed thread", func() bool { return e.now(th.Ref).Closed })
	notes := 0
	for _, m := range e.Messages(id) {
		if m.Internal {
			notes++
		}
	}
	if n := len(e.Messages(id)); n != 4 || notes != 2 {
		e.t.Errorf("the session has %d messages, want 4, and of them %d internal notes, want 2", n, notes)
	}
}

func (e *fixture) status(id string) (s chat.Status) {
	e.must(e.store.ReadOne(e.t.Context(), func(r chat.Reader) error {
		session, err := r.Session(id)
		s = session.Status
		return err
	}))
	return s
}

func closedByHand(e *fixture) {
	id := e.Visit("ann")
	e.Say(id, "hello there")
	th := e.thread("hello there")
	e.quiet()
	e.platform.CloseThread(th.Ref)
	e.await("the session closed", func() bool { return e.status(id) == chat.StatusClosed })
	e.Say(id, "one more thing")
	e.shows(th.Ref, "one more thing")
	e.await("the thread open", func() bool { return !e.now(th.Ref).Closed })
	if e.status(id) != chat.StatusOpen {
		e.t.Error("the session is closed")
	}
}

func deletedByHand(e *fixture) {
	id := e.Visit("ann")
	e.Say(id, "hello there")
	th := e.thread("hello there")
	e.quiet()
	e.platform.DeleteThread(th.Ref)
	e.Say(id, "not lost")
	e.Say(id, "nor this")
	next := e.thread("not lost")
	e.shows(next.Ref, "nor this")
	e.quiet()
	if n := e.now(next.Ref).times("not lost"); n != 1 || next.Ref == th.Ref {
		e.t.Errorf("it is shown %d times:\n%s", n, e.dump())
	}
	e.platform.Write(next.Ref, "Ada", "still here", "")
	e.received(id, "still here")
}
