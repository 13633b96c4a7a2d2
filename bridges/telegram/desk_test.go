package telegram_test

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
	"relay/bridges/mirror"
	"relay/bridges/telegram"
	"relay/bridges/telegram/telegramtest"
	"relay/db"
	"relay/server/chat"
)

// office is a desk at a fake Telegram, with the engine behind it.
type office struct {
	*chat.Relay
	*telegramtest.Platform
	desk  *mirror.Mirror
	store chat.Store
}

// inOffice runs a test in a bubble, where minutes take no time.
func inOffice(t *testing.T, stateless bool, test func(t *testing.T, o *office)) {
	synctest.Test(t, func(t *testing.T) {
		store, err := db.Memory(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		f := telegramtest.NewInBubble(t)
		f.Budget = 20
		b, log := makeBridge(t, f, func(c *telegram.Config) { c.Budget = 0 })
		o := &office{Platform: f, store: store}
		closeOffice := o.openFor(t, b, stateless)
		test(t, o)
		closeOffice()
		if err := store.Close(); err != nil {
			t.Error(err)
		}
		bridgetest.Clean(t, f, log)
	})
}

// openFor serves the desk until the returned function is called.
func (o *office) openFor(t *testing.T, b *telegram.Bridge, stateless bool) (closeOffice func()) {
	log, hub := slog.New(slog.DiscardHandler), chat.NewHub()
	outbox, inbox := chat.NewOutbox(o.store, hub, log), chat.NewInbox(o.store, log)
	targets := func(*chat.Settings) []chat.Target {
		return []chat.Target{{Name: telegram.Name, Kind: chat.TargetBridge}}
	}
	var err error
	o.Relay, err = chat.New(t.Context(), chat.Config{Store: o.store, Hub: hub, Outbox: outbox, Log: log, Targets: targets})
	if err != nil {
		t.Fatal(err)
	}
	o.desk = mirror.New(b, mirror.Options{Store: o.store, Inbox: inbox, Relay: o.Relay, Log: log, Stateless: stateless})
	ctx, cancel := context.WithCancel(context.Background())
	var parts sync.WaitGroup
	for _, part := range []func() error{
		func() error { return outbox.Serve(ctx, o.desk) },
		func() error { return inbox.Serve(ctx, telegram.Name, 4, o.desk.Handle) },
		func() error { return b.Run(ctx, inbox) },
	} {
		parts.Go(func() {
			if err := part(); err != nil {
				t.Error(err)
			}
		})
	}
	return func() {
		cancel()
		parts.Wait()
	}
}

// visit opens a visitor's session.
func (o *office) visit(t *testing.T, visitor string) (sessionID string) {
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

// waiting is how many deliveries wait.
func (o *office) waiting(t *testing.T) (n int) {
	t.Helper()
	err := o.store.Look(t.Context(), func(r chat.Reader) (err error) {
		n, err = r.Waiting(telegram.Name)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
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

// Sessions write while Telegram fails in every way and rests for ten minutes:
// nothing is lost, order is kept, and nothing is there twice but what was
// counted as ambiguous.
func TestStorm(t *testing.T) {
	if testing.Short() {
		t.Skip("a thousand messages take a while under the race detector")
	}
	const visitors, messages = 40, 25
	inOffice(t, false, func(t *testing.T, o *office) {
		o.Storm(bridgetest.Storm{Seed: 7, RateLimited: 0.05, Server: 0.05, AnswerLost: 0.02, RetryAfter: 3 * time.Second})
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
			time.Sleep(20 * time.Second)
		}
		time.Sleep(10 * time.Minute)
		o.Storm(bridgetest.Storm{Seed: 9, RateLimited: 0.05, Server: 0.05, AnswerLost: 0.02, RetryAfter: 3 * time.Second})
		for range 600 {
			if time.Sleep(time.Minute); o.waiting(t) == 0 {
				break
			}
		}
		waiting := o.waiting(t)
		again := 0
		for n := range visitors {
			var first []string
			back := false // in what was there already
			for _, line := range o.lines()[fmt.Sprint(n)] {
				if known := slices.Contains(first, line); known {
					if !back {
						again++
					}
					back = true
					continue
				}
				back, first = false, append(first, line)
			}
			for m := range messages {
				if len(first) != messages || first[m] != fmt.Sprint(m) {
					t.Fatalf("visitor %d: %v", n, first)
				}
			}
		}
		all, limited := o.Sends()
		t.Logf("%d deliveries wait, %d sends, %d over the budget, %d ambiguous, %d messages twice, %d threads", waiting, all, limited, o.desk.Ambiguous(), again, len(o.Threads()))
		if len(o.Threads()) != visitors || limited*100 > all || waiting > 0 || int64(again) > o.desk.Ambiguous() {
			t.Error("see above")
		}
	})
}

// 200 visitors write at once: all of it arrives, and Telegram hardly ever has
// to say no.
func TestCrowd(t *testing.T) {
	if testing.Short() {
		t.Skip("200 sessions take a while under the race detector")
	}
	const visitors = 200
	inOffice(t, false, func(t *testing.T, o *office) {
		begun := time.Now()
		for n := range visitors {
			session := o.visit(t, fmt.Sprint("visitor", n))
			o.say(t, session, fmt.Sprintf("%d.0", n))
			o.say(t, session, fmt.Sprintf("%d.1", n))
		}
		for o.waiting(t) > 0 && time.Since(begun) < 2*time.Hour {
			time.Sleep(time.Minute)
		}
		lines := o.lines()
		for n := range visitors {
			if got := lines[fmt.Sprint(n)]; !slices.Equal(got, []string{"0", "1"}) {
				t.Errorf("visitor %d: %v", n, got)
			}
		}
		all, limited := o.Sends()
		t.Logf("%d sends in %s, %d answered 429", all, time.Since(begun), limited)
		if limited*100 > all {
			t.Errorf("%d of %d sends were answered 429", limited, all)
		}
	})
}

// An album is one message with its files and its caption.
func TestAlbum(t *testing.T) {
	inOffice(t, false, func(t *testing.T, o *office) {
		session := o.visit(t, "ann")
		o.say(t, session, "show me")
		time.Sleep(time.Minute)
		th := o.Threads()[0].Ref
		o.AttachAlbum(th, "Ada", "album-1", "a.jpg", "image/jpeg", []byte("one"), "Here they are")
		o.AttachAlbum(th, "Ada", "album-1", "b.jpg", "image/jpeg", []byte("two"), "")
		o.Write(th, "Ada", "Enough?", "")
		time.Sleep(time.Minute)
		var list []chat.Message
		err := o.store.Look(t.Context(), func(r chat.Reader) (err error) {
			list, err = r.Messages(chat.MessageQuery{SessionID: session, Limit: 10})
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		if len(list) != 3 || list[1].Content != "Here they are" || len(list[1].Attachments.V) != 2 || list[2].Content != "Enough?" {
			t.Errorf("the visitor sees %+v", list)
		}
	})
}

// A closed topic that refuses the bot is opened for what a visitor writes.
func TestClosedTopicRefuses(t *testing.T) {
	inOffice(t, false, func(t *testing.T, o *office) {
		o.Shut()
		session := o.visit(t, "ann")
		o.say(t, session, "hello")
		time.Sleep(time.Minute)
		th := o.Threads()[0]
		o.CloseThread(th.Ref)
		o.say(t, session, "not so fast") // before anybody is told
		time.Sleep(time.Minute)
		o.say(t, session, "still here")
		time.Sleep(time.Minute)
		threads := o.Threads()
		if len(threads) != 1 || threads[0].Closed || !strings.HasSuffix(shown(threads[0]), "still here") || !strings.Contains(shown(threads[0]), "not so fast") {
			t.Errorf("the platform shows %+v", threads)
		}
	})
}
