package bridgetest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode"

	"github.com/relay-chat/relay/server/chat"
)

// fixture is a harness whose platform the suite looks at, beside another sink that
// only records its events.
type fixture struct {
	*Harness
	platform Platform
	other    *otherSink
	pace     pace
}

// otherSink is another place where operators answer.
type otherSink struct {
	mu     sync.Mutex
	events []string // "type content"
}

func (o *otherSink) Name() string { return "elsewhere" }

func (o *otherSink) Policy() chat.Policy {
	return chat.Policy{Parallel: 4, Batch: 1, Timeout: time.Minute, Attempts: 3, MaxAge: time.Hour, Backoff: chat.Backoff(time.Second, time.Second)}
}

// Deliver implements [chat.Sink].
func (o *otherSink) Deliver(_ context.Context, lane []chat.Delivery) (int, error) {
	m, _ := lane[0].Event.Message()
	o.mu.Lock()
	defer o.mu.Unlock()
	o.events = append(o.events, strings.TrimSpace(string(lane[0].Event.Type)+" "+m.Content))
	return 1, nil
}

// times counts how often an event was delivered.
func (o *otherSink) times(what string) (n int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, event := range o.events {
		if event == what {
			n++
		}
	}
	return n
}

// start makes an engine on an empty store.
func start(t *testing.T, p Platform, b chat.Bridge, at pace, stateless bool) *fixture {
	t.Helper()
	other := &otherSink{}
	return &fixture{Harness: newHarness(t, b, stateless, other), platform: p, other: other, pace: at}
}

// await waits until something holds, and looks less and less often.
func (e *fixture) await(what string, holds func() bool) {
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
func (e *fixture) quiet() {
	e.t.Helper()
	e.await("everything delivered", func() bool { return e.Undelivered() == 0 })
}

// received waits until an operator's message has reached the session.
func (e *fixture) received(sessionID, content string) (m chat.Message) {
	e.t.Helper()
	e.await("the session to have "+content, func() bool {
		list := e.Messages(sessionID)
		i := slices.IndexFunc(list, func(m chat.Message) bool { return m.Content == content })
		if i >= 0 {
			m = list[i]
		}
		return i >= 0
	})
	return m
}

// thread waits for the thread whose messages show a text.
func (e *fixture) thread(text string) (th Thread) {
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
func (e *fixture) now(ref string) Thread {
	for _, th := range e.platform.Threads() {
		if th.Ref == ref {
			return th
		}
	}
	return Thread{}
}

// shows waits until a thread shows a text and returns the message.
func (e *fixture) shows(ref, text string) (m Message) {
	e.t.Helper()
	e.await("thread "+ref+" to show "+text, func() (shown bool) {
		m, shown = e.now(ref).find(text)
		return shown
	})
	return m
}

// hides waits until a thread shows a text no more.
func (e *fixture) hides(ref, text string) {
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
func (e *fixture) dump() string {
	var b strings.Builder
	for _, th := range e.platform.Threads() {
		fmt.Fprintf(&b, "thread %s %q closed %v\n", th.Ref, th.Title, th.Closed)
		for _, m := range th.Messages {
			fmt.Fprintf(&b, "  %s bot %v reply %q %.200q %s %s\n", m.Remote, m.FromBot, m.ReplyTo, m.Text, m.Filename, m.Receipt)
		}
	}
	return b.String()
}
