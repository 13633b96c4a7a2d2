package bridgetest

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode"

	"relay/bridges/mirror"
	"relay/db"
	"relay/server/chat"
)

// engine is a real engine over a bridge: store, door, outbox, inbox, desk, and
// another desk that only notes what it is told.
type engine struct {
	*chat.Relay
	t        *testing.T
	platform Platform
	bridge   chat.Bridge
	store    *db.DB
	outbox   *chat.Outbox
	inbox    *chat.Inbox
	desk     *mirror.Mirror
	other    *otherDesk
	pace     pace
	stop     func()
}

// otherDesk is an operators' desk elsewhere.
type otherDesk struct {
	mu   sync.Mutex
	told []string // "type content"
}

func (o *otherDesk) Name() string { return "elsewhere" }

func (o *otherDesk) Policy() chat.Policy {
	return chat.Policy{Parallel: 4, Batch: 1, Timeout: time.Minute, Attempts: 3, MaxAge: time.Hour, Backoff: chat.Backoff(time.Second, time.Second)}
}

// Deliver implements [chat.Sink].
func (o *otherDesk) Deliver(_ context.Context, lane []chat.Delivery) (int, error) {
	m, _ := lane[0].Event.Message()
	o.mu.Lock()
	defer o.mu.Unlock()
	o.told = append(o.told, strings.TrimSpace(string(lane[0].Event.Type)+" "+m.Content))
	return 1, nil
}

// times counts how often it was told something.
func (o *otherDesk) times(what string) (n int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, told := range o.told {
		if told == what {
			n++
		}
	}
	return n
}

// start makes an engine on an empty store and lets it work until the end of the
// test, or until stop.
func start(t *testing.T, p Platform, b chat.Bridge, at pace, stateless bool) *engine {
	t.Helper()
	store, err := db.Memory(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	e := &engine{t: t, platform: p, bridge: b, store: store, other: &otherDesk{}, pace: at}
	log, hub := slog.New(slog.DiscardHandler), chat.NewHub()
	e.outbox, e.inbox = chat.NewOutbox(store, hub, log), chat.NewInbox(store, log)
	targets := []chat.Target{{Name: b.Name(), Kind: chat.TargetBridge}, {Name: e.other.Name(), Kind: chat.TargetBridge}}
	e.Relay, err = chat.New(t.Context(), chat.Config{Store: store, Hub: hub, Outbox: e.outbox, Log: log, BackendSessions: stateless,
		Targets: func(*chat.Settings) []chat.Target { return targets }})
	if err != nil {
		t.Fatal(err)
	}
	e.desk = e.newDesk(b, stateless)
	e.serve()
	return e
}

func (e *engine) newDesk(b chat.Bridge, stateless bool) *mirror.Mirror {
	e.t.Helper()
	seal, err := chat.NewFileSeal("a secret", "")
	if err != nil {
		e.t.Fatal(err)
	}
	return mirror.New(b, mirror.Options{Store: e.store, Inbox: e.inbox, Relay: e.Relay, Log: slog.New(slog.DiscardHandler), Stateless: stateless, Seal: seal})
}

// serve lets the engine work until stop.
func (e *engine) serve() {
	ctx, cancel := context.WithCancel(context.Background())
	var working sync.WaitGroup
	for _, part := range []func(context.Context) error{
		func(ctx context.Context) error { return e.outbox.Serve(ctx, e.desk) },
		func(ctx context.Context) error { return e.outbox.Serve(ctx, e.other) },
		func(ctx context.Context) error { return e.inbox.Serve(ctx, e.bridge.Name(), 4, e.desk.Handle) },
	} {
		working.Go(func() {
			if err := part(ctx); err != nil && ctx.Err() == nil {
				e.t.Errorf("the engine: %v", err)
			}
		})
	}
	working.Go(func() { e.receive(ctx) })
	e.stop = sync.OnceFunc(func() {
		time.Sleep(time.Millisecond) // discordgo holds a lock for a second when a connection ends as it begins
		cancel()
		working.Wait()
	})
	e.t.Cleanup(e.stop)
}

// receive runs the bridge's reception, again when it ends in a failure.
func (e *engine) receive(ctx context.Context) {
	for ctx.Err() == nil && e.bridge.Run(ctx, e.inbox) != nil {
		select {
		case <-ctx.Done():
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// again stops and starts the engine, as new settings do.
func (e *engine) again() {
	e.t.Helper()
	e.stop()
	if err := e.outbox.Hasten(e.t.Context(), e.bridge.Name()); err != nil {
		e.t.Fatal(err)
	}
	e.serve()
}

var visitor = chat.Author{Sender: chat.SenderVisitor, Source: chat.SourceWidget}

// open makes a visitor's session.
func (e *engine) open(name string) string {
	e.t.Helper()
	v, err := e.Init(e.t.Context(), chat.Visit{VisitorID: name, Metadata: chat.Metadata{URL: "https://shop.example/" + name}})
	if err != nil {
		e.t.Fatal(err)
	}
	return v.Session.ID
}

// say sends a visitor's message.
func (e *engine) say(sessionID, text string) chat.Message {
	e.t.Helper()
	return e.post(chat.Post{SessionID: sessionID, Content: text})
}

func (e *engine) post(p chat.Post) chat.Message {
	e.t.Helper()
	m, err := e.Send(e.t.Context(), visitor, p)
	if err != nil {
		e.t.Fatal(err)
	}
	return m
}

func (e *engine) must(err error) {
	e.t.Helper()
	if err != nil {
		e.t.Fatal(err)
	}
}

// await waits until something holds, and looks less and less often.
func (e *engine) await(what string, holds func() bool) {
	e.t.Helper()
	pause := e.pace.look
	for end := time.Now().Add(e.pace.patience); !holds(); time.Sleep(pause) {
		if time.Now().After(end) {
			e.t.Fatalf("waited for long: %s\nthe platform shows\n%s", what, e.dump())
		}
		pause = min(pause*3/2, e.pace.patience/600)
	}
}

// quiet waits until nothing waits to be delivered.
func (e *engine) quiet() {
	e.t.Helper()
	e.await("everything delivered", func() bool { return e.waiting() == 0 })
}

func (e *engine) waiting() (n int) {
	e.t.Helper()
	e.must(e.store.Look(e.t.Context(), func(r chat.Reader) error {
		for _, dest := range []string{e.bridge.Name(), e.other.Name()} {
			w, err := r.Waiting(dest)
			if n += w; err != nil {
				return err
			}
		}
		return nil
	}))
	return n
}

// messages are a session's, oldest first.
func (e *engine) messages(sessionID string) (list []chat.Message) {
	e.t.Helper()
	e.must(e.store.Look(e.t.Context(), func(r chat.Reader) (err error) {
		list, err = r.Messages(chat.MessageQuery{SessionID: sessionID, Limit: 1000})
		return err
	}))
	return list
}

// heard waits until an operator's message has reached the session.
func (e *engine) heard(sessionID, content string) (m chat.Message) {
	e.t.Helper()
	e.await("the session to have "+content, func() bool {
		list := e.messages(sessionID)
		i := slices.IndexFunc(list, func(m chat.Message) bool { return m.Content == content })
		if i >= 0 {
			m = list[i]
		}
		return i >= 0
	})
	return m
}

// thread waits for the thread whose messages show a text.
func (e *engine) thread(text string) (th Thread) {
	e.t.Helper()
	e.await("a thread with "+text, func() bool {
		for _, th = range e.platform.Threads() {
			if _, shown := th.find(text); shown {
				return true
			}
		}
		return false
	})
	return th
}

// now is the thread as it is now.
func (e *engine) now(ref string) Thread {
	for _, th := range e.platform.Threads() {
		if th.Ref == ref {
			return th
		}
	}
	return Thread{}
}

// shows waits until a thread shows a text and returns the message.
func (e *engine) shows(ref, text string) (m Message) {
	e.t.Helper()
	e.await("thread "+ref+" to show "+text, func() (shown bool) {
		m, shown = e.now(ref).find(text)
		return shown
	})
	return m
}

// hides waits until a thread shows a text no more.
func (e *engine) hides(ref, text string) {
	e.t.Helper()
	e.await("thread "+ref+" not to show "+text, func() bool {
		_, shown := e.now(ref).find(text)
		return !shown
	})
}

// find finds the newest message that shows a text.
func (th Thread) find(text string) (Message, bool) {
	for _, m := range slices.Backward(th.Messages) {
		if strings.Contains(plain(m.Text), plain(text)) {
			return m, true
		}
	}
	return Message{}, false
}

// times counts the messages that show a text.
func (th Thread) times(text string) (n int) {
	for _, m := range th.Messages {
		n += strings.Count(plain(m.Text), plain(text))
	}
	return n
}

// plain is a text without the invisible characters by which bridges keep it
// from meaning anything to the platform.
func plain(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) {
			return -1
		}
		return r
	}, text)
}

// dump is what operators see.
func (e *engine) dump() string {
	var b strings.Builder
	for _, th := range e.platform.Threads() {
		fmt.Fprintf(&b, "thread %s %q closed %v\n", th.Ref, th.Title, th.Closed)
		for _, m := range th.Messages {
			fmt.Fprintf(&b, "  %s bot %v reply %q %.200q %s %s\n", m.Remote, m.FromBot, m.ReplyTo, m.Text, m.Filename, m.Receipt)
		}
	}
	return b.String()
}
