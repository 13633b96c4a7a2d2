package account

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/keyring"
	"github.com/relay-chat/relay/server/oauth"
	"github.com/relay-chat/relay/server/team"
	"github.com/relay-chat/relay/server/web"
)

// Admission decides who may make a request.
type Admission struct {
	*web.Clients
	*web.Limiter
	*SignIns
	sites func() *chat.Sites
}

// Visitor admits requests with the public key of a site from an origin that is allowed
// there. The service checks which session they may use.
func (s *Admission) Visitor(w http.ResponseWriter, r *http.Request, key string) (chat.Author, error) {
	site := s.siteOf(key)
	if !s.allowedAt(r, site) {
		return chat.Author{}, web.ErrForbidden
	}
	if site == nil {
		return chat.Author{}, s.Denied(w, r)
	}
	if site.ArchivedAt != 0 {
		return chat.Author{}, chat.ErrSiteArchived
	}
	return chat.Author{Sender: chat.SenderVisitor, Source: chat.SourceWidget, Site: site.ID,
		Token: r.Header.Get("X-Session-Token"), TokenRequired: s.Config.RequireSessionToken}, nil
}

// siteOf returns the site with a public key, nil for none.
func (s *Admission) siteOf(key string) *chat.Site {
	sites := s.sites()
	if s.Keys.IsPublic(key) {
		return sites.Of("")
	}
	site, _ := sites.WithKey(key)
	return site
}

// allowedAt reports whether the requesting page's origin is allowed at a site: the first
// one's are relay's ALLOWED_ORIGINS. Without a site, any that some site allows is.
func (s *Admission) allowedAt(r *http.Request, site *chat.Site) bool {
	if site != nil {
		return s.OriginAmong(r, s.Config.OriginsOf(site))
	}
	all := s.sites().All()
	return slices.ContainsFunc(all, func(site chat.Site) bool { return s.allowedAt(r, &site) })
}

// operator admits requests with the secret key, an API key or the console's cookie.
func (s *Admission) operator(w http.ResponseWriter, r *http.Request, key string) (chat.Author, error) {
	return s.admit(w, r, key, s.SignedIn)
}

// OperatorOr also admits a command of relay that has a pass.
func (s *Admission) OperatorOr(hasPass func(*http.Request) bool) web.Access {
	signedIn := func(r *http.Request) (chat.Author, error) {
		by, err := s.SignedIn(r)
		if errors.Is(err, web.ErrUnauthorized) && hasPass(r) {
			return chat.Author{Sender: chat.SenderOperator, Source: chat.SourceConsole, Role: chat.RoleAdministrator}, nil
		}
		return by, err
	}
	return func(w http.ResponseWriter, r *http.Request, key string) (chat.Author, error) {
		return s.admit(w, r, key, signedIn)
	}
}

// admit authenticates an operator. A key used from another machine has been saved there,
// so the set-up window closes.
func (s *Admission) admit(w http.ResponseWriter, r *http.Request, key string, signedIn func(*http.Request) (chat.Author, error)) (chat.Author, error) {
	by, err := s.authenticate(w, r, key, signedIn)
	if err == nil && s.Keys.SetupOpen() && !s.Peer(r).Local() {
		s.Keys.CloseSetup("the secret key is in use")
	}
	return by, err
}

// authenticate returns the operator who makes a request. A key sent by a web page is
// rejected: it does not belong there.
func (s *Admission) authenticate(w http.ResponseWriter, r *http.Request, key string, signedIn func(*http.Request) (chat.Author, error)) (chat.Author, error) {
	if key == "" {
		if err := s.CrossOrigin.Check(r); err != nil {
			return chat.Author{}, web.ErrForbidden
		}
		return signedIn(r)
	}
	state := s.Keys.Check(key)
	switch {
	case state == keyring.Wrong && strings.HasPrefix(key, chat.APIKeyPrefix):
		return s.byAPIKey(w, r, key)
	case state == keyring.Wrong && strings.HasPrefix(key, chat.AccessTokenPrefix):
		return s.byAccessToken(w, r, key)
	case state == keyring.Wrong:
		return chat.Author{}, s.Denied(w, r)
	}
	if r.Header.Get("Origin") != "" {
		s.warnOfBrowser(w, r, "secret key")
		return chat.Author{}, web.ErrUnauthorized
	}
	return chat.Author{Sender: chat.SenderOperator, Source: chat.SourceAPI, Role: chat.RoleAdministrator, Replaced: state == keyring.Replaced}, nil
}

// WidgetCORS lets pages of the allowed origins read responses, never with credentials.
func (s *Admission) WidgetCORS(w http.ResponseWriter, r *http.Request) (preflight bool) {
	h := w.Header()
	if sites := s.sites(); !sites.Several() && len(s.Config.AllowedOrigins) == 0 {
		h.Set("Access-Control-Allow-Origin", "*")
	} else {
		h.Set("Vary", "Origin")
		// A preflight has no key, so that its answer is for all sites.
		if origin := r.Header.Get("Origin"); origin != "" && s.allowedAt(r, s.siteOf(web.RequestKey(r, true))) {
			h.Set("Access-Control-Allow-Origin", origin)
		}
	}
	h.Set("Access-Control-Expose-Headers", "Retry-After")
	return web.AnswerPreflight(w, r, "GET, POST, PATCH, DELETE", "Authorization, X-API-Key, Content-Type, X-Session-Token, Last-Event-ID")
}

// asked is the context's key of the request that a tool works for.
type asked struct{}

// WorkFor returns the context of the tools that work for a request of an assistant.
func WorkFor(r *http.Request) context.Context { return context.WithValue(r.Context(), asked{}, r) }

// AskedBy returns the request of an assistant for which a tool works.
func AskedBy(ctx context.Context) (r *http.Request, known bool) {
	r, known = ctx.Value(asked{}).(*http.Request)
	return r, known
}

// forAssistant reports whether a request is an assistant's, or that of a tool which works for one.
func forAssistant(r *http.Request) bool {
	return r.URL.Path == oauth.ResourcePath || r.Context().Value(asked{}) != nil
}

// byAPIKey admits requests with an API key or a personal token.
func (s *Admission) byAPIKey(w http.ResponseWriter, r *http.Request, key string) (chat.Author, error) {
	k, p, err := s.team.Keys.Open(r.Context(), key)
	if err == nil && r.Header.Get("Origin") != "" {
		s.warnOfBrowser(w, r, "API key")
		return chat.Author{}, web.ErrUnauthorized
	}
	return s.byOpened(w, r, &k, &p, err)
}

// byAccessToken admits requests of assistants with the token of a connection, which opens nothing
// but the address for which it was given (RFC 8707). Those that run in a page have theirs there.
func (s *Admission) byAccessToken(w http.ResponseWriter, r *http.Request, token string) (chat.Author, error) {
	if !forAssistant(r) {
		return chat.Author{}, s.Denied(w, r)
	}
	k, p, err := s.team.Keys.OpenAccess(r.Context(), token)
	if errors.Is(err, team.ErrTokenOver) || err == nil && k.Resource != s.PagesURL(r)+oauth.ResourcePath {
		return chat.Author{}, web.ErrUnauthorized // which is nobody's guess
	}
	return s.byOpened(w, r, &k, &p, err)
}

// byOpened admits whoever has opened a key.
func (s *Admission) byOpened(w http.ResponseWriter, r *http.Request, k *chat.APIKey, p *chat.Person, err error) (chat.Author, error) {
	switch {
	case errors.Is(err, chat.ErrAPIKeyNotFound):
		return chat.Author{}, s.Denied(w, r)
	case err != nil:
		return chat.Author{}, err
	case s.Config.RateLimit && !s.Rates.Keys.Allow(k.ID, time.Now()):
		return chat.Author{}, web.ErrTooMany()
	}
	return KeyAuthor(k, p), nil
}

// warnOfBrowser logs that a web page has sent a key that does not belong there.
func (s *Admission) warnOfBrowser(w http.ResponseWriter, r *http.Request, key string) {
	s.Log.Warn(key+" used from a browser: it belongs on servers only", "request", w.Header().Get(web.RequestIDHeader), "origin", r.Header.Get("Origin"), "peer", s.Peer(r).Addr)
}
