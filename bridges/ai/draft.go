package ai

import (
	"context"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
)

// propose has the model write a draft for operators.
func (s *Sink) propose(ctx context.Context, d *chat.Delivery, turn engine.AITurn) error {
	if spent, err := s.spent(ctx); err != nil || spent {
		return err
	}
	for _, late := range []bool{false, true} {
		r, err := s.think(ctx, draftRules, &turn, readDraft)
		if err != nil {
			retry, _ := retryLater(ctx, d, err)
			return retry
		}
		if r.text == "" {
			return nil
		}
		r.text = masksOf(turn.Messages).restore(r.text)
		a := s.reply(d, &turn, r)
		a.Late = late
		out, err := s.Engine.AINote(ctx, a, true)
		if err != nil || out != engine.AIStale {
			return err
		}
		if turn, err = s.Engine.AITurn(ctx, d); err != nil || turn.Over() {
			return err
		}
	}
	return errChanging
}
