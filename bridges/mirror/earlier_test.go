package mirror_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/relay-chat/relay/server/chat"
)

// TestEarlierFollows: what a thread shows of the conversation before it began
// follows what becomes of the messages, across a restart too.
func TestEarlierFollows(t *testing.T) {
	f := newFake("slack")
	withMirrors(t, false, func(t *testing.T, o *harness) {
		id := o.open(t, "ann")
		secret, second := o.say(t, id, "my password is hunter2"), o.say(t, id, "two")
		o.soon()
		f.by(func(th *fakeThread) { th.gone = true })
		o.say(t, id, "three")
		o.soon()
		expectTexts(t, "continued", f.shown(1), "- Earlier:\nVisitor: my password is hunter2\nVisitor: two", "three")
		o.stop()
		o.must(o.Delete(t.Context(), visitor, id, secret.ID))
		o = start(t, o.store, false, f)
		o.soon()
		expectTexts(t, "deleted", f.shown(1), "Earlier:\nVisitor: two", "three")
		_, err := o.Edit(t.Context(), visitor, id, second.ID, "2")
		o.must(err)
		o.soon()
		expectTexts(t, "edited", f.shown(1), "Earlier:\nVisitor: 2", "three", "(edited) 2")
		f.breakAt(false, 1, chat.ErrAmbiguous, func(op chat.Op) bool { return op.Kind == chat.OpEdit })
		o.must(o.Delete(t.Context(), visitor, id, second.ID))
		o.soon()
		expectTexts(t, "all deleted", f.shown(1), "Earlier: (deleted)", "three")
		n := len(f.ops())
		f.by(func(th *fakeThread) { th.gone = true })
		o.say(t, id, "four")
		o.soon()
		if len(f.ops()) == n {
			t.Error("it goes on no more")
		}
		o.stop()
	}, f)
}

// TestEarlierOnce: many earlier messages are several notes, each shown once,
// though the platform asks for patience between them.
func TestEarlierOnce(t *testing.T) {
	f := newFake("slack")
	f.longest = 60
	withMirrors(t, false, func(t *testing.T, o *harness) {
		id := o.open(t, "ann")
		for n := range 9 {
			o.say(t, id, fmt.Sprint("<", n, "> is as long"))
		}
		o.soon()
		f.by(func(th *fakeThread) { th.gone = true })
		f.breakAt(false, 1, &chat.RetryAfter{After: time.Minute}, says("<5>"))
		o.say(t, id, "and on")
		o.settle()
		all := strings.Join(f.shown(1), "|")
		for n := range 9 {
			if c := strings.Count(all, fmt.Sprint("<", n, ">")); c != 1 {
				t.Errorf("%d is there %d times: %s", n, c, all)
			}
		}
		if !strings.HasPrefix(all, "- Earlier:\nVisitor: <0>") || !strings.Contains(all, "|and on") {
			t.Errorf("it shows %s", all)
		}
	}, f)
}
