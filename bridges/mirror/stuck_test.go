package mirror_test

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/relay-chat/relay/server/chat"
)

// undelivered are a session's deliveries in trouble.
func (o *harness) undelivered(sessionID string) (list []chat.Delivery) {
	o.t.Helper()
	o.must(o.store.ReadOne(o.t.Context(), func(r chat.Reader) (err error) {
		list, err = r.Undelivered(sessionID, 10)
		return err
	}))
	return list
}

// errOdd is what a platform refuses.
var errOdd = fmt.Errorf("%w: Bad Request: PEER_ID_INVALID", chat.ErrPermanent)

// TestRefusedMessage: a message that the platform refuses leaves a note in its
// place, is listed, and can be sent again; what comes behind it does not wait.
func TestRefusedMessage(t *testing.T) {
	f := newFake("telegram")
	withMirrors(t, false, func(t *testing.T, o *harness) {
		operators := o.Hub.Subscribe("")
		defer operators.Close()
		id := o.greeted(t)
		f.breakAt(false, 1, errOdd, says("odd"))
		odd := o.say(t, id, "odd")
		o.say(t, id, "still there?")
		o.soon()
		note := "- A message on 1 January at 00:00 UTC could not be shown here: Bad Request: PEER_ID_INVALID\nIt is in the console; Retry there sends it again."
		expectTexts(t, "texts", f.shown(0), "hello", note, "still there?")
		list := o.undelivered(id)
		if len(list) != 1 || list[0].State != chat.DeliveryFailed || list[0].Event.MessageID != odd.ID || list[0].Reason() != "Bad Request: PEER_ID_INVALID" {
			t.Fatalf("undelivered are %+v", list)
		}
		if err := o.mirrors[0].Trouble(); err != nil {
			t.Errorf("the bridge is said to fail: %v", err)
		}
		o.must(o.Outbox.Retry(t.Context(), list[0].ID()))
		o.soon()
		expectTexts(t, "after Retry", f.shown(0), "hello", note, "still there?", "odd")
		if list := o.undelivered(id); len(list) != 0 {
			t.Errorf("undelivered are %+v", list)
		}
		var types []string
		for len(operators.C) > 0 {
			if e := <-operators.C; e.Type == chat.StateDeliveryFailed || e.Type == chat.StateDeliveryDone {
				types = append(types, string(e.Type))
				if !strings.Contains(string(e.Payload), `"messageId":"`+odd.ID+`"`) {
					t.Errorf("operators receive %s", e.Payload)
				}
			}
		}
		expectTexts(t, "operators receive", types, "delivery_failed", "delivery_done")
	}, f)
}

// TestRefusedEdit: an edit that the platform refuses leaves a note, and the
// message as it was.
func TestRefusedEdit(t *testing.T) {
	f := newFake("telegram")
	withMirrors(t, false, func(t *testing.T, o *harness) {
		id := o.open(t, "ann")
		m := o.say(t, id, "hello")
		o.soon()
		f.breakAt(false, 1, errOdd, func(op chat.Op) bool { return op.Kind == chat.OpEdit })
		_, err := o.Edit(t.Context(), visitor, id, m.ID, "hello!")
		o.must(err)
		o.soon()
		if got := f.shown(0); len(got) != 2 || got[0] != "hello" || !strings.HasPrefix(got[1], "- The edit of a message on 1 January") {
			t.Errorf("it shows %q", got)
		}
		if list := o.undelivered(id); len(list) != 1 {
			t.Errorf("undelivered are %+v", list)
		}
	}, f)
}

// TestNoteOfARefusalWaits: while the note has to wait for its turn the message
// is not tried again, and it is given up only when the note stands there.
func TestNoteOfARefusalWaits(t *testing.T) {
	f := newFake("telegram")
	withMirrors(t, false, func(t *testing.T, o *harness) {
		id := o.greeted(t)
		turns := 3
		f.set(func() {
			f.before = func(op chat.Op) error {
				if says("odd")(op) && op.Kind == chat.OpPost {
					return errOdd
				}
				if turns--; op.Kind == chat.OpNote && turns >= 0 {
					return &chat.RetryAfter{After: time.Second, Cause: errors.New("too early")}
				}
				return nil
			}
		})
		before := len(f.ops())
		o.say(t, id, "odd")
		o.settle()
		if got := f.shown(0); len(got) != 2 || !strings.HasPrefix(got[1], "- A message on") {
			t.Errorf("it shows %q", got)
		}
		posts := 0
		for _, op := range f.ops()[before:] {
			if op.Kind == chat.OpPost {
				posts++
			}
		}
		if posts != 1 || len(o.undelivered(id)) != 1 {
			t.Errorf("it was tried %d times, undelivered are %+v", posts, o.undelivered(id))
		}
	}, f)
}

// TestPassesFailingDelivery: a message that the platform keeps answering
// with an error while it takes others does not hold its session. A note stands for
// it, and it comes when the platform takes it.
func TestPassesFailingDelivery(t *testing.T) {
	for name, busy := range map[string]bool{"among others": true, "alone": false} {
		t.Run(name, func(t *testing.T) {
			f := newFake("telegram")
			withMirrors(t, false, func(t *testing.T, o *harness) {
				id, other := o.open(t, "ann"), o.open(t, "ben")
				o.say(t, id, "hello")
				o.soon()
				o.say(t, other, "hello")
				o.soon()
				f.breakAt(false, 1<<30, errors.New("Internal Server Error"), func(op chat.Op) bool { return op.Kind == chat.OpPost && strings.HasPrefix(op.Text, "poison") })
				o.say(t, id, "poison")
				o.say(t, id, "still there?")
				for i := range 120 {
					if busy {
						o.say(t, other, fmt.Sprint(i))
					}
					time.Sleep(10 * time.Second)
				}
				note := "- A message on 1 January at 00:00 UTC could not be shown here yet: Internal Server Error\nIt is in the console; relay keeps retrying."
				got := f.shown(0)
				if len(got) != 3 || got[0] != "hello" || got[1] != note || !strings.HasPrefix(got[2], "still there?") {
					t.Errorf("it shows %q", got)
				}
				if list := o.undelivered(id); len(list) != 1 || !list[0].Passed || list[0].State == chat.DeliveryFailed {
					t.Errorf("undelivered are %+v", list)
				}
				before := len(f.ops())
				time.Sleep(time.Hour)
				if n := len(f.ops()) - before; n > 14 {
					t.Errorf("it was tried %d times in an hour", n)
				}
				o.say(t, id, "hm")
				o.soon()
				f.breakAt(false, 0, nil, nil)
				time.Sleep(10 * time.Minute)
				got = f.shown(0)
				if len(got) != 5 || got[3] != "hm" || !strings.HasPrefix(got[4], "poison\n\n(delivered late") {
					t.Errorf("in the end it shows %q", got)
				}
			}, f)
		})
	}
}

// TestKeepsOrderInAnOutage: while the platform takes nothing, nothing passes.
func TestKeepsOrderInAnOutage(t *testing.T) {
	f := newFake("telegram")
	withMirrors(t, false, func(t *testing.T, o *harness) {
		id := o.greeted(t)
		f.breakAt(false, 1<<30, errors.New("Bad Gateway"), func(chat.Op) bool { return true })
		for i := range 5 {
			o.say(t, id, fmt.Sprint(i))
		}
		time.Sleep(5 * time.Hour)
		f.breakAt(false, 0, nil, nil)
		o.settle()
		got := f.shown(0)
		for i := range got {
			got[i], _, _ = strings.Cut(got[i], "\n")
		}
		expectTexts(t, "texts", got, "hello", "0", "1", "2", "3", "4")
	}, f)
}

// TestThreadRefused: a session whose thread is refused waits, visibly, until
// somebody has mended it.
func TestThreadRefused(t *testing.T) {
	f := newFake("telegram")
	withMirrors(t, false, func(t *testing.T, o *harness) {
		f.breakAt(false, 1<<30, errOdd, func(op chat.Op) bool { return op.Kind == chat.OpOpen })
		id := o.open(t, "ann")
		o.say(t, id, "hello")
		time.Sleep(time.Hour)
		if list := o.undelivered(id); len(list) != 1 || list[0].State == chat.DeliveryFailed || list[0].Reason() != "a thread cannot be opened: Bad Request: PEER_ID_INVALID" {
			t.Errorf("undelivered are %+v", list)
		}
		if o.mirrors[0].Trouble() == nil {
			t.Error("the bridge is said to work")
		}
		f.breakAt(false, 0, nil, nil)
		o.settle()
		if got := f.shown(0); len(got) != 1 || !strings.HasPrefix(got[0], "hello") {
			t.Errorf("it shows %q", got)
		}
	}, f)
}

// TestFault: a fault of relay's own fails the delivery that met it, and
// nothing else.
func TestFault(t *testing.T) {
	f := newFake("telegram")
	withMirrors(t, false, func(t *testing.T, o *harness) {
		id := o.greeted(t)
		f.set(func() {
			f.before = func(op chat.Op) error {
				if op.Text == "poison" {
					panic("a fault")
				}
				return nil
			}
		})
		o.say(t, id, "poison")
		o.say(t, id, "still there?")
		o.soon()
		expectTexts(t, "texts", f.shown(0), "hello", "still there?")
		if list := o.undelivered(id); len(list) != 1 || list[0].State != chat.DeliveryFailed || !strings.HasPrefix(list[0].Reason(), "relay has a fault") {
			t.Errorf("undelivered are %+v", list)
		}
	}, f)
}

// TestLogsNoSession: the log names the thread of what does not get through,
// never the session, whose id is its key.
func TestLogsNoSession(t *testing.T) {
	f := newFake("telegram")
	var out bytes.Buffer
	f.log = slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{Level: slog.LevelDebug}))
	withMirrors(t, false, func(t *testing.T, o *harness) {
		id := o.greeted(t)
		f.breakAt(false, 1<<30, errors.New("Internal Server Error"), says("poison"))
		o.say(t, id, "poison")
		time.Sleep(time.Hour)
		o.stop()
		log := out.String()
		if !strings.Contains(log, "keeps failing at one delivery") || !strings.Contains(log, "thread="+f.state(0).ref) || strings.Count(log, "keeps failing") != 1 {
			t.Errorf("the log says\n%s", log)
		}
		if strings.Contains(log, id) || strings.Contains(log, "poison") {
			t.Errorf("the log says too much:\n%s", log)
		}
	}, f)
}
