package mirror_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/relay-chat/relay/server/chat"
)

// TestAfterCrash: an attempt that was cut off is distinguished from those that
// never left.
func TestAfterCrash(t *testing.T) {
	f := newFake("telegram")
	f.longest = 10
	withMirrors(t, false, func(t *testing.T, o *harness) {
		f.breakAt(false, 1, errors.New("down"), says("bbbb"))
		id := o.open(t, "ann")
		o.say(t, id, "aaaaaaaaaabbbbbbbbbb")
		o.say(t, id, "cc")
		time.Sleep(500 * time.Millisecond)
		o.stop()
		o.must(o.store.Apply(t.Context(), func(tx chat.Tx) error { // as a crash leaves them
			lane, err := tx.Lane("telegram", id, 10)
			for i := range lane {
				lane[i].State = chat.DeliverySending
				err = errors.Join(err, tx.SaveDelivery(&lane[i]))
			}
			return err
		}))
		o.serve()
		o.settle()
		expectTexts(t, "texts", f.shown(0), "aaaaaaaaaa", "bbbbbbbbbb", "cc")
		last := f.ops()[len(f.ops())-2:]
		if !last[0].Ambiguous || last[1].Ambiguous {
			t.Errorf("ambiguous: %v and %v, want the one that was under way", last[0].Ambiguous, last[1].Ambiguous)
		}
	}, f)
}

// unsettle leaves every delivery to a platform as a crash does that came before
// what was sent could be stored as done.
func (o *harness) unsettle(dest string) {
	o.t.Helper()
	o.must(o.store.Apply(o.t.Context(), func(tx chat.Tx) error {
		list, err := tx.Deliveries(chat.DeliveryQuery{Dest: dest})
		for i := range list {
			list[i].State = chat.DeliverySending
			err = errors.Join(err, tx.SaveDelivery(&list[i]))
		}
		return err
	}))
}

// TestAfterCrashBeforeDelete: of two texts that went out together one is
// deleted while a crash has them delivered once more. The other one stays.
func TestAfterCrashBeforeDelete(t *testing.T) {
	f := newFake("telegram")
	f.coalesce = true
	withMirrors(t, false, func(t *testing.T, o *harness) {
		f.breakAt(false, 1, &chat.RetryAfter{After: time.Minute, Cause: errors.New("429")}, func(op chat.Op) bool { return op.Kind == chat.OpOpen })
		id := o.open(t, "ann")
		one := o.say(t, id, "one")
		o.say(t, id, "two")
		time.Sleep(90 * time.Second)
		expectTexts(t, "sent together", f.shown(0), "one\ntwo")
		o.stop()
		o.must(o.Delete(t.Context(), visitor, id, one.ID))
		o.unsettle("telegram")
		o.serve()
		o.soon()
		expectTexts(t, "after the crash", f.shown(0), "two")
	}, f)
}

// TestRunningDeliveriesAreAmbiguous: a later op after a crash does not prove that
// the interrupted post was never sent.
func TestRunningDeliveriesAreAmbiguous(t *testing.T) {
	f := newFake("telegram")
	withMirrors(t, false, func(t *testing.T, o *harness) {
		id := o.open(t, "ann")
		one := o.say(t, id, "one")
		o.soon()
		o.stop()
		o.say(t, id, "two")
		o.must(o.Delete(t.Context(), visitor, id, one.ID))
		o.unsettle("telegram")
		o.serve()
		o.soon()
		expectTexts(t, "texts", f.shown(0), "two")
		if last := f.ops()[len(f.ops())-1]; !last.Ambiguous {
			t.Errorf("the last op is %+v, want one that may have been carried out", last)
		}
	}, f)
}

// TestDeletesAmbiguousMessage: a visitor deletes a message of which nobody
// knows whether it was sent. Where the platform can be searched, it is removed.
func TestDeletesAmbiguousMessage(t *testing.T) {
	f := newFake("slack")
	f.mindful = true
	withMirrors(t, false, func(t *testing.T, o *harness) {
		id := o.greeted(t)
		f.breakAt(true, 1, chat.ErrAmbiguous, says("my password"))
		secret := o.say(t, id, "my password")
		time.Sleep(500 * time.Millisecond)
		expectTexts(t, "arrived", f.shown(0), "hello", "my password")
		o.must(o.Delete(t.Context(), visitor, id, secret.ID))
		o.soon()
		expectTexts(t, "deleted", f.shown(0), "hello")
	}, f)
}

// TestRejoinsAmbiguousBatch: of two texts that went out together one is
// deleted, or both, while nobody knows whether they arrived. The platform still
// knows them by what they were.
func TestRejoinsAmbiguousBatch(t *testing.T) {
	for deleted, want := range map[int]string{1: "hello|two", 2: "hello"} {
		f := newFake("slack")
		f.mindful, f.coalesce = true, true
		withMirrors(t, false, func(t *testing.T, o *harness) {
			id := o.greeted(t)
			f.breakAt(false, 1, &chat.RetryAfter{After: time.Minute, Cause: errors.New("429")}, isPost)
			f.breakAt(true, 1, chat.ErrAmbiguous, isPost)
			sent := []chat.Message{o.say(t, id, "my password"), o.say(t, id, "two")}
			time.Sleep(60500 * time.Millisecond)
			expectTexts(t, "arrived", f.shown(0), "hello", "my password\ntwo")
			for _, m := range sent[:deleted] {
				o.must(o.Delete(t.Context(), visitor, id, m.ID))
			}
			o.soon()
			expectTexts(t, "deleted", f.shown(0), strings.Split(want, "|")...)
		}, f)
	}
}

// away is a store that cannot be read for some time.
type away struct {
	chat.Store
	fails atomic.Int64
}

func (a *away) Read(ctx context.Context, op func(chat.Reader) error) error {
	if a.fails.Add(-1) >= 0 {
		return chat.ErrAway
	}
	return a.Store.Read(ctx, op)
}

// TestDoubtOutlivesTheDatabase: an attempt that cannot read what to show says nothing
// about the one before it.
func TestDoubtOutlivesTheDatabase(t *testing.T) {
	f := newFake("slack")
	f.mindful = true
	withMirrors(t, false, func(t *testing.T, o *harness) {
		o.soon()
		o.stop()
		store := &away{Store: o.store}
		o = start(t, store, false, f)
		id := o.greeted(t)
		f.breakAt(true, 1, chat.ErrAmbiguous, says("once"))
		o.say(t, id, "once")
		time.Sleep(500 * time.Millisecond)
		store.fails.Store(3)
		o.settle()
		expectTexts(t, "texts", f.shown(0), "hello", "once")
		if left := store.fails.Load(); left >= 0 {
			t.Errorf("%d attempts too few met the store while it was away", left)
		}
		o.stop()
	}, f)
}
