package ai

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"

	"github.com/relay-chat/relay/bridges/ai/verify"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
)

// Bounds of the search for questions that people answered.
const (
	rehearsedSessions = 1000 // newest first
	sessionsPage      = 100
	rehearsedMessages = 200 // of a conversation
	seenMessages      = 20  // that the model sees of it, as when it answers visitors
	longestRehearsed  = 2000
)

// pair is what a visitor asked, and what people answered.
type pair struct {
	before, asked, answered []chat.Message
}

// pairsOf are the questions of a conversation that people answered and not the AI. A greeting or a
// thank-you is none.
func pairsOf(messages []chat.Message) (pairs []pair) {
	for _, e := range chat.Exchanges(messages) {
		if len(e.AI) == 0 && chat.TextOf(e.Answered) != "" && !verify.IsTalk(chat.TextOf(e.Asked), "") {
			pairs = append(pairs, pair{e.Before[max(len(e.Before)-seenMessages, 0):], e.Asked, e.Answered})
		}
	}
	return pairs
}

// Examples finds the newest questions of sites' visitors that people answered, n at most, without
// what is personal in them.
func Examples(ctx context.Context, store chat.Store, sites chat.SiteSet, n int) (list []chat.Rehearsal, err error) {
	return ExamplesIn(ctx, store, sites, Window{To: math.MaxInt64}, n)
}

// Window is from when to when people answered.
type Window struct{ From, To chat.Time }

// answeredAt is when people answered last.
func (p *pair) answeredAt() chat.Time { return p.answered[len(p.answered)-1].Timestamp }

// ExamplesIn is Examples of what was answered within a time.
func ExamplesIn(ctx context.Context, store chat.Store, sites chat.SiteSet, w Window, n int) (list []chat.Rehearsal, err error) {
	err = store.Read(ctx, func(rd chat.Reader) error {
		list = nil
		query := chat.SessionQuery{Sites: sites, Limit: sessionsPage}
		for range rehearsedSessions / sessionsPage {
			sessions, err := rd.Sessions(query)
			if err != nil || len(sessions) == 0 {
				return err
			}
			for i := range sessions {
				s := &sessions[i]
				messages, err := rd.Messages(chat.MessageQuery{SessionID: s.ID, Public: true, Limit: rehearsedMessages})
				if err != nil {
					return err
				}
				for _, p := range slices.Backward(pairsOf(messages)) {
					if p.answeredAt() >= w.From && p.answeredAt() <= w.To {
						list = append(list, p.example(s))
					}
				}
				if len(list) >= n {
					list = list[:n]
					return nil
				}
				if s.LastActivity < w.From {
					return nil
				}
			}
			last := &sessions[len(sessions)-1]
			query.Before = chat.Cursor{At: last.LastActivity, ID: last.ID}
		}
		return nil
	})
	return list, err
}

// example is a pair as it is kept.
func (p *pair) example(s *chat.Session) chat.Rehearsal {
	last := p.asked[len(p.asked)-1]
	kept := func(messages []chat.Message) string {
		return chat.Clip(chat.WithoutPersonal(chat.TextOf(messages), s.PersonalWords()...), longestRehearsed)
	}
	return chat.Rehearsal{ID: chat.NewID(), SessionID: s.ID, Site: s.Site, Message: last.ID, Question: kept(p.asked), Answered: kept(p.answered), AskedAt: last.Timestamp}
}

// ErrRehearsalRests means that the day's tokens are for visitors now.
var ErrRehearsalRests = errors.New("half of the day's tokens are used up; the other half is for visitors")

// Rehearse has the AI answer a question that a person answered, as it would have then, and compares
// both. Nobody else reads it.
func (s *Sink) Rehearse(ctx context.Context, r *chat.Rehearsal) error {
	p, session, err := s.rehearsed(ctx, r)
	if err != nil {
		return err
	}
	if p == nil {
		outcome(r, "", chat.RehearsedFailed, "the question or its answer is gone")
		return nil
	}
	turn := &engine.AITurn{Session: session, Messages: slices.Concat(p.before, p.asked), Waiting: p.asked}
	settings := s.of(&turn.Session)
	if reason, topic := handsOver(settings, asked(turn)); reason != "" {
		outcome(r, "", chat.RehearsedHandOver, cmp.Or(topic, "the visitor asks for a person"))
		return nil
	}
	used, err := s.Engine.TokensToday(ctx)
	if err != nil {
		return err
	}
	if s.Settings.DailyTokens > 0 && used >= s.Settings.DailyTokens/2 {
		return ErrRehearsalRests
	}
	counting := *s
	counting.Used = func(tokens int64) { r.Tokens += tokens }
	answer, err := counting.answerFrom(ctx, turn, settings)
	switch {
	case err != nil:
		return err
	case answer.Ended == chat.AIEndBudget:
		return ErrRehearsalRests
	case answer.Ended == chat.AIEndFailed:
		outcome(r, "", chat.RehearsedFailed, "the model gave no answer")
	case answer.Text == "":
		outcome(r, "", chat.RehearsedHandOver, "it does not know the answer")
	default:
		r.Rests = answer.Rests
		verdict, reason := verify.Compare(chat.TextOf(p.answered), answer.Text)
		outcome(r, answer.Text, verdict, reason)
	}
	return nil
}

// rehearsed reads a question again, nil if it is gone.
func (s *Sink) rehearsed(ctx context.Context, r *chat.Rehearsal) (found *pair, session chat.Session, err error) {
	var messages []chat.Message
	err = s.Engine.Store.Read(ctx, func(rd chat.Reader) (err error) {
		if session, err = rd.Session(r.SessionID); err == nil {
			messages, err = rd.Messages(chat.MessageQuery{SessionID: r.SessionID, Public: true, Limit: rehearsedMessages})
		}
		return err
	})
	for _, p := range pairsOf(messages) {
		if p.asked[len(p.asked)-1].ID == r.Message {
			found = &p
		}
	}
	return found, session, err
}

// outcome is what came of a rehearsal. A person's judgement stays with the words that it is of.
func outcome(r *chat.Rehearsal, said, verdict, reason string) {
	if said != r.Said {
		r.Judged = ""
	}
	r.Said, r.Verdict, r.Reason, r.At = said, verdict, reason, chat.Now()
}
