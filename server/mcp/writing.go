package mcp

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"strings"

	"github.com/relay-chat/relay/server/remote"
)

// conversationIn names a conversation.
type conversationIn struct {
	Conversation string `json:"conversation" jsonschema:"its id"`
}

type textIn struct {
	Conversation string `json:"conversation" jsonschema:"its id"`
	Text         string `json:"text"`
	ID           string `json:"id,omitempty" jsonschema:"chosen by you: sending again with the same one sends nothing twice"`
}

type sentOut struct {
	Message message `json:"message"`
}

func (t *textIn) send(ctx context.Context, c *remote.API, internal bool) (out sentOut, err error) {
	var sent apiMessage
	id := cmp.Or(t.ID, rand.Text())
	body := map[string]any{"content": t.Text, "internal": internal, "assistant": true, "clientId": id}
	err = c.Insist(ctx, remote.Conversation(t.Conversation, "/messages"), body, &sent)
	if remote.Unclear(err) {
		err = fmt.Errorf("%w. Perhaps it was sent all the same. Use the tool again with the id %q: that sends it at most once", err, id)
	}
	return sentOut{sent.shown()}, err
}

func reply(ctx context.Context, c *remote.API, in textIn) (sentOut, error) {
	return in.send(ctx, c, false)
}
func note(ctx context.Context, c *remote.API, in textIn) (sentOut, error) {
	return in.send(ctx, c, true)
}

type answerOut struct {
	Answer string `json:"answer"`
}

// draft has relay's own AI propose an answer.
func draft(ctx context.Context, c *remote.API, in conversationIn) (out answerOut, err error) {
	err = c.Call(ctx, "POST", remote.Conversation(in.Conversation, "/commands"), nil, map[string]any{"command": "!draft"}, &out)
	if out.Answer = strings.TrimSpace(out.Answer); out.Answer == "" {
		out.Answer = "The AI proposes an answer in a moment, as a note in the conversation."
	}
	return out, err
}

type assignIn struct {
	Conversation string `json:"conversation" jsonschema:"its id"`
	Person       string `json:"person,omitempty" jsonschema:"somebody's id; left out, the conversation is nobody's"`
}

type conversationOut struct {
	Notice       string       `json:"notice"`
	Conversation conversation `json:"conversation"`
}

// organise changes what a conversation is filed under.
func organise(ctx context.Context, c *remote.API, id string, change map[string]any) (conversationOut, error) {
	var session apiSession
	err := c.Call(ctx, "PATCH", remote.Conversation(id, ""), nil, change, &session)
	return conversationOut{notice, session.shown()}, err
}

func assign(ctx context.Context, c *remote.API, in assignIn) (conversationOut, error) {
	change := map[string]any{"assignee": nil}
	if in.Person != "" {
		change["assignee"] = in.Person
	}
	return organise(ctx, c, in.Conversation, change)
}

type tagIn struct {
	Conversation string   `json:"conversation" jsonschema:"its id"`
	Add          []string `json:"add,omitempty"`
	Remove       []string `json:"remove,omitempty"`
}

func tag(ctx context.Context, c *remote.API, in tagIn) (conversationOut, error) {
	return organise(ctx, c, in.Conversation, map[string]any{"addTags": in.Add, "removeTags": in.Remove})
}

type snoozeIn struct {
	Conversation string `json:"conversation" jsonschema:"its id"`
	Until        string `json:"until,omitempty" jsonschema:"a time like 2026-01-31T12:00:00Z; left out, the conversation waits again"`
}

func snooze(ctx context.Context, c *remote.API, in snoozeIn) (conversationOut, error) {
	change := map[string]any{"snoozedUntil": nil}
	if in.Until != "" {
		change["snoozedUntil"] = in.Until
	}
	return organise(ctx, c, in.Conversation, change)
}

type doneOut struct {
	Done bool `json:"done"`
}

// act does what needs nothing but the conversation.
func act(what string) func(context.Context, *remote.API, conversationIn) (doneOut, error) {
	return func(ctx context.Context, c *remote.API, in conversationIn) (doneOut, error) {
		var answer struct{}
		err := c.Call(ctx, "POST", remote.Conversation(in.Conversation, "/"+what), nil, nil, &answer)
		return doneOut{err == nil}, err
	}
}

type peopleOut struct {
	People []person `json:"people"`
}

type person struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	Role string `json:"role"`
}

func people(ctx context.Context, c *remote.API, _ nothing) (out peopleOut, err error) {
	err = c.Call(ctx, "GET", "people", nil, nil, &out)
	return out, err
}

// addWriting adds the tools that answer visitors and file conversations.
func (s *service) addWriting() {
	add(s, sends, "reply", "Answer the visitor", "Sends a message to the visitor of a conversation, at once. It appears under the name of the key's person, or the team's name; the team sees that an assistant wrote it.", reply)
	add(s, adds, "note", "Write a note", "Writes a note into a conversation, which the team sees and the visitor does not.", note)
	add(s, adds, "draft", "Have the AI propose an answer", "Has relay's own AI propose an answer from the website's knowledge, as a note that the team may send.", draft)
	add(s, changes, "assign", "Assign a conversation", "Gives a conversation to a person of the team, or to nobody.", assign)
	add(s, changes, "tag", "Tag a conversation", "Adds and removes tags.", tag)
	add(s, changes, "snooze", "Snooze a conversation", "Takes a conversation from the waiting ones until a time, or until its visitor writes.", snooze)
	add(s, changes, "close", "Close a conversation", "Closes a conversation. The visitor sees that, and opens it again by writing.", act("close"))
	add(s, changes, "reopen", "Reopen a conversation", "Opens a closed conversation again.", act("reopen"))
	add(s, reads, "list_people", "List the team", "Lists who may be assigned to, by id and name.", people)
}
