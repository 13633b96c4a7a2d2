// Package discordtest is a fake of Discord for tests of its adapter.
package discordtest

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/relay-chat/relay/bridges/bridgetest"
)

// Platform is a fake of Discord with one bot and one server: the REST API and
// the gateway. Its errors and codes are the real ones. It has no
// clock of its own: in a synctest bubble its minutes are the bubble's.
type Platform struct {
	bridgetest.Faults
	bridgetest.Record[Request]
	URL     string // of the REST API; "" when it was made without a server
	Token   string
	Channel string // the bridge's, a text channel or a forum
	// Forum makes it a forum. Change it before the first request only.
	Forum bool
	// OldestFirst has messages listed in another order than Discord's.
	OldestFirst bool
	// OwnIDs gives threads ids of their own instead of their first message's.
	OwnIDs bool
	// PerChannel is how many messages a channel takes in 5 s, as the headers
	// tell; 0 is any number.
	PerChannel int
	// NonceLife is how long a nonce counts.
	NonceLife time.Duration
	// Heartbeat is the interval that the gateway asks for.
	Heartbeat time.Duration

	schema  *schema
	done    <-chan struct{} // closed by end
	end     context.CancelFunc
	serving sync.WaitGroup

	mu       sync.Mutex
	server   guild
	channels map[string]*channel
	order    []*channel // threads, as they were made
	messages map[string]*message
	nonces   map[string]nonce
	files    map[string]*file
	lastID   int64
	windows  map[string]*window
	gateway  gateway
	commands []any
	answers  []map[string]any // to interactions
}

// guild is what people change in settings.
type guild struct {
	kicked    bool
	noIntent  bool
	noVoice   bool
	noEmoji   bool   // the channel takes no reactions from the bot
	mayManage bool   // the bot may manage threads
	mayReply  bool   // the bot may read the history
	tag       string // one that posts need
	moderated bool   // the tag is for moderators only
	full      int    // how many threads may be open; 0 is any number
	denied    uint64 // what the channel takes from the bot
	endpoint  string // where interactions are pushed
	publicKey string
	nicks     map[string]string // of members, by their ids
}

type channel struct {
	id, parent, owner, name string
	kind                    int
	archived, locked        bool
	archivedAt              time.Time
	tags                    []string
	messages                []*message
	typed                   int
	last                    string
	starter                 string // the message that it was made of
}

type nonce struct {
	message string
	at      time.Time
}

// window counts what a channel took since its begin.
type window struct {
	begun time.Time
	count int
}

// Request is a request as the server understood it.
type Request struct {
	Method, Path string
	Body         map[string]any
}

// The fake's fixed ids.
const (
	botID       = "800000000000000001"
	appID       = "800000000000000002"
	guildID     = "800000000000000003"
	roleID      = "800000000000000004"
	elsewhereID = "800000000000000006"
	otherBot    = "800000000000000042"
	epoch       = 1420070400000
)

var _ bridgetest.Platform = (*Platform)(nil)

// New starts the server; it ends with the test.
func New(t testing.TB) *Platform {
	f := newPlatform()
	bridgetest.Serve(t, f, &f.URL, "", f.stop)
	return f
}

// NewInBubble makes the fake without a server, for synctest: it is reached
// by Transport and Dial. It ends with the test. The bubble's time is moved to
// one that Discord's ids can express.
func NewInBubble(t testing.TB) *Platform {
	if now := time.Now(); now.UnixMilli() < epoch {
		time.Sleep(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).Sub(now))
	}
	f := newPlatform()
	t.Cleanup(f.stop)
	return f
}

func newPlatform() *Platform {
	ctx, end := context.WithCancel(context.Background())
	f := &Platform{Token: "ODAwMDAwMDAwMDAwMDAwMDAx.canary.Token_that_is_seen_nowhere", Channel: "800000000000000005",
		NonceLife: 4 * time.Minute, Heartbeat: 41250 * time.Millisecond, schema: loadSchema(), done: ctx.Done(), end: end,
		server:   guild{mayManage: true, mayReply: true},
		channels: map[string]*channel{}, messages: map[string]*message{}, nonces: map[string]nonce{},
		files: map[string]*file{}, windows: map[string]*window{}}
	f.gateway.sessions = map[string]*gatewaySession{}
	f.channels[elsewhereID] = &channel{id: elsewhereID, name: "elsewhere"}
	f.channels[f.Channel] = &channel{id: f.Channel, name: "support"}
	return f
}

// AddChannel implements [bridgetest.Platform]: another text channel of the server.
func (f *Platform) AddChannel() (id string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	id = f.newID()
	f.channels[id] = &channel{id: id, name: "shop"}
	f.emit("CHANNEL_CREATE", f.render(f.channels[id]))
	return id
}

// stop ends the gateway.
func (f *Platform) stop() {
	f.end()
	f.cut()
	f.serving.Wait()
}

// ServeHTTP is the API, the gateway under /gateway-socket and the files under
// /cdn.
func (f *Platform) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	bridgetest.OverNetwork(f.serve, w, r)
}

// newID makes an id of now, later than all before. The caller holds the lock.
func (f *Platform) newID() string {
	id := max(time.Now().UnixMilli()-epoch, 1) << 22
	f.lastID = max(id, f.lastID+1)
	return strconv.FormatInt(f.lastID, 10)
}

// Requests are the requests so far whose path, with ids as *, is of a route:
// "POST /channels/*/messages"; "" is all.
func (f *Platform) Requests(route string) []Request {
	return f.Kept(func(r Request) bool { return route == "" || f.schema.starred(r.Method+" "+r.Path) == route })
}

func (f *Platform) set(change func(*guild)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change(&f.server)
}

// Kick removes the bot from the server.
func (f *Platform) Kick() { f.set(func(s *guild) { s.kicked = true }) }

// Invite brings the bot back to the server, as its invite link does.
func (f *Platform) Invite() { f.set(func(s *guild) { s.kicked = false }) }

// SwitchIntent lets the bot read what operators write, or not.
func (f *Platform) SwitchIntent(on bool) { f.set(func(s *guild) { s.noIntent = !on }) }

// Demote takes the right to manage threads.
func (f *Platform) Demote() { f.set(func(s *guild) { s.mayManage = false }) }

// Deny takes permissions in the channel, no others.
func (f *Platform) Deny(bits uint64) { f.set(func(s *guild) { s.denied = bits }) }

// ForbidHistory keeps the bot from replying.
func (f *Platform) ForbidHistory() { f.set(func(s *guild) { s.mayReply = false }) }

// ForbidReactions keeps the bot from reacting.
func (f *Platform) ForbidReactions() { f.set(func(s *guild) { s.noEmoji = true }) }

// RequireTag makes the forum want a tag for every post.
func (f *Platform) RequireTag(id string) { f.set(func(s *guild) { s.tag = id }) }

// ModerateTag makes the forum want a tag that moderators only may set.
func (f *Platform) ModerateTag(id string) {
	f.set(func(s *guild) { s.tag, s.moderated = id, true })
}

// Fill lets the server have only so many open threads.
func (f *Platform) Fill(most int) { f.set(func(s *guild) { s.full = most }) }

// Nick gives an operator a name of their own on the server.
func (f *Platform) Nick(operator, nick string) {
	f.set(func(s *guild) { s.nicks = map[string]string{member(operator).id: nick} })
}

// SetKey gives the application a public key and the address that interactions
// are pushed to.
func (f *Platform) SetKey(key, endpoint string) {
	f.set(func(s *guild) { s.publicKey, s.endpoint = key, endpoint })
}

// Commands are the names of the slash commands.
func (f *Platform) Commands() (names []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, c := range f.commands {
		names = append(names, c.(map[string]any)["name"].(string))
	}
	return names
}

// Answers are what the bot answered interactions from the gateway.
func (f *Platform) Answers() []map[string]any {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.answers)
}
