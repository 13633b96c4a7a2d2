package slack_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
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

// Messages written during an outage longer than Slack's attempts are
// read afterwards, once and in order.
func TestGapsAreRead(t *testing.T) {
	withHarness(t, func(t *testing.T, h *harness) {
		session := h.Visit("ann")
		h.Say(session, "hello")
		h.Settle()
		th := h.Threads()[0].Ref
		h.Write(th, "Ada", "before", "")
		time.Sleep(time.Minute)
		h.Storm(bridgetest.Storm{Seed: 1, All: 1})
		want := []string{"before"}
		for n := range 5 {
			h.Write(th, "Ada", fmt.Sprint("away ", n), "")
			want = append(want, fmt.Sprint("away ", n))
			time.Sleep(time.Hour)
		}
		h.WriteAsBot(th, "beep")
		h.Write(h.StartThread("Ada", "Lunch?"), "Bob", "Pizza", "")
		h.Storm(bridgetest.Storm{})
		time.Sleep(10 * time.Minute)
		h.Write(th, "Ada", "after", "")
		h.Redeliver()
		time.Sleep(time.Minute)
		if got := h.received(session); !slices.Equal(got, append(want, "after")) {
			t.Errorf("the visitor reads %q", got)
		}
		if h.Lost() == 0 {
			t.Error("Slack gave nothing up")
		}
	})
}

// Events on their way when a connection breaks may never come again, so messages
// and changes are read over the next one.
func TestShortGapsAreRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := slacktest.NewInBubble(t)
		b, log := makeBridge(t, f)
		in := new(bridgetest.Receiver)
		bridgetest.Receiving(t, b, in)
		bridgetest.Settled(time.Second)
		th := open(t, b, "Grace", "")
		said := f.Write(th.Ref, "Ada", "befor", "")
		bridgetest.Settled(20 * time.Second)
		in.Fail(1) // the first event: the second one waits behind it
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
			t.Errorf("the first message was received %d times, want once more over the new connection", n)
		}
		f.Edit(th.Ref, f.Write(th.Ref, "Ada", "latr", ""), "later")
		bridgetest.Settled(time.Second)
		n := len(in.Texts(t, b))
		f.Disconnect("refresh_requested")
		bridgetest.Settled(time.Minute)
		if len(in.Texts(t, b)) != n {
			t.Errorf("an edit that was received is another update when it is read: %q", in.Texts(t, b))
		}
		bridgetest.Clean(t, f, log)
	})
}

// unreadable is a Slack that does not return what was written, for as long as off.
type unreadable struct {
	http.RoundTripper
	off *atomic.Bool
}

func (d unreadable) RoundTrip(r *http.Request) (*http.Response, error) {
	if d.off.Load() && strings.HasSuffix(r.URL.Path, "/conversations.history") {
		return nil, errors.New("the network is away")
	}
	return d.RoundTripper.RoundTrip(r)
}

// A gap that could not be read is read later, however long the connection lived
// before which it was.
func TestUnreadGapsAreReadLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := slacktest.NewInBubble(t)
		off := new(atomic.Bool)
		b, _ := makeBridge(t, f, func(c *slack.Config) { c.Transport = unreadable{c.Transport, off} })
		in := new(bridgetest.Receiver)
		bridgetest.Receiving(t, b, in)
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

// However many threads were begun since: an answer in an old one is read.
func TestGapsInOldThreadsAreRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := slacktest.NewInBubble(t)
		b, log := makeBridge(t, f, func(c *slack.Config) { c.Back = 24 * time.Hour })
		th := open(t, b, "Grace", "")
		for range 1100 {
			f.StartThread("Ada", "Lunch?")
		}
		want := []string{}
		for n := range 1100 {
			want = append(want, fmt.Sprint("answer ", n))
			f.Write(th.Ref, "Ada", want[n], "")
		}
		in := new(bridgetest.Receiver)
		bridgetest.Receiving(t, b, in)
		bridgetest.Settled(time.Minute)
		if got := in.Texts(t, b); !slices.Equal(got, want) {
			t.Errorf("read %d answers", len(got))
		}
		bridgetest.Clean(t, f, log)
	})
}

// A gap that takes long to be read holds live events up for a minute only.
func TestLongGapsHoldLittleUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := slacktest.NewInBubble(t)
		slow := &slowHistory{on: new(atomic.Bool)}
		slow.during = func() {
			slow.on.Store(true) // the next one too
			time.Sleep(12 * time.Second)
		}
		b, log := makeBridge(t, f, func(c *slack.Config) {
			c.Back, slow.RoundTripper, c.Transport = 24*time.Hour, c.Transport, slow
		})
		th := open(t, b, "Grace", "")
		f.Write(th.Ref, "Ada", "old", "")
		for range 1100 {
			f.StartThread("Ada", "Lunch?")
		}
		second := open(t, b, "Hedy", "")
		time.Sleep(time.Hour) // Slack does not bring it again
		slow.on.Store(true)
		in := new(bridgetest.Receiver)
		bridgetest.Receiving(t, b, in)
		bridgetest.Settled(20 * time.Second)
		f.Write(second.Ref, "Ada", "live", "")
		bridgetest.Settled(35 * time.Second)
		if got := in.Texts(t, b); got != nil {
			t.Errorf("read %q before the gap", got)
		}
		bridgetest.Settled(20 * time.Second)
		if got := in.Texts(t, b); !slices.Equal(got, []string{"live"}) {
			t.Errorf("read %q after more than a minute", got)
		}
		bridgetest.Settled(time.Minute)
		if got := in.Texts(t, b); !slices.Equal(got, []string{"live", "old"}) {
			t.Errorf("read %q in the end", got)
		}
		bridgetest.Clean(t, f, log)
	})
}

// A thread that cannot be read delays no other, and is reported.
func TestOneUnreadThreadHoldsUpNone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := slacktest.NewInBubble(t)
		broken := new(atomic.Pointer[string])
		b, _ := makeBridge(t, f, func(c *slack.Config) {
			c.Back, c.Transport = 24*time.Hour, brokenThread{c.Transport, broken}
		})
		th, second := open(t, b, "Grace", ""), open(t, b, "Hedy", "")
		f.Write(th.Ref, "Ada", "unread", "")
		f.Write(second.Ref, "Ada", "read", "")
		time.Sleep(time.Hour) // Slack brings neither again
		broken.Store(&th.Ref)
		in := new(bridgetest.Receiver)
		bridgetest.Receiving(t, b, in)
		bridgetest.Settled(time.Minute)
		f.Write(second.Ref, "Ada", "live", "")
		bridgetest.Settled(time.Minute)
		if got := in.Texts(t, b); !slices.Equal(got, []string{"read", "live"}) {
			t.Errorf("read %q", got)
		}
		if _, problem := b.Receiving(); problem == nil || !strings.Contains(problem.Error(), th.Ref) {
			t.Errorf("reported: %v", problem)
		}
		broken.Store(nil)
		bridgetest.Settled(5 * time.Minute)
		if got := in.Texts(t, b); !slices.Equal(got, []string{"read", "live", "unread"}) {
			t.Errorf("read %q", got)
		}
	})
}

// brokenThread is a Slack that fails at one thread.
type brokenThread struct {
	http.RoundTripper
	ref *atomic.Pointer[string]
}

func (b brokenThread) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	if ref := b.ref.Load(); ref != nil && strings.HasSuffix(r.URL.Path, "/conversations.replies") && bytes.Contains(body, []byte(*ref)) {
		return &http.Response{StatusCode: http.StatusBadGateway, Header: http.Header{}, Body: http.NoBody, Request: r}, nil
	}
	return b.RoundTripper.RoundTrip(r)
}

// A start looks a day back, where somebody remembers what was passed on; a
// thread that answers 429 is waited for.
func TestStartLooksBack(t *testing.T) {
	for _, way := range []string{"socket", "webhook"} {
		t.Run(way, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := slacktest.NewInBubble(t)
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
				stop := bridgetest.Receiving(t, forgetful, in)
				bridgetest.Settled(time.Minute)
				if got := in.Texts(t, b); got != nil {
					t.Errorf("read %q", got)
				}
				_ = stop()
				for range 2 {
					fresh, _ := makeBridge(t, f, back)
					stop := bridgetest.Receiving(t, fresh, in)
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
