package ai

import (
	"errors"
	"log/slog"
	"sync"

	"github.com/relay-chat/relay/server/chat"
)

// Health is how the endpoint is doing. It reports an outage once, not with every
// message.
type Health struct {
	log *slog.Logger

	mu    sync.Mutex
	since chat.Time // when it began to fail, 0 while it works
	last  Failure
	spent bool
}

// NewHealth makes the health of an endpoint of which nothing is known.
func NewHealth(log *slog.Logger) *Health { return &Health{log: log} }

// note notes how a call ended.
func (h *Health) note(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	var f *Failure
	if errors.As(err, &f) && f.Works {
		err = nil
	}
	switch {
	case err == nil && h.since != 0:
		h.log.Info("the AI's endpoint works again", "after", chat.Now().Sub(h.since))
		h.since, h.last = 0, Failure{}
	case err != nil && errors.As(err, &f):
		if h.since == 0 || h.last.Problem != f.Problem && f.Final {
			h.log.Warn("the AI's endpoint fails; visitors who wait for it are handed to operators", "err", f.Problem, "fix", f.Fix)
		}
		if h.since == 0 {
			h.since = chat.Now()
		}
		h.last = *f
	}
}

// budget notes whether the day's tokens are used up.
func (h *Health) budget(spent bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if spent && !h.spent {
		h.log.Warn("the AI has used up today's tokens (AI_DAILY_TOKENS); it continues tomorrow")
	}
	h.spent = spent
}

// Failing returns since when the endpoint fails and why, 0 while it works.
func (h *Health) Failing() (since chat.Time, why Failure) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.since, h.last
}
