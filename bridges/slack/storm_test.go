package slack_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"relay/bridges/bridgetest"
	"relay/bridges/mirror"
	"relay/bridges/slack"
	"relay/bridges/slack/slacktest"
	"relay/db"
	"relay/server/chat"
)

// office is a desk at a fake workspace, with the engine behind it.
type office struct {
	*chat.Relay
	*slacktest.Platform
	desk  *mirror.Mirror
	store chat.Store
}

// inOffice runs a test in a bubble, where minutes take no time.
func inOffice(t *testing.T, test func(t *testing.T, o *office)) {
	inOfficeWith(t, func(*slack.Config) {}, test)
}

func inOfficeWith(t *testing.T, change func(*slack.Config), test func(t *testing.T, o *office)) {
	synctest.Test(t, func(t *testing.T) {
		store, err := db.Memory(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		f := slacktest.NewInBubble(t)
		f.Paced = true
		b, log := makeBridge(t, f, func(c *slack.Config) { c.Pause = 0 }, change)
		o := &office{Platform: f, store: store}
		closeOffice := o.openFor(t, b)
		test(t, o)
		closeOffice()
		if err := store.Close(); err != nil {
			t.Error(err)
		}
		bridgetest.Clean(t, f, log)
	})
}

// openFor serves the desk until the returned function is called.
func (o *office) openFor(t *testing.T, b *slack.Bridge) (closeOffice func()) {
	log, hub := slog.New(slog.DiscardHandler), chat.NewHub()
	outbox, inbox := chat.NewOutbox(o.store, hub, log), chat.NewInbox(o.store, log)
	targets := func(*chat.Settings) []chat.Target {
		return []chat.Target{{Name: slack.Name, Kind: chat.TargetBridge}}
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
		func() error { return inbox.Serve(ctx, slack.Name, 4, o.desk.Handle) },
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

var visitor = chat.Author{Sender: chat.SenderVisitor, Source: chat.SourceWidget}

// visit opens a visitor's session.
func (o *office) visit(t *testing.T, name string) (sessionID string) {
	t.Helper()
	v, err := o.Init(t.Context(), chat.Visit{VisitorID: name})
	if err != nil {
		t.Fatal(err)
	}
	return v.Session.ID
}

// say lets the visitor of a session write, sometimes with a file.
func (o *office) say(t *testing.T, sessionID, text string, file bool) {
	t.Helper()
	post := chat.Post{SessionID: sessionID, Content: text}
	if file {
		a, err := o.Upload(t.Context(), visitor, sessionID, "note.txt", strings.NewReader("of "+text))
		if err != nil {
			t.Fatal(err)
		}
		post.AttachmentIDs = []string{a.ID}
	}
	if _, err := o.Send(t.Context(), visitor, post); err != nil {
		t.Fatal(err)
	}
}

// waiting is how many deliveries wait.
func (o *office) waiting(t *testing.T) (n int) {
	t.Helper()
	err := o.store.Look(t.Context(), func(r chat.Reader) (err error) {
		n, err = r.Waiting(slack.Name)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// settle waits until all is delivered.
func (o *office) settle(t *testing.T) {
	t.Helper()
	for range 600 {
		if time.Sleep(time.Minute); o.waiting(t) == 0 {
			return
		}
	}
	t.Fatalf("%d deliveries wait", o.waiting(t))
}

// heard are what operators said in a session.
func (o *office) heard(t *testing.T, sessionID string) (list []string) {
	t.Helper()
	err := o.store.Look(t.Context(), func(r chat.Reader) error {
		messages, err := r.Messages(chat.MessageQuery{SessionID: sessionID, Limit: 1000})
		list = nil
		for _, m := range messages {
			if m.Sender == chat.SenderOperator {
				list = append(list, m.Content)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// Sessions write and send files while Slack fails in every way and is away for
// ten minutes: nothing is lost, order is kept, and nothing is there twice,
// because what is in doubt is looked for.
func TestStorm(t *testing.T) {
	if testing.Short() {
		t.Skip("a thousand messages take a while under the race detector")
	}
	const visitors, messages = 40, 25
	inOffice(t, func(t *testing.T, o *office) {
		o.Storm(bridgetest.Storm{Seed: 7, RateLimited: 0.05, Server: 0.05, AnswerLost: 0.05, RetryAfter: 3 * time.Second})
		sessions := make([]string, visitors)
		for n := range sessions {
			sessions[n] = o.visit(t, fmt.Sprint("visitor", n))
		}
		for m := range messages {
			if m == messages/2 {
				o.Storm(bridgetest.Storm{Seed: 8, All: 1})
			}
			for n, session := range sessions {
				o.say(t, session, fmt.Sprintf("<%d.%d>", n, m), m%10 == 3)
			}
			time.Sleep(20 * time.Second)
		}
		time.Sleep(10 * time.Minute)
		o.Storm(bridgetest.Storm{Seed: 9, RateLimited: 0.05, Server: 0.05, AnswerLost: 0.05, RetryAfter: 3 * time.Second})
		o.settle(t)
		if n := len(o.Threads()); n != visitors || o.desk.Ambiguous() == 0 {
			t.Errorf("%d threads, %d ambiguous sends", n, o.desk.Ambiguous())
		}
		for _, th := range o.Threads() {
			var all strings.Builder
			files := 0
			for _, m := range th.Messages {
				all.WriteString(m.Text + "\n")
				if m.Filename == "note.txt" {
					files++
				}
			}
			_, rest, _ := strings.Cut(all.String(), "<")
			visitor, _, _ := strings.Cut(rest, ".")
			for m := range messages {
				word := fmt.Sprintf("<%s.%d>", visitor, m)
				if n := strings.Count(all.String(), word); n != 1 {
					t.Errorf("%s is there %d times", word, n)
				}
				if m > 0 && strings.Index(all.String(), word) < strings.Index(all.String(), fmt.Sprintf("<%s.%d>", visitor, m-1)) {
					t.Errorf("%s comes too early", word)
				}
			}
			if files != 3 {
				t.Errorf("visitor %s sent 3 files, %d are there", visitor, files)
			}
		}
		t.Logf("%d ambiguous sends, %d calls, %d of them were too early", o.desk.Ambiguous(), len(o.Requests("")), o.Limited())
	})
}

// 200 visitors write at once: all of it arrives, and Slack hardly ever has to
// say no.
func TestCrowd(t *testing.T) {
	if testing.Short() {
		t.Skip("200 sessions take a while under the race detector")
	}
	const visitors = 200
	inOffice(t, func(t *testing.T, o *office) {
		begun := time.Now()
		for n := range visitors {
			session := o.visit(t, fmt.Sprint("visitor", n))
			o.say(t, session, fmt.Sprintf("<%d.0>", n), false)
			o.say(t, session, fmt.Sprintf("<%d.1>", n), false)
		}
		o.settle(t)
		for _, th := range o.Threads() {
			if n := strings.Count(jsonOf(th.Messages), `.0\u003e`); n != 1 {
				t.Errorf("%s has %d first messages", th.Ref, n)
			}
		}
		t.Logf("400 messages of 200 visitors took %s, %d of %d calls were too early", time.Since(begun), o.Limited(), len(o.Requests("")))
		if len(o.Threads()) != visitors || o.Limited() > 0 {
			t.Errorf("%d threads, %d messages came too early", len(o.Threads()), o.Limited())
		}
	})
}

// What a human has to mend is told with its fix, nothing is lost meanwhile, and
// once it is mended everything arrives.
func TestMended(t *testing.T) {
	for name, c := range map[string]struct {
		breaks, mends func(f *slacktest.Platform)
		fix           string
	}{
		"archived":      {func(f *slacktest.Platform) { f.Archive(true) }, func(f *slacktest.Platform) { f.Archive(false) }, "unarchive"},
		"not invited":   {(*slacktest.Platform).Leave, (*slacktest.Platform).Invite, "/invite"},
		"revoked":       {(*slacktest.Platform).Revoke, (*slacktest.Platform).Restore, "xoxb-"},
		"missing scope": {func(f *slacktest.Platform) { f.Grant("channels:history") }, func(f *slacktest.Platform) { f.Grant(slacktest.SeedScopes...) }, "install the app anew"},
	} {
		t.Run(name, func(t *testing.T) {
			inOffice(t, func(t *testing.T, o *office) {
				o.Grant(slacktest.SeedScopes...)
				time.Sleep(time.Hour) // the bridge may have asked before
				session := o.visit(t, "ann")
				o.say(t, session, "before", false)
				o.settle(t)
				th := o.Threads()[0].Ref
				time.Sleep(time.Hour)
				c.breaks(o.Platform)
				o.say(t, session, "meanwhile", false)
				time.Sleep(time.Hour)
				var wrong *chat.Misconfigured
				if err := o.desk.Trouble(); !errors.As(err, &wrong) || !strings.Contains(wrong.Fix, c.fix) || o.waiting(t) != 1 {
					t.Errorf("the trouble is %v, %d wait", err, o.waiting(t))
				}
				c.mends(o.Platform)
				o.settle(t)
				if got := shown(o.Platform, th); strings.Count(got, "meanwhile") != 1 || len(o.Threads()) != 1 || o.desk.Trouble() != nil {
					t.Errorf("the thread shows %q, the trouble is %v", got, o.desk.Trouble())
				}
			})
		})
	}
}
