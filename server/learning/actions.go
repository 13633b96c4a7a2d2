package learning

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
	"github.com/relay-chat/relay/server/web"
)

// Actions are requests that the AI may ask for.
type Actions interface {
	// List returns those of sites, oldest first.
	List(ctx context.Context, sites chat.SiteSet) ([]chat.Action, error)
	// Put checks and stores one.
	Put(ctx context.Context, a *chat.Action) error
	Drop(ctx context.Context, id string) error
	// Try makes the request of one that only reads, and returns that of the others.
	Try(ctx context.Context, a *chat.Action, given, person string) (chat.ActionTrial, error)
	// Operations reads an OpenAPI document: one that is given, or that of an address.
	Operations(ctx context.Context, address, document string) (chat.Operations, error)
	// Tools lists the tools of a server of the Model Context Protocol.
	Tools(ctx context.Context, endpoint, header, secret string) (chat.Operations, error)
	// Acts returns the newest ones at sites, or those of a session.
	Acts(ctx context.Context, sites chat.SiteSet, sessionID string) ([]chat.Act, error)
	Act(ctx context.Context, id string) (chat.Act, error)
}

// actionAPI is about what the AI may do beside answering.
type actionAPI struct {
	web.Auditor
	actions Actions
	engine  *engine.Engine
}

// actionView is an action in answers: whether it has a secret, but not which.
type actionView struct {
	chat.Action
	Site      string `json:"site,omitempty"` // as soon as there are several
	Paused    bool   `json:"paused"`
	HasSecret bool   `json:"hasSecret"`
}

func (s *actionAPI) view(a chat.Action) actionView {
	return actionView{a, s.engine.Sites().Shown(a.Site), !a.Works(), a.Secret != ""}
}

// list answers GET /api/admin/ai/actions: those of one's sites, or of the one that ?site= names.
func (s *actionAPI) list(_ http.ResponseWriter, r *http.Request, by chat.Author) (any, error) {
	sites, err := web.SitesAsked(r, by, s.engine.Sites())
	if err != nil {
		return nil, err
	}
	views := []actionView{}
	list, err := s.actions.List(r.Context(), sites)
	for _, a := range list {
		views = append(views, s.view(a))
	}
	return map[string]any{"actions": views}, err
}

// actionRequest makes or changes an action. A field that is left out stays.
type actionRequest struct {
	Name       *string                    `json:"name"`
	About      *string                    `json:"about"`
	Method     *string                    `json:"method"`
	URL        *string                    `json:"url"`
	Parameters map[string]json.RawMessage `json:"parameters"`
	Identity   *string                    `json:"identity"`
	Owner      *string                    `json:"owner"`
	ByEmail    *bool                      `json:"byEmail"`
	Verified   *bool                      `json:"verified"`
	Changes    *bool                      `json:"changes"`
	Repeats    *bool                      `json:"repeats"`
	Header     *string                    `json:"header"`
	Secret     *string                    `json:"secret"`
	Paused     *bool                      `json:"paused"`
}

// apply changes an action. A secret stays with the server that it was given for.
func (in *actionRequest) apply(a *chat.Action) {
	host := chat.HostOf(a.URL)
	for _, f := range []struct{ given, field *string }{{in.Name, &a.Name}, {in.About, &a.About}, {in.Method, &a.Method}, {in.URL, &a.URL}, {in.Identity, &a.Identity},
		{in.Owner, &a.Owner}, {in.Header, &a.Header}} {
		if f.given != nil {
			*f.field = *f.given
		}
	}
	for _, f := range []struct{ given, field *bool }{{in.ByEmail, &a.ByEmail}, {in.Verified, &a.Verified}, {in.Changes, &a.Changes}, {in.Repeats, &a.Repeats}} {
		if f.given != nil {
			*f.field = *f.given
		}
	}
	if len(in.Parameters) > 0 {
		a.Parameters = chat.Raw(chat.MustJSON(in.Parameters))
	}
	if in.Paused != nil {
		a.Pause(*in.Paused)
	}
	switch {
	case in.Secret != nil:
		a.Secret = *in.Secret
	case chat.HostOf(strings.TrimSpace(a.URL)) != host:
		a.Secret = ""
	}
}

// noParameters is the schema of an action that is given nothing.
const noParameters = `{"type":"object","properties":{}}`

// add answers POST /api/admin/ai/actions with a new action at the site that ?site= names, or the first
// of one's own.
func (s *actionAPI) add(_ http.ResponseWriter, r *http.Request, by chat.Author, in actionRequest) (any, error) {
	site, err := web.OneSite(r, by, s.engine.Sites())
	if err != nil {
		return nil, err
	}
	a := chat.Action{ID: chat.NewID(), Site: site.ID, Parameters: chat.Raw(noParameters), MadeBy: chat.AuditName(by), CreatedAt: chat.Now()}
	in.apply(&a)
	return s.put(r, by, &a)
}

// put stores an action.
func (s *actionAPI) put(r *http.Request, by chat.Author, a *chat.Action) (any, error) {
	if err := s.actions.Put(r.Context(), a); err != nil {
		return nil, err
	}
	s.AuditAt(r, by, s.engine.Sites().Shown(a.Site), chat.AuditAIAction, a.Name, a.Method+" "+chat.HostOf(a.URL))
	return s.view(*a), nil
}

// find finds an action of one's sites.
func (s *actionAPI) find(r *http.Request, by chat.Author) (*chat.Action, error) {
	list, err := s.actions.List(r.Context(), by.Sites)
	at := slices.IndexFunc(list, func(a chat.Action) bool { return a.ID == web.PathVar(r, "id") })
	if err == nil && at < 0 {
		err = chat.ErrActionNotFound
	}
	if err != nil {
		return nil, err
	}
	return &list[at], nil
}

// change answers PATCH /api/admin/ai/actions/{id}.
func (s *actionAPI) change(_ http.ResponseWriter, r *http.Request, by chat.Author, in actionRequest) (any, error) {
	a, err := s.find(r, by)
	if err != nil {
		return nil, err
	}
	in.apply(a)
	return s.put(r, by, a)
}

// drop answers DELETE /api/admin/ai/actions/{id}.
func (s *actionAPI) drop(_ http.ResponseWriter, r *http.Request, by chat.Author) (any, error) {
	a, err := s.find(r, by)
	if err == nil {
		err = s.actions.Drop(r.Context(), a.ID)
	}
	if err == nil {
		s.AuditAt(r, by, s.engine.Sites().Shown(a.Site), chat.AuditAIAction, a.Name, "deleted")
	}
	return web.OK, err
}

type tryActionRequest struct {
	Arguments map[string]json.RawMessage `json:"arguments"`
	Person    string                     `json:"person"` // whose verified id it is tried for
}

// try answers POST /api/admin/ai/actions/{id}/try.
func (s *actionAPI) try(_ http.ResponseWriter, r *http.Request, by chat.Author, in tryActionRequest) (any, error) {
	a, err := s.find(r, by)
	if err != nil {
		return nil, err
	}
	given := ""
	if in.Arguments != nil {
		given = string(chat.MustJSON(in.Arguments))
	}
	trial, err := s.actions.Try(r.Context(), a, given, in.Person)
	if err == nil {
		s.AuditAt(r, by, s.engine.Sites().Shown(a.Site), chat.AuditAIAction, a.Name, "tried")
	}
	return trial, err
}

// actView is an act with its visitor's site as soon as there are several, its request in its parts, and
// the client id of the note that asks people.
type actView struct {
	chat.Act
	Site    string           `json:"site,omitempty"`
	Note    string           `json:"note,omitempty"`
	Request *chat.ActRequest `json:"request,omitempty"`
}

func (s *actionAPI) viewAct(a chat.Act) actView {
	view := actView{a, s.engine.Sites().Shown(a.Site), "", a.Request()}
	if a.Changes {
		view.Note = a.Note()
	}
	return view
}

// acts answers GET /api/admin/ai/acts: the newest, or those of the conversation that ?session= names.
func (s *actionAPI) acts(_ http.ResponseWriter, r *http.Request, by chat.Author) (any, error) {
	list, err := s.actions.Acts(r.Context(), by.Sites, r.URL.Query().Get("session"))
	views := []actView{}
	for _, a := range list {
		views = append(views, s.viewAct(a))
	}
	return map[string]any{"acts": views}, err
}

type decideRequest struct {
	Yes *bool `json:"yes"`
}

// decide answers POST /api/admin/ai/acts/{id}: a person says yes or no to what waits. What came of it
// is a note in the conversation.
func (s *actionAPI) decide(_ http.ResponseWriter, r *http.Request, by chat.Author, in decideRequest) (any, error) {
	if in.Yes == nil {
		return nil, chat.ErrorAt(chat.Invalid, "yes", "yes is required: true or false")
	}
	a, err := s.actions.Act(r.Context(), web.PathVar(r, "id"))
	if err == nil && !by.Sites.Has(a.Site) {
		err = chat.ErrActNotFound
	}
	switch {
	case err != nil:
		return nil, err
	case a.State != chat.ActWaiting:
		return nil, chat.Errorf(chat.Conflict, "It %s", a.Over())
	}
	kind := chat.AINo
	if *in.Yes {
		kind = chat.AIYes
	}
	if err := s.engine.AskAI(r.Context(), by, a.SessionID, kind, a.ID); err != nil {
		return nil, err
	}
	s.AuditAt(r, by, s.engine.Sites().Shown(a.Site), chat.AuditAIAct, a.ID, a.Name+": "+kind)
	return web.OK, nil
}
