package web

import (
	"net/http"
	"net/netip"
	"strconv"
	"time"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/limits"
)

// Limiter bounds what one client does.
type Limiter struct {
	*Clients
	Rates *limits.Rates
}

// NewLimiter makes a limiter.
func NewLimiter(clients *Clients) *Limiter { return &Limiter{clients, limits.New()} }

// Limited answers 429 when key exceeds a rate.
func (s *Limiter) Limited(w http.ResponseWriter, r *http.Request, limit *limits.Rate, key string) error {
	now := time.Now()
	if s.Unlimited(r) || limit.Allow(key, now) && limit.AllowNetwork(s.Network(r), now) {
		return nil
	}
	w.Header().Set("Retry-After", "60") // pages that show the refusal in words need it, too
	return ErrTooMany()
}

// Unlimited reports whether no limit counts for the caller.
func (s *Clients) Unlimited(r *http.Request) bool { return !s.Config.RateLimit || s.Peer(r).Local() }

// ErrTooMany is the refusal of a client that asks too often.
func ErrTooMany() error {
	return &Error{Status: http.StatusTooManyRequests, Text: "Too many requests; try again in a minute",
		Header: http.Header{"Retry-After": {"60"}}}
}

// Address is what counts as one client: an IPv4 address, or the network that
// an IPv6 customer gets.
func (s *Clients) Address(r *http.Request) string {
	addr := s.Peer(r).Addr
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

// Network is the larger IPv6 network that an address belongs to, "" for IPv4.
func (s *Clients) Network(r *http.Request) string {
	addr := s.Peer(r).Addr
	if !addr.Is6() {
		return ""
	}
	network, err := addr.Prefix(48)
	if err != nil {
		return ""
	}
	return network.String()
}

// VisitorKey counts a session's requests per address: a client that only knows the
// session's id must not use up its visitor's limit.
func (s *Limiter) VisitorKey(r *http.Request, sessionID string) string {
	return s.Address(r) + " " + sessionID
}

// Denied is the answer to a wrong key: 401, or 429 after too many.
func (s *Limiter) Denied(w http.ResponseWriter, r *http.Request) error {
	if err := s.Limited(w, r, s.Rates.Failures, s.Address(r)); err != nil {
		return err
	}
	return ErrUnauthorized
}

// EnterStream counts an open stream, or rejects it; leave ends it.
func (s *Limiter) EnterStream(r *http.Request, sessionID string) (leave func(), err error) {
	if s.Unlimited(r) {
		return func() {}, nil
	}
	left, ok := s.enterAddress(r, &s.Rates.AddressStreams)
	if !ok {
		return nil, ErrTooMany()
	}
	if !s.Rates.SessionStreams.Enter(sessionID) {
		left()
		return nil, ErrTooMany()
	}
	return func() { // which leave is from here on
		left()
		s.Rates.SessionStreams.Leave(sessionID)
	}, nil
}

// enterAddress counts what a client has open, for its address and for its network.
func (s *Limiter) enterAddress(r *http.Request, open *limits.Gauge) (leave func(), ok bool) {
	address, network := s.Address(r), s.Network(r)
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

// EnterTransfer counts a running upload or download, or rejects it; leave ends
// it.
func (s *Limiter) EnterTransfer(r *http.Request, transfers *limits.Gauge) (leave func(), err error) {
	if s.Unlimited(r) {
		return func() {}, nil
	}
	leave, ok := s.enterAddress(r, transfers)
	if !ok {
		return nil, ErrTooMany()
	}
	return leave, nil
}

// MayBring counts the bytes of an upload: the announced ones, or the most that it
// may have.
func (s *Limiter) MayBring(r *http.Request, maxBytes int64) error {
	if s.Unlimited(r) {
		return nil
	}
	n := maxBytes
	if r.ContentLength >= 0 {
		n = min(n, r.ContentLength)
	}
	return s.MayStore(r, n, maxBytes, "Too many files; try again later")
}

// MayStore counts bytes that a visitor brings against what its address may bring an hour,
// which is at least two files of maxBytes.
func (s *Limiter) MayStore(r *http.Request, n, maxBytes int64, refusal string) error {
	if s.Unlimited(r) {
		return nil
	}
	most := max(limits.UploadedPerHour, 2*maxBytes)
	wait, ok := s.Rates.Uploaded.Take(s.Address(r), n, most, 1)
	if network := s.Network(r); ok && network != "" {
		wait, ok = s.Rates.Uploaded.Take(network, n, most, limits.AddressesPerNetwork)
	}
	if ok {
		return nil
	}
	return &Error{Status: http.StatusTooManyRequests, Text: refusal,
		Header: http.Header{"Retry-After": {strconv.Itoa(int(wait.Seconds()) + 1)}}}
}

// Download limits how many files an address reads at a time.
func (s *Limiter) Download(a Action) Action {
	return func(w http.ResponseWriter, r *http.Request, by chat.Author) (any, error) {
		leave, err := s.EnterTransfer(r, &s.Rates.AddressDownloads)
		if err != nil {
			return nil, err
		}
		defer leave()
		return a(w, r, by)
	}
}
