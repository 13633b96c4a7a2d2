package discord

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"github.com/bwmarrin/discordgo"

	"github.com/relay-chat/relay/bridges/call"
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
	base, err := call.ParseBase(cfg.APIURL, "https://discord.com/api/v10", errBase)
	if err != nil {
		return nil, err
	}
	return &api{token: cfg.Token, base: base, client: call.NewClient(cfg.Transport, 16), pace: newPace()}, nil
}

// outcome is what became of a request.
type outcome struct {
	sent   bool // it may have been carried out
	status int  // 0 without an answer
	header http.Header
}

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
	answer, err := a.send(ctx, r, o)
	a.pace.learn(route, o)
	if err == nil && o.status >= 300 {
		err = newRefusal(route, o, answer)
	} else if err != nil {
		err = &call.Error{Name: route, Sent: o.sent || o.status != 0, Err: call.Redact(err)}
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
		return translate(&call.Error{Name: route, Sent: true, Err: errors.New("the answer is not one of Discord's")}, r.repeatable)
	}
	return nil
}

// maxAnswer bounds an answer of the API.
const maxAnswer = 32 << 20

// userAgent identifies relay (Discord, "User Agent").
const userAgent = "DiscordBot (https://github.com/bwmarrin/discordgo, v" + discordgo.VERSION + ") relay"

// send makes the request and stores its outcome in o.
func (a *api) send(ctx context.Context, r request, o *outcome) ([]byte, error) {
	body, file, err := encode(ctx, r.body)
	if err != nil {
		return nil, err
	}
	ctx, sent := call.Trace(ctx)
	req, err := body.Request(ctx, r.method, a.base.String()+r.path)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bot "+a.token)
	req.Header.Set("User-Agent", userAgent)
	resp, err := a.client.Do(req)
	if err == nil {
		defer resp.Body.Close()
	}
	if file != nil && file.Err() != nil { // a form without its end has no effect
		return nil, file.Err()
	}
	o.sent = sent.Load()
	if err != nil {
		return nil, err
	}
	o.status, o.header = resp.StatusCode, resp.Header
	return io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
}

// encode renders a body and returns its file, nil for none.
func encode(ctx context.Context, body any) (call.Body, *call.File, error) {
	switch body := body.(type) {
	case nil:
		return call.Body{}, nil, nil
	case *form:
		return body.encode(ctx)
	}
	b, err := call.JSON(body)
	return b, nil, err
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
	return call.WithRetry(ctx, lookups, 0, func() error { return a.get(ctx, path, out) })
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
