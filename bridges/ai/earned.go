package ai

import (
	"context"
	"fmt"
	"strings"

	"github.com/relay-chat/relay/bridges/ai/verify"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
)

// Topics are those that the AI may answer by itself where it rehearses.
type Topics interface {
	// Earned returns the topic of a question if the AI may answer it, "" if not.
	Earned(ctx context.Context, site, question, before string) (topic string, err error)
	// Answering notes that an answer is about to be given because of a topic.
	Answering(ctx context.Context, a chat.TopicAnswer) error
	// Offered reports whether it was asked in a session whether the AI may answer a topic.
	Offered(ctx context.Context, sessionID string) (bool, error)
	// Yes lets the AI answer the topic of which it asked in a session, and returns what came of it.
	Yes(ctx context.Context, sessionID string, by chat.Author) (said string, err error)
}

// earned returns the topic because of which the AI may answer a turn, "" for none. Where it does not
// rehearse it needs none.
func (s *Sink) earned(ctx context.Context, settings *chat.AI, turn *engine.AITurn) (topic string, err error) {
	if !settings.Rehearses() || s.Topics == nil {
		return "", nil
	}
	return s.Topics.Earned(ctx, turn.Session.Site, asked(turn), askedBefore(turn))
}

// leave leaves a turn to people. A visitor whom the AI was answering is told so.
func (s *Sink) leave(ctx context.Context, d *chat.Delivery, turn *engine.AITurn) error {
	if !turn.Session.AIActive {
		return nil
	}
	return s.handBack(ctx, d, turn, "", chat.AIEndTopic)
}

// mayAnswer reports whether the answer to a turn may be given: where the AI rehearses, its topic may
// have fallen back while the model thought.
func (s *Sink) mayAnswer(ctx context.Context, d *chat.Delivery, turn *engine.AITurn) (bool, error) {
	settings := s.of(&turn.Session)
	if !settings.Rehearses() {
		return true, nil
	}
	topic, err := s.earned(ctx, settings, turn)
	switch {
	case err != nil:
		return false, err
	case topic == "":
		return false, s.leave(ctx, d, turn)
	}
	return true, s.Topics.Answering(ctx, chat.TopicAnswer{ClientID: d.ID(), SessionID: d.SessionID, Topic: topic, At: chat.Now()})
}

// yes lets the AI answer a topic by itself, and notes what came of it.
func (s Requests) yes(ctx context.Context, d *chat.Delivery, request chat.AIRequest) error {
	switch {
	case s.Topics == nil:
		return nil
	case request.Operator:
		return s.say(ctx, d, "Only an administrator can let the AI answer by itself.")
	}
	said, err := s.Topics.Yes(ctx, d.SessionID, chat.Author{Sender: chat.SenderOperator, Name: request.By, Person: request.Person})
	if err != nil {
		return err
	}
	return s.say(ctx, d, said)
}

// lowScore is the best rating that says that an answer was not good.
const lowScore = 2

// Objection returns what speaks against an answer that the AI gave by itself, "" for nothing: somebody
// deleted or changed it, the visitor's rating, or what a person wrote about the same afterwards.
func Objection(a *chat.TopicAnswer, session *chat.Session, messages []chat.Message, sameTopic func(question, before string) bool) string {
	at := -1
	for i := range messages {
		if m := &messages[i]; m.Sender == chat.SenderAI && m.ClientID == a.ClientID {
			at = i
		}
	}
	switch {
	case at < 0:
		return ""
	case messages[at].DeletedAt != 0:
		return "somebody deleted its answer"
	case messages[at].EditedAt != 0:
		return "somebody changed its answer"
	case session.Score > 0 && session.Score <= lowScore && session.RespondedAt > messages[at].Timestamp:
		return fmt.Sprintf("the visitor gave %d of 5", session.Score)
	}
	return correction(messages, at, sameTopic)
}

// correction is Objection by what the first person wrote after an answer of the AI.
func correction(messages []chat.Message, at int, sameTopic func(question, before string) bool) string {
	var before string
	var asked, wrote []string
	for i := range messages[:at] {
		if m := &messages[i]; m.Sender == chat.SenderVisitor && m.DeletedAt == 0 {
			before = m.Content
		}
	}
	for i := range messages[at+1:] {
		m := &messages[at+1+i]
		switch {
		case m.DeletedAt != 0 || m.ByRelay():
			continue
		case m.Sender == chat.SenderVisitor && len(wrote) == 0:
			asked = append(asked, m.Content)
			continue
		case m.Sender == chat.SenderOperator:
			wrote = append(wrote, m.Content)
			continue
		}
		break
	}
	if len(wrote) == 0 || len(asked) > 0 && !sameTopic(strings.Join(asked, "\n"), before) {
		return ""
	}
	if verdict, why := verify.Compare(strings.Join(wrote, "\n"), messages[at].Content); verdict == verify.Differs {
		return "a person corrected it: " + why
	}
	return ""
}
