package mirror_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/relay-chat/relay/server/chat"
)

// cutOff sends two texts as one message, of which nobody knows whether it arrived
// when relay is stopped: its answer was lost, or a crash came first.
func cutOff(t *testing.T, o *harness, f *fakeBridge, one, two string, crash bool) (id string, sent []chat.Message) {
	id = o.open(t, "ann")
	o.say(t, id, "hello")
	o.soon()
	f.breakAt(false, 1, &chat.RetryAfter{After: time.Minute, Cause: errors.New("429")}, isPost)
	lost := chat.ErrAmbiguous
	if crash {
		lost = errors.New("nobody is there to note what came of it")
	}
	f.breakAt(true, 1, lost, isPost)
	sent = []chat.Message{o.say(t, id, one), o.say(t, id, two)}
	time.Sleep(60500 * time.Millisecond)
	expectTexts(t, "arrived", f.shown(0), "hello", one+"\n"+two)
	o.stop()
	if crash {
		o.unsettle("slack")
	}
	return id, sent
}

// TestRemembersBatches: two texts went out together, and nobody knows whether
// they arrived. After a restart they are asked for as they left, whatever became
// of them: nothing is there twice, and nothing that was deleted.
func TestRemembersBatches(t *testing.T) {
	for name, c := range map[string]struct {
		meanwhile func(t *testing.T, o *harness, id string, sent []chat.Message)
		want      string
	}{
		"nothing happens": {func(*testing.T, *harness, string, []chat.Message) {}, "hello|my password\ntwo"},
		"one is deleted": {func(t *testing.T, o *harness, id string, sent []chat.Message) {
			o.must(o.Delete(t.Context(), visitor, id, sent[0].ID))
		}, "hello|two"},
		"both are deleted": {func(t *testing.T, o *harness, id string, sent []chat.Message) {
			o.must(o.Delete(t.Context(), visitor, id, sent[0].ID))
			o.must(o.Delete(t.Context(), visitor, id, sent[1].ID))
		}, "hello"},
		"one is edited to something longer": {func(t *testing.T, o *harness, id string, sent []chat.Message) {
			_, err := o.Edit(t.Context(), visitor, id, sent[0].ID, strings.Repeat("x", 25))
			o.must(err)
		}, "hello|" + strings.Repeat("x", 25) + "\ntwo"},
		"a third is written":     {func(t *testing.T, o *harness, id string, _ []chat.Message) { o.say(t, id, "3") }, "hello|my password\ntwo|3"},
		"minutes pass":           {func(*testing.T, *harness, string, []chat.Message) { time.Sleep(5 * time.Minute) }, "hello|my password\ntwo"},
		"more than a day passes": {func(*testing.T, *harness, string, []chat.Message) { time.Sleep(25 * time.Hour) }, "hello|my password\ntwo"},
	} {
		for _, crash := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				f := newFake("slack")
				f.mindful, f.coalesce, f.longest = true, true, 30
				withMirrors(t, false, func(t *testing.T, o *harness) {
					id, sent := cutOff(t, o, f, "my password", "two", crash)
					c.meanwhile(t, o, id, sent)
					o = start(t, o.store, false, f)
					o.settle()
					expectTexts(t, "after the restart", f.shown(0), strings.Split(c.want, "|")...)
					expectNoPlaceholders(t, o, id, sent)
					o.stop()
				}, f)
			})
		}
	}
}

// expectNoPlaceholders expects that a batch that is settled left nothing behind.
func expectNoPlaceholders(t *testing.T, o *harness, id string, sent []chat.Message) {
	t.Helper()
	for _, m := range sent {
		o.must(o.store.ReadOne(t.Context(), func(r chat.Reader) error {
			links, err := r.Links(id, m.ID, "slack", "C1")
			for _, l := range links {
				if l.State == chat.LinkSending {
					t.Errorf("left behind: %+v", l)
				}
			}
			return err
		}))
	}
}

// TestRepeatsBatches: a platform that cannot be asked gets the same batch
// under the same key, so that its own means against doubles hold.
func TestRepeatsBatches(t *testing.T) {
	f := newFake("slack")
	f.coalesce = true
	withMirrors(t, false, func(t *testing.T, o *harness) {
		id, _ := cutOff(t, o, f, "one", "two", false)
		o.say(t, id, "three")
		o = start(t, o.store, false, f)
		o.settle()
		posts := slices.DeleteFunc(f.ops(), func(op chat.Op) bool { return op.Kind != chat.OpPost })
		first, again := posts[len(posts)-3], posts[len(posts)-2]
		if first.Key != again.Key || first.Text != again.Text || !again.Ambiguous || again.Since == 0 {
			t.Errorf("sent %+v, then %+v", first, again)
		}
		o.stop()
	}, f)
}

// TestRegroupsBatchesThatNeverArrived: what the platform does not know goes
// out again, with what was written since, and without what was deleted.
func TestRegroupsBatchesThatNeverArrived(t *testing.T) {
	f := newFake("slack")
	f.mindful, f.coalesce = true, true
	withMirrors(t, false, func(t *testing.T, o *harness) {
		id, sent := cutOff(t, o, f, "one", "two", false)
		f.by(func(th *fakeThread) { th.messages = th.messages[:2] }) // it did not
		o.must(o.Delete(t.Context(), visitor, id, sent[1].ID))
		o = start(t, o.store, false, f)
		o.settle()
		expectTexts(t, "after the restart", f.shown(0), "hello", "one")
		expectNoPlaceholders(t, o, id, sent)
		o.stop()
	}, f)
}
