package bridgetest

import (
	"context"
	"fmt"
	"hash/fnv"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// Slack is a fake of a workspace with one app and one channel: the Web API,
// Socket Mode and signed pushes of the Events API. In a synctest bubble its
// minutes are the bubble's.
type Slack struct {
	Faults
	URL                        string // of the Web API
	BotToken, AppToken, Secret string
	Channel                    string
	// Paced is a channel that takes a message a second, with bursts.
	Paced bool
	// Mute is a server that does not tell the app's scopes.
	Mute bool

	schema  *slackSchema
	done    chan struct{}
	working sync.WaitGroup

	mu         sync.Mutex
	scopes     []string
	appScopes  []string // of the app token
	channel    slackChannel
	lastTS     int64 // microseconds
	messages   []*slackMessage
	byTS       map[string]*slackMessage
	files      map[string]*slackFile
	lastFile   int
	names      map[string]string // of users
	mail       slackMail
	due        time.Time // of the next message in an even flow
	limited    int
	violations []string
	requests   []SlackRequest
}

// slackChannel is what people change in the channel and the workspace.
type slackChannel struct {
	archived, left, private bool
	revoked                 bool // the token
}

// SlackRequest is a call as the server understood it.
type SlackRequest struct {
	Method string
	Args   map[string]string
}

// Ids of the app.
const (
	slackBotUser = "U0RELAYBOT"
	slackBotID   = "B0RELAYBOT"
	slackApp     = "A0RELAYAPP"
)

// SeedScopes are those that an app has without further features; AllScopes are
// all that the bridge knows.
var (
	SeedScopes = []string{"chat:write", "channels:history", "channels:read", "users:read", "files:read"}
	AllScopes  = slices.Concat(SeedScopes, []string{"files:write", "reactions:write", "chat:write.customize", "channels:join"})
)

var _ Platform = (*Slack)(nil)

// NewSlack starts the server; it ends with the test.
func NewSlack(t testing.TB) *Slack {
	f := NewSlackBubble(t)
	server := httptest.NewServer(f)
	f.URL = server.URL + "/api"
	t.Cleanup(func() {
		f.stop()
		server.CloseClientConnections()
		server.Close()
	})
	return f
}

// NewSlackBubble makes the fake without a server, for synctest: it is reached by
// Transport and Dial. It ends with the test.
func NewSlackBubble(t testing.TB) *Slack {
	f := &Slack{URL: "http://slack.test/api", BotToken: "xoxb-1-canary-Token", AppToken: "xapp-1-canary-Token", Secret: "canary0secret0123456789",
		Channel: "C0SUPPORT1", schema: loadSlackSchema(), done: make(chan struct{}), scopes: AllScopes, appScopes: []string{"connections:write"},
		byTS: map[string]*slackMessage{}, files: map[string]*slackFile{}, names: map[string]string{}}
	f.mail.changed = make(chan struct{})
	f.working.Go(f.deliver)
	t.Cleanup(f.stop)
	return f
}

// stop ends what waits in the server.
func (f *Slack) stop() {
	f.mu.Lock()
	select {
	case <-f.done:
	default:
		close(f.done)
	}
	f.hangUp("")
	f.mu.Unlock()
	f.working.Wait()
}

// Transport reaches the Web API without a network.
func (f *Slack) Transport() http.RoundTripper { return InProcess(f.serve) }

// Dial reaches the socket without a network.
func (f *Slack) Dial(context.Context, string, string) (net.Conn, error) {
	return Dial(&f.working, f.link), nil
}

// Grant gives the app other scopes.
func (f *Slack) Grant(scopes ...string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.scopes = scopes
}

// GrantApp gives the app token other scopes.
func (f *Slack) GrantApp(scopes ...string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.appScopes = scopes
}

// Lacks implements [Lacking]: threads have no replies, and without a scope no
// reactions of the app.
func (f *Slack) Lacks(feature string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return feature == "replies" || feature == "reactions" && !slices.Contains(f.scopes, "reactions:write")
}

// Archive archives the channel, or takes it out of the archive.
func (f *Slack) Archive(archived bool) { f.set(func(c *slackChannel) { c.archived = archived }) }

// Leave removes the app from the channel.
func (f *Slack) Leave() { f.set(func(c *slackChannel) { c.left = true }) }

// Invite takes the app into the channel.
func (f *Slack) Invite() { f.set(func(c *slackChannel) { c.left = false }) }

// MakePrivate makes the channel a private one.
func (f *Slack) MakePrivate() { f.set(func(c *slackChannel) { c.private = true }) }

// Revoke makes the bot's token invalid.
func (f *Slack) Revoke() { f.set(func(c *slackChannel) { c.revoked = true }) }

// Restore makes it valid again.
func (f *Slack) Restore() { f.set(func(c *slackChannel) { c.revoked = false }) }

func (f *Slack) set(change func(*slackChannel)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change(&f.channel)
}

// Requests are the calls so far, of one method or of all for "".
func (f *Slack) Requests(method string) (list []SlackRequest) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, r := range f.requests {
		if method == "" || r.Method == method {
			list = append(list, r)
		}
	}
	return list
}

// Limited is how many messages came too fast.
func (f *Slack) Limited() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.limited
}

// Violations implements [Platform].
func (f *Slack) Violations() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]string(nil), f.violations...)
}

// user is the id of a person, whose name is kept.
func (f *Slack) user(name string) string {
	h := fnv.New32a()
	h.Write([]byte(name))
	id := fmt.Sprintf("U%08X", h.Sum32())
	f.names[id] = name
	return id
}

// newTS makes a message's number: its time, unlike all others.
func (f *Slack) newTS() string {
	f.lastTS = max(f.lastTS+1, time.Now().UnixMicro())
	return fmt.Sprintf("%d.%06d", f.lastTS/1e6, f.lastTS%1e6)
}

// Storm implements [Platform]. A total outage ends the connections too.
func (f *Slack) Storm(s Storm) {
	f.Faults.Storm(s)
	f.mu.Lock()
	defer f.mu.Unlock()
	if s.All == 1 {
		f.hangUp("")
	}
}

// slackMethodOf takes a method out of a path.
func slackMethodOf(path string) (method string, ok bool) { return strings.CutPrefix(path, "/api/") }
