package server

import (
	"encoding/base64"
	"net/http"
	"strings"

	"github.com/relay-chat/relay/server/account"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
	"github.com/relay-chat/relay/server/keyring"
	"github.com/relay-chat/relay/server/team"
	"github.com/relay-chat/relay/server/web"
)

// incomingPath is where programs write, without the token.
const incomingPath = "/hooks/"

// incomingAPI is about the addresses at which programs write into conversations.
type incomingAPI struct {
	*web.Limiter
	web.Auditor
	keys   *keyring.Ring
	engine *engine.Engine
	team   *team.Team
	mails  engine.MailKeys
}

func newIncomingAPI(s *Server, audit web.Auditor, team *team.Team, keys *keyring.Ring, d Deps) *incomingAPI {
	return &incomingAPI{s.Limiter, audit, keys, d.Engine, team, MailLinksBy(keys, s.Config.PublicURL).Key}
}

// hookSecret is the secret that signs requests to an incoming hook. It is made of relay's own key
// and of the hook's token, so that nothing stored shows it, and a new token has a new one.
func hookSecret(k *keyring.Ring, h *chat.IncomingHook) string {
	key := k.LastingKey("incoming hooks")
	return "whsec_" + base64.StdEncoding.EncodeToString(chat.MAC(key, h.ID+"\n"+h.Hash))
}

// incomingView is an incoming hook in answers. Token, URL and secret are only in the answers that
// make them.
type incomingView struct {
	chat.IncomingHook
	Site   string `json:"site,omitempty"` // as soon as there are several
	Paused bool   `json:"paused"`
	Token  string `json:"token,omitempty"`
	URL    string `json:"url,omitempty"`
	Secret string `json:"secret,omitempty"`
}

func (s *incomingAPI) view(h chat.IncomingHook) incomingView {
	return incomingView{IncomingHook: h, Site: s.engine.Sites().Shown(h.Site), Paused: h.PausedAt != 0}
}

// opened is a hook's view with what opens it.
func (s *incomingAPI) opened(r *http.Request, h chat.IncomingHook, token string) incomingView {
	v := s.view(h)
	v.Token, v.Secret = token, hookSecret(s.keys, &h)
	v.URL = s.BaseURL(r) + incomingPath + token
	return v
}

// list answers GET /api/admin/incoming-hooks: those of one's sites, or of the one that ?site= names.
func (s *incomingAPI) list(_ http.ResponseWriter, r *http.Request, by chat.Author) (any, error) {
	sites, err := web.SitesAsked(r, by, s.engine.Sites())
	if err != nil {
		return nil, err
	}
	all, err := s.team.Incoming.List(r.Context())
	views := []incomingView{}
	for _, h := range all {
		if sites.Has(h.Site) {
			views = append(views, s.view(h))
		}
	}
	return map[string]any{"hooks": views}, err
}

// incomingRequest changes an incoming hook. A field that is left out stays.
type incomingRequest struct {
	Name   *string   `json:"name"`
	May    *[]string `json:"may"`
	Signed *bool     `json:"signed"`
	Paused *bool     `json:"paused"`
}

func (in *incomingRequest) change() team.IncomingChange {
	return team.IncomingChange{Name: in.Name, May: in.May, Signed: in.Signed, Paused: in.Paused}
}

// add answers POST /api/admin/incoming-hooks with a new hook at the site that ?site= names, or the
// first of one's own. Its address and secret are shown this once.
func (s *incomingAPI) add(_ http.ResponseWriter, r *http.Request, by chat.Author, in incomingRequest) (any, error) {
	site, err := web.OneSite(r, by, s.engine.Sites())
	if err != nil {
		return nil, err
	}
	token, h, err := s.team.Incoming.Add(r.Context(), by, site.ID, in.change(), account.StillSent(s.keys, r, by))
	if err != nil {
		return nil, err
	}
	s.AuditAt(r, by, s.engine.Sites().Shown(site.ID), chat.AuditHookAdded, h.Name, describeIncoming(&h))
	return s.opened(r, h, token), nil
}

// describeIncoming says in the audit list what a hook may do.
func describeIncoming(h *chat.IncomingHook) string {
	text := "incoming: " + strings.Join(h.May, ", ")
	if h.Signed {
		text += "; signed"
	}
	if h.PausedAt != 0 {
		text += "; paused"
	}
	return text
}

// change answers PATCH /api/admin/incoming-hooks/{hook}.
func (s *incomingAPI) change(_ http.ResponseWriter, r *http.Request, by chat.Author, in incomingRequest) (any, error) {
	h, err := s.team.Incoming.Change(r.Context(), web.PathVar(r, "hook"), in.change())
	if err != nil {
		return nil, err
	}
	s.AuditAt(r, by, s.engine.Sites().Shown(h.Site), chat.AuditHookChanged, h.Name, describeIncoming(&h))
	return s.view(h), nil
}

// renew answers POST /api/admin/incoming-hooks/{hook}/token: the address before leads nowhere now.
func (s *incomingAPI) renew(_ http.ResponseWriter, r *http.Request, by chat.Author) (any, error) {
	token, h, err := s.team.Incoming.Renew(r.Context(), web.PathVar(r, "hook"), account.StillSent(s.keys, r, by))
	if err != nil {
		return nil, err
	}
	s.AuditAt(r, by, s.engine.Sites().Shown(h.Site), chat.AuditHookChanged, h.Name, "incoming: new address")
	return s.opened(r, h, token), nil
}

// end answers DELETE /api/admin/incoming-hooks/{hook}: nothing is written at its address from now
// on, at any node.
func (s *incomingAPI) end(_ http.ResponseWriter, r *http.Request, by chat.Author) (any, error) {
	h, err := s.team.Incoming.Find(r.Context(), web.PathVar(r, "hook"))
	if err == nil {
		err = s.team.Incoming.End(r.Context(), h.ID)
	}
	if err == nil {
		s.AuditAt(r, by, s.engine.Sites().Shown(h.Site), chat.AuditHookEnded, h.Name, describeIncoming(&h))
	}
	return web.OK, err
}
