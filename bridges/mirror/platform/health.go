package platform

import (
	"context"
	"errors"
	"time"

	"github.com/relay-chat/relay/server/chat"
)

// Ambiguous counts the ops whose outcome was unknown.
func (c *Client) Ambiguous() int64 { return c.ambiguous.Load() }

// Trouble returns the last failure, nil once an op succeeded again. It is a
// [chat.Misconfigured] when a human has to act.
func (c *Client) Trouble() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.problem
}

// NoteFailure records a failed delivery. A misconfigured bridge rests, with
// everything that waits for it.
func (c *Client) Failed(err error) error {
	if IsAmbiguous(err) {
		c.ambiguous.Add(1)
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, chat.ErrPermanent) || errors.Is(err, chat.ErrPassed) {
		return err // it is not the bridge that fails
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if limited := (*chat.RetryAfter)(nil); errors.As(err, &limited) {
		return err
	}
	var before, wrong *chat.Misconfigured
	known := errors.As(c.problem, &before)
	c.problem = err
	c.failures++
	if !errors.As(err, &wrong) {
		return err
	}
	if !known || *before != *wrong {
		c.Log.Error("the bridge is misconfigured", "problem", wrong.Problem, "fix", wrong.Fix)
	}
	c.resting = true
	return &chat.RetryAfter{After: misconfiguredRest, Scope: chat.ScopeSink, Refused: true, Cause: err}
}

// failureCount returns how often something went wrong so far.
func (c *Client) failureCount() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.failures
}

// noteSuccess records an op that succeeded, unless another one failed meanwhile:
// failures is the count before it.
func (c *Client) noteSuccess(failures int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.failures != failures {
		return
	}
	if c.resting {
		c.Log.Info("the bridge works again")
	}
	c.problem, c.resting = nil, false
}

// IsAmbiguous reports whether a failed op may have been carried out.
func IsAmbiguous(err error) bool {
	return errors.Is(err, chat.ErrAmbiguous) || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled)
}

// pauseLeft returns for how long the platform wants no calls.
func (c *Client) pauseLeft() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Until(c.silentUntil)
}

func (c *Client) pauseFor(rest time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if until := time.Now().Add(rest); until.After(c.silentUntil) {
		c.silentUntil = until
	}
}
