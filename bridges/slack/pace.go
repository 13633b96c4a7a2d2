package slack

import (
	"errors"
	"sync"
	"time"

	"github.com/relay-chat/relay/bridges/call"
	"github.com/relay-chat/relay/server/chat"
)

// Slack accepts about one message per second in a channel, with short bursts; other
// methods have a limit each, which only the answer 429 shows
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

// pace decides when a method may be called. It never sleeps: a caller that is too
// early learns when to retry.
type pace struct {
	pause time.Duration

	mu      sync.Mutex
	next    time.Time            // when the next message is due at an even rate
	blocked map[string]time.Time // end of a 429's wait, by method
}

func newPace(pause time.Duration) *pace {
	if pause <= 0 {
		pause = usualPause
	}
	return &pace{pause: pause, blocked: map[string]time.Time{}}
}

// posts reports whether a method writes a message.
func posts(method string) bool { return method == methodPost || method == methodUpload }

// spend counts a call, or returns a [chat.RetryAfter].
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

// block makes a method wait for as long as Slack asked.
func (p *pace) block(method string, wait time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if until := time.Now().Add(wait); until.After(p.blocked[method]) {
		p.blocked[method] = until
	}
}

// later is the answer to a caller that is too early: messages wait in all threads,
// other methods only where they are needed.
func later(method string, wait time.Duration) error {
	scope := chat.ScopeLane
	if posts(method) {
		scope = chat.ScopeSink
	}
	return call.Later(wait, scope, errPace)
}
