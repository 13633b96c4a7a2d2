package bridgetest

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
)

// RunChannels proves that one connection serves the channels of several sites: each
// conversation stands in the channel of its site, what operators do there reaches its
// visitor alone, and a site that moves leaves its open threads where they are.
func RunChannels(t *testing.T, open func(t *testing.T) (Platform, Connect)) {
	synctest.Test(t, func(t *testing.T) {
		platform, connect := open(t)
		e := start(t, platform, connect(t), pace{patience: 6 * time.Hour, look: 250 * time.Millisecond}, false)
		e.Stop()
		away := platform.AddChannel()
		name := "Shop"
		_, err := e.AddSite(t.Context(), engine.SiteChange{Wanted: "shop", Name: &name})
		e.must(err)
		e.begin(connect, func(b chat.Besides) { e.Own = map[string]chat.Bridge{"shop": e.beside(b, away)} })
		ann, bob := e.Visit("ann"), e.visitAt("shop", "bob")
		e.Say(ann, "hello from home")
		e.Say(bob, "hello from the shop")
		home, shop := e.thread("hello from home"), e.thread("hello from the shop")
		if home.Channel == away || shop.Channel != away || strings.Contains(shop.Title, name) {
			t.Fatalf("ann is in %q, bob in %q (%s), want another and %q", home.Channel, shop.Channel, shop.Title, away)
		}
		e.answered(ann, bob, home, shop)
		e.moved(connect, away, bob, shop)
		e.Stop()
		conforms(t, platform)
	})
}

// answered proves that what operators do in the threads of two channels reaches the visitor
// of each, once.
func (e *fixture) answered(ann, bob string, home, shop Thread) {
	e.t.Helper()
	e.platform.Write(home.Ref, "Ada", "for ann", "")
	remote := e.platform.Write(shop.Ref, "Ada", "for bob", "")
	e.received(ann, "for ann")
	e.received(bob, "for bob")
	e.platform.Edit(shop.Ref, remote, "for bob alone")
	e.received(bob, "for bob alone")
	e.platform.Attach(shop.Ref, "Ada", "manual.txt", "text/plain", []byte("read this"), "here it is")
	e.received(bob, "here it is")
	e.platform.WriteElsewhere("for nobody")
	e.Say(bob, "thank you")
	e.shows(shop.Ref, "thank you")
	e.platform.CloseThread(shop.Ref)
	e.await("the conversation of the shop to be closed", func() bool { return e.statusOf(bob) == chat.StatusClosed })
	e.Say(bob, "one more thing")
	e.shows(shop.Ref, "one more thing")
	e.platform.Redeliver()
	e.quiet()
	time.Sleep(time.Minute)
	for id, want := range map[string]int{ann: 2, bob: 5} {
		if list := e.Messages(id); len(list) != want {
			e.t.Errorf("%s has %d messages, want %d: %+v", id, len(list), want, list)
		}
	}
	if e.statusOf(ann) != chat.StatusOpen {
		e.t.Error("closing a thread of one channel closed a conversation of the other")
	}
}

// moved moves the site to the common channel: its open thread stays as long as its channel
// is followed, and is continued in a new one when it is not any more.
func (e *fixture) moved(connect Connect, away, bob string, shop Thread) {
	e.t.Helper()
	e.Stop()
	e.begin(connect, func(b chat.Besides) { e.Own, e.Former = nil, []chat.Bridge{e.beside(b, away)} })
	e.Say(bob, "are you there?")
	e.shows(shop.Ref, "are you there?")
	e.platform.Write(shop.Ref, "Ada", "still here", "")
	e.received(bob, "still here")
	carl := e.visitAt("shop", "carl")
	e.Say(carl, "hello, carl here")
	if th := e.thread("hello, carl here"); th.Channel == away || !strings.Contains(th.Title, "Shop") {
		e.t.Errorf("a new conversation stands in %q as %q", th.Channel, th.Title)
	}
	e.quiet()
	e.Stop()
	e.begin(connect, func(chat.Besides) { e.Former = nil })
	e.Say(bob, "and now?")
	if th := e.thread("and now?"); th.Channel == away || th.times("still here") != 1 {
		e.t.Errorf("it goes on in %q, where its words stand %d times\n%s", th.Channel, th.times("still here"), e.dump())
	}
}

// begin starts the engine again, with a bridge beside which others are made.
func (e *fixture) begin(connect Connect, others func(chat.Besides)) {
	e.t.Helper()
	b := connect(e.t)
	others(b.(chat.Besides))
	e.Start(b)
}

func (e *fixture) beside(b chat.Besides, channel string) chat.Bridge {
	e.t.Helper()
	made, err := b.Beside(channel)
	e.must(err)
	e.must(made.(chat.Besides).Tell(context.Background(), "the shop moves in"))
	return made
}

// visitAt opens a session of a site's visitor.
func (h *Harness) visitAt(site, name string) (sessionID string) {
	h.t.Helper()
	v, err := h.Init(h.t.Context(), engine.Visit{VisitorID: name, Site: site, Metadata: chat.Metadata{URL: "https://shop.example/" + name}})
	h.must(err)
	return v.Session.ID
}

func (h *Harness) statusOf(id string) (status chat.Status) {
	h.t.Helper()
	h.must(h.store.ReadOne(h.t.Context(), func(r chat.Reader) error {
		s, err := r.Session(id)
		status = s.Status
		return err
	}))
	return status
}
