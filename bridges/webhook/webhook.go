// Package webhook posts events to the receiver that the settings name. It imports
// package chat and package guard, which guards outgoing connections.
package webhook

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/relay-chat/relay/bridges/guard"
	"github.com/relay-chat/relay/server/chat"
)

// schedule is the pause after each failed attempt.
var schedule = []time.Duration{5 * time.Second, 30 * time.Second, 2 * time.Minute, 10 * time.Minute, 30 * time.Minute,
	2 * time.Hour, 5 * time.Hour, 10 * time.Hour, 20 * time.Hour}

// maxRetryAfter bounds what a receiver may ask for.
const maxRetryAfter = time.Hour

// turn is how long events of one session are posted before their results are
// stored. A crash repeats them.
const turn = 20 * time.Millisecond

// timeout bounds a request.
const timeout = 10 * time.Second

// bodyTimeout is how long the body of an answer is waited for.
const bodyTimeout = time.Second

// Target is where events go, as the settings have it now.
type Target struct {
	URL     string
	Secret  string // "" for unsigned events
	Prefix  string // of relay's own headers: X-Service
	Trusted bool   // set by the operator's environment: may be in a private network
}

// Options are the parts and settings of a Sink.
type Options struct {
	Name  string // as a destination; "" is the first webhook
	Links *chat.FileLinks
	// Target returns the current target of a site's events, ok false when there is none.
	Target func(site string) (t Target, ok bool)
	// Receivers counts the different targets; nil is one.
	Receivers func() int
	// Sites returns the current sites: as soon as there are several, events name theirs.
	Sites func() *chat.Sites
	// Gone is called when the receiver of a site's events answered 410: it wants no more.
	Gone func(ctx context.Context, site string)
	// Waits: deliveries wait while there is no target, else they fail.
	Waits   bool
	Allowed []netip.Prefix // private networks for targets that are not trusted
	Retries int            // of a failed delivery, at most len(schedule)
	Version string
}

// Sink delivers events to the receiver.
type Sink struct {
	opts             Options
	trusted, guarded *http.Transport
}

var _ chat.Sink = (*Sink)(nil)

// New returns a sink.
func New(opts Options) *Sink {
	return &Sink{opts: opts, trusted: guard.NewTransport(guard.Private), guarded: guard.NewTransport(opts.Allowed)}
}

// Name implements [chat.Sink].
func (s *Sink) Name() string { return cmp.Or(s.opts.Name, chat.WebhookSink) }

// Policy implements [chat.Sink]. A failing event holds the later ones of its
// session for three attempts; then they pass and it is retried alone.
func (s *Sink) Policy() chat.Policy {
	return chat.Policy{Parallel: 8, Batch: 32, Hold: 3, Timeout: timeout + 5*time.Second, MaxAge: 4 * 24 * time.Hour,
		Attempts: min(s.opts.Retries, len(schedule)) + 1, Receiver: s.receiver, Receivers: s.opts.Receivers,
		Backoff: func(n int) time.Duration { return schedule[min(n, len(schedule))-1] }}
}

// receiver names the target of a delivery in relay, never elsewhere: it has the secret.
func (s *Sink) receiver(d *chat.Delivery) string {
	t, ok := s.opts.Target(d.Site)
	if !ok {
		return ""
	}
	return strings.Join([]string{t.URL, t.Secret, t.Prefix, strconv.FormatBool(t.Trusted)}, "\n")
}

// Deliver implements [chat.Sink]. It posts one event after the other until its
// turn is over.
func (s *Sink) Deliver(ctx context.Context, lane []chat.Delivery) (done int, err error) {
	for begun := time.Now(); done < len(lane) && time.Since(begun) < turn; done++ {
		if err := s.deliver(ctx, &lane[done]); err != nil {
			return done, err
		}
	}
	return done, nil
}

// deliver posts one event.
func (s *Sink) deliver(ctx context.Context, d *chat.Delivery) error {
	target, ok := s.opts.Target(d.Site)
	if !ok {
		return s.off()
	}
	event, data, err := translate(&d.Event, s.opts.Sites().Shown(d.Site), d.VisitorID, s.opts.Links)
	if err != nil {
		return final{err}
	}
	if event == "" {
		return nil
	}
	at := chat.Now()
	answer, err := s.post(ctx, target, MessageID(d), event, data)
	if err == nil {
		err = s.judge(ctx, d.Site, target, answer)
	}
	try := chat.Try{At: at, Status: answer.Status, Took: answer.Duration.Milliseconds()}
	if err != nil {
		try.Error = err.Error()
	}
	d.Note(try)
	return err
}

// off is what becomes of a delivery while there is no target.
func (s *Sink) off() error {
	if s.opts.Waits {
		return &chat.RetryAfter{After: maxRetryAfter, Scope: chat.ScopeSink, Cause: errors.New("the webhook is paused")}
	}
	return final{errors.New("the webhook is switched off")}
}

// Answer is a receiver's answer.
type Answer struct {
	Status     int           `json:"status"`
	Body       string        `json:"body"` // its beginning
	Duration   time.Duration `json:"-"`
	RetryAfter time.Duration `json:"-"`
}

// post sends one event. The bytes that are signed are the bytes that are sent.
func (s *Sink) post(ctx context.Context, t Target, id, event string, data json.RawMessage) (Answer, error) {
	at := chat.Now()
	body := envelope(event, data, at)
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, t.URL, bytes.NewReader(body))
	if err != nil {
		return Answer{}, final{errors.New("the webhook's address is not a URL")}
	}
	sign(req.Header, t, id, event, at, body)
	req.Header.Set("User-Agent", "relay/"+s.opts.Version)
	if user := req.URL.User; user != nil {
		password, _ := user.Password()
		req.SetBasicAuth(user.Username(), password)
	}
	transport := s.guarded
	if t.Trusted {
		transport = s.trusted
	}
	begun := time.Now()
	resp, err := transport.RoundTrip(req) // it follows no redirects
	if err != nil {
		return Answer{Duration: time.Since(begun)}, explain(err)
	}
	defer resp.Body.Close()
	a := Answer{Status: resp.StatusCode, RetryAfter: retryAfter(resp.Header.Get("Retry-After"))}
	if resp.ContentLength != 0 {
		a.Body = beginning(resp.Body, cancel)
	}
	a.Duration = time.Since(begun)
	return a, nil
}

// beginning reads the first part of an answer's body. Only the status matters: a
// long or slow body is cut off.
func beginning(body io.Reader, cut func()) string {
	timer := time.AfterFunc(bodyTimeout, cut)
	defer timer.Stop()
	text, _ := io.ReadAll(io.LimitReader(body, 1<<10))
	return string(bytes.ToValidUTF8(text, nil))
}

// judge returns the error of an answer; any 2xx is an acknowledgement.
func (s *Sink) judge(ctx context.Context, site string, asked Target, a Answer) error {
	if a.Status >= 200 && a.Status < 300 {
		return nil
	}
	err := a.refusal()
	switch a.Status {
	case http.StatusGone:
		if now, _ := s.opts.Target(site); now == asked { // or another receiver would be cut off
			s.opts.Gone(ctx, site)
		}
		return final{fmt.Errorf("%w; it wants no more events, so the webhook is switched off", err)}
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		if a.RetryAfter > 0 && s.opts.Retries > 0 { // else every event is posted once
			return &chat.RetryAfter{After: a.RetryAfter, Scope: chat.ScopeSink, Refused: a.Status != http.StatusTooManyRequests, Cause: err}
		}
	}
	return err
}

// refusal describes the answer for the delivery log.
func (a Answer) refusal() error {
	problem := fmt.Sprintf("the receiver answered %d %s", a.Status, http.StatusText(a.Status))
	if text := oneLine(a.Body); text != "" {
		problem += ": " + text
	}
	return errors.New(problem)
}

// oneLine replaces control characters, which may affect a terminal and be
// rejected by a database.
func oneLine(text string) string {
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool { return unicode.IsControl(r) || unicode.IsSpace(r) }), " ")
}

// retryAfter reads the header, seconds or a date (RFC 9110, 10.2.3); 0 for none.
func retryAfter(header string) time.Duration {
	if at, err := http.ParseTime(header); err == nil {
		return min(max(time.Until(at), 0), maxRetryAfter)
	}
	seconds, _ := strconv.Atoi(header)
	return time.Duration(min(max(seconds, 0), int(maxRetryAfter/time.Second))) * time.Second
}

// Test sends a test event to a site's receiver at once and returns what it answered.
func (s *Sink) Test(ctx context.Context, site string) (Answer, error) {
	target, ok := s.opts.Target(site)
	if !ok {
		return Answer{}, chat.Errorf(chat.Conflict, "The webhook is switched off, or has no address yet")
	}
	data := json.RawMessage(`{"message":"This is a test event from relay."}`)
	return s.post(ctx, target, hashID(chat.NewID()), "test", data)
}
