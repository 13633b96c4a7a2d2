package bridgetest

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"relay/server/chat"
)

// Connect makes a bridge to a platform, as a start of relay does: what an
// earlier bridge remembers it does not know.
type Connect func(t *testing.T) chat.Bridge

// Lacking is what a platform may implement that cannot show everything.
type Lacking interface {
	// Lacks reports whether it has no "replies" or no "reactions".
	Lacks(feature string) bool
}

// Run holds a bridge to what every bridge has to prove. open makes a platform
// without threads.
func Run(t *testing.T, open func(t *testing.T) (Platform, Connect)) {
	run(t, open, pace{patience: time.Minute, look: 2 * time.Millisecond}, func(t *testing.T, test func(t *testing.T)) { test(t) })
}

// RunInBubble is Run for a platform that is reached without a network: hours
// take no time, so that pauses and budgets may be the real ones.
func RunInBubble(t *testing.T, open func(t *testing.T) (Platform, Connect)) {
	run(t, open, pace{patience: 6 * time.Hour, look: 250 * time.Millisecond}, synctest.Test)
}

// pace is how long anything may take that is waited for, and how soon it is
// looked at first.
type pace struct{ patience, look time.Duration }

func run(t *testing.T, open func(t *testing.T) (Platform, Connect), p pace, in func(t *testing.T, test func(t *testing.T))) {
	for _, c := range []struct {
		name string
		test func(e *engine)
	}{
		{"visitor", visitorSpeaks}, {"escaping", escaping}, {"long text", longText}, {"visitor's file", visitorsFile},
		{"what happens beside", besides}, {"operator", operatorSpeaks}, {"operator's file", operatorsFile},
		{"other desks", otherDesks}, {"duplicates", duplicates}, {"elsewhere", elsewhere}, {"commands", commands},
		{"closed by hand", closedByHand}, {"deleted by hand", deletedByHand}, {"rate limited", rateLimited},
		{"server fails", serverFails}, {"answer lost", answerLost}, {"outage", outage}, {"token revoked", revoked}, {"storm", storm},
		{"long outage", longOutage},
	} {
		t.Run(c.name, func(t *testing.T) {
			in(t, func(t *testing.T) {
				platform, connect := open(t)
				e := start(t, platform, connect(t), p, false)
				c.test(e)
				e.stop()
				obeys(t, platform)
			})
		})
	}
	t.Run("restart in bridge mode", func(t *testing.T) {
		in(t, func(t *testing.T) {
			platform, connect := open(t)
			restart(t, platform, connect, p)
			obeys(t, platform)
		})
	})
}

// obeys fails the test if the platform was asked for what its schema forbids.
func obeys(t *testing.T, p Platform) {
	t.Helper()
	for _, v := range p.Violations() {
		t.Errorf("violation: %s", v)
	}
}

func lacks(p Platform, feature string) bool {
	l, lacking := p.(Lacking)
	return lacking && l.Lacks(feature)
}

func visitorSpeaks(e *engine) {
	id := e.open("ann")
	hello := e.say(id, "hello there")
	th := e.thread("hello there")
	if th.Title == "" || len(e.platform.Threads()) != 1 {
		e.t.Errorf("the threads are\n%s", e.dump())
	}
	answer := e.post(chat.Post{SessionID: id, Content: "anybody?", ReplyTo: hello.ID})
	first, reply := e.shows(th.Ref, "hello there"), e.shows(th.Ref, "anybody?")
	if reply.ReplyTo != first.Remote && !lacks(e.platform, "replies") {
		e.t.Errorf("the reply answers %q, want %q", reply.ReplyTo, first.Remote)
	}
	_, err := e.Edit(e.t.Context(), visitor, id, hello.ID, "good morning")
	e.must(err)
	e.shows(th.Ref, "good morning")
	e.hides(th.Ref, "hello there")
	e.must(e.Delete(e.t.Context(), visitor, id, answer.ID))
	e.hides(th.Ref, "anybody?")
	second := e.open("ben")
	e.say(second, "another visitor")
	if e.thread("another visitor").Ref == th.Ref {
		e.t.Error("two sessions share a thread")
	}
}

// hostile are texts that mean something to one platform or another.
var hostile = []string{
	`<b>bold</b> &amp; "quotes" 'too'`, "*stars* _lines_ ~waves~ `ticks` ||bars||", "@everyone @here <!channel> <@U123> <#C1>",
	"[label](https://example.com)", "> quote\n# title\n- list", "```\ncode\n```", `\*back\_slash\\`, "<script>alert(1)</script>", "{json: [1, 2]}",
	"line one\n\nline three", "🙂 Ünïcödé שלום 你好",
}

func escaping(e *engine) {
	for i, text := range hostile {
		id := e.open(fmt.Sprint("visitor", i))
		e.say(id, text)
	}
	for _, text := range hostile {
		e.thread(text)
	}
}

func longText(e *engine) {
	id := e.open("ann")
	var words []string
	for i := range 650 {
		words = append(words, fmt.Sprintf("w%04d", i))
	}
	e.say(id, strings.Join(words, " "))
	th := e.thread("w0000")
	e.shows(th.Ref, "w0649")
	inOrder(e, th.Ref, words)
}

// inOrder checks that a thread shows each of the words, once and in order.
func inOrder(e *engine, ref string, words []string) {
	e.t.Helper()
	var all strings.Builder
	for _, m := range e.now(ref).Messages {
		all.WriteString(plain(m.Text) + "\n")
	}
	rest := all.String()
	for _, w := range words {
		i := strings.Index(rest, w)
		if i < 0 {
			e.t.Fatalf("%s is missing or comes too early:\n%.3000s", w, all.String())
		}
		rest = rest[i+len(w):]
		if strings.Count(all.String(), w) != 1 {
			e.t.Errorf("%s is shown %d times", w, strings.Count(all.String(), w))
		}
	}
}

// pixel is a picture, the smallest GIF.
var pixel = []byte("GIF89a\x01\x00\x01\x00\x80\x00\x00\xff\xff\xff\x00\x00\x00!\xf9\x04\x01\x00\x00\x00\x00,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;")

func visitorsFile(e *engine) {
	id := e.open("ann")
	var ids []string
	files := map[string][]byte{"notes.txt": []byte("some notes"), "pixel.gif": pixel}
	for name, data := range files {
		a, err := e.Upload(e.t.Context(), visitor, id, name, bytes.NewReader(data))
		e.must(err)
		ids = append(ids, a.ID)
	}
	e.post(chat.Post{SessionID: id, Content: "two files", AttachmentIDs: ids})
	th := e.thread("two files")
	e.quiet()
	for _, m := range e.now(th.Ref).Messages {
		if want, mine := files[m.Filename]; mine && bytes.Equal(m.Data, want) {
			delete(files, m.Filename)
		}
	}
	if len(files) > 0 {
		e.t.Errorf("%d files are not shown:\n%s", len(files), e.dump())
	}
}

// besides is what a desk shows of a session beside its messages.
func besides(e *engine) {
	id := e.open("ann")
	e.say(id, "hello there")
	th := e.thread("hello there")
	e.platform.Write(th.Ref, "Ada", "how can I help?", "")
	m := e.heard(id, "how can I help?")
	e.must(e.Trigger(e.t.Context(), visitor, id, chat.CustomEvent{Name: "clicked_pricing", Data: chat.Raw(`{"plan":"pro"}`)}))
	e.shows(th.Ref, "clicked_pricing")
	_, err := e.Identify(e.t.Context(), visitor, id, map[string]any{"name": "Ann Example"}, "")
	e.must(err)
	e.shows(th.Ref, "Ann Example")
	_, err = e.Rate(e.t.Context(), visitor, id, 4, "quick and kind")
	e.must(err)
	e.shows(th.Ref, "quick and kind")
	e.must(e.MarkRead(e.t.Context(), visitor, id, []string{m.ID}))
	if !lacks(e.platform, "reactions") {
		e.await("a receipt", func() bool {
			m, _ := e.now(th.Ref).find("how can I help?")
			return m.Receipt != ""
		})
	}
	e.must(e.Close(e.t.Context(), chat.Author{Sender: chat.SenderOperator, Source: chat.SourceConsole}, id))
	e.await("a closed thread", func() bool { return e.now(th.Ref).Closed })
}

func operatorSpeaks(e *engine) {
	id := e.open("ann")
	hello := e.say(id, "hello there")
	th := e.thread("hello there")
	e.quiet()
	copied, _ := e.now(th.Ref).find("hello there")
	replyTo := copied.Remote
	if lacks(e.platform, "replies") {
		replyTo = ""
	}
	e.platform.Write(th.Ref, "Ada", "good <b>morning</b> & welcome", replyTo)
	m := e.heard(id, "good <b>morning</b> & welcome")
	if m.OperatorName != "Ada" || m.SourceBridge != e.bridge.Name() || m.Sender != chat.SenderOperator {
		e.t.Errorf("the message is %+v", m)
	}
	if m.ReplyTo != hello.ID && replyTo != "" {
		e.t.Errorf("it answers %q, want %q", m.ReplyTo, hello.ID)
	}
	remote := e.platform.Write(th.Ref, "Ada", "a question", "")
	e.heard(id, "a question")
	e.platform.Edit(th.Ref, remote, "a better question")
	e.heard(id, "a better question")
	want := 3
	if !e.platform.Delete(th.Ref, "Ada", remote) { // nobody is told; operators say so
		remote = e.platform.Write(th.Ref, "Ada", "a mistake", "")
		e.heard(id, "a mistake")
		e.platform.Write(th.Ref, "Ada", "!delete", remote)
		want++
	}
	e.await("the message deleted", func() bool {
		list := e.messages(id)
		return list[len(list)-1].DeletedAt != 0
	})
	if n := len(e.messages(id)); n != want {
		e.t.Errorf("the session has %d messages, want %d", n, want)
	}
}

func operatorsFile(e *engine) {
	id := e.open("ann")
	e.say(id, "hello there")
	th := e.thread("hello there")
	e.platform.Attach(th.Ref, "Ada", "manual.txt", "text/plain", []byte("read this"), "here it is")
	m := e.heard(id, "here it is")
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

// otherDesks: what an operator does at another desk is shown with its name, what
// it does here is told there, and nothing comes back.
func otherDesks(e *engine) {
	id := e.open("ann")
	e.say(id, "hello there")
	th := e.thread("hello there")
	olga := chat.Author{Sender: chat.SenderOperator, Source: chat.SourceConsole, Name: "Olga"}
	m, err := e.Send(e.t.Context(), olga, chat.Post{SessionID: id, Content: "from the console"})
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
	e.heard(id, "from the platform")
	e.quiet()
	if n := e.other.times("message from the platform"); n != 1 {
		e.t.Errorf("the other desk was told %d times", n)
	}
	if n := e.now(th.Ref).times("from the platform"); n != 1 {
		e.t.Errorf("it is shown %d times at its own desk", n)
	}
}

func duplicates(e *engine) {
	id := e.open("ann")
	e.say(id, "hello there")
	th := e.thread("hello there")
	remote := e.platform.Write(th.Ref, "Ada", "only once", "")
	e.heard(id, "only once")
	e.platform.Edit(th.Ref, remote, "only once more")
	e.heard(id, "only once more")
	e.platform.Redeliver()
	e.platform.Write(th.Ref, "Ada", "the end", "")
	e.heard(id, "the end")
	e.quiet()
	if n := len(e.messages(id)); n != 3 {
		e.t.Errorf("the session has %d messages, want 3", n)
	}
	if n := e.other.times("message only once"); n != 1 {
		e.t.Errorf("the other desk was told %d times", n)
	}
}

func elsewhere(e *engine) {
	id := e.open("ann")
	e.say(id, "hello there")
	th := e.thread("hello there")
	e.platform.WriteElsewhere("not for anybody")
	e.platform.Write(th.Ref, "Ada", "for Ann", "")
	e.heard(id, "for Ann")
	if n := len(e.messages(id)); n != 2 || e.other.times("message not for anybody") > 0 {
		e.t.Errorf("the session has %d messages, want 2", n)
	}
}

func commands(e *engine) {
	id := e.open("ann")
	e.say(id, "hello there")
	th := e.thread("hello there")
	for _, c := range []struct{ text, answer string }{
		{"!help", "!unblock"}, {"!clsoe", "Did you mean !close"}, {"!info", "shop.example/ann"}, {"!block", "shut out"}, {"!unblock", "may write"},
	} {
		e.platform.Write(th.Ref, "Ada", c.text, "")
		if m := e.shows(th.Ref, c.answer); !m.FromBot {
			e.t.Errorf("%s is answered by %+v", c.text, m)
		}
	}
	e.platform.Write(th.Ref, "Ada", "// she sounds angry", "")
	e.platform.Write(th.Ref, "Ada", "!note very angry", "")
	e.platform.Write(th.Ref, "Ada", "wow!!!", "")
	e.heard(id, "wow!!!")
	e.platform.Write(th.Ref, "Ada", "!close", "")
	e.await("a closed thread", func() bool { return e.now(th.Ref).Closed })
	if n := len(e.messages(id)); n != 2 {
		e.t.Errorf("the session has %d messages, want 2", n)
	}
}

func (e *engine) status(id string) (s chat.Status) {
	e.must(e.store.Look(e.t.Context(), func(r chat.Reader) error {
		session, err := r.Session(id)
		s = session.Status
		return err
	}))
	return s
}

func closedByHand(e *engine) {
	id := e.open("ann")
	e.say(id, "hello there")
	th := e.thread("hello there")
	e.quiet()
	e.platform.CloseThread(th.Ref)
	e.await("the session closed", func() bool { return e.status(id) == chat.StatusClosed })
	e.say(id, "one more thing")
	e.shows(th.Ref, "one more thing")
	e.await("the thread open", func() bool { return !e.now(th.Ref).Closed })
	if e.status(id) != chat.StatusOpen {
		e.t.Error("the session is closed")
	}
}

func deletedByHand(e *engine) {
	id := e.open("ann")
	e.say(id, "hello there")
	th := e.thread("hello there")
	e.quiet()
	e.platform.DeleteThread(th.Ref)
	e.say(id, "not lost")
	e.say(id, "nor this")
	next := e.thread("not lost")
	e.shows(next.Ref, "nor this")
	e.quiet()
	if n := e.now(next.Ref).times("not lost"); n != 1 || next.Ref == th.Ref {
		e.t.Errorf("it is shown %d times:\n%s", n, e.dump())
	}
	e.platform.Write(next.Ref, "Ada", "still here", "")
	e.heard(id, "still here")
}

// crowd lets several visitors write and returns what each session has to show.
func crowd(e *engine, sessions, messages int) map[string][]string {
	e.t.Helper()
	want := map[string][]string{}
	ids := make([]string, sessions)
	for i := range ids {
		ids[i] = e.open(fmt.Sprint("visitor", i))
	}
	for j := range messages {
		for i, id := range ids {
			text := fmt.Sprintf("s%03dm%03d", i, j)
			e.say(id, text)
			want[id] = append(want[id], text)
		}
	}
	return want
}

// arrived checks that every session's messages are shown in order, none lost,
// and at most so many of them twice.
func arrived(e *engine, want map[string][]string, doubles int64) {
	e.t.Helper()
	var twice int64
	for _, texts := range want {
		var all strings.Builder
		for _, th := range e.platform.Threads() {
			if _, mine := th.find(texts[0]); !mine {
				continue
			}
			for _, m := range th.Messages {
				all.WriteString(plain(m.Text) + "\n")
			}
		}
		last := -1
		for _, text := range texts {
			n := strings.Count(all.String(), text)
			at := strings.LastIndex(all.String(), text)
			if n == 0 || at < last {
				e.t.Errorf("%s is shown %d times, or too early", text, n)
			}
			last = at
			if n > 1 {
				twice++
			}
		}
	}
	// A post of which nobody knows may carry several messages.
	if twice > 0 && doubles == 0 || twice > doubles*30 {
		e.t.Errorf("%d messages are shown twice after %d ambiguous sends", twice, doubles)
	}
}

func rateLimited(e *engine) {
	e.say(e.open("first"), "hello there")
	e.thread("hello there")
	e.platform.Fail(3, FaultRateLimited)
	want := crowd(e, 2, 4)
	e.quiet()
	arrived(e, want, 0)
}

func serverFails(e *engine) {
	e.platform.Fail(2, FaultServer)
	want := crowd(e, 2, 3)
	e.quiet()
	arrived(e, want, e.desk.Ambiguous())
}

func answerLost(e *engine) {
	id := e.open("ann")
	e.say(id, "hello there")
	th := e.thread("hello there")
	e.quiet()
	e.platform.Fail(1, FaultAnswerLost)
	e.say(id, "perhaps twice")
	e.quiet()
	if n := e.now(th.Ref).times("perhaps twice"); n < 1 || n > 2 || n == 2 && e.desk.Ambiguous() == 0 {
		e.t.Errorf("it is shown %d times, ambiguous are %d", n, e.desk.Ambiguous())
	}
}

func outage(e *engine) {
	e.platform.Storm(Storm{Seed: 1, All: 1})
	want := crowd(e, 4, 10)
	e.await("an attempt", func() bool { return e.desk.Trouble() != nil })
	if e.other.times("message s000m000") == 0 {
		e.await("the other desk to be told", func() bool { return e.other.times("message s003m009") == 1 })
	}
	e.platform.Storm(Storm{})
	e.quiet()
	arrived(e, want, e.desk.Ambiguous())
}

func revoked(e *engine) {
	e.platform.Fail(1, FaultUnauthorized)
	want := crowd(e, 1, 3)
	e.await("the desk to ask for a human", func() bool {
		wrong := (*chat.Misconfigured)(nil)
		return errors.As(e.desk.Trouble(), &wrong) && wrong.Problem != "" && wrong.Fix != ""
	})
	failed := chat.DeliveryFailed
	e.must(e.store.Read(e.t.Context(), func(r chat.Reader) error {
		list, err := r.Deliveries(chat.DeliveryQuery{State: &failed})
		if len(list) > 0 {
			e.t.Errorf("%d deliveries were given up", len(list))
		}
		return err
	}))
	if e.waiting() < 3 {
		e.t.Errorf("only %d deliveries wait", e.waiting())
	}
	e.again()
	e.quiet()
	arrived(e, want, e.desk.Ambiguous())
}

func storm(e *engine) {
	if testing.Short() {
		e.t.Skip("it takes a while")
	}
	e.platform.Storm(Storm{Seed: 7, RateLimited: 0.05, Server: 0.05, AnswerLost: 0.02, RetryAfter: time.Second})
	want := crowd(e, 20, 10)
	e.quiet()
	arrived(e, want, e.desk.Ambiguous())
}

// longOutage: ten minutes without the platform while 200 visitors write 10,000
// messages, then a platform that recovers slowly.
func longOutage(e *engine) {
	if testing.Short() || e.pace.patience < time.Hour {
		e.t.Skip("it takes an hour, or a bubble")
	}
	e.platform.Storm(Storm{Seed: 3, All: 1})
	want := crowd(e, 200, 50)
	time.Sleep(10 * time.Minute)
	e.platform.Storm(Storm{Seed: 4, RateLimited: 0.05, Server: 0.05, AnswerLost: 0.02, RetryAfter: 3 * time.Second})
	e.quiet()
	arrived(e, want, e.desk.Ambiguous())
}

// restart: after a restart that forgot everything a thread leads to its
// session, and the session to its thread or to one that continues it.
func restart(t *testing.T, p Platform, connect Connect, at pace) {
	e := start(t, p, connect(t), at, true)
	session := chat.Introduction{ID: "session-1", VisitorID: "visitor-1"}
	e.must(e.Backend().NewSession(t.Context(), visitor, session))
	send := func(e *engine, id, text string) {
		e.must(e.Backend().Send(t.Context(), visitor, session, chat.Notice{ID: id, Content: text, Sender: chat.SenderVisitor}))
	}
	send(e, "m1", "before the restart")
	th := e.thread("before the restart")
	p.Write(th.Ref, "Ada", "noted", "")
	before := e.heard(session.ID, "noted")
	if !strings.Contains(before.ID, ":") || !strings.HasSuffix(before.ID, lastOf(e.now(th.Ref)).Remote) {
		t.Errorf("the message's id is %q", before.ID)
	}
	e.stop()

	e = start(t, p, connect(t), at, true)
	p.Write(th.Ref, "Ada", "after the restart", "")
	e.heard(session.ID, "after the restart")
	send(e, "m2", "do you remember?")
	now := e.thread("do you remember?")
	if now.Ref != th.Ref {
		t.Error("the operator's message led back to the session, but not the session to the thread")
	}
	e.stop()

	e = start(t, p, connect(t), at, true)
	send(e, "m3", "and now?")
	now = e.thread("and now?")
	if _, said := now.find("Continued"); now.Ref != th.Ref && !said {
		t.Errorf("the new thread does not say that it continues another:\n%s", e.dump())
	}
	p.Write(now.Ref, "Ada", "of course", "")
	e.heard(session.ID, "of course")
	e.stop()
}

func lastOf(th Thread) Message { return th.Messages[len(th.Messages)-1] }
