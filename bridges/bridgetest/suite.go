package bridgetest

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
)

// Connect makes a bridge to a platform, as a start of relay does: what an
// earlier bridge remembers it does not know.
type Connect func(t *testing.T) chat.Bridge

// Lacking is what a platform may implement that cannot show everything.
type Lacking interface {
	// Lacks reports whether it has no "replies", no "reactions" or no "old
	// deletes": what is days old stays.
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

// RunCrowdedOutage holds one bridge to the volume of a long outage that all of them would
// share; see [RunInBubble].
func RunCrowdedOutage(t *testing.T, open func(t *testing.T) (Platform, Connect)) {
	synctest.Test(t, func(t *testing.T) {
		prove(t, open, pace{patience: 6 * time.Hour, look: 250 * time.Millisecond}, crowdedOutage)
	})
}

// prove runs one test on a platform of its own.
func prove(t *testing.T, open func(t *testing.T) (Platform, Connect), p pace, test func(e *fixture)) {
	platform, connect := open(t)
	e := start(t, platform, connect(t), p, false)
	test(e)
	e.Stop()
	conforms(t, platform)
}

// pace is how long anything may take that is waited for, and how soon it is
// looked at first.
type pace struct{ patience, look time.Duration }

func run(t *testing.T, open func(t *testing.T) (Platform, Connect), p pace, in func(t *testing.T, test func(t *testing.T))) {
	for _, c := range []struct {
		name string
		test func(e *fixture)
	}{
		{"visitor", visitorSpeaks}, {"escaping", escaping}, {"long text", longText}, {"visitor's file", visitorsFile},
		{"what happens beside", besides}, {"every note", everyNote}, {"too old to be removed", tooOld}, {"operator", operatorSpeaks}, {"operator's file", operatorsFile},
		{"other sinks", otherSinks}, {"duplicates", duplicates}, {"elsewhere", elsewhere}, {"commands", commands}, {"AI", aiAnswers},
		{"closed by hand", closedByHand}, {"deleted by hand", deletedByHand}, {"ambiguous reopening", ambiguousReopening}, {"rate limited", rateLimited},
		{"server fails", serverFails}, {"answer lost", answerLost}, {"outage", outage}, {"token revoked", revoked}, {"storm", storm},
		{"long outage", longOutage}, {"erased", erased},
	} {
		if (c.name == "long outage" || c.name == "too old to be removed") && p.patience < time.Hour {
			continue // it takes hours or days, which only a bubble has
		}
		t.Run(c.name, func(t *testing.T) {
			in(t, func(t *testing.T) { prove(t, open, p, c.test) })
		})
	}
	t.Run("operators' status in bridge mode", func(t *testing.T) {
		in(t, func(t *testing.T) {
			platform, connect := open(t)
			e := start(t, platform, connect(t), p, true)
			systemThread(e)
			e.Stop()
			conforms(t, platform)
		})
	})
	t.Run("restart in bridge mode", func(t *testing.T) {
		in(t, func(t *testing.T) {
			platform, connect := open(t)
			restart(t, platform, connect, p)
			conforms(t, platform)
		})
	})
}

// conforms fails the test if the platform was asked for what its schema forbids.
func conforms(t *testing.T, p Platform) {
	t.Helper()
	for _, v := range p.Violations() {
		t.Errorf("violation: %s", v)
	}
}

func lacks(p Platform, feature string) bool {
	l, lacking := p.(Lacking)
	return lacking && l.Lacks(feature)
}

func visitorSpeaks(e *fixture) {
	id := e.Visit("ann")
	hello := e.Say(id, "hello there")
	th := e.thread("hello there")
	if th.Title == "" || len(e.platform.Threads()) != 1 {
		e.t.Errorf("the threads are\n%s", e.dump())
	}
	answer := e.Post(engine.Post{SessionID: id, Content: "anybody?", ReplyTo: hello.ID})
	first, reply := e.shows(th.Ref, "hello there"), e.shows(th.Ref, "anybody?")
	if reply.ReplyTo != first.Remote && !lacks(e.platform, "replies") {
		e.t.Errorf("the reply answers %q, want %q", reply.ReplyTo, first.Remote)
	}
	_, err := e.Edit(e.t.Context(), Visitor, id, hello.ID, "good morning")
	e.must(err)
	e.shows(th.Ref, "good morning")
	e.hides(th.Ref, "hello there")
	e.must(e.Delete(e.t.Context(), Visitor, id, answer.ID))
	e.hides(th.Ref, "anybody?")
	second := e.Visit("ben")
	e.Say(second, "another visitor")
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

func escaping(e *fixture) {
	for i, text := range hostile {
		id := e.Visit(fmt.Sprint("visitor", i))
		e.Say(id, text)
	}
	for _, text := range hostile {
		e.thread(text)
	}
}

func longText(e *fixture) {
	id := e.Visit("ann")
	var words []string
	for i := range 650 {
		words = append(words, fmt.Sprintf("w%04d", i))
	}
	e.Say(id, strings.Join(words, " "))
	th := e.thread("w0000")
	e.shows(th.Ref, "w0649")
	inOrder(e, th.Ref, words)
}

// inOrder checks that a thread shows each of the words, once and in order.
func inOrder(e *fixture, ref string, words []string) {
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

func visitorsFile(e *fixture) {
	id := e.Visit("ann")
	var ids []string
	files := map[string][]byte{"notes.txt": []byte("some notes"), "pixel.gif": pixel}
	for name, data := range files {
		a, err := e.Upload(e.t.Context(), Visitor, id, name, bytes.NewReader(data))
		e.must(err)
		ids = append(ids, a.ID)
	}
	e.Post(engine.Post{SessionID: id, Content: "two files", AttachmentIDs: ids})
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

// besides is what a thread shows of a session beside its messages.
func besides(e *fixture) {
	id := e.Visit("ann")
	e.Say(id, "hello there")
	th := e.thread("hello there")
	e.platform.Write(th.Ref, "Ada", "how can I help?", "")
	m := e.received(id, "how can I help?")
	e.must(e.Trigger(e.t.Context(), Visitor, id, chat.CustomEvent{Name: "clicked_pricing", Data: chat.Raw(`{"plan":"pro"}`)}))
	e.shows(th.Ref, "clicked_pricing")
	_, err := e.Identify(e.t.Context(), Visitor, id, map[string]any{"name": "Ann Example"}, "")
	e.must(err)
	e.shows(th.Ref, "Ann Example")
	_, err = e.Rate(e.t.Context(), Visitor, id, 4, "quick and kind")
	e.must(err)
	e.shows(th.Ref, "quick and kind")
	e.must(e.MarkRead(e.t.Context(), Visitor, id, []string{m.ID}))
	if !lacks(e.platform, "reactions") {
		e.await("a receipt", func() bool {
			m, _ := e.now(th.Ref).find("how can I help?")
			return m.Receipt != ""
		})
	}
	e.must(e.Close(e.t.Context(), chat.Author{Sender: chat.SenderOperator, Source: chat.SourceConsole}, id))
	e.await("a closed thread", func() bool { return e.now(th.Ref).Closed })
}

// everyNote has a session whose revisions are as low as the numbers by which a
// platform that is new names its threads.
func everyNote(e *fixture) {
	e.Say(e.Visit("ann"), "the first to come")
	e.thread("the first to come")
	id := e.Visit("ben")
	e.Say(id, "hello there")
	th := e.thread("hello there")
	for i := range 10 {
		e.must(e.Trigger(e.t.Context(), Visitor, id, chat.CustomEvent{Name: fmt.Sprintf("step%02d", i)}))
	}
	for i := range 10 {
		e.shows(th.Ref, fmt.Sprintf("step%02d", i))
	}
}

// tooOld is a message that its visitor deletes after days: some platforms do
// not remove it then, and the mirror says so.
func tooOld(e *fixture) {
	id := e.Visit("ann")
	old := e.Say(id, "my number is 555-0100")
	th := e.thread("my number is 555-0100")
	time.Sleep(49 * time.Hour)
	e.must(e.Delete(e.t.Context(), Visitor, id, old.ID))
	if !lacks(e.platform, "old deletes") {
		e.hides(th.Ref, "my number is 555-0100")
		return
	}
	note := e.shows(th.Ref, "The visitor deleted this message")
	kept := e.shows(th.Ref, "my number is 555-0100")
	if note.ReplyTo != kept.Remote && !lacks(e.platform, "replies") {
		e.t.Errorf("the note answers %q, want %q", note.ReplyTo, kept.Remote)
	}
	e.must(e.Delete(e.t.Context(), Visitor, id, old.ID))
	e.quiet()
	if n := strings.Count(e.dump(), "The visitor deleted"); n != 1 {
		e.t.Errorf("it is said %d times:\n%s", n, e.dump())
	}
}

// systemThread is what concerns no session: it stands in a thread of relay's own, in
// which no visitor is.
func systemThread(e *fixture) {
	e.must(e.SetOperatorStatus(e.t.Context(), true))
	th := e.thread("Operators are online now.")
	e.platform.Write(th.Ref, "Ada", "is anybody there?", "")
	e.shows(th.Ref, "no visitor reads")
	e.must(e.SetOperatorStatus(e.t.Context(), false))
	e.shows(th.Ref, "Operators are offline now.")
	if n := len(e.platform.Threads()); n != 1 {
		e.t.Errorf("%d threads were opened", n)
	}
}
