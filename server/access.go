package server

import (
	"errors"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/config"
	"github.com/relay-chat/relay/server/keyring"
)

// admission decides who may make a request.
type admission struct {
	*clients
	*limiter
	*signIns
	sites func() *chat.Sites
}

// visitor admits requests with the public key of a site from an origin that is allowed
// there. The service checks which session they may use.
func (s *admission) visitor(w http.ResponseWriter, r *http.Request, key string) (chat.Author, error) {
	site := s.siteOf(key)
	if !s.allowedAt(r, site) {
		return chat.Author{}, errForbidden
	}
	if site == nil {
		return chat.Author{}, s.denied(w, r)
	}
	if site.ArchivedAt != 0 {
		return chat.Author{}, chat.ErrSiteArchived
	}
	return chat.Author{Sender: chat.SenderVisitor, Source: chat.SourceWidget, Site: site.ID,
		Token: r.Header.Get("X-Session-Token"), TokenRequired: s.cfg.RequireSessionToken}, nil
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
		return s.originAmong(r, s.cfg.OriginsOf(site))
	}
	all := s.sites().All()
	return slices.ContainsFunc(all, func(site chat.Site) bool { return s.allowedAt(r, &site) })
}

// operator admits requests with the secret key, an API key or the console's cookie.
func (s *admission) operator(w http.ResponseWriter, r *http.Request, key string) (chat.Author, error) {
	return s.admit(w, r, key, s.signedIn)
}

// administrator admits those who may change settings, people and keys.
func administrator(admits access) access {
	return func(w http.ResponseWriter, r *http.Request, key string) (chat.Author, error) {
		by, err := admits(w, r, key)
		if err == nil && by.Role != chat.RoleAdministrator {
			err = errAdministrators
		}
		return by, err
	}
}

// lasting refuses to the secret key before what would outlive it.
func lasting(admits access) access {
	return func(w http.ResponseWriter, r *http.Request, key string) (chat.Author, error) {
		by, err := admits(w, r, key)
		if err == nil && by.Replaced {
			err = errReplaced
		}
		return by, err
	}
}

// operatorOr also admits a command of relay that has a pass.
func (s *admission) operatorOr(hasPass func(*http.Request) bool) access {
	signedIn := func(r *http.Request) (chat.Author, error) {
		by, err := s.signedIn(r)
		if errors.Is(err, errUnauthorized) && hasPass(r) {
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
	if err == nil && s.keys.SetupOpen() && !s.peer(r).local() {
		s.keys.CloseSetup("the secret key is in use")
	}
	return by, err
}

// authenticate returns the operator who makes a request. A key sent by a web page is
// rejected: it does not belong there.
func (s *admission) authenticate(w http.ResponseWriter, r *http.Request, key string, signedIn func(*http.Request) (chat.Author, error)) (chat.Author, error) {
	if key == "" {
		if err := s.crossOrigin.Check(r); err != nil {
			return chat.Author{}, errForbidden
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
		return chat.Author{}, s.denied(w, r)
	}
	if r.Header.Get("Origin") != "" {
		s.warnOfBrowser(w, r, "secret key")
		return chat.Author{}, errUnauthorized
	}
	return chat.Author{Sender: chat.SenderOperator, Source: chat.SourceAPI, Role: chat.RoleAdministrator, Replaced: state == keyring.Replaced}, nil
}

// errReplaced refuses to the secret key before what would outlive it.
var errReplaced = &httpError{status: http.StatusForbidden, text: "This secret key was replaced. Use the new one"}

// requestKey returns the key of a request, from its query only if that is allowed.
func requestKey(r *http.Request, inQuery bool) string {
	if scheme, key, ok := strings.Cut(r.Header.Get("Authorization"), " "); ok && strings.EqualFold(scheme, "Bearer") {
		return strings.TrimSpace(key)
	}
	key := r.Header.Get("X-API-Key")
	if key == "" && inQuery {
		key = r.URL.Query().Get("apiKey")
	}
	return key
}

// widgetCORS lets pages of the allowed origins read responses, never with credentials.
func (s *admission) widgetCORS(w http.ResponseWriter, r *http.Request) (preflight bool) {
	h := w.Header()
	if sites := s.sites(); !sites.Several() && len(s.cfg.AllowedOrigins) == 0 {
		h.Set("Access-Control-Allow-Origin", "*")
	} else {
		h.Set("Vary", "Origin")
		// A preflight has no key, so that its answer is for all sites.
		if origin := r.Header.Get("Origin"); origin != "" && s.allowedAt(r, s.siteOf(requestKey(r, true))) {
			h.Set("Access-Control-Allow-Origin", origin)
		}
	}
	h.Set("Access-Control-Expose-Headers", "Retry-After")
	return answerPreflight(w, r, "GET, POST, PATCH, DELETE", "Authorization, X-API-Key, Content-Type, X-Session-Token, Last-Event-ID")
}

// streamCORS lets pages of the allowed origins read the stream of bridge mode.
// Without a list no origin is allowed: on a developer's machine, any website could read
// the stream otherwise.
func (s *backendAPI) streamCORS(w http.ResponseWriter, r *http.Request) (preflight bool) {
	origin := r.Header.Get("Origin")
	if len(s.cfg.AllowedOrigins) == 0 || origin == "" || !s.originAllowed(r) {
		return false
	}
	w.Header().Set("Vary", "Origin")
	w.Header().Set("Access-Control-Allow-Origin", origin)
	return answerPreflight(w, r, "GET", "Authorization, X-API-Key, Last-Event-ID")
}

// answerPreflight answers a preflight request, and reports whether the request was one.
func answerPreflight(w http.ResponseWriter, r *http.Request, methods, headers string) bool {
	if r.Method != http.MethodOptions {
		return false
	}
	h := w.Header()
	h.Set("Access-Control-Allow-Methods", methods)
	h.Set("Access-Control-Allow-Headers", headers)
	h.Set("Access-Control-Max-Age", "7200")
	w.WriteHeader(http.StatusNoContent)
	return true
}

// clients knows where requests come from, and how they reached relay.
type clients struct {
	cfg            config.Config
	log            *slog.Logger
	crossOrigin    *http.CrossOriginProtection
	untrustedProxy sync.Once // warned of it
}

func newClients(cfg config.Config, log *slog.Logger) *clients {
	return &clients{cfg: cfg, log: log, crossOrigin: http.NewCrossOriginProtection()}
}

// originAllowed reports whether the requesting page's origin is allowed. Requests
// without an origin do not come from a foreign page.
func (s *clients) originAllowed(r *http.Request) bool { return s.originAmong(r, s.cfg.AllowedOrigins) }

// originAmong is originAllowed for a list of origins, of which none means any.
func (s *clients) originAmong(r *http.Request, list []string) bool {
	origin := r.Header.Get("Origin")
	if origin == "" || len(list) == 0 || slices.Contains(list, origin) {
		return true
	}
	u, err := url.Parse(origin)
	return err == nil && u.Host != "" && u.Host == r.Host // relay's own demo page
}

// peer is where a request comes from.
type peer struct {
	addr   netip.Addr // the client, as far as the proxies can be trusted
	direct bool       // nothing says that a proxy forwarded the request
}

// local reports whether the request was made on this machine.
func (p peer) local() bool { return p.direct && p.addr.IsLoopback() }

// isProxyHeader reports whether proxies add a header, named in canonical form.
func isProxyHeader(name string) bool {
	switch name {
	case "Forwarded", "Via", "X-Real-Ip", "True-Client-Ip":
		return true
	}
	return strings.HasPrefix(name, "X-Forwarded-") || strings.HasPrefix(name, "Cf-")
}

// peer finds the client: the right-most address of X-Forwarded-For that is not
// a trusted proxy's, as long as the connection itself comes from one.
func (s *clients) peer(r *http.Request) peer {
	p := peer{addr: remoteAddr(r), direct: r.ProtoAtLeast(1, 1)} // some proxies speak HTTP/1.0 and add no header
	for name := range r.Header {
		if isProxyHeader(name) {
			p.direct = false
		}
	}
	if p.direct {
		return p
	}
	if !s.trusted(p.addr) {
		s.warnUntrusted(p.addr)
		return p
	}
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for _, hop := range slices.Backward(hops) {
		addr, ok := parseHop(strings.TrimSpace(hop))
		if !ok {
			return p
		}
		p.addr = addr
		if !s.trusted(p.addr) {
			return p
		}
	}
	return p
}

// warnUntrusted warns once about an untrusted proxy on a private network: visitors behind
// it share one rate limit. An empty TRUSTED_PROXIES is a decision and gives no warning.
func (s *clients) warnUntrusted(proxy netip.Addr) {
	if len(s.cfg.TrustedProxies) > 0 && (proxy.IsPrivate() || proxy.IsLoopback() || proxy.IsLinkLocalUnicast()) {
		s.untrustedProxy.Do(func() {
			s.log.Warn("visitors behind an untrusted proxy share one rate limit: add the proxy to TRUSTED_PROXIES if it is yours", "proxy", proxy)
		})
	}
}

// parseHop parses an address of X-Forwarded-For: some proxies add the port.
func parseHop(hop string) (addr netip.Addr, ok bool) {
	addr, err := netip.ParseAddr(hop)
	if err != nil {
		withPort, err := netip.ParseAddrPort(hop)
		if err != nil {
			return netip.Addr{}, false
		}
		addr = withPort.Addr()
	}
	return addr.Unmap().WithZone(""), true
}

func (s *clients) trusted(addr netip.Addr) bool {
	return slices.ContainsFunc(s.cfg.TrustedProxies, func(p netip.Prefix) bool { return p.Contains(addr) })
}

func remoteAddr(r *http.Request) netip.Addr {
	addr, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return netip.Addr{}
	}
	return addr.Addr().Unmap().WithZone("")
}

// secure reports whether the client uses TLS to relay or to a trusted proxy.
func (s *clients) secure(r *http.Request) bool {
	return r.TLS != nil || (s.trusted(remoteAddr(r)) && r.Header.Get("X-Forwarded-Proto") == "https")
}
