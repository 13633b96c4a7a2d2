package mirror_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/relay-chat/relay/server/chat"
)

// TestRests: a bridge that needs a human keeps everything, says what is
// wrong and delays nobody else.
func TestRests(t *testing.T) {
	f, other := newFake("telegram"), newFake("slack")
	withMirrors(t, false, func(t *testing.T, o *harness) {
		wrong := &chat.Misconfigured{Problem: "the token is not valid", Fix: "set another"}
		f.breakAt(false, 3, wrong, func(chat.Op) bool { return true })
		ids := []string{o.open(t, "ann"), o.open(t, "ben")}
		for i := range 4 {
			o.say(t, ids[i%2], fmt.Sprint(i))
		}
		o.soon()
		if got := o.mirrors[0].Trouble(); !errors.Is(got, wrong) {
			t.Errorf("the trouble is %v", got)
		}
		if len(f.ops()) > 2 { // both lanes may have begun
			t.Errorf("%d ops while it rests", len(f.ops()))
		}
		expectTexts(t, "the other platform", slices.Sorted(slices.Values(append(other.shown(0), other.shown(1)...))), "0", "1", "2", "3")
		o.settle()
		all := append(f.shown(0), f.shown(1)...)
		for i, text := range all {
			all[i], _, _ = strings.Cut(text, "\n")
		}
		slices.Sort(all)
		expectTexts(t, "what waited", all, "0", "1", "2", "3")
		if err := o.mirrors[0].Trouble(); err != nil {
			t.Errorf("the trouble stays: %v", err)
		}
	}, f, other)
}

// TestWorksSoonAfterRepair: however long a bridge needed a human, what waited
// arrives within a minute of the repair.
func TestWorksSoonAfterRepair(t *testing.T) {
	f := newFake("telegram")
	withMirrors(t, false, func(t *testing.T, o *harness) {
		f.breakAt(false, math.MaxInt, &chat.Misconfigured{Problem: "no right", Fix: "give it"}, func(chat.Op) bool { return true })
		o.say(t, o.open(t, "ann"), "hello")
		time.Sleep(3*time.Hour + time.Second)
		f.breakAt(false, 0, nil, nil)
		time.Sleep(time.Minute)
		if got := f.shown(0); len(got) != 1 || !strings.HasPrefix(got[0], "hello") {
			t.Errorf("it shows %q", got)
		}
	}, f)
}

// TestRemainsMisconfigured: what began before a fault that needs a human does
// not hide it by its success.
func TestRemainsMisconfigured(t *testing.T) {
	f := newFake("telegram")
	withMirrors(t, false, func(t *testing.T, o *harness) {
		ann := o.open(t, "ann")
		o.say(t, ann, "hello")
		o.soon()
		f.set(func() {
			f.slow = func(op chat.Op) time.Duration {
				if op.Kind == chat.OpPost {
					return 3 * time.Second
				}
				return time.Second
			}
		})
		wrong := &chat.Misconfigured{Problem: "no right to open threads", Fix: "give it"}
		f.breakAt(false, 1, wrong, func(op chat.Op) bool { return op.Kind == chat.OpOpen })
		o.say(t, ann, "still there?")
		o.say(t, o.open(t, "ben"), "hello")
		o.soon()
		if got := o.mirrors[0].Trouble(); !errors.Is(got, wrong) {
			t.Errorf("the trouble is %v", got)
		}
	}, f)
}
