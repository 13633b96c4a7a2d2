package web

import (
	"cmp"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/relay-chat/relay/server/config"
)

// Clients knows where requests come from, and how they reached relay.
type Clients struct {
	Config         config.Config
	Log            *slog.Logger
	CrossOrigin    *http.CrossOriginProtection
	untrustedProxy sync.Once // warned of it
}

// NewClients makes what knows clients.
func NewClients(cfg config.Config, log *slog.Logger) *Clients {
	return &Clients{Config: cfg, Log: log, CrossOrigin: http.NewCrossOriginProtection()}
}

// OriginAllowed reports whether the requesting page's origin is allowed. Requests
// without an origin do not come from a foreign page.
func (s *Clients) OriginAllowed(r *http.Request) bool {
	return s.OriginAmong(r, s.Config.AllowedOrigins)
}

// OriginAmong is originAllowed for a list of origins, of which none means any.
func (s *Clients) OriginAmong(r *http.Request, list []string) bool {
	origin := r.Header.Get("Origin")
	if origin == "" || len(list) == 0 || slices.Contains(list, origin) {
		return true
	}
	u, err := url.Parse(origin)
	return err == nil && u.Host != "" && u.Host == r.Host // relay's own demo page
}

// peer is where a request comes from.
type peer struct {
	Addr   netip.Addr // the client, as far as the proxies can be trusted
	direct bool       // nothing says that a proxy forwarded the request
}

// Local reports whether the request was made on this machine.
func (p peer) Local() bool { return p.direct && p.Addr.IsLoopback() }

// isProxyHeader reports whether proxies add a header, named in canonical form.
func isProxyHeader(name string) bool {
	switch name {
	case "Forwarded", "Via", "X-Real-Ip", "True-Client-Ip":
		return true
	}
	return strings.HasPrefix(name, "X-Forwarded-") || strings.HasPrefix(name, "Cf-")
}

// Peer finds the client: the right-most address of X-Forwarded-For that is not
// a trusted proxy's, as long as the connection itself comes from one.
func (s *Clients) Peer(r *http.Request) peer {
	p := peer{Addr: remoteAddr(r), direct: r.ProtoAtLeast(1, 1)} // some proxies speak HTTP/1.0 and add no header
	for name := range r.Header {
		if isProxyHeader(name) {
			p.direct = false
		}
	}
	if p.direct {
		return p
	}
	if !s.trusted(p.Addr) {
		s.warnUntrusted(p.Addr)
		return p
	}
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for _, hop := range slices.Backward(hops) {
		addr, ok := parseHop(strings.TrimSpace(hop))
		if !ok {
			return p
		}
		p.Addr = addr
		if !s.trusted(p.Addr) {
			return p
		}
	}
	return p
}

// warnUntrusted warns once about an untrusted proxy on a private network: visitors behind
// it share one rate limit. An empty TRUSTED_PROXIES is a decision and gives no warning.
func (s *Clients) warnUntrusted(proxy netip.Addr) {
	if len(s.Config.TrustedProxies) > 0 && (proxy.IsPrivate() || proxy.IsLoopback() || proxy.IsLinkLocalUnicast()) {
		s.untrustedProxy.Do(func() {
			s.Log.Warn("visitors behind an untrusted proxy share one rate limit: add the proxy to TRUSTED_PROXIES if it is yours", "proxy", proxy)
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

func (s *Clients) trusted(addr netip.Addr) bool {
	return slices.ContainsFunc(s.Config.TrustedProxies, func(p netip.Prefix) bool { return p.Contains(addr) })
}

func remoteAddr(r *http.Request) netip.Addr {
	addr, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return netip.Addr{}
	}
	return addr.Addr().Unmap().WithZone("")
}

// Secure reports whether the client uses TLS to relay or to a trusted proxy.
func (s *Clients) Secure(r *http.Request) bool {
	return r.TLS != nil || (s.trusted(remoteAddr(r)) && r.Header.Get("X-Forwarded-Proto") == "https")
}

// RequestIDHeader names a request in its answer and in the log.
const RequestIDHeader = "X-Request-Id"

// maxRequestID bounds the ids that proxies give.
const maxRequestID = 64

// RequestID returns the id that a trusted proxy gave a request, or a new one.
func (s *Clients) RequestID(r *http.Request) string {
	if given := r.Header.Get(RequestIDHeader); given != "" && isRequestID(given) && s.trusted(remoteAddr(r)) {
		return given
	}
	return strconv.FormatUint(rand.Uint64()|1<<63, 16)
}

// isRequestID reports whether an id can stand in a log line as it is.
func isRequestID(id string) bool {
	for _, c := range []byte(id) {
		if (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && c != '-' && c != '_' && c != '.' {
			return false
		}
	}
	return len(id) <= maxRequestID
}

// BaseURL is relay's address: as configured, else as this request
// reached it. The latter is shown to its sender only.
func (s *Clients) BaseURL(r *http.Request) string {
	return cmp.Or(s.Config.PublicURL, s.reachedAt(r))
}

// PagesURL is baseURL for the console and relay's other pages.
func (s *Clients) PagesURL(r *http.Request) string {
	return cmp.Or(s.Config.PagesURL(), s.reachedAt(r))
}

// reachedAt is the address by which the request reached relay.
func (s *Clients) reachedAt(r *http.Request) string {
	scheme := "http://"
	if s.Secure(r) {
		scheme = "https://"
	}
	return scheme + r.Host
}

// IsNear reports whether RELAY_SETUP trusts the caller's address: a
// direct connection, with a Host that names this machine.
func (s *Clients) IsNear(r *http.Request) bool {
	p := s.Peer(r)
	if !p.direct {
		return false
	}
	local := p.Addr.IsLoopback()
	private := p.Addr.IsPrivate() || p.Addr.IsLinkLocalUnicast()
	switch s.Config.Setup {
	case config.SetupLocal:
		return local && IsLocalHost(r.Host, netip.Addr.IsLoopback)
	case config.SetupPrivate:
		return (local || private) && IsLocalHost(r.Host, func(a netip.Addr) bool {
			return a.IsLoopback() || a.IsPrivate() || a.IsLinkLocalUnicast()
		})
	}
	return false
}

// IsLocalHost reports whether a Host header names this machine: localhost, or
// an address of the accepted kind.
func IsLocalHost(host string, accept func(netip.Addr) bool) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	if strings.EqualFold(host, "localhost") {
		return true
	}
	addr, err := netip.ParseAddr(host)
	return err == nil && accept(addr.Unmap())
}

// RequestKey returns the key of a request, from its query only if that is allowed.
func RequestKey(r *http.Request, inQuery bool) string {
	if scheme, key, ok := strings.Cut(r.Header.Get("Authorization"), " "); ok && strings.EqualFold(scheme, "Bearer") {
		return strings.TrimSpace(key)
	}
	key := r.Header.Get("X-API-Key")
	if key == "" && inQuery {
		key = r.URL.Query().Get("apiKey")
	}
	return key
}

// AnswerPreflight answers a preflight request, and reports whether the request was one.
func AnswerPreflight(w http.ResponseWriter, r *http.Request, methods, headers string) bool {
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
