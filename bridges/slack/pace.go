package slack

import (
	"errors"
	"sync"
	"time"

	"relay/server/chat"
)

// Slack takes about one message a second in a channel, with short bursts; other
// methods have a limit each, which only the answer 429 tells
// (https://docs.slack.dev/apis/web-api/rate-limits).
const (
	usualPause = time.Second
	burst      = 5
)

// Methods that write a message in the channel share its pace.
const (
	methodPost   = "chat.postMessage"
	methodUpload = "files.completeUploadExternal"
)

var errPace = errors.New("a channel takes one message a second")

// pace says when a method may be called. It never sleeps: who comes too early
// is told when to come again.
type pace struct {
	pause time.Duration

	mu      sync.Mutex
	next    time.Time            // when the next message is due in an even flow
	blocked map[string]time.Time // by method: Slack said 429
}

func newPace(pause time.Duration) *pace {
	if pause <= 0 {
		pause = usualPause
	}
	return &pace{pause: pause, blocked: map[string]time.Time{}}
}

// posts reports whether a method writes a message.
func posts(method string) bool { return method == methodPost || method == methodUpload }

// spend lets a call pass, or says by a [chat.RetryAfter] when it may.
func (p *pace) spend(method string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	if wait := p.blocked[method].Sub(now); wait > 0 {
		return later(method, wait)
	}
	if !posts(method) {
		return nil
	}
	due := p.next
	if due.Before(now) {
		due = now
	}
	if early := due.Sub(now) - burst*p.pause; early > 0 {
		return later(method, early)
	}
	p.next = due.Add(p.pause)
	return nil
}

// block keeps a method quiet: Slack asked for it.
func (p *pace) block(method string, wait time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if until := time.Now().Add(wait); until.After(p.blocked[method]) {
		p.blocked[method] = until
	}
}

// later is the answer to who comes too early: messages wait in all threads,
// other methods only where they were needed. Due times are whole milliseconds:
// less would be no pause.
func later(method string, wait time.Duration) error {
	scope := chat.ScopeLane
	if posts(method) {
		scope = chat.ScopeSink
	}
	return &chat.RetryAfter{After: wait.Truncate(time.Millisecond) + time.Millisecond, Scope: scope, Cause: errPace}
}
