package bridgetest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
)

// crowd lets several visitors write and returns what each session has to show.
func crowd(e *fixture, sessions, messages int) map[string][]string {
	e.t.Helper()
	want := map[string][]string{}
	ids := make([]string, sessions)
	for i := range ids {
		ids[i] = e.Visit(fmt.Sprint("visitor", i))
	}
	for j := range messages {
		for i, id := range ids {
			text := fmt.Sprintf("s%03dm%03d", i, j)
			e.Say(id, text)
			want[id] = append(want[id], text)
		}
	}
	return want
}

// arrived checks that every session's messages are shown in order, none lost,
// and at most so many of them twice.
func arrived(e *fixture, want map[string][]string, doubles int64) {
	e.t.Helper()
	var twice int64
	threads := e.platform.Threads()
	for _, texts := range want {
		var all strings.Builder
		for _, th := range threads {
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

func rateLimited(e *fixture) {
	e.Say(e.Visit("first"), "hello there")
	e.thread("hello there")
	e.platform.Fail(3, FaultRateLimited)
	want := crowd(e, 2, 4)
	e.quiet()
	arrived(e, want, 0)
}

func serverFails(e *fixture) {
	e.platform.Fail(2, FaultServer)
	want := crowd(e, 2, 3)
	e.quiet()
	arrived(e, want, e.Mirror.Ambiguous())
}

func answerLost(e *fixture) {
	id := e.Visit("ann")
	e.Say(id, "hello there")
	th := e.thread("hello there")
	e.quiet()
	e.platform.Fail(1, FaultAnswerLost)
	e.Say(id, "perhaps twice")
	e.quiet()
	if n := e.now(th.Ref).times("perhaps twice"); n < 1 || n > 2 || n == 2 && e.Mirror.Ambiguous() == 0 {
		e.t.Errorf("it is shown %d times, ambiguous are %d", n, e.Mirror.Ambiguous())
	}
}

// deletes is a bridge whose thread is deleted by hand right before a post, and
// the answer to whose next opening is lost.
type deletes struct {
	chat.Bridge
	platform Platform
	ref      string
}

// Do implements [chat.Bridge].
func (d *deletes) Do(ctx context.Context, th chat.Thread, op chat.Op) (string, error) {
	switch {
	case op.Kind == chat.OpPost && th.Ref == d.ref:
		d.platform.DeleteThread(d.ref)
	case op.Kind == chat.OpOpen && d.ref != "":
		d.ref = ""
		d.platform.Fail(1, FaultAnswerLost)
	}
	return d.Bridge.Do(ctx, th, op)
}

// ambiguousReopening: a session whose thread was deleted gets one other, although
// nobody knows at first whether it was opened.
func ambiguousReopening(e *fixture) {
	id := e.Visit("ann")
	e.Say(id, "hello there")
	old := e.thread("hello there")
	e.quiet()
	e.Stop()
	e.serve(&deletes{Bridge: e.Bridge, platform: e.platform, ref: old.Ref})
	e.Say(id, "not lost")
	e.quiet() // a thread that lost its beginning may show what is said in it for a moment
	next := e.thread("not lost")
	if e.Mirror.Ambiguous() != 1 {
		e.t.Errorf("%d ops are ambiguous", e.Mirror.Ambiguous())
	}
	for _, th := range e.platform.Threads() {
		if th.Ref != old.Ref && th.Ref != next.Ref {
			e.t.Errorf("the session has more than one thread:\n%s", e.dump())
		}
	}
	e.platform.Write(next.Ref, "Ada", "still here", "")
	e.received(id, "still here")
}

func outage(e *fixture) {
	e.platform.Storm(Storm{Seed: 1, All: 1})
	want := crowd(e, 4, 10)
	e.await("an attempt", func() bool { return e.Mirror.Trouble() != nil })
	if e.other.times("message s000m000") == 0 {
		e.await("the delivery elsewhere", func() bool { return e.other.times("message s003m009") == 1 })
	}
	e.platform.Storm(Storm{})
	e.quiet()
	arrived(e, want, e.Mirror.Ambiguous())
}

func revoked(e *fixture) {
	e.platform.Fail(1, FaultUnauthorized)
	want := crowd(e, 1, 3)
	e.await("the mirror to ask for a human", func() bool {
		wrong := (*chat.Misconfigured)(nil)
		return errors.As(e.Mirror.Trouble(), &wrong) && wrong.Problem != "" && wrong.Fix != ""
	})
	failed := chat.DeliveryFailed
	e.must(e.store.Read(e.t.Context(), func(r chat.Reader) error {
		list, err := r.Deliveries(chat.DeliveryQuery{State: &failed})
		if len(list) > 0 {
			e.t.Errorf("%d deliveries were given up", len(list))
		}
		return err
	}))
	if e.Undelivered() < 3 {
		e.t.Errorf("only %d deliveries wait", e.Undelivered())
	}
	e.Stop()
	e.must(e.Outbox.RetryNow(e.t.Context(), e.Bridge.Name())) // as new settings do
	e.serve(e.Bridge)
	e.quiet()
	arrived(e, want, e.Mirror.Ambiguous())
}

func storm(e *fixture) {
	if testing.Short() {
		e.t.Skip("it takes a while")
	}
	e.platform.Storm(Storm{Seed: 7, RateLimited: 0.05, Server: 0.05, AnswerLost: 0.02, RetryAfter: time.Second})
	want := crowd(e, 20, 10)
	e.quiet()
	arrived(e, want, e.Mirror.Ambiguous())
}

// longOutage: ten minutes without the platform while 200 visitors write 1,600 messages, then
// a platform that recovers slowly.
func longOutage(e *fixture) { outageOf(e, 8) }

// crowdedOutage: the same with 10,000 messages. What their number is hard for, the outbox and
// the mirror, is the same for all platforms.
func crowdedOutage(e *fixture) { outageOf(e, 50) }

func outageOf(e *fixture, messages int) {
	if testing.Short() {
		e.t.Skip("it takes a while")
	}
	e.platform.Storm(Storm{Seed: 3, All: 1})
	want := crowd(e, 200, messages)
	time.Sleep(10 * time.Minute)
	e.platform.Storm(Storm{Seed: 4, RateLimited: 0.05, Server: 0.05, AnswerLost: 0.02, RetryAfter: 3 * time.Second})
	e.quiet()
	arrived(e, want, e.Mirror.Ambiguous())
}

// restart: after a restart that forgot everything a thread leads to its
// session, and the session to its thread or to one that continues it.
func restart(t *testing.T, p Platform, connect Connect, at pace) {
	e := start(t, p, connect(t), at, true)
	session := engine.SessionInfo{ID: "session-1", VisitorID: "visitor-1"}
	e.must(e.Backend().NewSession(t.Context(), Visitor, session))
	send := func(e *fixture, id, text string) {
		e.must(e.Backend().Send(t.Context(), Visitor, session, engine.BackendMessage{ID: id, Content: text, Sender: chat.SenderVisitor}))
	}
	send(e, "m1", "before the restart")
	th := e.thread("before the restart")
	p.Write(th.Ref, "Ada", "noted", "")
	before := e.received(session.ID, "noted")
	if !strings.Contains(before.ID, ":") || !strings.HasSuffix(before.ID, lastOf(e.now(th.Ref)).Remote) {
		t.Errorf("the message's id is %q", before.ID)
	}
	e.Stop()

	e = start(t, p, connect(t), at, true)
	p.Write(th.Ref, "Ada", "after the restart", "")
	e.received(session.ID, "after the restart")
	send(e, "m2", "do you remember?")
	now := e.thread("do you remember?")
	if now.Ref != th.Ref {
		t.Error("the operator's message led back to the session, but not the session to the thread")
	}
	e.Stop()

	e = start(t, p, connect(t), at, true)
	send(e, "m3", "and now?")
	now = e.thread("and now?")
	if _, said := now.find("Continued"); now.Ref != th.Ref && !said {
		t.Errorf("the new thread does not say that it continues another:\n%s", e.dump())
	}
	p.Write(now.Ref, "Ada", "of course", "")
	e.received(session.ID, "of course")
	e.Stop()
}

func lastOf(th Thread) Message { return th.Messages[len(th.Messages)-1] }
