package bridgetest

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"
)

// Discord is a fake of Discord with one bot and one server: the REST API and
// the gateway. Its errors and codes are the real ones (platforms 2). It holds
// no clock of its own: in a synctest bubble its minutes are the bubble's.
type Discord struct {
	Faults
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

	schema  *discordSchema
	done    chan struct{}
	serving sync.WaitGroup

	mu         sync.Mutex
	server     discordServer
	channels   map[string]*discordChannel
	order      []*discordChannel // threads, as they were made
	messages   map[string]*discordMessage
	nonces     map[string]nonce
	files      map[string]*discordFile
	lastID     int64
	windows    map[string]*window
	gateway    discordGateway
	violations []string
	requests   []DiscordRequest
	commands   []any
	answers    []map[string]any // to interactions
}

// discordServer is what people change in settings.
type discordServer struct {
	kicked    bool
	noIntent  bool
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

type discordChannel struct {
	id, parent, owner, name string
	kind                    int
	archived, locked        bool
	archivedAt              time.Time
	tags                    []string
	messages                []*discordMessage
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

// DiscordRequest is a request as the server understood it.
type DiscordRequest struct {
	Method, Path string
	Body         map[string]any
}

// The fake's fixed ids.
const (
	discordBot   = "800000000000000001"
	discordApp   = "800000000000000002"
	discordGuild = "800000000000000003"
	discordRole  = "800000000000000004"
	elsewhereID  = "800000000000000006"
	otherBot     = "800000000000000042"
	discordEpoch = 1420070400000
)

var _ Platform = (*Discord)(nil)

// NewDiscord starts the server; it ends with the test.
func NewDiscord(t testing.TB) *Discord {
	f := newDiscord()
	server := httptest.NewServer(f)
	f.URL = server.URL
	t.Cleanup(func() {
		f.stop()
		server.CloseClientConnections()
		server.Close()
	})
	return f
}

// NewDiscordBubble makes the fake without a server, for synctest: it is reached
// by Transport and Dial. It ends with the test. The bubble's time is moved to
// one that Discord's ids can tell.
func NewDiscordBubble(t testing.TB) *Discord {
	if now := time.Now(); now.UnixMilli() < discordEpoch {
		time.Sleep(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).Sub(now))
	}
	f := newDiscord()
	t.Cleanup(f.stop)
	return f
}

func newDiscord() *Discord {
	f := &Discord{Token: "ODAwMDAwMDAwMDAwMDAwMDAx.canary.Token_that_is_seen_nowhere", Channel: "800000000000000005",
		NonceLife: 4 * time.Minute, Heartbeat: 41250 * time.Millisecond, schema: loadDiscordSchema(), done: make(chan struct{}),
		server:   discordServer{mayManage: true, mayReply: true},
		channels: map[string]*discordChannel{}, messages: map[string]*discordMessage{}, nonces: map[string]nonce{},
		files: map[string]*discordFile{}, windows: map[string]*window{}}
	f.gateway.sessions = map[string]*gatewaySession{}
	f.channels[elsewhereID] = &discordChannel{id: elsewhereID, name: "elsewhere"}
	f.channels[f.Channel] = &discordChannel{id: f.Channel, name: "support"}
	return f
}

// stop ends the gateway.
func (f *Discord) stop() {
	f.mu.Lock()
	select {
	case <-f.done:
	default:
		close(f.done)
	}
	f.mu.Unlock()
	f.cut()
	f.serving.Wait()
}

// ServeHTTP is the API, the gateway under /gateway-socket and the files under
// /cdn.
func (f *Discord) ServeHTTP(w http.ResponseWriter, r *http.Request) { OverNetwork(f.serve, w, r) }

// newID makes an id of now, later than all before. The caller holds the lock.
func (f *Discord) newID() string {
	id := max(time.Now().UnixMilli()-discordEpoch, 1) << 22
	f.lastID = max(id, f.lastID+1)
	return strconv.FormatInt(f.lastID, 10)
}

// Requests are the requests so far whose path, with ids as *, is of a route:
// "POST /channels/*/messages"; "" is all.
func (f *Discord) Requests(route string) (list []DiscordRequest) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, r := range f.requests {
		if route == "" || f.schema.starred(r.Method+" "+r.Path) == route {
			list = append(list, r)
		}
	}
	return list
}

// Violations implements [Platform].
func (f *Discord) Violations() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.violations)
}

func (f *Discord) violate(text string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.violations = append(f.violations, text)
}

func (f *Discord) set(change func(*discordServer)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change(&f.server)
}

// Kick removes the bot from the server.
func (f *Discord) Kick() { f.set(func(s *discordServer) { s.kicked = true }) }

// SwitchIntent lets the bot read what operators write, or not.
func (f *Discord) SwitchIntent(on bool) { f.set(func(s *discordServer) { s.noIntent = !on }) }

// Demote takes the right to manage threads.
func (f *Discord) Demote() { f.set(func(s *discordServer) { s.mayManage = false }) }

// Deny takes permissions in the channel, no others.
func (f *Discord) Deny(bits uint64) { f.set(func(s *discordServer) { s.denied = bits }) }

// ForbidHistory keeps the bot from replying.
func (f *Discord) ForbidHistory() { f.set(func(s *discordServer) { s.mayReply = false }) }

// ForbidReactions keeps the bot from reacting.
func (f *Discord) ForbidReactions() { f.set(func(s *discordServer) { s.noEmoji = true }) }

// RequireTag makes the forum want a tag for every post.
func (f *Discord) RequireTag(id string) { f.set(func(s *discordServer) { s.tag = id }) }

// ModerateTag makes the forum want a tag that moderators only may set.
func (f *Discord) ModerateTag(id string) {
	f.set(func(s *discordServer) { s.tag, s.moderated = id, true })
}

// Fill lets the server have only so many open threads.
func (f *Discord) Fill(most int) { f.set(func(s *discordServer) { s.full = most }) }

// Nick gives an operator a name of their own on the server.
func (f *Discord) Nick(operator, nick string) {
	f.set(func(s *discordServer) { s.nicks = map[string]string{member(operator).id: nick} })
}

// SetKey gives the application a public key and the address that interactions
// are pushed to.
func (f *Discord) SetKey(key, endpoint string) {
	f.set(func(s *discordServer) { s.publicKey, s.endpoint = key, endpoint })
}

// Commands are the names of the slash commands.
func (f *Discord) Commands() (names []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, c := range f.commands {
		names = append(names, c.(map[string]any)["name"].(string))
	}
	return names
}

// Answers are what the bot answered interactions that the gateway told.
func (f *Discord) Answers() []map[string]any {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.answers)
}
