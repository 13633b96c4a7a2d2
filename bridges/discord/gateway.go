package discord

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/gorilla/websocket"

	"github.com/relay-chat/relay/server/chat"
)

// intents are what relay is told of: channels and threads, messages, and what
// they say.
const intents = discordgo.IntentsGuilds | discordgo.IntentsGuildMessages | discordgo.IntentMessageContent

// gatewayPause is the pause after the n-th failure in a row. It keeps a day's
// attempts below the 1,000 after which Discord resets a token.
func gatewayPause(n int) time.Duration {
	pause := chat.Backoff(time.Second, 2*time.Minute)(n)
	return pause + rand.N(pause/2)
}

const (
	// steady is how long a connection has to last to count as working.
	steady = time.Minute
	// brisk is how many failures in a row count at most after a session that
	// was taken up again: that takes nothing from the day's attempts.
	brisk = 3
)

// Run implements [chat.Bridge]. It keeps a gateway session: discordgo's own way
// to do so ignores why the gateway closed. It returns nil at once when the
// gateway is switched off.
func (b *Bridge) Run(ctx context.Context, in chat.Receiver) error {
	if !b.cfg.Gateway {
		return b.withoutGateway(ctx)
	}
	b.status.Set(wayGateway)
	l := newListener(b, in)
	defer l.end()
	for failures := 0; ctx.Err() == nil; {
		begun := time.Now()
		err := l.connect(ctx)
		if ctx.Err() != nil {
			return nil
		}
		var human *chat.Misconfigured
		if errors.As(err, &human) {
			b.status.Fail(err)
			return err
		}
		if time.Since(begun) > steady {
			failures = 0
		}
		failures++
		if errors.Is(err, errResumed) {
			failures = min(failures, brisk)
		}
		b.complain(err)
		_ = chat.Rest(ctx, b.cfg.Pause(failures)) // the loop ends with ctx
	}
	return nil
}

// withoutGateway tells that nothing but slash commands is received.
func (b *Bridge) withoutGateway(ctx context.Context) error {
	if b.key == nil {
		b.status.Set(wayNone)
	} else {
		b.status.Set(wayWebhook)
		b.offerCommands(ctx)
	}
	b.log.Warn("operators' answers are not received from Discord: the gateway is off", "fix", fixGateway)
	return nil
}

const fixGateway = "set ENABLE_DISCORD_GATEWAY=true"

// listener receives events.
type listener struct {
	bridge *Bridge
	stream *stream
	events chan *discordgo.Event // never closed: discordgo may be late
	worker sync.WaitGroup
	stop   context.CancelFunc // of the worker

	session *session // nil when the next connection begins a new one
}

// session is what discordgo can take up again: it knows how far it was told.
type session struct {
	*discordgo.Session
	dialer  *dialer
	begun   atomic.Bool   // the connection was told READY or RESUMED
	resumed atomic.Bool   // it was RESUMED, the last of them
	down    chan struct{} // a connection ended
	gone    chan struct{} // nothing of this session counts any more
}

// backlog is how many events wait to be looked at before reading stops.
const backlog = 1000

func newListener(b *Bridge, in chat.Receiver) *listener {
	l := &listener{bridge: b, stream: newStream(b, in), events: make(chan *discordgo.Event, backlog)}
	ctx, stop := context.WithCancel(context.Background())
	l.stop = stop
	l.worker.Go(func() { l.work(ctx) })
	return l
}

// lastWords is how long what was received is still stored after the end.
const lastWords = 5 * time.Second

// end stores what was received, and waits for it.
func (l *listener) end() {
	l.abandon()
	close(l.stream.ending)
	timer := time.AfterFunc(lastWords, l.stop)
	defer timer.Stop()
	l.worker.Wait()
	l.stream.working.Wait()
	l.stop()
}

// work takes events one after the other, at the end those that came before.
func (l *listener) work(ctx context.Context) {
	for ended := false; ctx.Err() == nil; {
		select {
		case e := <-l.events:
			l.stream.told(ctx, e.Type, e.RawData)
			continue
		default:
		}
		if ended {
			return
		}
		select {
		case e := <-l.events:
			l.stream.told(ctx, e.Type, e.RawData)
		case <-l.stream.ending:
			ended = true
		case <-ctx.Done():
		}
	}
}

// newSession makes a session whose handlers do nothing but pass on: a panic in
// one would end relay, and discordgo waits for them.
func (l *listener) newSession() (*session, error) {
	gateway, err := discordgo.New("Bot " + l.bridge.cfg.Token)
	if err != nil {
		return nil, err
	}
	gateway.ShouldReconnectOnError, gateway.ShouldReconnectVoiceOnSessionError = false, false
	gateway.ShouldRetryOnRateLimit, gateway.MaxRestRetries = false, 0
	gateway.StateEnabled, gateway.SyncEvents = false, true
	gateway.LogLevel = -1 // it writes to the standard logger
	gateway.UserAgent = userAgent
	dial := l.bridge.cfg.Dial
	if dial == nil {
		dial = (&net.Dialer{Timeout: callTimeout}).DialContext
	}
	s := &session{Session: gateway, dialer: &dialer{dial: dial, silence: l.bridge.cfg.Silence}, down: make(chan struct{}, 1), gone: make(chan struct{})}
	s.Client = l.bridge.api.asker()
	s.Dialer = &websocket.Dialer{Proxy: proxyOf, HandshakeTimeout: l.bridge.cfg.Patience, NetDialContext: s.dialer.open}
	s.Identify.Intents = intents
	s.AddHandler(func(_ *discordgo.Session, e *discordgo.Event) {
		if e.Type == "READY" || e.Type == "RESUMED" {
			s.begun.Store(true)
			s.resumed.Store(e.Type == "RESUMED")
		}
		select {
		case <-s.gone:
		default:
			select {
			case l.events <- e:
			case <-s.gone:
			}
		}
	})
	s.AddHandler(func(*discordgo.Session, *discordgo.Disconnect) {
		select {
		case s.down <- struct{}{}:
		default:
		}
	})
	return s, nil
}

// carrier sends discordgo's only request, for the gateway's address, to the API
// that is configured.
type carrier struct {
	ask  *url.URL
	next http.RoundTripper
}

// asker makes the client by which discordgo asks.
func (a *api) asker() *http.Client {
	client, ask := *a.client, *a.base
	ask.Path += "/gateway/bot" // it tells a wrong token, too; JoinPath would begin without a slash below a bare host
	client.Transport = &carrier{&ask, client.Transport}
	return &client
}

// RoundTrip implements [http.RoundTripper].
func (c *carrier) RoundTrip(r *http.Request) (*http.Response, error) {
	r, address := r.Clone(r.Context()), *c.ask
	r.URL, r.Host = &address, address.Host
	return c.next.RoundTrip(r)
}

// proxyOf finds the proxy of a connection to the gateway, and has it speak the
// version of the API: discordgo asks for another.
func proxyOf(r *http.Request) (*url.URL, error) {
	q := r.URL.Query()
	q.Set("v", gatewayVersion)
	r.URL.RawQuery = q.Encode()
	return http.ProxyFromEnvironment(r)
}

// gatewayVersion is that of the API, see parseBase.
const gatewayVersion = "10"

// connect begins a connection, or takes the session up again, and returns why
// it ended.
func (l *listener) connect(ctx context.Context) error {
	if l.session == nil {
		s, err := l.newSession()
		if err != nil {
			return err
		}
		l.session = s
	}
	s := l.session
	select {
	case <-s.down: // of the connection before
	default:
	}
	s.begun.Store(false)
	if err := l.open(ctx, s); err != nil {
		return err
	}
	l.bridge.recovered()
	select {
	case <-s.down:
		if !s.begun.Load() { // a new session will tell why
			l.abandon()
			return errNotBegun
		}
		if s.resumed.Load() {
			return errResumed
		}
		return errEnded
	case <-ctx.Done():
		return ctx.Err()
	}
}

var (
	errEnded    = errors.New("the connection to Discord's gateway ended")
	errResumed  = fmt.Errorf("%w, in a session taken up again", errEnded)
	errNotBegun = errors.New("the gateway of Discord ended the connection at once")
	errWedged   = errors.New("the gateway of Discord did not answer in time")
)

// open opens the session's connection. discordgo can block for ever there, when
// the gateway first of all asks to connect again: the session is given up then.
func (l *listener) open(ctx context.Context, s *session) error {
	opened := make(chan error, 1)
	go func() { opened <- s.Open() }()
	timer := time.NewTimer(l.bridge.cfg.Patience)
	defer timer.Stop()
	select {
	case err := <-opened:
		if err == nil {
			return nil
		}
		return l.refused(err)
	case <-timer.C:
	case <-ctx.Done():
	}
	l.session = nil
	close(s.gone)
	s.dialer.cut()
	grace := time.NewTimer(grace)
	defer grace.Stop()
	select {
	case err := <-opened:
		if err == nil {
			_ = s.Close()
		}
	case <-grace.C: // it is wedged, and stays so
	}
	return errWedged
}

// grace is how long an attempt that was cut has to end.
const grace = 2 * time.Second

// calm is how long a connection is left to begin before it is closed: discordgo
// holds a lock for a second to close it, for which its heartbeat would wait.
const calm = 10 * time.Millisecond

// abandon gives the session up.
func (l *listener) abandon() {
	if s := l.session; s != nil {
		l.session = nil
		close(s.gone)
		time.Sleep(calm)
		_ = s.Close() // nothing depends on how it ends
	}
}

// refused says what it means that a connection was not begun. After a code with
// which the gateway closed, the session cannot be taken up again; a network
// that is away does not end it.
func (l *listener) refused(err error) error {
	var closed *websocket.CloseError
	var rest *discordgo.RESTError
	var limited *discordgo.RateLimitError
	switch {
	case errors.As(err, &closed):
		l.abandon()
		if wrong := closings[closed.Code]; wrong != nil {
			return wrong
		}
		return fmt.Errorf("the gateway of Discord closed with code %d", closed.Code)
	case errors.As(err, &rest) && rest.Response != nil:
		if rest.Response.StatusCode == http.StatusUnauthorized {
			return errToken
		}
		return fmt.Errorf("the address of Discord's gateway is not told: %s", rest.Response.Status)
	case errors.As(err, &limited):
		return fmt.Errorf("the address of Discord's gateway is told later, after %s", limited.RetryAfter)
	}
	return fmt.Errorf("the gateway of Discord cannot be reached: %w", bare(err))
}

// closings are the codes after which trying again is of no use (Discord,
// "Gateway Close Event Codes").
var closings = map[int]*chat.Misconfigured{
	4004: errToken,
	4010: {Problem: "Discord's gateway does not take the shard", Fix: "update relay"},
	4011: {Problem: "the bot is on too many servers for one connection", Fix: "make a bot of its own for relay, on your server alone"},
	4012: {Problem: "Discord's gateway has no longer the version that relay speaks", Fix: "update relay"},
	4013: {Problem: "Discord's gateway does not know what relay asks for", Fix: "update relay"},
	4014: {Problem: "the bot may not read what operators write", Fix: fixIntent},
}
