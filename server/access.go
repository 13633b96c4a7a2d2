package server

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/keyring"
	"github.com/relay-chat/relay/server/oauth"
	"github.com/relay-chat/relay/server/web"
)

// admission decides who may make a request.
type admission struct {
	*web.Clients
	*web.Limiter
	*signIns
	sites func() *chat.Sites
}

// visitor admits requests with the public key of a site from an origin that is allowed
// there. The service checks which session they may use.
func (s *admission) visitor(w http.ResponseWriter, r *http.Request, key string) (chat.Author, error) {
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
func (s *admission) siteOf(key string) *chat.Site {
	sites := s.sites()
	if s.keys.IsPublic(key) {
		return sites.Of("")
	}
	site, _ := sites.WithKey(key)
	return site
}

// allowedAt reports whether the requesting page's origin is allowed at a site: the first
// one's are relay's ALLOWED_ORIGINS. Without a site, any that some site allows is.
func (s *admission) allowedAt(r *http.Request, site *chat.Site) bool {
	if site != nil {
		return s.OriginAmong(r, s.Config.OriginsOf(site))
	}
	all := s.sites().All()
	return slices.ContainsFunc(all, func(site chat.Site) bool { return s.allowedAt(r, &site) })
}

// operator admits requests with the secret key, an API key or the console's cookie.
func (s *admission) operator(w http.ResponseWriter, r *http.Request, key string) (chat.Author, error) {
	return s.admit(w, r, key, s.signedIn)
}

// operatorOr also admits a command of relay that has a pass.
func (s *admission) operatorOr(hasPass func(*http.Request) bool) web.Access {
	signedIn := func(r *http.Request) (chat.Author, error) {
		by, err := s.signedIn(r)
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
func (s *admission) admit(w http.ResponseWriter, r *http.Request, key string, signedIn func(*http.Request) (chat.Author, error)) (chat.Author, error) {
	by, err := s.authenticate(w, r, key, signedIn)
	if err == nil && s.keys.SetupOpen() && !s.Peer(r).Local() {
		s.keys.CloseSetup("the secret key is in use")
	}
	return by, err
}

// authenticate returns the operator who makes a request. A key sent by a web page is
// rejected: it does not belong there.
func (s *admission) authenticate(w http.ResponseWriter, r *http.Request, key string, signedIn func(*http.Request) (chat.Author, error)) (chat.Author, error) {
	if key == "" {
		if err := s.CrossOrigin.Check(r); err != nil {
			return chat.Author{}, web.ErrForbidden
		}
		return signedIn(r)
	}
	state := s.keys.Check(key)
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

// widgetCORS lets pages of the allowed origins read responses, never with credentials.
func (s *admission) widgetCORS(w http.ResponseWriter, r *http.Request) (preflight bool) {
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

// streamCORS lets pages of the allowed origins read the stream of bridge mode.
// Without a list no origin is allowed: on a developer's machine, any website could read
// the stream otherwise.
func (s *backendAPI) streamCORS(w http.ResponseWriter, r *http.Request) (preflight bool) {
	origin := r.Header.Get("Origin")
	if len(s.Config.AllowedOrigins) == 0 || origin == "" || !s.OriginAllowed(r) {
		return false
	}
	w.Header().Set("Vary", "Origin")
	w.Header().Set("Access-Control-Allow-Origin", origin)
	return web.AnswerPreflight(w, r, "GET", "Authorization, X-API-Key, Last-Event-ID")
}

// asked is the context's key of the request that a tool works for.
type asked struct{}

// workFor returns the context of the tools that work for a request of an assistant.
func workFor(r *http.Request) context.Context { return context.WithValue(r.Context(), asked{}, r) }

// askedBy returns the request of an assistant for which a tool works.
func askedBy(ctx context.Context) (r *http.Request, known bool) {
	r, known = ctx.Value(asked{}).(*http.Request)
	return r, known
}

// forAssistant reports whether a request is an assistant's, or that of a tool which works for one.
func forAssistant(r *http.Request) bool {
	return r.URL.Path == oauth.ResourcePath || r.Context().Value(asked{}) != nil
}
