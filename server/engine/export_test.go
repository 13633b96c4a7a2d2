package engine

import (
	"context"

	"github.com/relay-chat/relay/server/chat"
)

// Sweep is one round of the clean-up, with pruning.
func (e *Engine) Sweep(ctx context.Context, now chat.Time) error { return e.sweep(ctx, now, true) }

// Crowded is from when on unsent files take so much room that they go early.
const Crowded = maxUnsent / crowdedPart

// StopSnoozes lets this relay wake no snoozed session any more, as if it had ended.
func (e *Engine) StopSnoozes() {
	e.snoozes.mu.Lock()
	defer e.snoozes.mu.Unlock()
	e.snoozes.timer.Stop()
	e.snoozes.ended = true
}
