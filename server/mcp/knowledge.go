package mcp

import (
	"context"

	"github.com/relay-chat/relay/server/remote"
)

type askIn struct {
	Question string `json:"question"`
	Site     string `json:"site,omitempty" jsonschema:"a website's id: what its visitors may know"`
}

type passage struct {
	Source string `json:"source" jsonschema:"its id"`
	Title  string `json:"title"`
	URL    string `json:"url,omitempty"`
	Text   string `json:"text"`
}

type passagesOut struct {
	Notice   string    `json:"notice"`
	Passages []passage `json:"passages" jsonschema:"the best first; none has anything to do with the question if there are none"`
}

func askKnowledge(ctx context.Context, c *remote.API, in askIn) (out passagesOut, err error) {
	var answer struct {
		Passages []struct{ SourceID, Title, URL, Text string }
	}
	err = c.Call(ctx, "GET", "knowledge/search", remote.Query("q", in.Question, "site", in.Site), nil, &answer)
	out = passagesOut{notice, []passage{}}
	for _, p := range answer.Passages {
		out.Passages = append(out.Passages, passage{p.SourceID, p.Title, p.URL, p.Text})
	}
	return out, err
}

type learnIn struct {
	Title string `json:"title,omitempty" jsonschema:"with text"`
	Text  string `json:"text,omitempty"`
	URL   string `json:"url,omitempty" jsonschema:"a page to read, or with text where it is from"`
	Pages bool   `json:"pages,omitempty" jsonschema:"with url alone: also the pages below it"`
	Site  string `json:"site,omitempty" jsonschema:"a website's id: only its visitors get answers from it"`
}

type learnOut struct {
	Source map[string]any `json:"source"`
}

func addKnowledge(ctx context.Context, c *remote.API, in learnIn) (out learnOut, err error) {
	body := map[string]any{"title": in.Title, "text": in.Text, "url": in.URL, "follow": in.Pages}
	err = c.Call(ctx, "POST", "knowledge", remote.Query("site", in.Site), body, &out.Source)
	return out, err
}

type question struct {
	ID           string `json:"id"`
	Question     string `json:"question"`
	Before       string `json:"before,omitempty" jsonschema:"what the same visitor had asked before it"`
	Count        int    `json:"count" jsonschema:"how often it, or another one that asks the same, was asked"`
	Conversation string `json:"conversation" jsonschema:"that asked last"`
	AskedAt      string `json:"askedAt"`
}

type questionsOut struct {
	Notice    string     `json:"notice"`
	Questions []question `json:"questions" jsonschema:"the most asked first"`
}

func unansweredQuestions(ctx context.Context, c *remote.API, _ nothing) (out questionsOut, err error) {
	var answer struct {
		Questions []struct {
			ID, Question, Context, SessionID, AskedAt string
			Count                                     int
		}
	}
	err = c.Call(ctx, "GET", "knowledge/questions", nil, nil, &answer)
	out = questionsOut{notice, []question{}}
	for _, q := range answer.Questions {
		out.Questions = append(out.Questions, question{q.ID, q.Question, q.Context, q.Count, q.SessionID, q.AskedAt})
	}
	return out, err
}

// addKnowledge adds the tools about what the AI answers from.
func (s *service) addKnowledge() {
	add(s, reads, "ask_knowledge", "Ask the knowledge base", "Finds the passages of the websites' knowledge that a question can be answered from, with their sources.", askKnowledge)
	add(s, adds, "add_knowledge", "Add knowledge", "Adds a text or a page that the AI answers from. Visitors may get answers from it at once. Needs the scope settings.", addKnowledge)
	add(s, reads, "unanswered_questions", "Questions without an answer", "Lists what visitors asked that the AI could not answer.", unansweredQuestions)
}
