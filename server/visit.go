package server

import (
	"bytes"
	"net/http"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
	"github.com/relay-chat/relay/server/web"
)

// Visitors also fill in the form, rate, trigger events and leave. Operators ask for
// ratings and trigger events too.

type preChatRequest struct {
	web.InSession
	Fields map[string]any `json:"fields"`
}

func (s *widgetAPI) preChat(_ http.ResponseWriter, r *http.Request, by chat.Author, in preChatRequest) (any, error) {
	if in.Fields == nil {
		return nil, web.BadRequest("fields is required")
	}
	return web.OK, s.engine.FillIn(r.Context(), by, in.SessionID, in.Fields)
}

type csatRequest struct {
	web.InSession
	Score   *int   `json:"score"`
	Comment string `json:"comment"`
}

func (s *widgetAPI) csat(_ http.ResponseWriter, r *http.Request, by chat.Author, in csatRequest) (any, error) {
	if in.Score == nil {
		return nil, web.BadRequest("score is required")
	}
	already, err := s.engine.Rate(r.Context(), by, in.SessionID, *in.Score, in.Comment)
	if err != nil || !already {
		return web.OK, err
	}
	return map[string]bool{"ok": true, "alreadyRated": true}, nil
}

// eventRequest is the body of the routes that trigger a custom event.
type eventRequest struct {
	web.InSession
	Name string   `json:"name"`
	Data chat.Raw `json:"data"`
}

func (e *eventRequest) event() chat.CustomEvent {
	data := bytes.TrimSpace(e.Data)
	if string(data) == "null" {
		data = nil
	}
	return chat.CustomEvent{Name: e.Name, Data: data}
}

func (s *widgetAPI) event(w http.ResponseWriter, r *http.Request, by chat.Author, in eventRequest) (any, error) {
	if err := s.Limited(w, r, s.Rates.Messages, s.VisitorKey(r, in.SessionID)); err != nil {
		return nil, err
	}
	event := in.event()
	if err := s.MayStore(r, int64(len(event.Data)), s.engine.SettingsOf(by.Site).AttachmentRules().MaxBytes, "Too much data; try again later"); err != nil {
		return nil, err
	}
	return web.OK, s.engine.Trigger(r.Context(), by, in.SessionID, event)
}

type pageRequest struct {
	web.InSession
	URL string `json:"url"`
}

func (s *widgetAPI) page(w http.ResponseWriter, r *http.Request, by chat.Author, in pageRequest) (any, error) {
	if err := web.Required("url", in.URL); err != nil {
		return nil, err
	}
	if err := s.Limited(w, r, s.Rates.Messages, s.VisitorKey(r, in.SessionID)+" page"); err != nil {
		return nil, err
	}
	return web.OK, s.engine.ShowPage(r.Context(), by, in.SessionID, in.URL)
}

type disconnectRequest struct {
	web.InSession
	Token string `json:"sessionToken"` // sendBeacon cannot send headers
	engine.Leave
}

func (s *widgetAPI) disconnect(_ http.ResponseWriter, r *http.Request, by chat.Author, in disconnectRequest) (any, error) {
	if by.Token == "" {
		by.Token = in.Token
	}
	if in.Reason == "" {
		in.Reason = "page_unload"
	}
	return web.OK, s.engine.Disconnect(r.Context(), by, in.SessionID, in.Leave)
}

// handOff answers POST /api/widget/handoff: the visitor wants a person.
func (s *widgetAPI) handOff(_ http.ResponseWriter, r *http.Request, by chat.Author, in web.InSession) (any, error) {
	return web.OK, s.engine.AskForPerson(r.Context(), by, in.SessionID)
}

// proactiveAnswer is what a page needs to decide by itself which message it shows.
type proactiveAnswer struct {
	Online   bool                    `json:"online"`
	Messages []chat.ProactiveMessage `json:"messages"`
	Config   map[string]any          `json:"config"`
}

// proactive is asked by pages that carry data-proactive: the widget keeps the
// answer for minutes, and nothing is learned of who asks.
func (s *widgetAPI) proactive(_ http.ResponseWriter, _ *http.Request, by chat.Author) (any, error) {
	settings := s.engine.SettingsOf(by.Site)
	return proactiveAnswer{s.engine.PresenceAt(by.Site).Online, settings.Proactive(), s.engine.WidgetConfig(by.Site)}, nil
}

// close ends the conversation on the visitor's side.
func (s *widgetAPI) close(_ http.ResponseWriter, r *http.Request, by chat.Author, in web.InSession) (any, error) {
	return web.OK, s.engine.End(r.Context(), by, in.SessionID)
}

func (s *conversationAPI) askCSAT(_ http.ResponseWriter, r *http.Request, by chat.Author) (any, error) {
	return web.OK, s.engine.AskCSAT(r.Context(), by, web.PathVar(r, "session"))
}

func (s *conversationAPI) event(_ http.ResponseWriter, r *http.Request, by chat.Author, in eventRequest) (any, error) {
	return web.OK, s.engine.Trigger(r.Context(), by, web.PathVar(r, "session"), in.event())
}
