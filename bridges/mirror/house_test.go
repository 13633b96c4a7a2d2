package mirror_test

import (
	"strings"
	"testing"
	"time"

	"relay/server/chat"
)

// What concerns no session stands in one thread of relay's own, at every desk.
func TestDeskShowsTheOperatorsStatus(t *testing.T) {
	f, other := newFake("telegram"), newFake("slack")
	withMirrors(t, true, func(t *testing.T, o *harness) {
		o.must(o.SetOperatorStatus(t.Context(), true))
		o.must(o.SetOperatorStatus(t.Context(), true))
		o.soon()
		o.must(o.SetOperatorStatus(t.Context(), false))
		o.soon()
		for _, desk := range []*fakeBridge{f, other} {
			expectTexts(t, desk.name, desk.shown(0), "- Operators are online now.", "- Operators are offline now.")
			if th := desk.state(0); th.title != "relay" || th.sessionID != "" || desk.count() != 1 {
				t.Errorf("%d threads, the first is %q of the session %q", desk.count(), th.title, th.sessionID)
			}
		}
		o.tell(f, f.in(0, "o1", "is anybody there?"))
		o.tell(f, f.in(0, "o2", "!close"))
		o.soon()
		if said := f.shown(0); len(said) != 3 || !strings.Contains(said[2], "no visitor reads") {
			t.Errorf("who writes there is told %q", said)
		}
		f.by(func(th *fakeThread) { th.gone = true })
		o.must(o.SetOperatorStatus(t.Context(), true))
		o.soon()
		expectTexts(t, "in the next thread", f.shown(1), "- Operators are online now.")
	}, f, other)
}

// A desk that was away learns what the status is, not what it was.
func TestDeskShowsTheLastStatus(t *testing.T) {
	f := newFake("telegram")
	withMirrors(t, true, func(t *testing.T, o *harness) {
		f.breakAt(false, 3, &chat.RetryAfter{After: time.Minute, Scope: chat.ScopeSink}, func(chat.Op) bool { return true })
		for i := range 7 {
			o.must(o.SetOperatorStatus(t.Context(), i%2 == 0))
		}
		o.settle()
		expectTexts(t, "thread", f.shown(0), "- Operators are online now.")
	}, f)
}

// With a console and the widget to see it at, the status needs no thread.
func TestDeskShowsNoStatusBesideAConsole(t *testing.T) {
	f := newFake("telegram")
	withMirrors(t, false, func(t *testing.T, o *harness) {
		o.must(o.SetOperatorStatus(t.Context(), true))
		o.soon()
		if n := f.count(); n != 0 {
			t.Errorf("%d threads were opened", n)
		}
	}, f)
}

// What relay has to tell of one desk stands at the others.
func TestDeskShowsNotices(t *testing.T) {
	f, other := newFake("telegram"), newFake("slack")
	withMirrors(t, true, func(t *testing.T, o *harness) {
		o.must(o.Notice(t.Context(), "slack", "The queue of slack is full."))
		o.soon()
		expectTexts(t, "telegram", f.shown(0), "- The queue of slack is full.")
		if n := other.count(); n != 0 {
			t.Errorf("the desk that it is about has %d threads", n)
		}
	}, f, other)
}
