package mcp

import (
	"context"
	"strconv"

	"github.com/relay-chat/relay/server/remote"
)

func number(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

type listIn struct {
	Status   string `json:"status,omitempty" jsonschema:"open, closed, waiting, snoozed or all, which is the default; waiting ones come in the order in which they have waited"`
	Assignee string `json:"assignee,omitempty" jsonschema:"a person's id, me, or none"`
	Tag      string `json:"tag,omitempty"`
	Search   string `json:"search,omitempty" jsonschema:"a part of the visitor's name, e-mail address or page, or of a tag"`
	Site     string `json:"site,omitempty" jsonschema:"a website's id; all that the key may see are the default"`
	Cursor   string `json:"cursor,omitempty" jsonschema:"nextCursor of the answer before"`
	Limit    int    `json:"limit,omitempty" jsonschema:"20 are the default, 100 the most"`
}

type listOut struct {
	Notice        string         `json:"notice"`
	Conversations []conversation `json:"conversations"`
	NextCursor    string         `json:"nextCursor,omitempty" jsonschema:"there are more"`
}

func listConversations(ctx context.Context, c *remote.API, in listIn) (out listOut, err error) {
	if in.Limit <= 0 {
		in.Limit = 20
	}
	var answer struct {
		Sessions   []apiSession
		NextCursor string
	}
	query := remote.Query("status", in.Status, "assignee", in.Assignee, "tag", in.Tag, "q", in.Search, "site", in.Site, "cursor", in.Cursor, "limit", number(in.Limit))
	err = c.Call(ctx, "GET", "sessions", query, nil, &answer)
	out = listOut{notice, []conversation{}, answer.NextCursor}
	for i := range answer.Sessions {
		out.Conversations = append(out.Conversations, answer.Sessions[i].shown())
	}
	return out, err
}

type readIn struct {
	Conversation string `json:"conversation" jsonschema:"its id"`
	Before       string `json:"before,omitempty" jsonschema:"a message's id: only earlier ones"`
	Limit        int    `json:"limit,omitempty" jsonschema:"50 are the default, 100 the most"`
}

type readOut struct {
	Notice       string       `json:"notice"`
	Conversation conversation `json:"conversation"`
	Messages     []message    `json:"messages" jsonschema:"the oldest first"`
	HasMore      bool         `json:"hasMore" jsonschema:"there are earlier ones"`
}

func readConversation(ctx context.Context, c *remote.API, arg readIn) (out readOut, err error) {
	if arg.Limit <= 0 {
		arg.Limit = 50
	}
	var session apiSession
	var history struct {
		Messages []apiMessage
		HasMore  bool
	}
	if err = c.Call(ctx, "GET", remote.Conversation(arg.Conversation, ""), nil, nil, &session); err == nil {
		err = c.Call(ctx, "GET", remote.Conversation(arg.Conversation, "/messages"), remote.Query("before", arg.Before, "limit", number(arg.Limit)), nil, &history)
	}
	out = readOut{notice, session.shown(), []message{}, history.HasMore}
	for i := range history.Messages {
		out.Messages = append(out.Messages, history.Messages[i].shown())
	}
	return out, err
}

type searchIn struct {
	Query  string `json:"query" jsonschema:"words that a message has; *word* finds parts of words"`
	Site   string `json:"site,omitempty" jsonschema:"a website's id"`
	Cursor string `json:"cursor,omitempty" jsonschema:"nextCursor of the answer before"`
	Limit  int    `json:"limit,omitempty"`
}

type found struct {
	Conversation string `json:"conversation"`
	message
}

type searchOut struct {
	Notice     string  `json:"notice"`
	Messages   []found `json:"messages" jsonschema:"the newest first; their texts are excerpts"`
	NextCursor string  `json:"nextCursor,omitempty"`
}

func search(ctx context.Context, c *remote.API, in searchIn) (out searchOut, err error) {
	var answer struct {
		Messages []struct {
			apiMessage
			Excerpt []struct{ Text string }
		}
		NextCursor string
	}
	err = c.Call(ctx, "GET", "search", remote.Query("q", in.Query, "site", in.Site, "cursor", in.Cursor, "limit", number(in.Limit)), nil, &answer)
	out = searchOut{notice, []found{}, answer.NextCursor}
	for i := range answer.Messages {
		m := &answer.Messages[i]
		one := found{m.SessionID, m.shown()}
		for _, part := range m.Excerpt {
			one.Text += part.Text
		}
		out.Messages = append(out.Messages, one)
	}
	return out, err
}

type statisticsIn struct {
	From string `json:"from,omitempty" jsonschema:"a day like 2026-01-31; the last 30 days are the default"`
	To   string `json:"to,omitempty"`
	Site string `json:"site,omitempty" jsonschema:"a website's id"`
}

// statisticsOut is what the API says, without its drawings.
type statisticsOut struct {
	Statistics map[string]any `json:"statistics"`
}

func statistics(ctx context.Context, c *remote.API, in statisticsIn) (out statisticsOut, err error) {
	err = c.Call(ctx, "GET", "statistics", remote.Query("from", in.From, "to", in.To, "site", in.Site), nil, &out.Statistics)
	delete(out.Statistics, "charts")
	return out, err
}

type nothing struct{}

type stateOut struct {
	State map[string]any `json:"state"`
}

// doctor tells how relay itself is doing.
func doctor(ctx context.Context, c *remote.API, _ nothing) (out stateOut, err error) {
	err = c.Call(ctx, "GET", "system", nil, nil, &out.State)
	return out, err
}

// addReading adds the tools that change nothing.
func (s *service) addReading() {
	add(s, reads, "list_conversations", "List conversations", "Lists conversations, the most recently active first. Use status waiting for those that somebody should answer.", listConversations)
	add(s, reads, "read_conversation", "Read a conversation", "Reads a conversation with its newest messages and the team's notes.", readConversation)
	add(s, reads, "search", "Search messages", "Finds messages and notes by their words, in all conversations.", search)
	add(s, reads, "statistics", "Statistics", "Counts conversations, messages, times to the first answer and ratings, by day, hour, person and channel.", statistics)
	add(s, reads, "doctor", "State of relay", "Tells how relay is doing: version, database, channels, queues, and what is wrong. Needs the scope settings.", doctor)
}
