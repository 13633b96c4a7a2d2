package ai

import (
	"context"

	"github.com/relay-chat/relay/server/chat"
)

// Explain answers a question outside of a conversation from what the knowledge has for a site, as a
// visitor would be answered, and returns what became of each sentence.
func Explain(ctx context.Context, c *Client, settings *chat.AI, knowledge Knowledge, site *string, question string) (chat.AIAsked, error) {
	turn := turnOf("", question)
	out := chat.AIAsked{Passages: []chat.AIPassage{}, Sentences: []chat.AISentence{}}
	l := look{knowledge: knowledge, site: site, settings: settings, ask: func(ctx context.Context, p Prompt) (Completion, error) {
		done, err := c.Complete(ctx, p)
		out.Tokens += done.Tokens
		return done, err
	}}
	var passages []chat.Passage
	var err error
	if out.HandOver, out.Topic = handsOver(settings, question); out.HandOver != "" {
		passages, err = l.search(ctx, asked(turn)) // no model reads it
	} else {
		passages, err = l.find(ctx, turn)
	}
	for _, p := range passages {
		out.Passages = append(out.Passages, chat.AIPassage{Title: p.Title, URL: p.URL, Text: p.Text})
	}
	switch {
	case err != nil || out.HandOver != "":
		return out, err
	case nothingToSay(settings, turn, passages):
		out.HandOver = chat.AIEndUnsure
		return out, nil
	}
	done, err := c.Complete(ctx, prompt(answerRules, settings, turn, passages))
	if err != nil {
		return out, err
	}
	r := readAnswer(done, groundsOf(settings, turn, passages))
	out.Answer, out.HandOver, out.Tokens = r.text, r.handBack, out.Tokens+done.Tokens
	for _, j := range r.judged {
		out.Sentences = append(out.Sentences, chat.AISentence{Text: j.Text, Said: j.Said, Reason: j.Reason, Passage: j.Passage})
	}
	return out, nil
}

// handsOver reports why a question goes to a person without a model's having read it, "" if it does
// not, and the topic that it is about.
func handsOver(settings *chat.AI, question string) (reason, topic string) {
	if _, asks := asksForPerson(question, ""); asks {
		return chat.AIEndAsked, ""
	}
	if topic = topicOf(question, settings.Topics); topic != "" {
		return chat.AIEndTopic, topic
	}
	return "", ""
}
