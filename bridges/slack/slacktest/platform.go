// Package slacktest is a fake of Slack for tests of its adapter.
package slacktest

import (
	"context"
	"fmt"
	"hash/fnv"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/relay-chat/relay/bridges/bridgetest"
)

// Platform is a fake of a workspace with one app and one channel: the Web API,
// Socket Mode and signed pushes of the Events API. In a synctest bubble its
// minutes are the bubble's.
type Platform struct {
	bridgetest.Faults
	bridgetest.Record[Request]
	URL                        string // of the Web API
	BotToken, AppToken, Secret string
	Channel                    string
	// Paced is a channel that takes a message a second, with bursts.
	Paced bool
	// Mute is a server that does not return the app's scopes.
	Mute bool

	schema  *schema
	done    <-chan struct{} // closed by end
	end     context.CancelFunc
	working sync.WaitGroup

	mu        sync.Mutex
	scopes    []string
	appScopes []string // of the app token
	channel   channel
	others    []string // further channels, which the app is in
	lastTS    int64    // microseconds
	messages  []*message
	byTS      map[string]*message
	files     map[string]*file
	lastFile  int
	names     map[string]string // of users
	guests    map[string]string // the workspaces of users who are not of the app's
	mail      mail
	due       time.Time // of the next message in an even flow
	limited   int
}

// channel is what people change in the channel and the workspace.
type channel struct {
	archived, left, private bool
	revoked                 bool // the token
}

// Request is a call as the server understood it.
type Request struct {
	Method string
	Args   map[string]string
}

// Ids of the app.
const (
	botUser = "U0RELAYBOT"
	botID   = "B0RELAYBOT"
	appID   = "A0RELAYAPP"
)

// SeedScopes are those that an app has without further features; AllScopes are
// all that the bridge knows.
var (
	SeedScopes = []string{"chat:write", "channels:history", "channels:read", "users:read", "files:read"}
	AllScopes  = slices.Concat(SeedScopes, []string{"files:write", "reactions:write", "chat:write.customize", "channels:join"})
)

var _ bridgetest.Platform = (*Platform)(nil)

// New starts the server; it ends with the test.
func New(t testing.TB) *Platform {
	f := NewInBubble(t)
	bridgetest.Serve(t, f, &f.URL, "/api", f.stop)
	return f
}

// NewInBubble makes the fake without a server, for synctest: it is reached by
// Transport and Dial. It ends with the test.
func NewInBubble(t testing.TB) *Platform {
	ctx, end := context.WithCancel(context.Background())
	f := &Platform{URL: "http://slack.test/api", BotToken: "xoxb-1-canary-Token", AppToken: "xapp-1-canary-Token", Secret: "canary0secret0123456789",
		Channel: "C0SUPPORT1", schema: loadSchema(), done: ctx.Done(), end: end, scopes: AllScopes, appScopes: []string{"connections:write"},
		byTS: map[string]*message{}, files: map[string]*file{}, names: map[string]string{}, guests: map[string]string{}}
	f.mail.changed = make(chan struct{})
	f.working.Go(f.deliver)
	t.Cleanup(f.stop)
	return f
}

// stop ends what waits in the server.
func (f *Platform) stop() {
	f.end()
	f.mu.Lock()
	f.hangUp("")
	f.mu.Unlock()
	f.working.Wait()
}

// Transport reaches the Web API without a network.
func (f *Platform) Transport() http.RoundTripper { return bridgetest.InProcess(f.serve) }

// Dial reaches the socket without a network.
func (f *Platform) Dial(context.Context, string, string) (net.Conn, error) {
	return bridgetest.Dial(&f.working, f.link), nil
}

// Grant gives the app other scopes.
func (f *Platform) Grant(scopes ...string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.scopes = scopes
}

// GrantApp gives the app token other scopes.
func (f *Platform) GrantApp(scopes ...string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.appScopes = scopes
}

// Lacks implements [bridgetest.Lacking]: threads have no replies, and without a scope no
// reactions of the app.
func (f *Platform) Lacks(feature string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return feature == "replies" || feature == "reactions" && !slices.Contains(f.scopes, "reactions:write")
}

// Archive archives the channel, or takes it out of the archive.
func (f *Platform) Archive(archived bool) { f.set(func(c *channel) { c.archived = archived }) }

// AddChannel implements [bridgetest.Platform]: another public channel, which the app is in.
func (f *Platform) AddChannel() (id string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	id = fmt.Sprintf("C0SHOP%d", len(f.others)+1)
	f.others = append(f.others, id)
	return id
}

// Leave removes the app from the channel.
func (f *Platform) Leave() { f.set(func(c *channel) { c.left = true }) }

// Invite takes the app into the channel.
func (f *Platform) Invite() { f.set(func(c *channel) { c.left = false }) }

// MakePrivate makes the channel a private one.
func (f *Platform) MakePrivate() { f.set(func(c *channel) { c.private = true }) }

// Revoke makes the bot's token invalid.
func (f *Platform) Revoke() { f.set(func(c *channel) { c.revoked = true }) }

// Restore makes it valid again.
func (f *Platform) Restore() { f.set(func(c *channel) { c.revoked = false }) }

func (f *Platform) set(change func(*channel)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change(&f.channel)
}

// Requests are the calls so far, of one method or of all for "".
func (f *Platform) Requests(method string) []Request {
	return f.Kept(func(r Request) bool { return method == "" || r.Method == method })
}

// Limited is how many messages came too fast.
func (f *Platform) Limited() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.limited
}

// user is the id of a person, whose name is kept.
func (f *Platform) user(name string) string {
	h := fnv.New32a()
	h.Write([]byte(name))
	id := fmt.Sprintf("U%08X", h.Sum32())
	f.names[id] = name
	return id
}

// Share lets a person of another workspace write in the channel, by Slack Connect.
func (f *Platform) Share(name, team string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.guests[f.user(name)] = team
}

// newTS makes a message's number: its time, unlike all others.
func (f *Platform) newTS() string {
	f.lastTS = max(f.lastTS+1, time.Now().UnixMicro())
	return fmt.Sprintf("%d.%06d", f.lastTS/1e6, f.lastTS%1e6)
}

// Storm implements [bridgetest.Platform]. A total outage ends the connections too.
func (f *Platform) Storm(s bridgetest.Storm) {
	f.Faults.Storm(s)
	f.mu.Lock()
	defer f.mu.Unlock()
	if s.All == 1 {
		f.hangUp("")
	}
}

// methodOf takes a method out of a path.
func methodOf(path string) (method string, ok bool) { return strings.CutPrefix(path, "/api/") }
