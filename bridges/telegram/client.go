package telegram

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/PaulSonOfLars/gotgbot/v2"
)

// client carries gotgbot's calls: JSON with its length without a file, multipart
// with one. The token is in the URL of every call (Bot API, "Making requests") and
// in nothing that client returns.
type client struct {
	http  *http.Client
	base  string // of the Bot API
	token string
}

var _ gotgbot.BotClient = (*client)(nil)

// maxAnswer bounds an answer of the Bot API: 100 updates of more than 64 KiB.
const maxAnswer = 32 << 20

func newClient(cfg Config) (*client, error) {
	base, err := parseBase(cfg.APIURL)
	if err != nil {
		return nil, err
	}
	transport := cfg.Transport
	if transport == nil {
		own := http.DefaultTransport.(*http.Transport).Clone()
		own.MaxIdleConnsPerHost = 8
		// Pings detect a connection that died silently.
		own.HTTP2 = &http.HTTP2Config{SendPingTimeout: 15 * time.Second, PingTimeout: 10 * time.Second}
		transport = own
	}
	// A redirect would carry the token to another server.
	noRedirect := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &client{http: &http.Client{Transport: transport, CheckRedirect: noRedirect}, base: base, token: cfg.Token}, nil
}

// callError is a call without an answer of the Bot API.
type callError struct {
	method string
	// sent means that the request may have been carried out.
	sent bool
	err  error
}

func (e *callError) Error() string { return e.method + ": " + e.err.Error() }

func (e *callError) Unwrap() error { return e.err }

// RequestWithContext implements [gotgbot.BotClient]. An error of the Bot API is a
// *gotgbot.TelegramError without the parameters: they hold texts.
func (c *client) RequestWithContext(ctx context.Context, _, method string, params map[string]any, opts *gotgbot.RequestOpts) (json.RawMessage, error) {
	timeout := callTimeout
	if opts != nil && opts.Timeout > 0 {
		timeout = opts.Timeout
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	var sent atomic.Bool
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{WroteRequest: func(info httptrace.WroteRequestInfo) {
		sent.Store(info.Err == nil)
	}})
	resp, err := c.post(ctx, method, params)
	if err != nil {
		return nil, &callError{method, sent.Load(), c.redact(err)}
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		return nil, &callError{method, true, c.redact(err)}
	}
	return read(method, resp, body)
}

// post sends one request.
func (c *client) post(ctx context.Context, method string, params map[string]any) (*http.Response, error) {
	payload, err := encode(params)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.base+"/bot"+c.token+"/"+method, payload.body)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", payload.contentType)
	req.ContentLength = payload.size
	return c.http.Do(req)
}

// read returns the result, or the error, of an answer.
func read(method string, resp *http.Response, body []byte) (json.RawMessage, error) {
	var answer gotgbot.Response
	if err := json.Unmarshal(body, &answer); err != nil || !answer.Ok && answer.ErrorCode == 0 {
		// A proxy's page. With 502 and 504 the Bot API may have carried it out.
		sent := resp.StatusCode < 300 || resp.StatusCode == http.StatusBadGateway || resp.StatusCode == http.StatusGatewayTimeout
		return nil, &callError{method, sent, fmt.Errorf("the answer is not from the Bot API: HTTP %d", resp.StatusCode)}
	}
	if answer.Ok {
		return answer.Result, nil
	}
	refusal := &gotgbot.TelegramError{Method: method, Code: answer.ErrorCode, Description: answer.Description, ResponseParams: answer.Parameters}
	if seconds, err := strconv.ParseInt(resp.Header.Get("Retry-After"), 10, 64); err == nil && refusal.ResponseParams == nil {
		refusal.ResponseParams = &gotgbot.ResponseParameters{RetryAfter: seconds}
	}
	return nil, refusal
}

// redact removes the URL and the token from an error.
func (c *client) redact(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err
	}
	if text := err.Error(); strings.Contains(text, c.token) {
		return errors.New(strings.ReplaceAll(text, c.token, "<token>"))
	}
	return err
}

// GetAPIURL implements [gotgbot.BotClient].
func (c *client) GetAPIURL(*gotgbot.RequestOpts) string { return c.base }

// FileURL implements [gotgbot.BotClient]. The URL holds the token: it never
// leaves this package.
func (c *client) FileURL(token, path string, _ *gotgbot.RequestOpts) string {
	return c.base + "/file/bot" + token + "/" + path
}

// within sets the time limit of a call.
func within(limit time.Duration) *gotgbot.RequestOpts { return &gotgbot.RequestOpts{Timeout: limit} }
