package slack_test

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
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

// What is on its way when a connection breaks may never come again, so that it
// is read over the next one: what was written, and what was changed.
func TestShortGapsAreRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := bridgetest.NewSlackBubble(t)
		b, log := makeBridge(t, f)
		in := new(bridgetest.Receiver)
		running(t, b, in)
		bridgetest.Settled(time.Second)
		th := open(t, b, "Grace", "")
		said := f.Write(th.Ref, "Ada", "befor", "")
		bridgetest.Settled(20 * time.Second)
		in.Fail(4) // both events, and their second attempts
		f.Edit(th.Ref, said, "before")
		f.Write(th.Ref, "Ada", "on its way", "")
		bridgetest.Settled(5 * time.Second)
		if n := len(in.Updates); n != 1 {
			t.Fatalf("%d events are stored", n)
		}
		f.Disconnect("refresh_requested")
		bridgetest.Settled(10 * time.Second)
		if got := in.Texts(t, b); !slices.Equal(got, []string{"befor", "before", "on its way"}) {
			t.Errorf("read %q", got)
		}
		bridgetest.Settled(10 * time.Minute)
		if n := in.Keys["message:"+said]; n != 2 {
			t.Errorf("the first message was heard %d times, want once more over the new connection", n)
		}
		f.Edit(th.Ref, f.Write(th.Ref, "Ada", "latr", ""), "later")
		bridgetest.Settled(time.Second)
		n := len(in.Updates)
		f.Disconnect("refresh_requested")
		bridgetest.Settled(time.Minute)
		if len(in.Updates) != n {
			t.Errorf("an edit that was heard is another update when it is read: %q", in.Texts(t, b))
		}
		bridgetest.Clean(t, f, log)
	})
}

// deafened is a Slack that does not tell what was written, for as long as off.
type deafened struct {
	http.RoundTripper
	off *atomic.Bool
}

func (d deafened) RoundTrip(r *http.Request) (*http.Response, error) {
	if d.off.Load() && strings.HasSuffix(r.URL.Path, "/conversations.history") {
		return nil, errors.New("the network is away")
	}
	return d.RoundTripper.RoundTrip(r)
}

// A gap that could not be read is read over the next connection, however long
// the one before lived.
func TestUnreadGapsAreReadLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := bridgetest.NewSlackBubble(t)
		off := new(atomic.Bool)
		b, _ := makeBridge(t, f, func(c *slack.Config) { c.Transport = deafened{c.Transport, off} })
		in := new(bridgetest.Receiver)
		running(t, b, in)
		bridgetest.Settled(time.Second)
		th := open(t, b, "Grace", "")
		f.Write(th.Ref, "Ada", "before", "")
		bridgetest.Settled(time.Minute)
		in.Fail(100) // more than Slack attempts
		f.Write(th.Ref, "Ada", "on its way", "")
		off.Store(true)
		f.Disconnect("refresh_requested")
		bridgetest.Settled(10 * time.Minute)
		off.Store(false)
		in.Fail(0)
		f.Disconnect("refresh_requested")
		bridgetest.Settled(time.Minute)
		if got := in.Texts(t, b); !slices.Equal(got, []string{"before", "on its way"}) {
			t.Errorf("read %q", got)
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
				bridgetest.Settled(time.Minute)
				if got := in.Texts(t, b); got != nil {
					t.Errorf("read %q", got)
				}
				_ = stop()
				for range 2 {
					fresh, _ := makeBridge(t, f, back)
					stop := running(t, fresh, in)
					bridgetest.Settled(time.Minute)
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
