package discord_test

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"relay/bridges/bridgetest"
	"relay/bridges/discord"
	"relay/bridges/discord/discordtest"
	"relay/bridges/mirror"
	"relay/db"
	"relay/server/chat"
)

// office is a desk at a fake Discord, with the engine behind it.
type office struct {
	*chat.Relay
	*discordtest.Platform
	desk  *mirror.Mirror
	store chat.Store
	log   *bridgetest.Log
	close func()
}

// inOffice runs a test in a bubble, where minutes take no time, in a text
// channel and in a forum.
func inOffice(t *testing.T, test func(t *testing.T, o *office)) {
	for name, forum := range map[string]bool{"text channel": false, "forum": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				store, err := db.Memory(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				f := discordtest.NewInBubble(t)
				f.PerChannel, f.Forum = 5, forum
				o := &office{Platform: f, store: store}
				o.open(t)
				test(t, o)
				o.close()
				if err := store.Close(); err != nil {
					t.Error(err)
				}
				bridgetest.Clean(t, f, o.log)
			})
		})
	}
}

// open serves the desk with a new bridge, as a start of relay does, until close.
func (o *office) open(t *testing.T) {
	b, testlog := makeBridge(t, o.Platform)
	o.log = testlog
	log, hub := slog.New(slog.DiscardHandler), chat.NewHub()
	outbox, inbox := chat.NewOutbox(o.store, hub, log), chat.NewInbox(o.store, log)
	targets := func(*chat.Settings) []chat.Target {
		return []chat.Target{{Name: discord.Name, Kind: chat.TargetBridge}}
	}
	var err error
	o.Relay, err = chat.New(t.Context(), chat.Config{Store: o.store, Hub: hub, Outbox: outbox, Log: log, Targets: targets})
	if err != nil {
		t.Fatal(err)
	}
	o.desk = mirror.New(b, mirror.Options{Store: o.store, Inbox: inbox, Relay: o.Relay, Log: log})
	ctx, cancel := context.WithCancel(context.Background())
	var parts sync.WaitGroup
	for _, part := range []func() error{
		func() error { return outbox.Serve(ctx, o.desk) },
		func() error { return inbox.Serve(ctx, discord.Name, 4, o.desk.Handle) },
		func() error { return b.Run(ctx, inbox) },
	} {
		parts.Go(func() {
			if err := part(); err != nil && ctx.Err() == nil {
				t.Error(err)
			}
		})
	}
	o.close = sync.OnceFunc(func() {
		cancel()
		parts.Wait()
	})
}

// visit opens a visitor's session.
func (o *office) visit(t *testing.T, visitor string) (sessionID string) {
	t.Helper()
	v, err := o.Init(t.Context(), chat.Visit{VisitorID: visitor})
	if err != nil {
		t.Fatal(err)
	}
	return v.Session.ID
}

// say lets the visitor of a session write.
func (o *office) say(t *testing.T, sessionID, text string) {
	t.Helper()
	if _, err := o.Send(t.Context(), chat.Author{Sender: chat.SenderVisitor, Source: chat.SourceWidget}, chat.Post{SessionID: sessionID, Content: text}); err != nil {
		t.Fatal(err)
	}
}

// settle waits until nothing waits to be delivered.
func (o *office) settle(t *testing.T) {
	t.Helper()
	for range 600 {
		n := 0
		err := o.store.Look(t.Context(), func(r chat.Reader) (err error) {
			n, err = r.Waiting(discord.Name)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		if n == 0 {
			return
		}
		time.Sleep(time.Minute)
	}
	t.Fatal("something still waits after ten hours")
}

// lines are what visitors wrote, as the threads show it: "n.m" of visitor n.
func (o *office) lines() map[string][]string {
	lines := map[string][]string{}
	for _, th := range o.Threads() {
		for _, m := range th.Messages {
			for line := range strings.Lines(m.Text) {
				if visitor, number, ok := strings.Cut(strings.TrimSpace(line), "."); ok && strings.Trim(visitor+number, "0123456789") == "" {
					lines[visitor] = append(lines[visitor], number)
				}
			}
		}
	}
	return lines
}

// complete checks that every visitor's lines are there once and in order, in
// one thread each, and that no first message has no thread.
func (o *office) complete(t *testing.T, visitors, messages int) {
	t.Helper()
	var want []string
	for m := range messages {
		want = append(want, fmt.Sprint(m))
	}
	lines := o.lines()
	for n := range visitors {
		if got := lines[fmt.Sprint(n)]; !slices.Equal(got, want) {
			t.Errorf("visitor %d: %v", n, got)
		}
	}
	if len(o.Threads()) != visitors || o.Strays() != 0 {
		t.Errorf("%d threads of %d visitors, %d first messages without one", len(o.Threads()), visitors, o.Strays())
	}
}

func storms(seed int64) bridgetest.Storm {
	return bridgetest.Storm{Seed: seed, RateLimited: 0.05, Server: 0.05, AnswerLost: 0.05, RetryAfter: 3 * time.Second}
}

// Sessions write while Discord fails in every way and is away for ten minutes,
// longer than it remembers nonces: nothing is lost, order is kept, and nothing
// is there twice.
func TestStorm(t *testing.T) {
	if testing.Short() {
		t.Skip("a thousand messages take a while under the race detector")
	}
	const visitors, messages = 40, 25
	inOffice(t, func(t *testing.T, o *office) {
		o.Storm(storms(7))
		sessions := make([]string, visitors)
		for n := range sessions {
			sessions[n] = o.visit(t, fmt.Sprint("visitor", n))
		}
		for m := range messages {
			if m == messages/2 {
				o.Storm(bridgetest.Storm{Seed: 8, All: 1})
			}
			for n, session := range sessions {
				o.say(t, session, fmt.Sprintf("%d.%d", n, m))
			}
			time.Sleep(3 * time.Second)
		}
		time.Sleep(10 * time.Minute)
		o.Storm(storms(9))
		o.settle(t)
		t.Logf("%d requests, %d ambiguous", len(o.Requests("")), o.desk.Ambiguous())
		if o.desk.Ambiguous() == 0 {
			t.Error("nothing was in doubt: the storm proves nothing")
		}
		o.complete(t, visitors, messages)
	})
}

// An answer that is lost just before Discord is away for long: what was written
// is found, not written again. Twice the same words are no double.
func TestForgottenNonce(t *testing.T) {
	inOffice(t, func(t *testing.T, o *office) {
		session := o.visit(t, "ann")
		o.say(t, session, "0.0")
		o.settle(t)
		for range 2 {
			o.Fail(1, bridgetest.FaultAnswerLost)
			o.say(t, session, "ok")
			time.Sleep(50 * time.Millisecond)
			o.Storm(bridgetest.Storm{Seed: 1, All: 1})
			time.Sleep(20 * time.Minute)
			o.Storm(bridgetest.Storm{})
			o.settle(t)
		}
		n := 0
		for _, m := range o.Threads()[0].Messages {
			if strings.HasPrefix(m.Text, "ok") {
				n++
			}
		}
		if n != 2 || o.desk.Ambiguous() < 2 {
			t.Errorf("it is shown %d times; %d ambiguous", n, o.desk.Ambiguous())
		}
	})
}

// The opening of a thread whose answer is lost, also for longer than nonces
// live.
func TestOpeningInDoubt(t *testing.T) {
	for name, away := range map[string]time.Duration{"short": time.Second, "long": 20 * time.Minute} {
		t.Run(name, func(t *testing.T) {
			inOffice(t, func(t *testing.T, o *office) {
				o.Fail(1, bridgetest.FaultAnswerLost)
				o.say(t, o.visit(t, "ann"), "0.0")
				time.Sleep(50 * time.Millisecond)
				o.Storm(bridgetest.Storm{Seed: 1, All: 1})
				time.Sleep(away)
				o.Storm(bridgetest.Storm{})
				o.say(t, o.visit(t, "ben"), "1.0")
				o.settle(t)
				o.complete(t, 2, 1)
			})
		})
	}
}

// relay is killed and started again, twenty times in a storm: nothing is lost
// and nothing is there twice.
func TestKilled(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes a while under the race detector")
	}
	const visitors, messages = 10, 40
	inOffice(t, func(t *testing.T, o *office) {
		o.Storm(storms(3))
		sessions := make([]string, visitors)
		for n := range sessions {
			sessions[n] = o.visit(t, fmt.Sprint("visitor", n))
		}
		for m := range messages {
			for n, session := range sessions {
				o.say(t, session, fmt.Sprintf("%d.%d", n, m))
			}
			time.Sleep(700 * time.Millisecond)
			if m%2 == 1 {
				o.close()
				o.open(t)
			}
		}
		o.settle(t)
		o.complete(t, visitors, messages)
	})
}
