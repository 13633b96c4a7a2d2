// Package limits counts what clients use: requests in a window, bytes in an hour, and
// streams and transfers that are open, over all nodes of one database. Its keys are texts:
// it knows no requests, and of ours only the nodes.
package limits

import (
	"sync"
	"time"
)

// Rates per minute that a visitor's page never reaches and a flood soon
// exceeds. Requests with a valid secret key and from programs on this machine are not
// counted; those with an API key are, wherever they come from.
const (
	InitsPerAddress     = 30
	requestsPerAddress  = 300
	livePerAddress      = 600 // reports of open pages: six a minute each
	MessagesPerSession  = 60
	uploadsPerSession   = 10
	uploadsPerMinute    = 20 // of an address, over all sessions
	identifysPerSession = 20
	FailuresPerAddress  = 10
	requestsPerKey      = 600
	requestsPerHook     = 120
	registrations       = 20 // of programs

	signInsPerAddress = 10  // with a password or a link
	signInsPerAccount = 100 // from browsers in which nobody has signed in to it
	signInsPerBrowser = 10  // of an account, where somebody has

	codesPerAccount = 10 // per hour, after the right password

	StreamsPerSession = 20
	StreamsPerAddress = 100
	uploadsPerAddress = 20 // at a time

	UploadedPerHour = 256 << 20 // bytes of an address, or two of the largest files

	aiCallsPerAddress = 30 // per hour, unless the settings say otherwise

	DownloadsPerAddress = 100 // at a time: each keeps a part of its file in memory, however slowly it is read
)

// Rates are the rate limits of one server (see [Rates.Share] for several).
type Rates struct {
	Inits, Requests, Live, Messages, Uploads, UploadsOfAddress, Identifys, Failures, SignIns, Accounts, Known, Codes, AICalls, Keys, Hooks, Registrations *Rate

	Uploaded                                                         Allowance
	SessionStreams, AddressStreams, AddressUploads, AddressDownloads Gauge
}

// New returns the limits of a server that nobody has used yet.
func New() *Rates {
	return &Rates{Inits: perMinute(InitsPerAddress), Requests: perMinute(requestsPerAddress), Live: perMinute(livePerAddress), Messages: perMinute(MessagesPerSession),
		Uploads: perMinute(uploadsPerSession), UploadsOfAddress: perMinute(uploadsPerMinute), Identifys: perMinute(identifysPerSession), Failures: perMinute(FailuresPerAddress),
		SignIns: perMinute(signInsPerAddress), Accounts: perMinute(signInsPerAccount), Known: perMinute(signInsPerBrowser), Codes: newRate(codesPerAccount, time.Hour), AICalls: newRate(aiCallsPerAddress, time.Hour), Keys: perMinute(requestsPerKey), Hooks: perMinute(requestsPerHook), Registrations: perMinute(registrations),
		SessionStreams: Gauge{Most: StreamsPerSession}, AddressStreams: Gauge{Most: StreamsPerAddress},
		AddressUploads: Gauge{Most: uploadsPerAddress}, AddressDownloads: Gauge{Most: DownloadsPerAddress}}
}

// AddressesPerNetwork is how many addresses' share of a limit an IPv6 network of /48 has
// in all: whoever rents one has 65,536 networks of /64, each of which is one address.
const AddressesPerNetwork = 16

// Gauge counts open streams or transfers by key.
type Gauge struct {
	Most   int
	mu     sync.Mutex
	open   map[string]int
	shown  map[string]bool // others were notified that there are many
	others elsewhere
}

// Enter counts one more of a client, or reports that it has too many.
func (g *Gauge) Enter(key string) bool { return g.EnterUpTo(key, g.Most) }

// EnterUpTo is Enter with another limit.
func (g *Gauge) EnterUpTo(key string, most int) bool {
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

// Leave takes back what Enter counted.
func (g *Gauge) Leave(key string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.open[key]--; g.open[key] <= 0 {
		delete(g.open, key)
	}
}

// busy implements sharedLimit.
func (g *Gauge) busy(time.Time) (list []use) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for key := range g.shown {
		if g.open[key] < g.Most/sharePart {
			delete(g.shown, key)
			list = append(list, use{client: clientOf(key)})
		}
	}
	for key, n := range g.open {
		if n >= g.Most/sharePart {
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
func (g *Gauge) learn(node string, u use) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.others.learn(node, u)
	g.others.expire(func(u use) bool { return u.amount > 0 })
}

// dropNode implements sharedLimit.
func (g *Gauge) dropNode(node string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.others.dropNode(node)
}
