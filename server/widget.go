package server

import (
	"cmp"
	"maps"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
	"github.com/relay-chat/relay/server/limits"
	"github.com/relay-chat/relay/server/statistics"
	"github.com/relay-chat/relay/server/web"
)

// maxHistory is how many messages one request may ask for.
const maxHistory = 100

// initRequest is the body of POST /api/widget/init.
type initRequest struct {
	VisitorID       string `json:"visitorId"`
	URL             string `json:"url"`
	UserAgent       string `json:"userAgent"`
	Referrer        string `json:"referrer"`
	Language        string `json:"language"`
	Timezone        string `json:"timezone"`
	UseSessionToken bool   `json:"useSessionToken"`
	SessionToken    string `json:"sessionToken"`
	NewSession      bool   `json:"newSession"`
}

// initAnswer is the answer to it.
type initAnswer struct {
	SessionID      string               `json:"sessionId"`
	SessionToken   string               `json:"sessionToken,omitempty"`
	OperatorOnline bool                 `json:"operatorOnline"`
	BackAt         chat.Time            `json:"backAt,omitzero"`
	ReplySeconds   int64                `json:"replySeconds,omitzero"`
	Hours          []chat.OpenTime      `json:"hours,omitempty"`
	Messages       []chat.Message       `json:"messages"`
	Timeline       []chat.TimelineEntry `json:"timeline"`
	HasMore        bool                 `json:"hasMore"`
	LastEventID    string               `json:"lastEventId"`
	Session        initSession          `json:"session"`
	Config         any                  `json:"config"`
}

type initSession struct {
	Status   chat.Status `json:"status"`
	Identity chat.Raw    `json:"identity,omitempty"`
	CSAT     chat.CSAT   `json:"csat"`
	AIActive bool        `json:"aiActive,omitzero"`
	// AskContact: see [chat.Takeover].
	AskContact bool `json:"askContact,omitzero"`
}

// widgetAPI is what visitors' pages call.
type widgetAPI struct {
	*web.Limiter
	presentation
	engine  *engine.Engine
	counter *statistics.Counter
}

func (s *widgetAPI) begin(w http.ResponseWriter, r *http.Request, by chat.Author) (any, error) {
	if err := s.Limited(w, r, s.Rates.Inits, s.Address(r)); err != nil {
		return nil, err
	}
	in, err := web.Decode[initRequest](r)
	if err != nil {
		return nil, err
	}
	agent := strings.ToValidUTF8(cmp.Or(in.UserAgent, r.UserAgent()), "")
	browser, device := web.DescribeAgent(agent)
	v, err := s.engine.Init(r.Context(), engine.Visit{
		Site:      by.Site,
		VisitorID: in.VisitorID,
		UseToken:  in.UseSessionToken || s.Config.RequireSessionToken,
		Token:     in.SessionToken,
		New:       in.NewSession,
		Metadata: chat.Metadata{URL: in.URL, Referrer: in.Referrer, Language: in.Language, Timezone: in.Timezone,
			UserAgent: agent, Browser: browser, DeviceType: device, Country: web.Country(r)},
	})
	if err != nil {
		return nil, err
	}
	s.engine.MessagesArrived(chat.SenderVisitor, v.History.Messages)
	there := s.engine.PresenceAt(by.Site)
	return initAnswer{
		SessionID: v.Session.ID, SessionToken: v.Token, OperatorOnline: there.Online, BackAt: there.BackAt,
		ReplySeconds: int64(s.counter.ReplyTime(by.Site).Seconds()), Hours: s.engine.Openings(by.Site),
		Messages: s.showFiles(v.History.Messages), Timeline: v.History.Timeline, HasMore: v.History.HasMore, LastEventID: cursor(v.Session.Rev),
		Session: initSession{v.Session.Status, v.Session.Identity, v.Session.CSAT, v.Session.AIActive, v.AskContact},
		Config:  s.engine.WidgetConfig(by.Site),
	}, nil
}

// postRequest is the body of the POST routes that store a message.
type postRequest struct {
	web.InSession
	Content       string   `json:"content"`
	AttachmentIDs []string `json:"attachmentIds"`
	ReplyTo       string   `json:"replyTo"`
	ClientID      string   `json:"clientId"`
	OperatorName  string   `json:"operatorName"`
	// Of operators.
	Internal  bool         `json:"internal"`
	Buttons   chat.Buttons `json:"buttons"`
	Assistant bool         `json:"assistant"` // of programs
}

func (p *postRequest) post(sessionID string) engine.Post {
	return engine.Post{SessionID: sessionID, Content: p.Content, ReplyTo: p.ReplyTo, AttachmentIDs: p.AttachmentIDs}
}

func (s *widgetAPI) send(w http.ResponseWriter, r *http.Request, by chat.Author, in postRequest) (any, error) {
	if err := s.Limited(w, r, s.Rates.Messages, s.VisitorKey(r, in.SessionID)); err != nil {
		return nil, err
	}
	post := in.post(in.SessionID)
	post.ClientID, post.WithoutAI = in.ClientID, !s.mayAskAI(r, by)
	return s.shown(s.engine.Send(r.Context(), by, post))
}

// mayAskAI counts a visitor's message against the calls of the AI that one address may
// cause in an hour, and reports whether it is one of them.
func (s *widgetAPI) mayAskAI(r *http.Request, by chat.Author) bool {
	ai, limit, now := s.engine.SettingsOf(by.Site).AI(), s.Rates.AICalls, time.Now()
	if !ai.On() || ai.AddressCalls == 0 || s.Unlimited(r) {
		return true
	}
	network := s.Network(r)
	return limit.AllowUpTo(s.Address(r), ai.AddressCalls, now) && (network == "" || limit.AllowUpTo(network, ai.AddressCalls*limits.AddressesPerNetwork, now))
}

// historyAnswer is a part of a session's history.
type historyAnswer struct {
	Messages    []chat.Message       `json:"messages"`
	HasMore     bool                 `json:"hasMore"`
	Timeline    []chat.TimelineEntry `json:"timeline"`
	LastEventID string               `json:"lastEventId"`
}

func (s *widgetAPI) messages(_ http.ResponseWriter, r *http.Request, by chat.Author) (any, error) {
	return s.history(r, by, r.URL.Query().Get("sessionId"))
}

// history answers GET …/messages of both APIs.
func (s presentation) history(r *http.Request, by chat.Author, sessionID string) (any, error) {
	if err := web.Required("sessionId", sessionID); err != nil {
		return nil, err
	}
	limit, err := web.QueryLimit(r, maxHistory, maxHistory)
	if err != nil {
		return nil, err
	}
	q := r.URL.Query()
	h, err := s.engine.History(r.Context(), by, engine.HistoryQuery{SessionID: sessionID,
		Before: q.Get("before"), After: q.Get("after"), Limit: limit})
	if err != nil {
		return nil, err
	}
	if by.Sender == chat.SenderVisitor || by.Source == chat.SourceConsole {
		s.engine.MessagesArrived(by.Sender, h.Messages)
	}
	return historyAnswer{s.showFiles(h.Messages), h.HasMore, h.Timeline, cursor(h.Rev)}, nil
}

func (s *widgetAPI) edit(w http.ResponseWriter, r *http.Request, by chat.Author, in postRequest) (any, error) {
	if err := s.Limited(w, r, s.Rates.Messages, s.VisitorKey(r, in.SessionID)); err != nil {
		return nil, err
	}
	return s.shown(s.engine.Edit(r.Context(), by, in.SessionID, web.PathVar(r, "id"), in.Content))
}

func (s *widgetAPI) delete(w http.ResponseWriter, r *http.Request, by chat.Author) (any, error) {
	sessionID := r.URL.Query().Get("sessionId")
	if err := web.Required("sessionId", sessionID); err != nil {
		return nil, err
	}
	if err := s.Limited(w, r, s.Rates.Messages, s.VisitorKey(r, sessionID)); err != nil {
		return nil, err
	}
	return web.OK, s.engine.Delete(r.Context(), by, sessionID, web.PathVar(r, "id"))
}

// identify takes the identity as an object, or its fields flat beside
// sessionId; userHash stands in either place.
func (s *widgetAPI) identify(w http.ResponseWriter, r *http.Request, by chat.Author, in map[string]any) (any, error) {
	maps.DeleteFunc(in, isNull)
	sessionID, err := takeText(in, "sessionId")
	if err != nil {
		return nil, err
	}
	if err := web.Required("sessionId", sessionID); err != nil {
		return nil, err
	}
	if err := s.Limited(w, r, s.Rates.Identifys, s.VisitorKey(r, sessionID)); err != nil {
		return nil, err
	}
	userHash, err := takeText(in, "userHash")
	if err != nil {
		return nil, err
	}
	identity := in
	if nested, given := in["identity"]; given {
		object, isObject := nested.(map[string]any)
		if !isObject {
			return nil, web.BadRequest("identity must be an object")
		}
		identity = object
		maps.DeleteFunc(identity, isNull)
		inside, err := takeText(identity, "userHash")
		if err != nil {
			return nil, err
		}
		if inside != "" && userHash != "" && inside != userHash {
			return nil, web.BadRequest("userHash stands beside identity and inside it, and the two differ: send one")
		}
		userHash = cmp.Or(userHash, inside)
	}
	known, err := s.engine.Identify(r.Context(), by, sessionID, identity, userHash)
	answer := identifyAnswer{OK: true, Verified: known.Verified}
	if known.Joined != nil {
		answer.resumeAnswer = &resumeAnswer{known.Joined.SessionID, known.Joined.Token}
	}
	return answer, err
}

// identifyAnswer is the answer to an identity, with the conversation that the browser goes on
// with if it is not its own.
type identifyAnswer struct {
	OK       bool `json:"ok"`
	Verified bool `json:"verified"`
	*resumeAnswer
}

// isNull reports whether a field counts as left out.
func isNull(_ string, v any) bool { return v == nil }

// takeText removes a text from an object and returns it.
func takeText(object map[string]any, name string) (string, error) {
	v, given := object[name]
	if !given {
		return "", nil
	}
	delete(object, name)
	text, isText := v.(string)
	if !isText {
		return "", web.BadRequest(name + " must be a string")
	}
	return text, nil
}

// readRequest is the body of the read routes.
type readRequest struct {
	web.InSession
	MessageIDs []string `json:"messageIds"`
}

func (s *widgetAPI) read(_ http.ResponseWriter, r *http.Request, by chat.Author, in readRequest) (any, error) {
	if in.MessageIDs == nil {
		return nil, web.BadRequest("messageIds is required")
	}
	return web.OK, s.engine.MarkRead(r.Context(), by, in.SessionID, in.MessageIDs)
}

// typingRequest is the body of the typing routes.
type typingRequest struct {
	web.InSession
	Active       *bool  `json:"active"`
	OperatorName string `json:"operatorName"`
}

// writingRequest is the body of the visitor's typing route.
type writingRequest struct {
	typingRequest
	Text string `json:"text"`
}

func (s *widgetAPI) typing(_ http.ResponseWriter, r *http.Request, by chat.Author, in writingRequest) (any, error) {
	active := in.Active == nil || *in.Active
	err := s.engine.Typing(r.Context(), by, in.SessionID, active)
	if err == nil && active {
		err = s.engine.ShowDraft(r.Context(), by.Site, in.SessionID, in.Text)
	}
	return web.OK, err
}

// cursor renders a revision as the id of its event.
func cursor(rev int64) string { return strconv.FormatInt(rev, 10) }
