package server

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
	"github.com/relay-chat/relay/server/engine/hub"
	"github.com/relay-chat/relay/server/mcp"
	"github.com/relay-chat/relay/server/web"
)

// agentDevice is the device of conversations that an agent began.
const agentDevice = "agent"

func checkQuestion(text string) error {
	if err := engine.CheckContent(chat.SenderVisitor, text); err != nil {
		return web.BadRequest(strings.Replace(err.Error(), "content", "question", 1))
	}
	return nil
}

// opened returns whom a conversation's secret admits, and where. Without its token nobody is.
func (c *caller) opened(secret string) (sessionID string, by chat.Author, err error) {
	sessionID, token, both := strings.Cut(secret, ".")
	if !both || sessionID == "" || token == "" {
		return "", c.by, chat.ErrSessionNotFound
	}
	by = c.by
	by.Token = token
	return sessionID, by, nil
}

// conversation returns the one that a letter goes on with, or a new one. A letter that would be
// refused begins none.
func (s *frontDoor) conversation(ctx context.Context, c caller, in *mcp.Letter) (sessionID string, by chat.Author, err error) {
	if in.Conversation != "" {
		return c.opened(in.Conversation)
	}
	if err := engine.CheckContent(chat.SenderVisitor, in.Text); err != nil {
		return "", c.by, err
	}
	if err := s.Limited(nowhere(), c.request, s.Rates.Inits, s.Address(c.request)); err != nil {
		return "", c.by, err
	}
	v, err := s.engine.Init(ctx, engine.Visit{Site: c.by.Site, VisitorID: "agent-" + chat.NewID(), UseToken: true,
		Metadata: chat.Metadata{URL: in.Page, Language: in.Language, UserAgent: strings.ToValidUTF8(c.request.UserAgent(), ""), DeviceType: agentDevice, Country: web.Country(c.request)}})
	by = c.by
	by.Token = v.Token
	return v.Session.ID, by, err
}

// introduce stores who the agent says that its user is, as a visitor's own words.
func (s *frontDoor) introduce(ctx context.Context, c caller, by chat.Author, sessionID string, in *mcp.Letter) error {
	form := s.engine.SettingsOf(by.Site).PreChatForm()
	own, answers := map[string]any{}, map[string]any{}
	for name, value := range map[string]string{"name": in.Name, "email": in.Email} {
		if value != "" {
			own[name] = value
		}
	}
	for name, value := range in.Form {
		answers[name] = value
	}
	for _, field := range form.Fields {
		if value, given := own[field.Name]; given && answers[field.Name] == nil {
			answers[field.Name] = value
		}
	}
	if len(own)+len(answers) == 0 {
		return nil
	}
	if err := s.Limited(nowhere(), c.request, s.Rates.Identifys, s.VisitorKey(c.request, sessionID)); err != nil {
		return err
	}
	if len(form.Fields) > 0 && len(answers) > 0 {
		return s.engine.FillIn(ctx, by, sessionID, answers)
	}
	if len(own) == 0 {
		return nil
	}
	_, err := s.engine.Identify(ctx, by, sessionID, own, "")
	return err
}

func postOf(sessionID string, in *mcp.Letter) engine.Post {
	return engine.Post{SessionID: sessionID, Content: in.Text, ClientID: in.ID}
}

// errRestarting ends waits when relay stops.
var errRestarting = &web.Error{Status: http.StatusServiceUnavailable, Text: "The website's chat restarts; wait again in a few seconds"}

// wait waits for a person's answer, or for the conversation to be closed.
func (s *frontDoor) wait(ctx context.Context, c caller, in mcp.Wait, patience time.Duration) (mcp.Waited, error) {
	sessionID, by, err := c.opened(in.Conversation)
	if err != nil {
		return mcp.Waited{}, err
	}
	after := int64(-1)
	if in.Cursor != "" {
		if after, err = strconv.ParseInt(in.Cursor, 10, 64); err != nil || after < 0 {
			return mcp.Waited{}, web.BadRequest("cursor must be one that a tool answered")
		}
	}
	leave, err := s.EnterStream(c.request, sessionID)
	if err != nil {
		return mcp.Waited{}, err
	}
	defer leave()
	feed, _, err := s.engine.Follow(ctx, by, sessionID, "")
	if err != nil {
		return mcp.Waited{}, err
	}
	defer feed.Close()
	until, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		waited, err := s.read(ctx, by, sessionID, after)
		if err != nil || waited.Answered || waited.Closed {
			return waited, err
		}
		err = nextMessage(until, feed)
		if until.Err() != nil && ctx.Err() == nil {
			return s.read(ctx, by, sessionID, after) // what came meanwhile of others than people
		}
		if err != nil {
			return waited, err
		}
	}
}

// nextMessage returns when something has happened that may be an answer.
func nextMessage(ctx context.Context, feed *hub.Feed) error {
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case e, open := <-feed.C():
			if !open {
				return errRestarting
			}
			answered, err := passes(ctx, feed, e)
			if err != nil || answered {
				return err
			}
		}
	}
}

// passes reads a feed to its end, and reports whether there may be an answer.
func passes(ctx context.Context, feed *hub.Feed, e *chat.Event) (answered bool, err error) {
	page, err := feed.Next(ctx, e)
	for err == nil {
		answered = answered || page.Resync || containsAnswer(page.Events)
		if !page.More {
			break
		}
		page, err = feed.More(ctx)
	}
	return answered, err
}

// containsAnswer reports whether the website has written, or closed the conversation.
func containsAnswer(events []chat.Event) bool {
	return slices.ContainsFunc(events, func(e chat.Event) bool {
		return e.Type == chat.EventSessionClosed || e.Type == chat.EventMessage && e.Sender != chat.SenderVisitor
	})
}

// read reads what the website has written behind a revision or, with a negative one, behind the
// agent's last message.
func (s *frontDoor) read(ctx context.Context, by chat.Author, sessionID string, after int64) (mcp.Waited, error) {
	out := mcp.Waited{Messages: []mcp.DoorMessage{}}
	h, err := s.engine.History(ctx, by, engine.HistoryQuery{SessionID: sessionID, Limit: maxHistory})
	if err != nil {
		return out, err
	}
	s.engine.MessagesArrived(by.Sender, h.Messages)
	s.showFiles(h.Messages)
	for i := range h.Messages {
		if m := &h.Messages[i]; m.Sender == chat.SenderVisitor && after < 0 {
			out.Answered, out.Messages = false, out.Messages[:0]
		} else if m.Sender != chat.SenderVisitor && m.Seq > after && m.DeletedAt == 0 {
			out.Answered = out.Answered || fromPerson(m)
			out.Messages = append(out.Messages, s.shownAtDoor(m))
		}
	}
	out.Cursor = cursor(h.Rev)
	var session chat.Session
	err = s.engine.Store.ReadOne(ctx, func(rd chat.Reader) (err error) {
		session, err = rd.SessionHeader(sessionID)
		return err
	})
	out.Closed = session.Status == chat.StatusClosed
	return out, err
}

// fromPerson reports whether a person of the team wrote a message.
func fromPerson(m *chat.Message) bool { return m.Sender == chat.SenderOperator && !m.ByRelay() }

// shownAtDoor is a message as an agent reads it.
func (s *frontDoor) shownAtDoor(m *chat.Message) mcp.DoorMessage {
	shown := mcp.DoorMessage{ID: m.ID, From: "person", Name: m.OperatorName, At: m.Timestamp.String(), Text: m.Content}
	switch {
	case m.Sender == chat.SenderAI:
		shown.From = "ai"
	case m.ByRelay():
		shown.From = "website"
	}
	for _, file := range m.Attachments.V {
		shown.Files = append(shown.Files, file.Filename+" "+file.URL)
	}
	for _, button := range m.Buttons {
		shown.Choices = append(shown.Choices, strings.TrimSpace(button.Text+" "+button.URL))
	}
	for _, source := range m.Sources {
		shown.Sources = append(shown.Sources, strings.TrimSpace(source.Title+" "+source.URL))
	}
	return shown
}
