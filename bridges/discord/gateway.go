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

	"github.com/relay-chat/relay/bridges/call"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine/nodes"
)

// intents request events of channels and threads, and messages with their content.
const intents = discordgo.IntentsGuilds | discordgo.IntentsGuildMessages | discordgo.IntentMessageContent

// gatewayPause is the pause after the n-th failure in a row. It keeps a day's
// attempts below the 1,000 after which Discord resets a token.
func gatewayPause(n int) time.Duration {
	pause := chat.Backoff(time.Second, 2*time.Minute)(n)
	return pause + rand.N(pause/2)
}

const (
	// healthy is how long a connection has to last to count as working.
	healthy = time.Minute
	// maxResumeFailures caps the failures in a row after a resumed session: resuming
	// does not count as one of the day's attempts.
	maxResumeFailures = 3
)

// Run implements [chat.Bridge]. It keeps a gateway session; discordgo's own
// reconnection ignores why the gateway closed. It returns nil at once when the
// gateway is switched off.
func (r *receiver) Run(ctx context.Context, in chat.Receiver) error {
	if !r.cfg.Gateway {
		return r.withoutGateway(ctx)
	}
	r.status.Set(wayGateway)
	l := newListener(r, in)
	defer func() { l.end(ctx) }()
	for failures := 0; ctx.Err() == nil; {
		begun := time.Now()
		err := l.connect(ctx)
		if ctx.Err() != nil {
			return nil
		}
		var misconfigured *chat.Misconfigured
		if errors.As(err, &misconfigured) {
			r.status.Fail(err)
			return err
		}
		if time.Since(begun) > healthy {
			failures = 0
		}
		failures++
		if errors.Is(err, errResumed) {
			failures = min(failures, maxResumeFailures)
		}
		r.reportFailure(err)
		_ = chat.Rest(ctx, r.cfg.Pause(failures)) // the loop ends with ctx
	}
	return nil
}

// withoutGateway logs that nothing but slash commands is received.
func (r *receiver) withoutGateway(ctx context.Context) error {
	if r.key == nil {
		r.status.Set(wayNone)
	} else {
		r.status.Set(wayWebhook)
		for _, one := range r.receivers {
			one.client.offerCommands(ctx)
		}
	}
	r.log.Warn("operators' answers are not received from Discord: the gateway is off", "fix", fixGateway)
	return nil
}

const fixGateway = "set ENABLE_DISCORD_GATEWAY=true"

// listener receives events.
type listener struct {
	receiver *receiver
	streams  streams
	events   chan *discordgo.Event // never closed: discordgo may be late
	worker   sync.WaitGroup
	stop     context.CancelFunc // of the worker

	session *session // nil when the next connection begins a new one
}

// session is a gateway session that discordgo can resume.
type session struct {
	*discordgo.Session
	dialer  *dialer
	begun   atomic.Bool   // the connection received READY or RESUMED
	resumed atomic.Bool   // the last of them was RESUMED
	down    chan struct{} // a connection ended
	gone    chan struct{} // closed when the session is abandoned
}

// backlog is how many events may wait before reading stops.
const backlog = 1000

func newListener(r *receiver, in chat.Receiver) *listener {
	l := &listener{receiver: r, streams: newStreams(r, in), events: make(chan *discordgo.Event, backlog)}
	ctx, stop := context.WithCancel(context.Background())
	l.stop = stop
	l.worker.Go(func() { l.work(ctx) })
	return l
}

// endTimeout bounds how long received events are still stored at the end.
const endTimeout = 5 * time.Second

// end stores what was received, and waits for it.
func (l *listener) end(ctx context.Context) {
	if nodes.Leaving(ctx) {
		l.hangUp()
	}
	l.abandon()
	l.streams.end()
	timer := time.AfterFunc(endTimeout, l.stop)
	defer timer.Stop()
	l.worker.Wait()
	l.streams.wait()
	l.stop()
}

// work dispatches events in order; at the end those that came before.
func (l *listener) work(ctx context.Context) {
	for ended := false; ctx.Err() == nil; {
		select {
		case e := <-l.events:
			l.streams.dispatch(ctx, e.Type, e.RawData)
			continue
		default:
		}
		if ended {
			return
		}
		select {
		case e := <-l.events:
			l.streams.dispatch(ctx, e.Type, e.RawData)
		case <-l.streams[0].ending:
			ended = true
		case <-ctx.Done():
		}
	}
}

// newSession returns a session whose handlers only pass events on: a panic in one
// would end relay, and discordgo waits for them.
func (l *listener) newSession() (*session, error) {
	gateway, err := discordgo.New("Bot " + l.receiver.cfg.Token)
	if err != nil {
		return nil, err
	}
	gateway.ShouldReconnectOnError, gateway.ShouldReconnectVoiceOnSessionError = false, false
	gateway.ShouldRetryOnRateLimit, gateway.MaxRestRetries = false, 0
	gateway.StateEnabled, gateway.SyncEvents = false, true
	gateway.LogLevel = -1 // it writes to the standard logger
	gateway.UserAgent = userAgent
	dial := l.receiver.cfg.Dial
	if dial == nil {
		dial = (&net.Dialer{Timeout: callTimeout}).DialContext
	}
	s := &session{Session: gateway, dialer: &dialer{dial: dial, silence: l.receiver.cfg.ReadTimeout}, down: make(chan struct{}, 1), gone: make(chan struct{})}
	s.Client = l.receiver.client.gatewayClient()
	s.Dialer = &websocket.Dialer{Proxy: proxyOf, HandshakeTimeout: l.receiver.cfg.ConnectTimeout, NetDialContext: s.dialer.open}
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

// gatewayRequest sends discordgo's only request, for the gateway's address, to the
// configured API.
type gatewayRequest struct {
	ask  *url.URL
	next http.RoundTripper
}

// gatewayClient returns the client for discordgo's request.
func (c *client) gatewayClient() *http.Client {
	client, ask := *c.http, *c.base
	ask.Path += "/gateway/bot" // which detects a wrong token, too; JoinPath would begin without a slash below a bare host
	client.Transport = &gatewayRequest{&ask, client.Transport}
	return &client
}

// RoundTrip implements [http.RoundTripper].
func (c *gatewayRequest) RoundTrip(r *http.Request) (*http.Response, error) {
	r, address := r.Clone(r.Context()), *c.ask
	r.URL, r.Host = &address, address.Host
	return c.next.RoundTrip(r)
}

// proxyOf finds the proxy of a gateway connection and sets the API's version in the
// URL: discordgo requests another.
func proxyOf(r *http.Request) (*url.URL, error) {
	q := r.URL.Query()
	q.Set("v", gatewayVersion)
	r.URL.RawQuery = q.Encode()
	return http.ProxyFromEnvironment(r)
}

// gatewayVersion is that of the API, see newClient.
const gatewayVersion = "10"

// connect begins a connection, or resumes the session, and returns why it ended.
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
	case <-s.down: // of the previous connection
	default:
	}
	s.begun.Store(false)
	if err := l.open(ctx, s); err != nil {
		return err
	}
	l.receiver.status.ReportRecovery(l.receiver.log)
	select {
	case <-s.down:
		if !s.begun.Load() { // a new session will show why
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
	errNoAnswer = errors.New("the gateway of Discord did not answer in time")
)

// open opens the session's connection. discordgo may block forever if the gateway
// requests a reconnection first: the session is abandoned then.
func (l *listener) open(ctx context.Context, s *session) error {
	opened := make(chan error, 1)
	go func() { opened <- s.Open() }()
	timer := time.NewTimer(l.receiver.cfg.ConnectTimeout)
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
	case <-grace.C: // it blocks for good
	}
	return errNoAnswer
}

// grace is how long an attempt may take to end after its connection was closed.
const grace = 2 * time.Second

// closePause lets a connection begin before it is closed: discordgo holds a lock for
// a second to close it, for which its heartbeat would wait.
const closePause = 10 * time.Millisecond

// abandon closes the session for good.
func (l *listener) abandon() {
	if s := l.session; s != nil {
		l.session = nil
		s.abandon()
	}
}

func (s *session) abandon() {
	close(s.gone)
	time.Sleep(closePause)
	_ = s.Close() // nothing depends on how it ends
}

// closeGrace is how long the end waits for the close of the connection when another node
// takes over. discordgo says goodbye at once, and then sleeps for a second.
const closeGrace = 300 * time.Millisecond

// hangUp is abandon, but waits only until the gateway has closed the connection.
func (l *listener) hangUp() {
	s := l.session
	if s == nil {
		return
	}
	l.session = nil
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		s.abandon()
	}()
	timer := time.NewTimer(closeGrace)
	defer timer.Stop()
	select {
	case <-closed:
	case <-s.dialer.closed():
	case <-timer.C:
	}
}

// refused explains why a connection failed. A session that the gateway closed with a
// code cannot be resumed; a network failure does not end it.
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
		return fmt.Errorf("cannot fetch the address of Discord's gateway: %s", rest.Response.Status)
	case errors.As(err, &limited):
		return fmt.Errorf("cannot fetch the address of Discord's gateway: rate limited for %s", limited.RetryAfter)
	}
	return fmt.Errorf("the gateway of Discord cannot be reached: %w", call.Redact(err))
}

// closings are the close codes after which retrying is useless (Discord, "Gateway
// Close Event Codes").
var closings = map[int]*chat.Misconfigured{
	4004: errToken,
	4010: {Problem: "Discord's gateway rejects the shard", Fix: "update relay"},
	4011: {Problem: "the bot is on too many servers for one connection", Fix: "create a separate bot for relay, on your server alone"},
	4012: {Problem: "Discord's gateway no longer supports the version that relay uses", Fix: "update relay"},
	4013: {Problem: "Discord's gateway rejects the intents that relay requests", Fix: "update relay"},
	4014: {Problem: "the bot may not read what operators write", Fix: fixIntent},
}
