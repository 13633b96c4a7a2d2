package ai

import (
	"context"

	"github.com/relay-chat/relay/server/chat"
)

// Explain answers a question outside of a conversation from passages, as a visitor would be answered,
// and returns what became of each sentence.
func Explain(ctx context.Context, c *Client, settings *chat.AI, question string, passages []chat.Passage) (chat.AIAsked, error) {
	turn := turnOf("", question)
	out := chat.AIAsked{Passages: []chat.AIPassage{}, Sentences: []chat.AISentence{}}
	passages = passages[:min(len(passages), MaxPassages)]
	for _, p := range passages {
		out.Passages = append(out.Passages, chat.AIPassage{Title: p.Title, URL: p.URL, Text: p.Text})
	}
	if _, asks := asksForPerson(question, ""); asks {
		out.HandOver = chat.AIEndAsked
		return out, nil
	}
	if out.Topic = topicOf(question, settings.Topics); out.Topic != "" {
		out.HandOver = chat.AIEndTopic
		return out, nil
	}
	if nothingToSay(settings, turn, passages) {
		out.HandOver = chat.AIEndUnsure
		return out, nil
	}
	done, err := c.Complete(ctx, prompt(answerRules, settings, turn, passages))
	if err != nil {
		return out, err
	}
	r := readAnswer(done, groundsOf(settings, turn, passages))
	out.Answer, out.HandOver, out.Tokens = r.text, r.handBack, done.Tokens
	for _, j := range r.judged {
		out.Sentences = append(out.Sentences, chat.AISentence{Text: j.Text, Said: j.Said, Reason: j.Reason, Passage: j.Passage})
	}
	return out, nil
}
