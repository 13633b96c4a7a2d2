package ai

import (
	"context"
	"errors"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
)

// Answer answers a question that belongs to no conversation: by the rules, the checks and the
// budget of answers to a site's visitors. Where these would be handed over, it says why.
func (s *Sink) Answer(ctx context.Context, site, question string) (chat.AIAnswer, error) {
	turn := turnOf(site, question)
	settings := s.of(&turn.Session)
	if !settings.On() || settings.Drafts() || settings.Rehearses() {
		return chat.AIAnswer{Ended: chat.AIEndOff}, nil
	}
	if reason, _ := handsOver(settings, question); reason != "" {
		return chat.AIAnswer{Ended: reason}, nil
	}
	spent, err := s.spent(ctx)
	switch {
	case err != nil:
		return chat.AIAnswer{}, err
	case spent:
		return chat.AIAnswer{Ended: chat.AIEndBudget}, nil
	}
	return s.answerFrom(ctx, turn, settings)
}

// turnOf is a question that belongs to no conversation.
func turnOf(site, question string) *engine.AITurn {
	asking := []chat.Message{{Content: question, Sender: chat.SenderVisitor}}
	return &engine.AITurn{Session: chat.Session{Site: site}, Messages: asking, Waiting: asking}
}

// answerFrom answers from what the knowledge has. Without any the model is not asked.
func (s *Sink) answerFrom(ctx context.Context, turn *engine.AITurn, settings *chat.AI) (chat.AIAnswer, error) {
	until, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	passages, err := s.passages(ctx, until, turn)
	var r reply
	if err == nil {
		r, err = s.thinkFrom(ctx, until, answerRules, turn, passages, nil, readAnswer)
	}
	var failed *Failure
	switch {
	case err == nil:
		return chat.AIAnswer{Text: r.text, Sources: r.sources, Ended: r.handBack, Rests: r.rests(passages)}, nil
	case errors.Is(err, errBusy):
		return chat.AIAnswer{Ended: chat.AIEndBudget}, nil
	case errors.As(err, &failed):
		return chat.AIAnswer{Ended: chat.AIEndFailed}, nil
	}
	return chat.AIAnswer{}, err
}

// rests are the passages that what is said of a reply rests on.
func (r *reply) rests(passages []chat.Passage) (list []chat.Passage) {
	seen := map[int]bool{}
	for _, j := range r.judged {
		if j.Said != "" && j.Passage >= 1 && j.Passage <= len(passages) && !seen[j.Passage] {
			seen[j.Passage] = true
			list = append(list, passages[j.Passage-1])
		}
	}
	return list
}
