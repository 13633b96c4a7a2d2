package act

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"sync/atomic"
	"time"

	"github.com/relay-chat/relay/server/chat"
)

// Limits of one request.
const (
	callTime   = 10 * time.Second
	maxAnswer  = 64 << 10 // bytes
	shownError = 200
)

// Failure is why an action gave no answer, in words for people.
type Failure struct {
	Problem string
	// Known: it was certainly not done.
	Known bool
	// Refused: the server got it, and refuses it.
	Refused bool
}

func (f *Failure) Error() string { return f.Problem }

// Client makes requests.
type Client struct{ transport http.RoundTripper }

// NewClient makes a client. transport decides which addresses may be reached.
func NewClient(transport http.RoundTripper) *Client { return &Client{transport} }

// Do makes a request once, follows no redirect, and returns its answer as data. key is the same
// whenever the same is asked for again.
func (c *Client) Do(ctx context.Context, t *Tool, args map[string]any, key, person string) (string, error) {
	request, err := t.Request(args)
	if err != nil {
		return "", &Failure{Problem: err.Error(), Known: true}
	}
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	if t.Method == chat.MethodMCP {
		return c.call(ctx, t, args, key, person)
	}
	var sent atomic.Bool
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { sent.Store(true) }})
	r, err := http.NewRequestWithContext(ctx, request.Method, request.URL, bytes.NewReader(request.Body))
	if err != nil {
		return "", &Failure{Problem: "the address cannot be used", Known: true}
	}
	if t.Secret != "" {
		r.Header.Set(t.Header, t.Secret)
	}
	r.Header.Set("Accept", "application/json")
	r.Header.Set("User-Agent", "relay")
	if request.Body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	if t.Changes {
		r.Header.Set("Idempotency-Key", key)
	}
	answer, err := c.transport.RoundTrip(r)
	if err != nil {
		return "", unanswered(ctx, err, sent.Load())
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer+1))
	return t.read(ctx, answer.StatusCode, body, err, person)
}

// unanswered is why there is no answer. An error of the library names the address; nothing of it is
// repeated but what the network said.
func unanswered(ctx context.Context, err error, sent bool) *Failure {
	f := &Failure{Known: !sent}
	var op *net.OpError
	var name *net.DNSError
	switch {
	case errors.Is(err, context.Canceled) && ctx.Err() != nil && !errors.Is(ctx.Err(), context.DeadlineExceeded):
		f.Problem = chat.ErrStopped.Error()
	case errors.Is(err, context.DeadlineExceeded):
		f.Problem = "the server did not answer within " + callTime.String()
	case errors.As(err, &name):
		f.Problem = "the name of the server is not known"
	case errors.As(err, &op) && op.Err != nil && !sent:
		f.Problem = "the server cannot be reached: " + chat.Clip(chat.OneLine(op.Err.Error()), shownError)
	default:
		f.Problem = "the connection to the server failed"
	}
	return f
}

// read reads an answer.
func (t *Tool) read(ctx context.Context, status int, body []byte, err error, person string) (string, error) {
	done := status >= 200 && status < 300
	switch {
	case !done && status >= 300 && status < 400:
		return "", &Failure{Problem: fmt.Sprintf("the server answered %d, and relay follows no redirects", status), Known: true}
	case !done && status >= 400 && status < 500 && status != http.StatusRequestTimeout:
		return "", &Failure{Problem: fmt.Sprintf("the server refuses it (%d)", status), Known: true, Refused: true}
	case !done:
		return "", &Failure{Problem: fmt.Sprintf("the server answered %d", status)}
	case t.Changes: // done, whatever the rest of the answer is
		return t.lines(body), nil
	case err != nil:
		return "", unanswered(ctx, err, true)
	case len(body) > maxAnswer:
		return "", &Failure{Problem: "the server's answer is too large: relay reads at most 64 KB"}
	}
	if err := t.owned(body, person); err != nil {
		return "", err
	}
	return t.lines(body), nil
}
