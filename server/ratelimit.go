package server

import (
	"net/http"
	"net/netip"
	"sync"
	"time"
)

// Rates per minute that a visitor's page never reaches and a flood soon
// exceeds. Requests with a valid secret key and from programs on this machine are not
// counted; those with an API key are, wherever they come from.
const (
	initsPerAddress     = 30
	requestsPerAddress  = 300
	livePerAddress      = 600 // reports of open pages: six a minute each
	messagesPerSession  = 60
	uploadsPerSession   = 10
	uploadsPerMinute    = 20 // of an address, over all sessions
	identifysPerSession = 20
	failuresPerAddress  = 10
	requestsPerKey      = 600
	requestsPerHook     = 120
	registrations       = 20 // of programs

	signInsPerAddress = 10  // with a password or a link
	signInsPerAccount = 100 // from browsers in which nobody has signed in to it
	signInsPerBrowser = 10  // of an account, where somebody has

	codesPerAccount = 10 // per hour, after the right password: see limitCodes

	streamsPerSession = 20
	streamsPerAddress = 100
	uploadsPerAddress = 20 // at a time

	uploadedPerHour = 256 << 20 // bytes of an address, or two of the largest files

	aiCallsPerAddress = 30 // per hour, unless the settings say otherwise

	downloadsPerAddress = 100 // at a time: each keeps a part of its file in memory, however slowly it is read
)

// rates are the rate limits of one server (see ShareLimits for several).
type rates struct {
	inits, requests, live, messages, uploads, uploadsOfAddress, identifys, failures, signIns, accounts, known, codes, aiCalls, keys, hooks, registrations *rate

	uploaded                                                         allowance
	sessionStreams, addressStreams, addressUploads, addressDownloads gauge
}

func newRates() *rates {
	return &rates{inits: perMinute(initsPerAddress), requests: perMinute(requestsPerAddress), live: perMinute(livePerAddress), messages: perMinute(messagesPerSession),
		uploads: perMinute(uploadsPerSession), uploadsOfAddress: perMinute(uploadsPerMinute), identifys: perMinute(identifysPerSession), failures: perMinute(failuresPerAddress),
		signIns: perMinute(signInsPerAddress), accounts: perMinute(signInsPerAccount), known: perMinute(signInsPerBrowser), codes: newRate(codesPerAccount, time.Hour), aiCalls: newRate(aiCallsPerAddress, time.Hour), keys: perMinute(requestsPerKey), hooks: perMinute(requestsPerHook), registrations: perMinute(registrations),
		sessionStreams: gauge{most: streamsPerSession}, addressStreams: gauge{most: streamsPerAddress},
		addressUploads: gauge{most: uploadsPerAddress}, addressDownloads: gauge{most: downloadsPerAddress}}
}

// limits bounds what one client does.
type limits struct {
	*clients
	rates *rates
}

// limited answers 429 when key exceeds a rate.
func (s *limits) limited(w http.ResponseWriter, r *http.Request, limit *rate, key string) error {
	now := time.Now()
	if s.unlimited(r) || limit.allow(key, now) && limit.allowNetwork(s.network(r), now) {
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

// addressesPerNetwork is how many addresses' share of a limit an IPv6 network of /48 has
// in all: whoever rents one has 65,536 networks of /64, each of which is one address.
const addressesPerNetwork = 16

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
func (s *limits) visitorKey(r *http.Request, sessionID string) string {
	return s.address(r) + " " + sessionID
}

// denied is the answer to a wrong key: 401, or 429 after too many.
func (s *limits) denied(w http.ResponseWriter, r *http.Request) error {
	if err := s.limited(w, r, s.rates.failures, s.address(r)); err != nil {
		return err
	}
	return errUnauthorized
}

// enterStream counts an open stream, or rejects it; leave ends it.
func (s *limits) enterStream(r *http.Request, sessionID string) (leave func(), err error) {
	if s.unlimited(r) {
		return func() {}, nil
	}
	left, ok := s.enterAddress(r, &s.rates.addressStreams)
	if !ok {
		return nil, errTooMany()
	}
	if !s.rates.sessionStreams.enter(sessionID) {
		left()
		return nil, errTooMany()
	}
	return func() { // which leave is from here on
		left()
		s.rates.sessionStreams.leave(sessionID)
	}, nil
}

// enterAddress counts what a client has open, for its address and for its network.
func (s *limits) enterAddress(r *http.Request, open *gauge) (leave func(), ok bool) {
	address, network := s.address(r), s.network(r)
	if !open.enter(address) {
		return nil, false
	}
	if network == "" {
		return func() { open.leave(address) }, true
	}
	if !open.enterUpTo(network, open.most*addressesPerNetwork) {
		open.leave(address)
		return nil, false
	}
	return func() {
		open.leave(address)
		open.leave(network)
	}, true
}

// enterTransfer counts a running upload or download, or rejects it; leave ends
// it.
func (s *limits) enterTransfer(r *http.Request, transfers *gauge) (leave func(), err error) {
	if s.unlimited(r) {
		return func() {}, nil
	}
	leave, ok := s.enterAddress(r, transfers)
	if !ok {
		return nil, errTooMany()
	}
	return leave, nil
}

// gauge counts open streams or transfers by key.
type gauge struct {
	most   int
	mu     sync.Mutex
	open   map[string]int
	shown  map[string]bool // others were notified that there are many
	others elsewhere
}

func (g *gauge) enter(key string) bool { return g.enterUpTo(key, g.most) }

func (g *gauge) enterUpTo(key string, most int) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if n := g.open[key]; n >= most || len(g.others.uses) > 0 && n+int(g.others.sum(clientOf(key), anyTime)) >= most {
		return false
	}
	if g.open == nil {
		g.open = map[string]int{}
	}
	g.open[key]++
	return true
}

func (g *gauge) leave(key string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.open[key]--; g.open[key] <= 0 {
		delete(g.open, key)
	}
}

// busy implements sharedLimit.
func (g *gauge) busy(time.Time) (list []use) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for key := range g.shown {
		if g.open[key] < g.most/sharePart {
			delete(g.shown, key)
			list = append(list, use{client: clientOf(key)})
		}
	}
	for key, n := range g.open {
		if n >= g.most/sharePart {
			if g.shown == nil {
				g.shown = map[string]bool{}
			}
			g.shown[key] = true
			list = append(list, use{client: clientOf(key), amount: int64(n)})
		}
	}
	return list
}

// learn implements sharedLimit.
func (g *gauge) learn(node string, u use) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.others.learn(node, u)
	g.others.expire(func(u use) bool { return u.amount > 0 })
}

// dropNode implements sharedLimit.
func (g *gauge) dropNode(node string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.others.dropNode(node)
}
