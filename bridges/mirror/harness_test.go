package mirror_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/relay-chat/relay/bridges/mirror"
	"github.com/relay-chat/relay/db"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
	"github.com/relay-chat/relay/server/team"
)

// harness is an engine on an empty database with mirrors of fake platforms.
type harness struct {
	*engine.Engine
	team    *team.Team
	t       *testing.T
	store   chat.Store
	fakes   []*fakeBridge
	mirrors []*mirror.Mirror
	keys    int
	stop    func()
}

var quiet = slog.New(slog.DiscardHandler)

var (
	visitor  = chat.Author{Sender: chat.SenderVisitor, Source: chat.SourceWidget}
	operator = chat.Author{Sender: chat.SenderOperator, Source: chat.SourceAPI}
)

// backendFiles opens the files of a backend: one of them is always away.
func backendFiles(_ context.Context, _ string, a chat.Attachment) (io.ReadCloser, error) {
	if a.Filename == "away.txt" {
		return nil, fmt.Errorf("502")
	}
	return io.NopCloser(strings.NewReader("data of " + a.URL)), nil
}

// withMirrors runs a test in a synctest bubble with an engine and mirrors of these
// platforms: pauses of hours take no time.
func withMirrors(t *testing.T, stateless bool, test func(t *testing.T, o *harness), fakes ...*fakeBridge) {
	synctest.Test(t, func(t *testing.T) {
		store, err := db.Memory(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		o := start(t, store, stateless, fakes...)
		test(t, o)
		o.stop()
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
}

// start makes an engine on a store with mirrors of these platforms.
func start(t *testing.T, store chat.Store, stateless bool, fakes ...*fakeBridge) *harness {
	t.Helper()
	o := &harness{t: t, store: store, fakes: fakes}
	o.Engine = o.newEngine()
	o.team = team.New(store, o.Engine, []string{"telegram", "discord", "slack"}, quiet)
	seal, err := chat.NewFileSeal("secret", "")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range fakes {
		options := mirror.Options{Log: f.log, Stateless: stateless, Seal: seal, Colleague: o.team.People.Colleague, Own: f.own}
		if stateless {
			options.OpenFile = backendFiles
		}
		o.mirrors = append(o.mirrors, mirror.New(o.Engine, f.bridge(), options))
	}
	o.serve()
	return o
}

// newEngine opens an engine on the store.
func (o *harness) newEngine() *engine.Engine {
	o.t.Helper()
	var targets []chat.Target
	for _, f := range o.fakes {
		targets = append(targets, chat.Target{Name: f.name, Kind: chat.TargetBridge})
	}
	e, err := engine.Open(o.t.Context(), engine.Config{Store: o.store, Log: quiet,
		Targets: func(*chat.Settings) []chat.Target { return targets }})
	if err != nil {
		o.t.Fatal(err)
	}
	return e
}

// serve lets the engine work until stop.
func (o *harness) serve() {
	ctx, cancel := context.WithCancel(context.Background())
	var served sync.WaitGroup
	serve := func(part string, run func() error) {
		served.Go(func() {
			if err := run(); err != nil {
				o.t.Errorf("%s: %v", part, err)
			}
		})
	}
	serve("outbox", func() error { return o.Outbox.Serve(ctx, o.Leaver()) })
	serve("outbox", func() error { return o.Outbox.Serve(ctx, o.Unanswered()) })
	for i, m := range o.mirrors {
		serve("outbox", func() error { return o.Outbox.Serve(ctx, m) })
		serve("inbox", func() error { return o.Inbox.Serve(ctx, o.fakes[i].name, 2, m.Handle) })
	}
	o.stop = sync.OnceFunc(func() {
		cancel()
		served.Wait()
	})
	o.t.Cleanup(o.stop)
}

// open makes a session without a token.
func (o *harness) open(t *testing.T, visitor string) string {
	t.Helper()
	v, err := o.Init(t.Context(), engine.Visit{VisitorID: visitor})
	if err != nil {
		t.Fatal(err)
	}
	return v.Session.ID
}

// say sends a message of a visitor, or fails the test.
func (o *harness) say(t *testing.T, sessionID, text string) chat.Message {
	t.Helper()
	m, err := o.Send(t.Context(), visitor, engine.Post{SessionID: sessionID, Content: text})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// greeted opens a session whose visitor said hello, which is shown.
func (o *harness) greeted(t *testing.T) (id string) {
	t.Helper()
	id = o.open(t, "ann")
	o.say(t, id, "hello")
	o.soon()
	return id
}

// receive hands a bridge's update to the inbox.
func (o *harness) receive(f *fakeBridge, list ...chat.Inbound) {
	o.t.Helper()
	for i := range list {
		list[i].Thread.Bridge, list[i].Thread.Channel = f.name, f.Channel()
	}
	raw, err := json.Marshal(list)
	if err != nil {
		o.t.Fatal(err)
	}
	o.keys++
	u := chat.Update{Bridge: f.name, Key: fmt.Sprint("u", o.keys), Thread: list[0].Thread.Ref, Raw: raw}
	if err := o.Inbox.Receive(o.t.Context(), u); err != nil {
		o.t.Fatal(err)
	}
}

// messages are a session's messages as "sender: content".
func (o *harness) messages(sessionID string) (texts []string) {
	o.t.Helper()
	h, err := o.History(o.t.Context(), operator, engine.HistoryQuery{SessionID: sessionID, Limit: 100})
	if err != nil {
		o.t.Fatal(err)
	}
	for _, m := range h.Messages {
		text := string(m.Sender) + ": " + m.Content
		if m.DeletedAt != 0 {
			text += "(deleted)"
		}
		texts = append(texts, text)
	}
	return texts
}
