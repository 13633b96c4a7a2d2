package ai

import (
	"context"
	"errors"
	"time"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
)

// Requests answers operators' requests to the AI with notes.
type Requests struct{ *Sink }

var _ chat.Sink = Requests{}

// Name implements [chat.Sink].
func (Requests) Name() string { return chat.AIRequestSink }

// Deliver implements [chat.Sink].
func (s Requests) Deliver(ctx context.Context, lane []chat.Delivery) (int, error) {
	if err := s.carryOut(ctx, &lane[0]); err != nil && !errors.Is(err, chat.ErrSessionNotFound) {
		return 0, err
	}
	return 1, nil
}

// requestLife is how old a request may be and still be answered.
const requestLife = 15 * time.Minute

func (s Requests) carryOut(ctx context.Context, d *chat.Delivery) error {
	request, err := d.AIRequest()
	late := chat.Now().Sub(d.CreatedAt) > requestLife
	switch {
	case err != nil:
		return err
	case request.Kind == chat.AIYes || request.Kind == chat.AINo:
		return s.decide(ctx, d, request, late)
	case late:
		return nil
	}
	spent, err := s.spent(ctx)
	switch {
	case err != nil:
		return err
	case spent:
		return s.say(ctx, d, "The AI has used up today's tokens (AI_DAILY_TOKENS).")
	}
	for range 2 {
		out, err := s.try(ctx, d, request.Kind)
		if err != nil || out != engine.AIStale {
			return err
		}
	}
	return errChanging
}

// try asks the model once and stores what it made of the conversation.
func (s Requests) try(ctx context.Context, d *chat.Delivery, kind string) (engine.AIOutcome, error) {
	turn, err := s.Engine.AITurn(ctx, d)
	if err != nil {
		return engine.AIDropped, err
	}
	rules, isDraft := draftRules, kind == chat.AIDraft
	if !isDraft {
		rules = summaryRules
	}
	r, err := s.think(ctx, rules, &turn, readDraft)
	r.text = masksOf(turn.Messages).restore(r.text)
	switch {
	case err != nil:
		return engine.AIDropped, s.retryOrReport(ctx, d, err)
	case r.text == "":
		return engine.AIDropped, s.say(ctx, d, "The AI has nothing to say here.")
	case !isDraft:
		r.text, r.sources = "Summary:\n"+r.text, nil
	}
	return s.note(ctx, d, &turn, r, isDraft)
}

// retryOrReport returns the error to retry, or notes why the AI cannot answer.
func (s Requests) retryOrReport(ctx context.Context, d *chat.Delivery, err error) error {
	retry, final := retryLater(ctx, d, err)
	var f *Failure
	if !final || !errors.As(err, &f) {
		return retry
	}
	return s.say(ctx, d, "The AI cannot do this now: "+f.Problem+". To fix it: "+f.Fix+".")
}

// say notes a sentence of relay's own, whatever happened meanwhile.
func (s Requests) say(ctx context.Context, d *chat.Delivery, text string) error {
	_, err := s.note(ctx, d, &engine.AITurn{}, reply{text: text}, false)
	return err
}

func (s Requests) note(ctx context.Context, d *chat.Delivery, turn *engine.AITurn, r reply, isDraft bool) (engine.AIOutcome, error) {
	a := s.reply(d, turn, r)
	a.Asked = true
	return s.Engine.AINote(ctx, a, isDraft)
}
