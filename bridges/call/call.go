// Package call makes HTTP calls to a platform's API: the client, the outcome of a call
// without a response, request bodies with a file, and downloads. It imports server/chat
// only.
package call

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/relay-chat/relay/server/chat"
)

// NewClient returns a client with a transport; for nil, one that keeps a number of idle
// connections.
func NewClient(transport http.RoundTripper, idle int) *http.Client {
	if transport == nil {
		own := http.DefaultTransport.(*http.Transport).Clone()
		own.MaxIdleConnsPerHost = idle
		// Pings detect a connection that died silently.
		own.HTTP2 = &http.HTTP2Config{SendPingTimeout: 15 * time.Second, PingTimeout: 10 * time.Second}
		transport = own
	}
	// A redirect would carry the token to another server.
	noRedirect := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &http.Client{Transport: transport, CheckRedirect: noRedirect}
}

// ParseBase parses the address of an API, "" for the standard one. It returns wrong for an
// invalid address.
func ParseBase(address, standard string, wrong *chat.Misconfigured) (*url.URL, error) {
	if address == "" {
		address = standard
	}
	u, err := url.Parse(strings.TrimRight(address, "/"))
	if err != nil || u.Hostname() == "" || u.Scheme != "https" && u.Scheme != "http" {
		return nil, wrong
	}
	return u, nil
}

// Trace returns a context for one call. sent becomes true once the request is written: from
// then on it may be carried out.
func Trace(ctx context.Context) (traced context.Context, sent *atomic.Bool) {
	sent = new(atomic.Bool)
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{WroteRequest: func(info httptrace.WroteRequestInfo) {
		sent.Store(info.Err == nil)
	}}), sent
}

// Error is a call without a response from the API.
type Error struct {
	Name string
	// Sent means that the request may have been carried out.
	Sent bool
	Err  error
}

func (e *Error) Error() string { return e.Name + ": " + e.Err.Error() }

func (e *Error) Unwrap() error { return e.Err }

// Translate turns the error into one of package chat. A call that may safely be repeated
// is never ambiguous.
func (e *Error) Translate(platform string, repeatable bool) error {
	switch {
	case e.Sent && !repeatable:
		return fmt.Errorf("%w: %w", chat.ErrAmbiguous, e)
	case errors.Is(e, context.DeadlineExceeded):
		// The call may be repeated, or was never sent: not ambiguous.
		return fmt.Errorf("%s: %s did not answer in time", e.Name, platform)
	}
	return e
}

// Redact removes the address and secrets from an error.
func Redact(err error, secrets ...string) error {
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err
	}
	text := err.Error()
	for _, secret := range secrets {
		if secret != "" {
			text = strings.ReplaceAll(text, secret, "<secret>")
		}
	}
	if text != err.Error() {
		return errors.New(text)
	}
	return err
}

// WithRetry makes a call up to a number of times, after each wait that the platform asks
// for. A wait longer than most is not made; 0 allows any.
func WithRetry(ctx context.Context, times int, most time.Duration, do func() error) error {
	for n := 1; ; n++ {
		err := do()
		var wait *chat.RetryAfter
		if !errors.As(err, &wait) || n >= times || most > 0 && wait.After > most || chat.Rest(ctx, wait.After) != nil {
			return err
		}
	}
}

// Later returns an error that makes the caller wait. Due times are whole milliseconds, so a
// shorter wait would be none.
func Later(wait time.Duration, scope chat.Scope, cause error) error {
	return &chat.RetryAfter{After: Whole(wait), Scope: scope, Cause: cause}
}

// Whole rounds a wait up to milliseconds.
func Whole(wait time.Duration) time.Duration {
	return wait.Truncate(time.Millisecond) + time.Millisecond
}
