package server

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
	"github.com/relay-chat/relay/server/web"
)

// A backend reports events to the bridge server by a route for each type, or by a
// typed envelope for all. Both take the same bodies.

// backendAPI is what a website's backend calls.
type backendAPI struct {
	*web.Limiter
	engine *engine.Engine
}

// eventHandler handles one type of event by the body of its request.
type eventHandler func(ctx context.Context, body []byte) error

// eventHandlers are the handlers of the event types that the envelope accepts.
func (s *backendAPI) eventHandlers() map[string]eventHandler {
	return map[string]eventHandler{
		"new_session":             decoded(s.handleNewSession),
		"visitor_message":         decoded(s.handleMessage),
		"visitor_message_edited":  decoded(s.handleEdited),
		"visitor_message_deleted": decoded(s.handleDeleted),
		"message_read":            decoded(s.handleRead),
		"operator_status":         decoded(s.handleStatus),
		"custom_event":            decoded(s.handleCustomEvent),
		"identity_update":         decoded(s.handleIdentity),
		"ai_takeover":             decoded(s.handleTakeover),
		"csat_submitted":          decoded(s.handleRating),
		"visitor_disconnect":      decoded(s.handleLeft),
	}
}

// decoded makes an eventHandler of one that takes the decoded body.
func decoded[T any](handle func(ctx context.Context, in T) error) eventHandler {
	return func(ctx context.Context, body []byte) error {
		in, err := web.Unmarshal[T](body)
		if err != nil {
			return err
		}
		return handle(ctx, in)
	}
}

// jsonRoute is the action of a route that takes events as JSON.
func jsonRoute(handle eventHandler) web.Action {
	return func(_ http.ResponseWriter, r *http.Request, _ chat.Author) (any, error) {
		body, err := web.ReadJSON(r)
		if err != nil {
			return nil, err
		}
		return web.OK, handle(r.Context(), body)
	}
}

// backendEvent answers POST /api/events.
func (s *backendAPI) backendEvent() web.Action {
	handlers := s.eventHandlers()
	return jsonRoute(func(ctx context.Context, body []byte) error {
		in, err := web.Unmarshal[struct {
			Type string `json:"type"`
		}](body)
		if err != nil {
			return err
		}
		if err := web.Required("type", in.Type); err != nil {
			return err
		}
		handle, known := handlers[in.Type]
		if !known {
			return web.BadRequest("unknown event type: " + shorten(in.Type))
		}
		return handle(ctx, body)
	})
}

// shorten cuts a text for an error.
func shorten(text string) string {
	if runes := []rune(text); len(runes) > 50 {
		return string(runes[:50]) + "…"
	}
	return text
}

// errBridgeKeys answers a key that another relay made: this one keeps none.
var errBridgeKeys = &web.Error{Status: http.StatusUnauthorized, Text: "Keys with scopes are for community mode. In bridge mode there is one key, API_KEY",
	Header: web.ErrUnauthorized.Header}

// admit admits requests with API_KEY, or, when none is set, everything but
// foreign web pages.
func (s *backendAPI) admit(w http.ResponseWriter, r *http.Request, key string) (chat.Author, error) {
	switch {
	case s.Config.APIKey != "":
		if !chat.SameSecret(key, string(s.Config.APIKey)) {
			err := s.Denied(w, r)
			if err == web.ErrUnauthorized && strings.HasPrefix(key, chat.APIKeyPrefix) {
				err = errBridgeKeys
			}
			return chat.Author{}, err
		}
	case !slices.Contains(s.Config.AllowedOrigins, r.Header.Get("Origin")):
		if s.CrossOrigin.Check(r) != nil || s.rebound(r) {
			return chat.Author{}, web.ErrForbidden
		}
	}
	return chat.Author{}, nil
}

// rebound reports whether a web page may have made the request under a name that
// was pointed at this machine (DNS rebinding): it comes from a browser,
// and its Host is neither an address nor a name of relay.
func (s *backendAPI) rebound(r *http.Request) bool {
	if !fromBrowser(r) {
		return false
	}
	anyAddress := func(netip.Addr) bool { return true }
	if web.IsLocalHost(r.Host, anyAddress) {
		return false
	}
	own, err := url.Parse(s.Config.PublicURL)
	return err != nil || own.Host == "" || own.Host != r.Host
}

// fromBrowser reports whether a browser makes the request. A same-origin read
// without TLS shows only by its User-Agent, which programs copy;
// but no foreign page has a host name without a dot.
func fromBrowser(r *http.Request) bool {
	return r.Header.Get("Origin") != "" || r.Header.Get("Sec-Fetch-Site") != "" ||
		strings.HasPrefix(r.UserAgent(), "Mozilla/") && strings.Contains(r.Host, ".")
}

// toDocs answers GET / of the bridge server, which has no pages of its own.
func toDocs(w http.ResponseWriter, r *http.Request) {
	http.Redirect(w, r, "/docs", http.StatusSeeOther)
}

// The backend speaks for its visitors. What operators and its AI write there
// comes from the API.
var (
	visitorSide  = chat.Author{Sender: chat.SenderVisitor, Source: chat.SourceWidget, AnySite: true}
	operatorSide = chat.Author{Sender: chat.SenderOperator, Source: chat.SourceAPI}
	aiSide       = chat.Author{Sender: chat.SenderAI, Source: chat.SourceAPI}
)

// sessionObject is the session in a backend's requests.
type sessionObject struct {
	ID             string         `json:"id"`
	VisitorID      string         `json:"visitorId"`
	Site           string         `json:"site"`
	CreatedAt      chat.Time      `json:"createdAt"`
	LastActivity   chat.Time      `json:"lastActivity"`
	OperatorOnline bool           `json:"operatorOnline"` // the status is set by its own route
	AIActive       *bool          `json:"aiActive"`
	Metadata       *chat.Metadata `json:"metadata"`
	Identity       map[string]any `json:"identity"`
}

func (o *sessionObject) info() engine.SessionInfo {
	return engine.SessionInfo{ID: o.ID, VisitorID: o.VisitorID, Site: o.Site, CreatedAt: o.CreatedAt, AIActive: o.AIActive, Metadata: o.Metadata, Identity: o.Identity}
}

// sessionOnly is the body of events that are only about a session.
type sessionOnly struct {
	Session sessionObject `json:"session"`
}

// handleNewSessionObject handles the route, whose body is the session itself: its
// errors name fields without the prefix "session.".
func (s *backendAPI) handleNewSessionObject(ctx context.Context, in sessionObject) error {
	err := s.handleNewSession(ctx, sessionOnly{in})
	if mistake := (*chat.Error)(nil); errors.As(err, &mistake) && mistake.Kind == chat.Invalid {
		return web.BadRequest(strings.TrimPrefix(mistake.Text, "session."))
	}
	return err
}

func (s *backendAPI) handleNewSession(ctx context.Context, in sessionOnly) error {
	return s.engine.Backend().NewSession(ctx, visitorSide, in.Session.info())
}

func (s *backendAPI) handleIdentity(ctx context.Context, in sessionOnly) error {
	return s.engine.Backend().Identify(ctx, visitorSide, in.Session.info())
}

func (s *backendAPI) handleTakeover(ctx context.Context, in struct {
	sessionOnly
	Reason string `json:"reason"`
}) error {
	return s.engine.Backend().TakeOver(ctx, aiSide, in.Session.info(), in.Reason)
}

func (s *backendAPI) handleLeft(ctx context.Context, in struct {
	sessionOnly
	engine.Leave
}) error {
	return s.engine.Backend().Leave(ctx, visitorSide, in.Session.info(), in.Leave)
}

func (s *backendAPI) handleCustomEvent(ctx context.Context, in struct {
	sessionOnly
	Event struct {
		eventRequest
		Timestamp chat.Time `json:"timestamp"`
	} `json:"event"`
}) error {
	if err := sameSession("event.sessionId", in.Event.SessionID, in.Session.ID); err != nil {
		return err
	}
	e := in.Event.event()
	e.Timestamp = in.Event.Timestamp
	return s.engine.Backend().Trigger(ctx, visitorSide, in.Session.info(), e)
}

func (s *backendAPI) handleStatus(ctx context.Context, in struct {
	Online *bool `json:"online"`
}) error {
	if in.Online == nil {
		return web.BadRequest("online is required")
	}
	return s.engine.SetOperatorStatus(ctx, *in.Online)
}

// messageObject is the message in a backend's requests.
type messageObject struct {
	ID           string       `json:"id"`
	SessionID    string       `json:"sessionId"`
	Content      *string      `json:"content"`
	Sender       string       `json:"sender"`
	Timestamp    chat.Time    `json:"timestamp"`
	ReplyTo      string       `json:"replyTo"`
	OperatorName string       `json:"operatorName"`
	Buttons      chat.Buttons `json:"buttons"`
	Attachments  []struct {
		ID       string `json:"id"`
		URL      string `json:"url"`
		Filename string `json:"filename"`
		MimeType string `json:"mimeType"`
		Size     int64  `json:"size"`
	} `json:"attachments"`
}

func (s *backendAPI) handleMessage(ctx context.Context, in struct {
	sessionOnly
	Message messageObject `json:"message"`
}) error {
	by, ok := map[string]chat.Author{"": visitorSide, "visitor": visitorSide, "operator": operatorSide, "ai": aiSide}[in.Message.Sender]
	if !ok {
		return web.BadRequest("message.sender must be visitor, operator or ai")
	}
	if in.Message.Content == nil {
		return web.BadRequest("message.content is required")
	}
	if err := sameSession("message.sessionId", in.Message.SessionID, in.Session.ID); err != nil {
		return err
	}
	files, missing, err := in.Message.files()
	if err != nil {
		return err
	}
	content := strings.TrimPrefix(*in.Message.Content+missing, "\n")
	return s.engine.Backend().Send(ctx, by, in.Session.info(), engine.BackendMessage{ID: in.Message.ID, Content: content,
		Sender: by.Sender, Timestamp: in.Message.Timestamp, ReplyTo: in.Message.ReplyTo, Name: in.Message.OperatorName, Files: files, Buttons: in.Message.Buttons})
}

// maxFiles bounds the files of a message.
const maxFiles = 10

// files returns the message's files. They stay with the backend: relay reads them when it posts them
// to a platform. A file that relay could never fetch does not block the message: missing names it.
func (m *messageObject) files() (files chat.Attachments, missing string, err error) {
	if len(m.Attachments) > maxFiles {
		return nil, "", web.BadRequest("message.attachments must be at most 10")
	}
	files = chat.Attachments{}
	for _, a := range m.Attachments {
		if a.Size < 0 {
			return nil, "", web.BadRequest("message.attachments[].size must not be negative")
		}
		u, err := url.Parse(a.URL)
		if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Hostname() == "" {
			missing += "\n📎 " + cmp.Or(shorten(a.Filename), "a file") + " (not available: it has no web address)"
			continue
		}
		files = append(files, chat.Attachment{ID: a.ID, Filename: a.Filename, MimeType: a.MimeType, Size: a.Size, URL: a.URL})
	}
	return files, missing, nil
}

// sameSession rejects a body that names two sessions.
func sameSession(name, given, sessionID string) error {
	if given != "" && sessionID != "" && given != sessionID {
		return web.BadRequest(name + " is not session.id")
	}
	return nil
}

// reference names the session and the message of an event, by ids or by the
// objects.
type reference struct {
	sessionOnly
	SessionID string        `json:"sessionId"`
	MessageID string        `json:"messageId"`
	Message   messageObject `json:"message"`
}

// resolve returns the session and the message's id, however the event names them.
func (f *reference) resolve() (in engine.SessionInfo, messageID string, err error) {
	in, messageID = f.Session.info(), f.MessageID
	if in.ID == "" {
		in.ID = f.SessionID
	}
	if messageID == "" {
		messageID = f.Message.ID
	}
	if err := web.Required("sessionId", in.ID); err != nil {
		return in, "", err
	}
	err = cmp.Or(sameSession("sessionId", f.SessionID, in.ID), sameSession("message.sessionId", f.Message.SessionID, in.ID))
	return in, messageID, err
}

func (s *backendAPI) handleEdited(ctx context.Context, in struct {
	reference
	Content  *string   `json:"content"`
	EditedAt chat.Time `json:"editedAt"`
}) error {
	session, id, err := in.resolve()
	if err != nil {
		return err
	}
	content := in.Content
	if content == nil {
		content = in.Message.Content
	}
	if err := web.Required("messageId", id); err != nil {
		return err
	}
	if content == nil {
		return web.BadRequest("content is required")
	}
	return s.engine.Backend().Edit(ctx, visitorSide, session, id, *content, in.EditedAt)
}

func (s *backendAPI) handleDeleted(ctx context.Context, in struct {
	reference
	DeletedAt chat.Time `json:"deletedAt"`
}) error {
	session, id, err := in.resolve()
	if err != nil {
		return err
	}
	return s.engine.Backend().Delete(ctx, visitorSide, session, id, in.DeletedAt)
}

func (s *backendAPI) handleRead(ctx context.Context, in struct {
	reference
	MessageIDs []string `json:"messageIds"`
	Status     string   `json:"status"`
}) error {
	session, id, err := in.resolve()
	if err != nil {
		return err
	}
	if id != "" {
		in.MessageIDs = append(in.MessageIDs, id)
	}
	if in.Status == "" {
		in.Status = "read"
	}
	return s.engine.Backend().MarkRead(ctx, visitorSide, session, in.MessageIDs, in.Status)
}

func (s *backendAPI) handleRating(ctx context.Context, in struct {
	reference
	Score       *int      `json:"score"`
	Comment     string    `json:"comment"`
	RespondedAt chat.Time `json:"respondedAt"`
}) error {
	session, _, err := in.resolve()
	if err != nil {
		return err
	}
	if in.Score == nil {
		return web.BadRequest("score is required")
	}
	return s.engine.Backend().Rate(ctx, visitorSide, session, *in.Score, in.Comment, in.RespondedAt)
}
