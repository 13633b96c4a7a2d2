package slack_test

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/relay-chat/relay/bridges/bridgetest"
	"github.com/relay-chat/relay/bridges/slack"
	"github.com/relay-chat/relay/bridges/slack/slacktest"
)

// An event that cannot be stored for longer than Slack repeats it is stored once
// that works, over whichever connection, and later events stay behind it.
func TestUnstoredEventsAreOwed(t *testing.T) {
	for name, between := range map[string]func(f *slacktest.Platform){
		"one connection": func(*slacktest.Platform) {},
		"another":        func(f *slacktest.Platform) { f.Disconnect("refresh_requested") },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := slacktest.NewInBubble(t)
				b, log := makeBridge(t, f, func(c *slack.Config) { c.Back = 24 * time.Hour })
				in := new(bridgetest.Receiver)
				bridgetest.Receiving(t, b, in)
				bridgetest.Settled(time.Second)
				th := open(t, b, "Grace", "")
				said := f.Write(th.Ref, "Ada", "before", "")
				bridgetest.Settled(time.Minute)
				in.Fail(1000) // nothing can be stored
				f.Write(th.Ref, "Ada", "The fix is in version 2.", "")
				f.Delete(th.Ref, "Ada", said)
				bridgetest.Settled(10 * time.Minute)
				between(f)
				bridgetest.Settled(10 * time.Minute)
				if _, problem := b.Receiving(); problem == nil {
					t.Error("nothing reports that something is missing")
				}
				in.Fail(0)
				f.Write(th.Ref, "Ada", "And in 3.", "")
				bridgetest.Settled(5 * time.Minute)
				if got := in.Texts(t, b); !slices.Equal(got, []string{"before", "The fix is in version 2.", "", "And in 3."}) {
					t.Errorf("stored %q", got)
				}
				if _, problem := b.Receiving(); problem != nil || f.Lost() == 0 {
					t.Errorf("%d events were lost by Slack, the trouble is %v", f.Lost(), problem)
				}
				bridgetest.Clean(t, f, log)
			})
		})
	}
}

// The same where Slack pushes: without anything further that is pushed.
func TestUnstoredPushesAreOwed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := slacktest.NewInBubble(t)
		b, log := makeBridge(t, f, pushed)
		in := new(bridgetest.Receiver)
		_ = bridgetest.Receiving(t, b, in)()
		ctx, cancel := context.WithCancel(t.Context())
		watched := make(chan struct{})
		go func() {
			defer close(watched)
			b.Watch(ctx)
		}()
		f.PushTo(b.Webhook(in))
		th := open(t, b, "Grace", "")
		in.Fail(1000)
		f.Write(th.Ref, "Ada", "The fix is in version 2.", "")
		bridgetest.Settled(20 * time.Minute)
		in.Fail(0)
		bridgetest.Settled(5 * time.Minute)
		if got := in.Texts(t, b); !slices.Equal(got, []string{"The fix is in version 2."}) || f.Lost() == 0 {
			t.Errorf("stored %q, Slack gave up %d", got, f.Lost())
		}
		cancel()
		<-watched
		bridgetest.Clean(t, f, log)
	})
}

// slowHistory is a Slack whose history takes a while, in which somebody writes.
type slowHistory struct {
	http.RoundTripper
	on     *atomic.Bool
	during func()
}

func (s *slowHistory) RoundTrip(r *http.Request) (*http.Response, error) {
	if strings.HasSuffix(r.URL.Path, "/conversations.history") && s.on.CompareAndSwap(true, false) {
		s.during()
		time.Sleep(time.Second)
	}
	return s.RoundTripper.RoundTrip(r)
}

// Messages written right after a connection came back do not overtake those
// written while there was none.
func TestLiveEventsWaitForTheGap(t *testing.T) {
	slow := &slowHistory{on: new(atomic.Bool)}
	withConfig(t, func(c *slack.Config) { slow.RoundTripper, c.Transport = c.Transport, slow }, func(t *testing.T, h *harness) {
		session := h.Visit("ann")
		h.Say(session, "shall I reboot it?")
		h.Settle()
		th := h.Threads()[0].Ref
		h.Write(th, "Ada", "hello", "")
		time.Sleep(time.Minute)
		h.Storm(bridgetest.Storm{Seed: 1, All: 1}) // the network is away for an hour
		h.Write(th, "Ada", "No! Do not reboot it.", "")
		time.Sleep(time.Hour)
		slow.during = func() { h.Write(th, "Ada", "Yes, that is fine.", "") }
		slow.on.Store(true)
		h.Storm(bridgetest.Storm{})
		time.Sleep(10 * time.Minute)
		if got := h.received(session); !slices.Equal(got, []string{"hello", "No! Do not reboot it.", "Yes, that is fine."}) {
			t.Errorf("the visitor reads %q", got)
		}
		if n := h.Waiting(); n != 0 {
			t.Errorf("%d events are not acknowledged", n)
		}
	})
}
