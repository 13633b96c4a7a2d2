package mirror_test

import (
	"strings"
	"testing"
	"time"

	"github.com/relay-chat/relay/server/chat"
)

// Notices about no session stand in one thread of relay's own, on every platform.
func TestShowsTheOperatorsStatus(t *testing.T) {
	f, other := newFake("telegram"), newFake("slack")
	withMirrors(t, true, func(t *testing.T, o *harness) {
		o.must(o.SetOperatorStatus(t.Context(), true))
		o.must(o.SetOperatorStatus(t.Context(), true))
		o.soon()
		o.must(o.SetOperatorStatus(t.Context(), false))
		o.soon()
		for _, f := range []*fakeBridge{f, other} {
			expectTexts(t, f.name, f.shown(0), "- Operators are online now.", "- Operators are offline now.")
			if th := f.state(0); th.title != "relay" || th.sessionID != "" || f.count() != 1 {
				t.Errorf("%d threads, the first is %q of the session %q", f.count(), th.title, th.sessionID)
			}
		}
		o.receive(f, f.in(0, "o1", "is anybody there?"))
		o.receive(f, f.in(0, "o2", "!close"))
		o.soon()
		if said := f.shown(0); len(said) != 3 || !strings.Contains(said[2], "no visitor reads") {
			t.Errorf("who writes there is reported %q", said)
		}
		f.by(func(th *fakeThread) { th.gone = true })
		o.must(o.SetOperatorStatus(t.Context(), true))
		o.soon()
		expectTexts(t, "in the next thread", f.shown(1), "- Operators are online now.")
	}, f, other)
}

// A platform that was away learns what the status is, not what it was.
func TestShowsTheLastStatus(t *testing.T) {
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
func TestShowsNoStatusBesideAConsole(t *testing.T) {
	f := newFake("telegram")
	withMirrors(t, false, func(t *testing.T, o *harness) {
		o.must(o.SetOperatorStatus(t.Context(), true))
		o.soon()
		if n := f.count(); n != 0 {
			t.Errorf("%d threads were opened", n)
		}
	}, f)
}

// A notice about one platform stands on the others.
func TestShowsNotices(t *testing.T) {
	f, other := newFake("telegram"), newFake("slack")
	withMirrors(t, true, func(t *testing.T, o *harness) {
		o.must(o.Notice(t.Context(), "slack", "The queue of slack is full."))
		o.soon()
		expectTexts(t, "telegram", f.shown(0), "- The queue of slack is full.")
		if n := other.count(); n != 0 {
			t.Errorf("the platform that it is about has %d threads", n)
		}
	}, f, other)
}
