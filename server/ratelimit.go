package server

import (
	"context"
	"net/http"
	"net/netip"
	"time"

	"github.com/relay-chat/relay/server/limits"
)

// limiter bounds what one client does.
type limiter struct {
	*clients
	rates *limits.Rates
}

func newLimiter(clients *clients) *limiter { return &limiter{clients, limits.New()} }

// limited answers 429 when key exceeds a rate.
func (s *limiter) limited(w http.ResponseWriter, r *http.Request, limit *limits.Rate, key string) error {
	now := time.Now()
	if s.unlimited(r) || limit.Allow(key, now) && limit.AllowNetwork(s.network(r), now) {
		return nil
	}
	w.Header().Set("Retry-After", "60") // pages that show the refusal in words need it, too
	return errTooMany()
}

// unlimited reports whether no limit counts for the caller.
func (s *clients) unlimited(r *http.Request) bool { return !s.cfg.RateLimit || s.peer(r).local() }

func errTooMany() error {
	return &httpError{status: http.StatusTooManyRequests, text: "Too many requests; try again in a minute",
		header: http.Header{"Retry-After": {"60"}}}
}

// address is what counts as one client: an IPv4 address, or the network that
// an IPv6 customer gets.
func (s *clients) address(r *http.Request) string {
	addr := s.peer(r).addr
	if addr.Is6() {
		if network, err := addr.Prefix(64); err == nil {
			return network.String()
		}
	}
	if !addr.IsValid() {
		addr = netip.IPv4Unspecified()
	}
	return addr.String()
}

// network is the larger IPv6 network that an address belongs to, "" for IPv4.
func (s *clients) network(r *http.Request) string {
	addr := s.peer(r).addr
	if !addr.Is6() {
		return ""
	}
	network, err := addr.Prefix(48)
	if err != nil {
		return ""
	}
	return network.String()
}

// visitorKey counts a session's requests per address: a client that only knows the
// session's id must not use up its visitor's limit.
func (s *limiter) visitorKey(r *http.Request, sessionID string) string {
	return s.address(r) + " " + sessionID
}

// denied is the answer to a wrong key: 401, or 429 after too many.
func (s *limiter) denied(w http.ResponseWriter, r *http.Request) error {
	if err := s.limited(w, r, s.rates.Failures, s.address(r)); err != nil {
		return err
	}
	return errUnauthorized
}

// enterStream counts an open stream, or rejects it; leave ends it.
func (s *limiter) enterStream(r *http.Request, sessionID string) (leave func(), err error) {
	if s.unlimited(r) {
		return func() {}, nil
	}
	left, ok := s.enterAddress(r, &s.rates.AddressStreams)
	if !ok {
		return nil, errTooMany()
	}
	if !s.rates.SessionStreams.Enter(sessionID) {
		left()
		return nil, errTooMany()
	}
	return func() { // which leave is from here on
		left()
		s.rates.SessionStreams.Leave(sessionID)
	}, nil
}

// enterAddress counts what a client has open, for its address and for its network.
func (s *limiter) enterAddress(r *http.Request, open *limits.Gauge) (leave func(), ok bool) {
	address, network := s.address(r), s.network(r)
	if !open.Enter(address) {
		return nil, false
	}
	if network == "" {
		return func() { open.Leave(address) }, true
	}
	if !open.EnterUpTo(network, open.Most*limits.AddressesPerNetwork) {
		open.Leave(address)
		return nil, false
	}
	return func() {
		open.Leave(address)
		open.Leave(network)
	}, true
}

// enterTransfer counts a running upload or download, or rejects it; leave ends
// it.
func (s *limiter) enterTransfer(r *http.Request, transfers *limits.Gauge) (leave func(), err error) {
	if s.unlimited(r) {
		return func() {}, nil
	}
	leave, ok := s.enterAddress(r, transfers)
	if !ok {
		return nil, errTooMany()
	}
	return leave, nil
}

// ShareLimits makes the limits hold over all nodes until ctx ends.
func (s *Server) ShareLimits(ctx context.Context) error {
	if s.engine.Nodes.Name() == "" || !s.cfg.RateLimit {
		return nil
	}
	return s.rates.Share(ctx, s.engine.Nodes)
}
