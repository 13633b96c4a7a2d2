package discord

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/bwmarrin/discordgo"

	"relay/server/chat"
)

// api makes the REST calls, by a discordgo session that is never opened. The
// token is in a header of every call and in nothing that api returns.
type api struct {
	session *discordgo.Session
	carrier *carrier
	files   *http.Client // for what lies outside of the API, without the token
	pace    *pace
}

// request is one call.
type request struct {
	method, path string // the path begins behind the version
	body         any    // JSON, or *form
	// repeatable tells that doing it twice is as good as once: what became of
	// it when the answer is lost does not matter.
	repeatable bool
}

func newAPI(cfg Config) (*api, error) {
	base, err := parseBase(cfg.APIURL)
	if err != nil {
		return nil, err
	}
	transport := cfg.Transport
	if transport == nil {
		own := http.DefaultTransport.(*http.Transport).Clone()
		own.MaxIdleConnsPerHost = 16
		// A connection that died without a word is found out, not used again.
		own.HTTP2 = &http.HTTP2Config{SendPingTimeout: 15 * time.Second, PingTimeout: 10 * time.Second}
		transport = own
	}
	// A redirect would carry the token elsewhere.
	stay := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	a := &api{carrier: &carrier{base: base, next: transport}, pace: newPace(), files: &http.Client{Transport: transport, CheckRedirect: stay}}
	a.session, err = newSession(cfg.Token)
	if err != nil {
		return nil, err
	}
	a.session.Client = &http.Client{Transport: a.carrier, CheckRedirect: stay}
	return a, nil
}

// newSession makes a discordgo session that decides nothing by itself.
func newSession(token string) (*discordgo.Session, error) {
	s, err := discordgo.New("Bot " + token)
	if err != nil {
		return nil, err
	}
	s.ShouldReconnectOnError, s.ShouldReconnectVoiceOnSessionError = false, false
	s.ShouldRetryOnRateLimit, s.MaxRestRetries = false, 0
	s.StateEnabled, s.SyncEvents = false, true
	s.LogLevel = -1 // it writes to the standard logger
	s.UserAgent = "DiscordBot (https://github.com/bwmarrin/discordgo, v" + discordgo.VERSION + ") relay"
	return s, nil
}

// carrier sends discordgo's requests to the API that is configured, and notes
// how each went.
type carrier struct {
	base *url.URL
	next http.RoundTripper
}

// outcome is how a request went.
type outcome struct {
	sent   atomic.Bool // it may have been carried out
	status int         // 0 without an answer
	header http.Header
}

type outcomeKey struct{}

// RoundTrip implements [http.RoundTripper].
func (c *carrier) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	rest := strings.TrimPrefix(r.URL.EscapedPath(), "/api/v"+discordgo.APIVersion)
	if rest == "/gateway" { // the same, and it tells a wrong token
		rest = "/gateway/bot"
	}
	r.URL.Scheme, r.URL.Host, r.Host = c.base.Scheme, c.base.Host, c.base.Host
	raw := c.base.EscapedPath() + rest
	path, err := url.PathUnescape(raw)
	if err != nil {
		return nil, err
	}
	r.URL.Path, r.URL.RawPath = path, raw
	resp, err := c.next.RoundTrip(r)
	if o, ok := r.Context().Value(outcomeKey{}).(*outcome); ok && err == nil {
		o.status, o.header = resp.StatusCode, resp.Header
	}
	return resp, err
}

// callError is a call that got no answer of the API.
type callError struct {
	route string
	// sent tells that the request may have been carried out.
	sent bool
	err  error
}

func (e *callError) Error() string { return e.route + ": " + e.err.Error() }

func (e *callError) Unwrap() error { return e.err }

// call makes a call and reads its answer into out, unless that is nil. What
// comes of it is told by the errors of package chat, or of this one.
func (a *api) call(ctx context.Context, r request, out any) error {
	route := routeOf(r.method, r.path)
	if err := a.pace.await(ctx, route); err != nil {
		return err
	}
	timeout := callTimeout
	if _, upload := r.body.(*form); upload {
		timeout = uploadTimeout
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	o := new(outcome)
	ctx = context.WithValue(ctx, outcomeKey{}, o)
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{WroteRequest: func(info httptrace.WroteRequestInfo) {
		if info.Err == nil {
			o.sent.Store(true)
		}
	}})
	answer, err := a.send(ctx, r)
	a.pace.learn(route, o)
	if err != nil {
		err = a.failure(route, r, o, err)
		a.heed(route, err)
		return err
	}
	if out == nil {
		return nil
	}
	if err := json.Unmarshal(answer, out); err != nil {
		return translate(&callError{route, true, errors.New("the answer is not one of Discord's")}, r.repeatable)
	}
	return nil
}

// send makes the request by discordgo, whose own limits see nothing: a bucket
// of one request.
func (a *api) send(ctx context.Context, r request) ([]byte, error) {
	contentType, body, err := encode(r.body)
	if err != nil {
		return nil, err
	}
	bucket := discordgo.NewRatelimiter().LockBucket(r.path)
	address := strings.TrimSuffix(discordgo.EndpointAPI, "/") + r.path
	return a.session.RequestWithLockedBucket(r.method, address, contentType, body, bucket, 0, discordgo.WithContext(ctx))
}

func encode(body any) (contentType string, raw []byte, err error) {
	switch body := body.(type) {
	case nil:
		return "", nil, nil
	case *form:
		return body.encode()
	}
	raw, err = json.Marshal(body)
	return "application/json", raw, err
}

// failure makes an error of a call that did not go well.
func (a *api) failure(route string, r request, o *outcome, err error) error {
	if o.status >= 400 {
		return translate(newRefusal(route, o, err), r.repeatable)
	}
	return translate(&callError{route, o.sent.Load() || o.status != 0, bare(err)}, r.repeatable)
}

// bare takes the address out of an error: a file's is signed.
func bare(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		return u.Err
	}
	return err
}

// get asks for something.
func (a *api) get(ctx context.Context, path string, out any) error {
	return a.call(ctx, request{method: http.MethodGet, path: path, repeatable: true}, out)
}

// lookups is how often patiently asks.
const lookups = 5

// patiently asks for something outside of any op: it waits where an op would
// come again later.
func (a *api) patiently(ctx context.Context, path string, out any) error {
	for n := 1; ; n++ {
		err := a.get(ctx, path, out)
		var wait *chat.RetryAfter
		if err == nil || n == lookups || !errors.As(err, &wait) {
			return err
		}
		if chat.Rest(ctx, wait.After) != nil {
			return err
		}
	}
}

// path joins a call's path; parts are ids and names.
func path(format string, parts ...any) string {
	for i, p := range parts {
		if text, ok := p.(string); ok {
			parts[i] = url.PathEscape(text)
		}
	}
	return fmt.Sprintf(format, parts...)
}
