package server

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
	"github.com/relay-chat/relay/server/web"
)

// maxSessions is how many sessions one request may list.
const maxSessions = 100

// maxOperatorName is how long the name may be that a program gives an operator;
// as long as the setting of that name.
const maxOperatorName = 100

// conversationAPI is what those who answer visitors call.
type conversationAPI struct {
	presentation
	web.Auditor
	engine *engine.Engine
	finder Search
	keys   engine.MailKeys
}

// sessionView is a session as operators see it.
type sessionView struct {
	chat.PublicSession
	OperatorOnline bool          `json:"operatorOnline"`
	VisitorOnline  bool          `json:"visitorOnline"`
	Status         chat.Status   `json:"status"`
	Blocked        bool          `json:"blocked"`
	AIEnded        bool          `json:"aiEnded,omitzero"`
	Verified       bool          `json:"verified"`
	Unread         int           `json:"unread"`
	Nickname       string        `json:"nickname"`
	ContactName    string        `json:"contactName,omitempty"`
	Tags           chat.Tags     `json:"tags"`
	Assignee       *assignee     `json:"assignee,omitempty"`
	SnoozedUntil   chat.Time     `json:"snoozedUntil,omitzero"`
	WaitingSince   chat.Time     `json:"waitingSince,omitzero"`
	MergedWith     []string      `json:"mergedWith,omitempty"`
	GoesOnIn       string        `json:"goesOnIn,omitempty"`
	PreChat        chat.Raw      `json:"preChat,omitempty"`
	CSAT           *chat.CSAT    `json:"csat,omitempty"`
	LastMessage    *chat.Message `json:"lastMessage,omitempty"`
	// Undelivered is only set when a single session is requested.
	Undelivered []undeliveredView `json:"undelivered,omitempty"`
}

// assignee is the person whose session it is.
type assignee struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// assigneesOf finds the people whose sessions these are. Mostly it is nobody.
func assigneesOf(rd chat.Reader, list []chat.Session) (map[string]chat.Person, error) {
	if !slices.ContainsFunc(list, func(s chat.Session) bool { return s.Assignee != "" }) {
		return nil, nil
	}
	people, err := rd.People()
	byID := map[string]chat.Person{}
	for _, p := range people {
		byID[p.ID] = p
	}
	return byID, err
}

// views shows sessions with their last messages and assignees.
func (s presentation) views(rd chat.Reader, list []chat.Session) ([]sessionView, error) {
	people, err := assigneesOf(rd, list)
	if err != nil {
		return nil, err
	}
	ids, views := make([]string, len(list)), make([]sessionView, len(list))
	for i := range list {
		ids[i] = list[i].ID
	}
	last, err := rd.LastMessages(ids)
	if err != nil {
		return nil, err
	}
	contacts, err := rd.Contacts(contactKeys(list))
	for i := range list {
		views[i] = s.view(&list[i], last[ids[i]])
		views[i].ContactName = contacts[list[i].ContactKey()].Name
		if p, found := people[list[i].Assignee]; found {
			views[i].Assignee = &assignee{p.ID, p.Name}
		}
		if err == nil {
			err = views[i].showMerged(rd, &list[i])
		}
	}
	return views, err
}

// contactKeys are those of sessions by what each proves itself.
func contactKeys(list []chat.Session) []chat.ContactKey {
	keys := make([]chat.ContactKey, len(list))
	for i := range list {
		keys[i] = list[i].ContactKey()
	}
	return keys
}

func (s presentation) view(session *chat.Session, last chat.Message) sessionView {
	v := sessionView{PublicSession: s.engine.Sites().Public(session), OperatorOnline: s.engine.PresenceAt(session.Site).Online,
		VisitorOnline: s.engine.VisitorOnline(session.ID), Status: session.Status,
		Blocked: session.Blocked, AIEnded: session.AIEnded, Verified: session.Verified, Unread: session.Unread, PreChat: session.PreChat,
		Nickname: chat.Nickname(session.VisitorID), Tags: session.TagList(), SnoozedUntil: session.SnoozedUntil}
	if session.Waits() {
		v.WaitingSince = session.WaitingSince
	}
	if session.AskedAt != 0 || session.RespondedAt != 0 {
		v.CSAT = &session.CSAT
	}
	if last.ID != "" {
		last.ClientID = ""
		v.LastMessage = &s.showFiles([]chat.Message{last})[0]
	}
	return v
}

// sessions answers GET /api/admin/sessions: most recently active first.
func (s *conversationAPI) sessions(_ http.ResponseWriter, r *http.Request, by chat.Author) (any, error) {
	q, err := s.sessionQuery(r, by)
	if err != nil {
		return nil, err
	}
	limit := q.Limit
	q.Limit++ // one more than asked for: is there a next page?
	var list []chat.Session
	var views []sessionView
	err = s.engine.Store.Read(r.Context(), func(rd chat.Reader) (err error) {
		if list, err = rd.Sessions(q); err == nil {
			views, err = s.views(rd, list)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	answer := map[string]any{"sessions": views[:min(limit, len(views))]}
	if len(list) > limit {
		answer["nextCursor"] = listCursor(placeOf(&q, &list[limit-1]))
	}
	return answer, nil
}

// placeOf is a session's place in the list that a query asks for.
func placeOf(q *chat.SessionQuery, s *chat.Session) chat.Cursor {
	if q.Waiting {
		return chat.Cursor{At: s.WaitingSince, ID: s.ID}
	}
	return chat.Cursor{At: s.LastActivity, ID: s.ID}
}

func (s *conversationAPI) sessionQuery(r *http.Request, by chat.Author) (chat.SessionQuery, error) {
	form := r.URL.Query()
	q := chat.SessionQuery{Status: chat.Status(form.Get("status")), Search: strings.TrimSpace(form.Get("q"))}
	switch form.Get("empty") {
	case "", "false":
	case "true":
		q.Empty = true
	default:
		return q, web.BadRequest("empty must be true or false")
	}
	switch q.Status {
	case "", chat.StatusOpen, chat.StatusClosed:
	case "all":
		q.Status = ""
	case "waiting":
		q.Status, q.Waiting = "", true
	case "snoozed":
		q.Status, q.Snoozed = chat.StatusOpen, true
	default:
		return q, web.BadRequest("status must be open, closed, waiting, snoozed or all")
	}
	var err error
	if q.Sites, err = web.SitesAsked(r, by, s.engine.Sites()); err != nil {
		return q, err
	}
	switch who := form.Get("assignee"); who {
	case "":
	case "none":
		q.Assignee = new(string)
	case "me":
		if by.Person == "" {
			return q, web.BadRequest("assignee=me needs a person of the team: sign in at the console")
		}
		q.Assignee = &by.Person
	default:
		q.Assignee = &who
	}
	if tag := form.Get("tag"); tag != "" {
		if q.Tag, err = chat.CleanTag(tag); err != nil {
			return q, err
		}
	}
	if q.Limit, err = web.QueryLimit(r, 50, maxSessions); err != nil {
		return q, err
	}
	q.Before, err = parseCursor(form.Get("cursor"))
	return q, err
}

// listCursor renders a place in a list.
func listCursor(c chat.Cursor) string {
	text, _ := json.Marshal(c) // always succeeds
	return base64.RawURLEncoding.EncodeToString(text)
}

// parseCursor reads what listCursor rendered, "" as the beginning.
func parseCursor(given string) (c chat.Cursor, err error) {
	if given == "" {
		return c, nil
	}
	text, err := base64.RawURLEncoding.DecodeString(given)
	if err != nil || json.Unmarshal(text, &c) != nil || !web.IsText(c.ID) {
		return c, web.BadRequest("cursor must be a nextCursor of an earlier answer")
	}
	return c, nil
}

func (s *conversationAPI) session(_ http.ResponseWriter, r *http.Request, by chat.Author) (any, error) {
	var stuck []chat.Delivery
	var views []sessionView
	err := s.engine.Store.Read(r.Context(), func(rd chat.Reader) error {
		session, err := rd.Session(web.PathVar(r, "session"))
		if err != nil {
			return err
		}
		if stuck, err = rd.Undelivered(session.ID, undeliveredMost); err != nil {
			return err
		}
		views, err = s.views(rd, []chat.Session{session})
		return err
	})
	if err != nil {
		return nil, err
	}
	views[0].Undelivered = undeliveredViews(stuck)
	if !by.Holds(chat.ScopeRead) {
		views[0].hide()
	}
	return views[0], nil
}

// hide takes out who the visitor is and what was said, for programs that only write.
func (v *sessionView) hide() {
	v.Metadata, v.Identity = chat.Metadata{}, nil
	v.PreChat, v.CSAT, v.LastMessage, v.Undelivered = nil, nil, nil, nil
}

func (s *conversationAPI) erase(_ http.ResponseWriter, r *http.Request, by chat.Author) (any, error) {
	id, site := web.PathVar(r, "session"), s.SiteOf(r, by)
	err := s.engine.Erase(r.Context(), id)
	if err == nil {
		s.AuditAt(r, by, site, chat.AuditErased, id, "")
	}
	return web.OK, err
}

func (s *conversationAPI) messages(_ http.ResponseWriter, r *http.Request, by chat.Author) (any, error) {
	return s.history(r, by, web.PathVar(r, "session"))
}

// mail answers GET /api/admin/sessions/{session}/mails/{mail}: as text to a browser that opens it.
func (s *conversationAPI) mail(w http.ResponseWriter, r *http.Request, _ chat.Author) (any, error) {
	var m chat.ReceivedMail
	err := s.engine.Store.ReadOne(r.Context(), func(rd chat.Reader) (err error) {
		m, err = rd.ReceivedMail(web.PathVar(r, "session"), web.PathVar(r, "mail"))
		return err
	})
	if err != nil || !strings.Contains(r.Header.Get("Accept"), "text/html") {
		return m, err
	}
	h := w.Header()
	h.Set("Content-Type", "text/plain; charset=utf-8")
	h.Set("X-Content-Type-Options", "nosniff") // a stranger wrote it
	h.Set("Cache-Control", "no-store")
	_, _ = fmt.Fprintf(w, "From: %s\nSubject: %s\nArrived: %s\n\n%s\n", m.From, m.Subject, m.At.Std().Format(time.RFC1123), m.Text) // whoever is gone reads nothing
	return web.Written{}, nil
}

func (s *conversationAPI) send(_ http.ResponseWriter, r *http.Request, by chat.Author, in postRequest) (any, error) {
	scope := chat.ScopeWrite
	if in.Internal {
		scope = chat.ScopeNote
	}
	if !by.Holds(scope) {
		return nil, chat.LacksScope(scope)
	}
	by, err := s.named(r, by, in.OperatorName)
	if err != nil {
		return nil, err
	}
	if err := s.noCommand(r.Context(), by, in.Content); err != nil && !in.Internal {
		return nil, err
	}
	post := in.post(web.PathVar(r, "session"))
	post.Internal, post.ClientID, post.Buttons = in.Internal, in.ClientID, in.Buttons
	switch {
	case in.Assistant && by.Source == chat.SourceAPI:
		by.Source = chat.SourceAssistant
	case by.Source == chat.SourceConsole && !in.Internal && len(in.Buttons) == 0:
		post.Content, post.Buttons = chat.CutButtons(post.Content)
	}
	return s.shown(s.engine.Send(r.Context(), by, post))
}

// named sets the display name of an operator who authenticated with a key.
func (s *conversationAPI) named(r *http.Request, by chat.Author, name string) (chat.Author, error) {
	by, err := called(by, name)
	if err != nil {
		return by, err
	}
	return s.namedIn(r.Context(), by, web.PathVar(r, "session"))
}

// namedIn gives who has no name that of the team at a session's site.
func (s *conversationAPI) namedIn(ctx context.Context, by chat.Author, session string) (chat.Author, error) {
	if by.Name != "" {
		return by, nil
	}
	settings, err := s.engine.SettingsIn(ctx, by, session)
	if err == nil {
		by.Name = settings.Text("operatorName")
	}
	return by, err
}

// called gives a program's operator the name that it says.
func called(by chat.Author, name string) (chat.Author, error) {
	if utf8.RuneCountInString(name) > maxOperatorName {
		return by, web.BadRequest("operatorName must be at most 100 characters")
	}
	if name != "" && by.Source == chat.SourceAPI && by.Person == "" {
		by.Name = name
	}
	return by, nil
}

func (s *conversationAPI) edit(_ http.ResponseWriter, r *http.Request, by chat.Author, in postRequest) (any, error) {
	if err := s.noCommand(r.Context(), by, in.Content); err != nil {
		return nil, err
	}
	return s.shown(s.engine.Edit(r.Context(), by, web.PathVar(r, "session"), web.PathVar(r, "id"), in.Content))
}

func (s *conversationAPI) delete(_ http.ResponseWriter, r *http.Request, by chat.Author) (any, error) {
	return web.OK, s.engine.Delete(r.Context(), by, web.PathVar(r, "session"), web.PathVar(r, "id"))
}

func (s *conversationAPI) close(_ http.ResponseWriter, r *http.Request, by chat.Author) (any, error) {
	return web.OK, s.engine.Close(r.Context(), by, web.PathVar(r, "session"))
}

func (s *conversationAPI) reopen(_ http.ResponseWriter, r *http.Request, by chat.Author) (any, error) {
	return web.OK, s.engine.Reopen(r.Context(), by, web.PathVar(r, "session"))
}

func (s *conversationAPI) block(_ http.ResponseWriter, r *http.Request, by chat.Author) (any, error) {
	id := web.PathVar(r, "session")
	return s.Audited(r, by, chat.AuditBlocked, id, s.engine.Block(r.Context(), by, id, true))
}

func (s *conversationAPI) unblock(_ http.ResponseWriter, r *http.Request, by chat.Author) (any, error) {
	id := web.PathVar(r, "session")
	return s.Audited(r, by, chat.AuditUnblocked, id, s.engine.Block(r.Context(), by, id, false))
}

func (s *conversationAPI) read(_ http.ResponseWriter, r *http.Request, by chat.Author, in readRequest) (any, error) {
	return web.OK, s.engine.MarkRead(r.Context(), by, web.PathVar(r, "session"), in.MessageIDs)
}

func (s *conversationAPI) unread(_ http.ResponseWriter, r *http.Request, by chat.Author) (any, error) {
	return web.OK, s.engine.MarkUnread(r.Context(), by, web.PathVar(r, "session"))
}

func (s *conversationAPI) typing(_ http.ResponseWriter, r *http.Request, by chat.Author, in typingRequest) (any, error) {
	by, err := s.named(r, by, in.OperatorName)
	if err != nil {
		return nil, err
	}
	return web.OK, s.engine.Typing(r.Context(), by, web.PathVar(r, "session"), in.Active == nil || *in.Active)
}
