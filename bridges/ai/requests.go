package ai

import (
	"context"
	"errors"
	"time"

	"github.com/relay-chat/relay/server/chat"
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
	if err != nil || chat.Now().Sub(d.CreatedAt) > requestLife {
		return err
	}
	turn, err := s.Engine.AITurn(ctx, d)
	if err != nil {
		return err
	}
	spent, err := s.spent(ctx)
	switch {
	case err != nil:
		return err
	case spent:
		return s.note(ctx, d, reply{text: "The AI has used up today's tokens (AI_DAILY_TOKENS)."}, false)
	}
	rules, isDraft := draftRules, request.Kind == chat.AIDraft
	if !isDraft {
		rules = summaryRules
	}
	r, err := s.think(ctx, rules, &turn, readDraft)
	if err != nil {
		return s.retryOrReport(ctx, d, err)
	}
	switch {
	case r.text == "":
		r, isDraft = reply{text: "The AI has nothing to say here."}, false
	case !isDraft:
		r.text, r.sources = "Summary:\n"+r.text, nil
	}
	return s.note(ctx, d, r, isDraft)
}

// retryOrReport returns the error to retry, or notes why the AI cannot answer.
func (s Requests) retryOrReport(ctx context.Context, d *chat.Delivery, err error) error {
	retry, final := retryLater(ctx, d, err)
	var f *Failure
	if !final || !errors.As(err, &f) {
		return retry
	}
	return s.note(ctx, d, reply{text: "The AI cannot do this now: " + f.Problem + ". To fix it: " + f.Fix + "."}, false)
}

func (s Requests) note(ctx context.Context, d *chat.Delivery, r reply, isDraft bool) error {
	_, err := s.Engine.AINote(ctx, chat.AIReply{SessionID: d.SessionID, ClientID: d.ID(), Name: s.Settings.Name, Content: r.text, Sources: r.sources,
		Asked: true}, isDraft)
	return err
}
