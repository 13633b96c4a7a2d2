package ai

import (
	"context"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
)

// Ask answers a question outside of a conversation from passages, as a visitor would
// be answered. The text is "" when the AI would hand over without an answer.
func Ask(ctx context.Context, c *Client, settings *chat.AI, question string, passages []chat.Passage) (text string, sources chat.Sources, err error) {
	asking := []chat.Message{{Content: question, Sender: chat.SenderVisitor}}
	turn := &engine.AITurn{Messages: asking, Waiting: asking}
	done, err := c.Complete(ctx, prompt(answerRules, settings, turn, passages))
	if err != nil {
		return "", nil, err
	}
	r := readAnswer(done, &grounds{passages: passages, instructions: settings.Instructions, conversation: conversationText(settings, turn)})
	return r.text, r.sources, nil
}
