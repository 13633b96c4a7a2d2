package slack_test

import (
	"context"
	"fmt"
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
	"github.com/relay-chat/relay/server/chat"
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

// limited is a Slack that answers every other conversations.replies with 429.
type limited struct {
	http.RoundTripper
	n atomic.Int64
}

func (l *limited) RoundTrip(r *http.Request) (*http.Response, error) {
	if strings.HasSuffix(r.URL.Path, "/conversations.replies") && l.n.Add(1)%2 == 1 {
		return &http.Response{StatusCode: http.StatusTooManyRequests, Header: http.Header{"Retry-After": {"50"}}, Body: http.NoBody, Request: r}, nil
	}
	return l.RoundTripper.RoundTrip(r)
}

// A gap that opens while another one is read is read, too, before what comes after it.
func TestGapDuringGap(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := slacktest.NewInBubble(t)
		b, log := makeBridge(t, f, func(c *slack.Config) { c.Back, c.Transport = 24*time.Hour, &limited{RoundTripper: c.Transport} })
		var threads []chat.Thread
		for i := range 16 {
			bridgetest.Settled(time.Second)
			threads = append(threads, open(t, b, fmt.Sprint("Grace", i), ""))
			f.Write(threads[i].Ref, "Ada", fmt.Sprint("hello ", i), "")
		}
		time.Sleep(time.Hour)
		in := new(bridgetest.Receiver)
		bridgetest.Receiving(t, b, in)
		bridgetest.Settled(3 * time.Minute)
		f.Storm(bridgetest.Storm{Seed: 1, All: 1})
		f.Write(threads[0].Ref, "Ada", "Your refund is on its way.", "")
		bridgetest.Settled(10 * time.Minute)
		f.Storm(bridgetest.Storm{})
		bridgetest.Settled(time.Hour)
		f.Write(threads[0].Ref, "Ada", "later", "")
		bridgetest.Settled(time.Hour)
		got := in.Texts(t, b)
		if n := len(got); n < 2 || !slices.Contains(got[:n-1], "Your refund is on its way.") || got[n-1] != "later" || f.Lost() == 0 {
			t.Errorf("received %q; Slack gave up %d", got, f.Lost())
		}
		bridgetest.Clean(t, f, log)
	})
}

// What Slack pushed in vain is read without a restart: after a while, or soon once a push
// comes that had failed before, or once Slack says that it left events out.
func TestLostPushesAreRead(t *testing.T) {
	for name, sign := range map[string]func(f *slacktest.Platform, work http.Handler, th chat.Thread) time.Duration{
		"after a while": func(f *slacktest.Platform, work http.Handler, _ chat.Thread) time.Duration {
			f.PushTo(work)
			return 20 * time.Minute
		},
		"a retried push": func(f *slacktest.Platform, work http.Handler, th chat.Thread) time.Duration {
			f.Write(th.Ref, "Ada", "retried", "")
			bridgetest.Settled(10 * time.Second)
			f.PushTo(work)
			return 2 * time.Minute
		},
		"a notice": func(f *slacktest.Platform, work http.Handler, _ chat.Thread) time.Duration {
			f.PushTo(work)
			f.Emit(fmt.Sprintf(`{"type":"app_rate_limited","minute_rate_limited":%d}`, time.Now().Add(-8*time.Minute).Unix()))
			return 3 * time.Minute
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := slacktest.NewInBubble(t)
				b, log := makeBridge(t, f, pushed, func(c *slack.Config) { c.Back = 24 * time.Hour })
				in := new(bridgetest.Receiver)
				_ = bridgetest.Receiving(t, b, in)()
				ctx, cancel := context.WithCancel(t.Context())
				watched := make(chan struct{})
				go func() {
					defer close(watched)
					b.Watch(ctx)
				}()
				work := b.Webhook(in)
				f.PushTo(work)
				th := open(t, b, "Grace", "")
				f.Write(th.Ref, "Ada", "before", "")
				bridgetest.Settled(time.Minute)
				f.PushTo(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) }))
				f.Write(th.Ref, "Ada", "Your refund is on its way.", "")
				bridgetest.Settled(7 * time.Minute)
				wait := sign(f, work, th)
				bridgetest.Settled(wait)
				if got := in.Texts(t, b); !slices.Contains(got, "Your refund is on its way.") || f.Lost() == 0 {
					t.Errorf("received %q; Slack gave up %d", got, f.Lost())
				}
				cancel()
				<-watched
				bridgetest.Clean(t, f, log)
			})
		})
	}
}
