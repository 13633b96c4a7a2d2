package access

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/relay-chat/relay/server/chat"
)

// Ambiguous counts the ops whose outcome was unknown.
func (p *Platform) Ambiguous() int64 { return p.ambiguous.Load() }

// Trouble returns the last failure in the common channel, nil once an op succeeded there
// again. It is a [chat.Misconfigured] when a human has to act.
func (p *Platform) Trouble() error { return p.common().trouble() }

// TroubleAt is the last failure in a channel.
func (p *Platform) TroubleAt(id string) error {
	if c := p.at(id); c != nil {
		return c.trouble()
	}
	return nil
}

func (c *channel) trouble() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.problem
}

// Failed records a failed delivery in a channel. What waits for a misconfigured one rests,
// and what waits for another does not.
func (p *Platform) Failed(id string, err error) error {
	if IsAmbiguous(err) {
		p.ambiguous.Add(1)
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, chat.ErrPermanent) || errors.Is(err, chat.ErrPassed) {
		return err // it is not the bridge that fails
	}
	if limited := (*chat.RetryAfter)(nil); errors.As(err, &limited) {
		if p.several() && limited.Scope == chat.ScopeSink {
			return &chat.RetryAfter{After: limited.After, Scope: chat.ScopeLane, Refused: limited.Refused, Cause: limited.Cause}
		}
		return err
	}
	c := p.at(id)
	if c == nil || !c.fail(p.Log, err) {
		return err
	}
	scope := chat.ScopeSink
	if p.several() {
		scope = chat.ScopeLane
	}
	return &chat.RetryAfter{After: misconfiguredRest, Scope: scope, Refused: true, Cause: err}
}

// fail notes a failure, and reports whether a human has to act.
func (c *channel) fail(log *slog.Logger, err error) (human bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var before, wrong *chat.Misconfigured
	known := errors.As(c.problem, &before)
	c.problem = err
	c.failures++
	if !errors.As(err, &wrong) {
		return false
	}
	if !known || *before != *wrong {
		log.Error("the bridge is misconfigured", "channel", c.id, "problem", wrong.Problem, "fix", wrong.Fix)
	}
	c.resting = true
	return true
}

// failureCount returns how often something went wrong so far.
func (c *channel) failureCount() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.failures
}

// noteSuccess records an op that succeeded, unless another one failed meanwhile:
// failures is the count before it.
func (c *channel) noteSuccess(log *slog.Logger, failures int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.failures != failures {
		return
	}
	if c.resting {
		log.Info("the bridge works again", "channel", c.id)
	}
	c.problem, c.resting = nil, false
}

// IsAmbiguous reports whether a failed op may have been carried out.
func IsAmbiguous(err error) bool {
	return errors.Is(err, chat.ErrAmbiguous) || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled)
}

// pauseLeft returns for how long the platform wants no calls.
func (c *channel) pauseLeft() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Until(c.silentUntil)
}

func (c *channel) pauseFor(rest time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if until := time.Now().Add(rest); until.After(c.silentUntil) {
		c.silentUntil = until
	}
}
