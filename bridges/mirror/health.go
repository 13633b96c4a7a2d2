package mirror

import (
	"context"
	"errors"
	"time"

	"github.com/relay-chat/relay/server/chat"
)

// Ambiguous counts the ops whose outcome was unknown.
func (m *Mirror) Ambiguous() int64 { return m.ambiguous.Load() }

// Trouble returns the last failure, nil once an op succeeded again. It is a
// [chat.Misconfigured] when a human has to act.
func (m *Mirror) Trouble() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.problem
}

// noteFailure records a failed delivery. A misconfigured bridge rests, with
// everything that waits for it.
func (m *Mirror) noteFailure(err error) error {
	if isAmbiguous(err) {
		m.ambiguous.Add(1)
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, chat.ErrPermanent) || errors.Is(err, chat.ErrPassed) {
		return err // it is not the bridge that fails
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if limited := (*chat.RetryAfter)(nil); errors.As(err, &limited) {
		return err
	}
	var before, wrong *chat.Misconfigured
	known := errors.As(m.problem, &before)
	m.problem = err
	m.failures++
	if !errors.As(err, &wrong) {
		return err
	}
	if !known || *before != *wrong {
		m.log.Error("the bridge is misconfigured", "problem", wrong.Problem, "fix", wrong.Fix)
	}
	m.resting = true
	return &chat.RetryAfter{After: misconfiguredRest, Scope: chat.ScopeSink, Refused: true, Cause: err}
}

// failureCount returns how often something went wrong so far.
func (m *Mirror) failureCount() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.failures
}

// noteSuccess records an op that succeeded, unless another one failed meanwhile:
// failures is the count before it.
func (m *Mirror) noteSuccess(failures int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.failures != failures {
		return
	}
	if m.resting {
		m.log.Info("the bridge works again")
	}
	m.problem, m.resting = nil, false
}

// isAmbiguous reports whether a failed op may have been carried out.
func isAmbiguous(err error) bool {
	return errors.Is(err, chat.ErrAmbiguous) || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled)
}

// pauseLeft returns for how long the platform wants no calls.
func (m *Mirror) pauseLeft() time.Duration {
	m.mu.Lock()
	defer m.mu.Unlock()
	return time.Until(m.silentUntil)
}

func (m *Mirror) pauseFor(rest time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if until := time.Now().Add(rest); until.After(m.silentUntil) {
		m.silentUntil = until
	}
}
