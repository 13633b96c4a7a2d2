package slack_test

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"relay/bridges/bridgetest"
	"relay/bridges/slack"
)

// What operators write during an outage that is longer than Slack's attempts is
// read afterwards, once and in order.
func TestGapsAreRead(t *testing.T) {
	inOffice(t, func(t *testing.T, o *office) {
		session := o.visit(t, "ann")
		o.say(t, session, "hello", false)
		o.settle(t)
		th := o.Threads()[0].Ref
		o.Write(th, "Ada", "before", "")
		time.Sleep(time.Minute)
		o.Storm(bridgetest.Storm{Seed: 1, All: 1})
		want := []string{"before"}
		for n := range 5 {
			o.Write(th, "Ada", fmt.Sprint("away ", n), "")
			want = append(want, fmt.Sprint("away ", n))
			time.Sleep(time.Hour)
		}
		o.WriteAsBot(th, "beep")
		o.Write(o.StartThread("Ada", "Lunch?"), "Bob", "Pizza", "")
		o.Storm(bridgetest.Storm{})
		time.Sleep(10 * time.Minute)
		o.Write(th, "Ada", "after", "")
		o.Redeliver()
		time.Sleep(time.Minute)
		if got := o.heard(t, session); !slices.Equal(got, append(want, "after")) {
			t.Errorf("the visitor reads %q", got)
		}
		if o.Lost() == 0 {
			t.Error("Slack gave nothing up")
		}
	})
}

// A start looks a day back, where somebody remembers what was passed on; a
// thread that answers 429 is waited for.
func TestStartLooksBack(t *testing.T) {
	for _, way := range []string{"socket", "webhook"} {
		t.Run(way, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := bridgetest.NewSlackBubble(t)
				back := func(c *slack.Config) { c.Back = 24 * time.Hour }
				if way == "webhook" {
					back = func(c *slack.Config) { c.Back, c.AppToken = 24*time.Hour, "" }
				}
				b, log := makeBridge(t, f, back)
				th, second := open(t, b, "Grace", ""), open(t, b, "Hedy", "")
				f.Write(th.Ref, "Ada", "two days old", "")
				time.Sleep(48 * time.Hour)
				f.Write(th.Ref, "Ada", "one & only", "")
				f.Attach(second.Ref, "Bob", "a.txt", "text/plain", []byte("x"), "with a file")
				time.Sleep(time.Hour)
				in := new(bridgetest.Receiver)
				forgetful, _ := makeBridge(t, f, pushed)
				stop := running(t, forgetful, in)
				settled(time.Minute)
				if got := in.Texts(t, b); got != nil {
					t.Errorf("read %q", got)
				}
				_ = stop()
				for range 2 {
					fresh, _ := makeBridge(t, f, back)
					stop := running(t, fresh, in)
					settled(time.Minute)
					_ = stop()
				}
				if got := in.Texts(t, b); !slices.Equal(got, []string{"one & only", "with a file"}) {
					t.Errorf("read %q", got)
				}
				bridgetest.Clean(t, f, log)
			})
		})
	}
}
