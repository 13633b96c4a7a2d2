package server

import (
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"relay/server/chat"
)

// authored is an action of somebody relay knows: a visitor, or an operator.
type authored func(w http.ResponseWriter, r *http.Request, by chat.Author) (any, error)

// widget lets in who brings the public key, from an allowed origin (seed 5).
// Whose session it may touch is decided by the door.
func (s *Server) widget(a authored) action {
	return func(w http.ResponseWriter, r *http.Request) (any, error) {
		if !s.originAllowed(r) {
			return nil, errForbidden
		}
		if !s.keys.IsPublic(requestKey(r)) {
			return nil, s.denied(w, r)
		}
		if err := s.limited(w, r, s.rates.requests, s.address(r)); err != nil {
			return nil, err
		}
		return a(w, r, chat.Author{Sender: chat.SenderVisitor, Source: chat.SourceWidget,
			Token: r.Header.Get("X-Session-Token"), TokenRequired: s.cfg.RequireSessionToken})
	}
}

// admin lets in who brings the secret key, or the console's cookie. A secret
// key that comes from a web page is refused: it does not belong there.
func (s *Server) admin(a authored) action {
	return func(w http.ResponseWriter, r *http.Request) (any, error) {
		by, err := s.operator(w, r)
		if err != nil {
			return nil, err
		}
		if s.keys.SetupOpen() && !s.peer(r).local() {
			s.keys.CloseSetup("the secret key is in use")
		}
		return a(w, r, by)
	}
}

// operator returns who makes an admin request.
func (s *Server) operator(w http.ResponseWriter, r *http.Request) (chat.Author, error) {
	key := requestKey(r)
	if key == "" {
		if err := s.crossOrigin.Check(r); err != nil {
			return chat.Author{}, errForbidden
		}
		name, signedIn := s.signedIn(r)
		if !signedIn && !s.isDoctor(r) {
			return chat.Author{}, errUnauthorized
		}
		return chat.Author{Sender: chat.SenderOperator, Source: chat.SourceConsole, Name: name}, nil
	}
	if !s.keys.IsSecret(key) {
		return chat.Author{}, s.denied(w, r)
	}
	if r.Header.Get("Origin") != "" {
		s.log.Warn("secret key used from a browser: it belongs on servers only", "origin", r.Header.Get("Origin"), "peer", s.peer(r).addr)
		return chat.Author{}, errUnauthorized
	}
	return chat.Author{Sender: chat.SenderOperator, Source: chat.SourceAPI}, nil
}

// requestKey returns the key that a request brings. Only the two routes that
// browsers call without headers may have it in the URL.
func requestKey(r *http.Request) string {
	if scheme, key, ok := strings.Cut(r.Header.Get("Authorization"), " "); ok && strings.EqualFold(scheme, "Bearer") {
		return strings.TrimSpace(key)
	}
	if key := r.Header.Get("X-API-Key"); key != "" {
		return key
	}
	switch r.Method + " " + r.URL.Path {
	case "GET /api/widget/stream", "POST /api/widget/disconnect":
		return r.URL.Query().Get("apiKey")
	}
	return ""
}

// cors answers preflights of the widget's routes and lets pages of the allowed
// origins read the answers, never with credentials.
func (s *Server) cors(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasPrefix(r.URL.Path, "/api/widget/") {
			next.ServeHTTP(w, r)
			return
		}
		h := w.Header()
		if len(s.cfg.AllowedOrigins) == 0 {
			h.Set("Access-Control-Allow-Origin", "*")
		} else {
			h.Set("Vary", "Origin")
			if origin := r.Header.Get("Origin"); origin != "" && s.originAllowed(r) {
				h.Set("Access-Control-Allow-Origin", origin)
			}
		}
		h.Set("Access-Control-Expose-Headers", "Retry-After")
		if r.Method != http.MethodOptions {
			next.ServeHTTP(w, r)
			return
		}
		h.Set("Access-Control-Allow-Methods", "GET, POST, PATCH, DELETE")
		h.Set("Access-Control-Allow-Headers", "Authorization, X-API-Key, Content-Type, X-Session-Token, Last-Event-ID")
		h.Set("Access-Control-Max-Age", "7200")
		w.WriteHeader(http.StatusNoContent)
	})
}

// filterAgents answers 403 to programs that the User-Agent filter blocks, before
// any key is looked at. Platforms' webhooks and preflights pass.
func (s *Server) filterAgents(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		filtered := strings.HasPrefix(r.URL.Path, "/api/") && !strings.HasPrefix(r.URL.Path, "/api/webhooks/") && r.Method != http.MethodOptions
		if filtered && s.cfg.BlocksAgent(r.UserAgent()) {
			s.writeError(w, r, errForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// originAllowed reports whether the page that makes the request may. Requests
// without an origin do not come from a foreign page.
func (s *Server) originAllowed(r *http.Request) bool {
	origin := r.Header.Get("Origin")
	if origin == "" || len(s.cfg.AllowedOrigins) == 0 || slices.Contains(s.cfg.AllowedOrigins, origin) {
		return true
	}
	u, err := url.Parse(origin)
	return err == nil && u.Host != "" && u.Host == r.Host // relay's own demo page
}

// peer is where a request comes from.
type peer struct {
	addr   netip.Addr // the client, as far as the proxies can be trusted
	direct bool       // no proxy said that it forwards somebody else's request
}

// local reports whether the request was made on this machine.
func (p peer) local() bool { return p.direct && p.addr.IsLoopback() }

// forwards reports whether a header, named in Go's canonical form, is one that
// proxies add. All of Cloudflare's begin alike.
func forwards(name string) bool {
	switch name {
	case "Forwarded", "Via", "X-Real-Ip", "True-Client-Ip":
		return true
	}
	return strings.HasPrefix(name, "X-Forwarded-") || strings.HasPrefix(name, "Cf-")
}

// peer finds the client: the right-most address of X-Forwarded-For that is not
// a trusted proxy's, as long as the connection itself comes from one.
func (s *Server) peer(r *http.Request) peer {
	p := peer{addr: remoteAddr(r), direct: true}
	for name := range r.Header {
		if forwards(name) {
			p.direct = false
		}
	}
	if p.direct {
		return p
	}
	if !s.trusted(p.addr) {
		s.doubt(p.addr)
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

// doubt tells once of a proxy nearby that is not trusted: to the limits of rate
// all who come through it are one client. Far away it may be anybody's, and who
// trusts none has been asked.
func (s *Server) doubt(proxy netip.Addr) {
	if len(s.cfg.TrustedProxies) > 0 && (proxy.IsPrivate() || proxy.IsLoopback() || proxy.IsLinkLocalUnicast()) {
		s.doubted.Do(func() {
			s.log.Warn("a proxy is not trusted, so all who come through it count as one visitor: add it to TRUSTED_PROXIES if it is yours", "proxy", proxy)
		})
	}
}

// parseHop reads an address as proxies name it: some add the port.
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

func (s *Server) trusted(addr netip.Addr) bool {
	return slices.ContainsFunc(s.cfg.TrustedProxies, func(p netip.Prefix) bool { return p.Contains(addr) })
}

func remoteAddr(r *http.Request) netip.Addr {
	addr, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return netip.Addr{}
	}
	return addr.Addr().Unmap().WithZone("")
}

// secure reports whether the client speaks TLS to relay or its proxy.
func (s *Server) secure(r *http.Request) bool {
	return r.TLS != nil || (s.trusted(remoteAddr(r)) && r.Header.Get("X-Forwarded-Proto") == "https")
}
