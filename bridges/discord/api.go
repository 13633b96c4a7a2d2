package discord

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"sync/atomic"
	"time"

	"github.com/bwmarrin/discordgo"

	"github.com/relay-chat/relay/server/chat"
)

// api makes the REST calls. The token is in a header of every call and in
// nothing that api returns.
type api struct {
	token string
	base  *url.URL
	// client calls the API and downloads files, the latter without the token.
	client *http.Client
	pace   *pace
}

// request is one call.
type request struct {
	method, path string // the path after the version
	body         any    // JSON, or *form
	// repeatable means that the call may be repeated when its answer is lost.
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
		// Pings detect a connection that died silently.
		own.HTTP2 = &http.HTTP2Config{SendPingTimeout: 15 * time.Second, PingTimeout: 10 * time.Second}
		transport = own
	}
	// A redirect would carry the token to another server.
	noRedirect := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &api{token: cfg.Token, base: base, client: &http.Client{Transport: transport, CheckRedirect: noRedirect}, pace: newPace()}, nil
}

// outcome is the state of a request.
type outcome struct {
	sent   atomic.Bool // it may have been carried out
	status int         // 0 without an answer
	header http.Header
}

// callError is a call without an answer of the API.
type callError struct {
	route string
	// sent means that the request may have been carried out.
	sent bool
	err  error
}

func (e *callError) Error() string { return e.route + ": " + e.err.Error() }

func (e *callError) Unwrap() error { return e.err }

// call makes a call and reads its answer into out, unless that is nil. Its errors
// are those of package chat or of this one.
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
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{WroteRequest: func(info httptrace.WroteRequestInfo) {
		if info.Err == nil {
			o.sent.Store(true)
		}
	}})
	answer, err := a.send(ctx, r, o)
	a.pace.learn(route, o)
	if err == nil && o.status >= 300 {
		err = newRefusal(route, o, answer)
	} else if err != nil {
		err = &callError{route, o.sent.Load() || o.status != 0, bare(err)}
	}
	if err != nil {
		err = translate(err, r.repeatable)
		a.keepWait(route, err)
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

// maxAnswer bounds an answer of the API.
const maxAnswer = 32 << 20

// userAgent identifies relay (Discord, "User Agent").
const userAgent = "DiscordBot (https://github.com/bwmarrin/discordgo, v" + discordgo.VERSION + ") relay"

// send makes the request and stores its outcome in o.
func (a *api) send(ctx context.Context, r request, o *outcome) ([]byte, error) {
	body, err := encode(ctx, r.body)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, r.method, a.base.String()+r.path, body.content)
	if err != nil {
		return nil, err
	}
	if body.content != nil {
		req.ContentLength = body.length
		req.Header.Set("Content-Type", body.kind)
	}
	req.Header.Set("Authorization", "Bot "+a.token)
	req.Header.Set("User-Agent", userAgent)
	resp, err := a.client.Do(req)
	if err == nil {
		defer resp.Body.Close()
	}
	if unread := body.failure(); unread != nil { // a form without its end has no effect
		o.sent.Store(false)
		return nil, unread
	}
	if err != nil {
		return nil, err
	}
	o.status, o.header = resp.StatusCode, resp.Header
	return io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
}

// payload is a request's body; length is -1 when unknown.
type payload struct {
	content io.Reader
	length  int64
	kind    string
	file    *fileBody
}

// failure returns why the file could not be read, nil when it could.
func (p *payload) failure() error {
	if p.file == nil {
		return nil
	}
	return p.file.failure()
}

func encode(ctx context.Context, body any) (*payload, error) {
	switch body := body.(type) {
	case nil:
		return new(payload), nil
	case *form:
		return body.encode(ctx)
	}
	raw, err := json.Marshal(body)
	return &payload{content: bytes.NewReader(raw), length: int64(len(raw)), kind: "application/json"}, err
}

// bare removes the address from an error: a file's is signed.
func bare(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		return u.Err
	}
	return err
}

// get makes a GET call.
func (a *api) get(ctx context.Context, path string, out any) error {
	return a.call(ctx, request{method: http.MethodGet, path: path, repeatable: true}, out)
}

// lookups is how often getWithRetry calls.
const lookups = 5

// getWithRetry makes a GET call outside of any op, where nobody else retries after
// a rate limit.
func (a *api) getWithRetry(ctx context.Context, path string, out any) error {
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

// path formats a call's path and escapes its parts.
func path(format string, parts ...any) string {
	for i, p := range parts {
		if text, ok := p.(string); ok {
			parts[i] = url.PathEscape(text)
		}
	}
	return fmt.Sprintf(format, parts...)
}
