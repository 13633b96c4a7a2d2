package access

import (
	"context"
	"errors"
	"time"

	"github.com/relay-chat/relay/server/chat"
)

// Ambiguous counts the ops whose outcome was unknown.
func (p *Platform) Ambiguous() int64 { return p.ambiguous.Load() }

// Trouble returns the last failure, nil once an op succeeded again. It is a
// [chat.Misconfigured] when a human has to act.
func (p *Platform) Trouble() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.problem
}

// NoteFailure records a failed delivery. A misconfigured bridge rests, with
// everything that waits for it.
func (p *Platform) Failed(err error) error {
	if IsAmbiguous(err) {
		p.ambiguous.Add(1)
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, chat.ErrPermanent) || errors.Is(err, chat.ErrPassed) {
		return err // it is not the bridge that fails
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if limited := (*chat.RetryAfter)(nil); errors.As(err, &limited) {
		return err
	}
	var before, wrong *chat.Misconfigured
	known := errors.As(p.problem, &before)
	p.problem = err
	p.failures++
	if !errors.As(err, &wrong) {
		return err
	}
	if !known || *before != *wrong {
		p.Log.Error("the bridge is misconfigured", "problem", wrong.Problem, "fix", wrong.Fix)
	}
	p.resting = true
	return &chat.RetryAfter{After: misconfiguredRest, Scope: chat.ScopeSink, Refused: true, Cause: err}
}

// failureCount returns how often something went wrong so far.
func (p *Platform) failureCount() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.failures
}

// noteSuccess records an op that succeeded, unless another one failed meanwhile:
// failures is the count before it.
func (p *Platform) noteSuccess(failures int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.failures != failures {
		return
	}
	if p.resting {
		p.Log.Info("the bridge works again")
	}
	p.problem, p.resting = nil, false
}

// IsAmbiguous reports whether a failed op may have been carried out.
func IsAmbiguous(err error) bool {
	return errors.Is(err, chat.ErrAmbiguous) || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled)
}

// pauseLeft returns for how long the platform wants no calls.
func (p *Platform) pauseLeft() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	return time.Until(p.silentUntil)
}

func (p *Platform) pauseFor(rest time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if until := time.Now().Add(rest); until.After(p.silentUntil) {
		p.silentUntil = until
	}
}
