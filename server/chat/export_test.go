package chat

import "context"

// Sweep is one round of the clean-up, with pruning.
func (e *Engine) Sweep(ctx context.Context, now Time) error { return e.sweep(ctx, now, true) }

// Crowded is from when on unsent files take so much room that they go early.
const Crowded = maxUnsent / crowdedPart
