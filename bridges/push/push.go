// Package push notifies operators' browsers of visitors' messages by Web Push: RFC 8030,
// encrypted by RFC 8291, signed by RFC 8292. It imports package chat, package
// team, whose devices they are, and package guard: the addresses of push services are what
// browsers say.
package push

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/netip"
	"strconv"
	"sync"
	"time"

	webpush "github.com/SherClockHolmes/webpush-go"

	"github.com/relay-chat/relay/bridges/guard"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
	"github.com/relay-chat/relay/server/team"
)

// Limits of a notification.
const (
	timeout       = 10 * time.Second
	ttl           = 4 * time.Hour // for which a push service keeps it
	tooLate       = 12 * time.Hour
	maxRetryAfter = time.Hour
	maxAnswer     = 1 << 10
	maxText       = 300
	maxSent       = 10_000
	attempts      = 6
)

// Options are the parts of a Sink.
type Options struct {
	Engine  *engine.Engine
	Devices *team.Devices
	Allowed []netip.Prefix // private networks that push services may be in
	// Contact is an https address at which push services may reach the operator.
	Contact string
	// Log gets what devices refuse for good: nobody else hears of it.
	Log *slog.Logger
	// Transport carries the requests; nil is one that keeps to public networks.
	Transport http.RoundTripper
}

// Sink delivers notifications.
type Sink struct {
	opts   Options
	client *http.Client

	refused chat.LogThrottle

	mu   sync.Mutex
	sent map[string]int64 // the newest revision that is done with for a device, by device and session
	// rests is until when push services asked for a pause, by device.
	rests map[string]time.Time
}

var _ chat.Sink = (*Sink)(nil)

// New returns a sink.
func New(o Options) *Sink {
	if o.Transport == nil {
		o.Transport = guard.NewTransport(o.Allowed)
	}
	noRedirect := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &Sink{opts: o, client: &http.Client{Transport: o.Transport, Timeout: timeout, CheckRedirect: noRedirect}, sent: map[string]int64{}, rests: map[string]time.Time{}}
}

// Name implements [chat.Sink].
func (s *Sink) Name() string { return chat.PushSink }

// Policy implements [chat.Sink]. Later messages pass one whose notification fails.
func (s *Sink) Policy() chat.Policy {
	return chat.Policy{Parallel: 4, Batch: 50, Hold: 1, Timeout: time.Minute, Attempts: attempts, MaxAge: time.Hour,
		Backoff: chat.Backoff(10*time.Second, 5*time.Minute)}
}

// Deliver implements [chat.Sink]. Messages of one conversation that wait together are
// one notification. Nobody is notified once somebody has answered, read or opened it.
func (s *Sink) Deliver(ctx context.Context, lane []chat.Delivery) (done int, err error) {
	newest := &lane[len(lane)-1]
	var session chat.Session
	var devices []target
	err = s.opts.Engine.Store.Read(ctx, func(r chat.Reader) (err error) {
		if session, err = r.Session(newest.SessionID); err == nil {
			devices, err = targets(r)
		}
		return err
	})
	switch {
	case errors.Is(err, chat.ErrSessionNotFound):
		return len(lane), nil
	case err != nil:
		return 0, err
	case !waits(&session, &newest.Event), session.Blocked, s.opts.Engine.Viewed(session.ID), chat.Now().Sub(newest.Event.At) > tooLate:
		return len(lane), nil
	}
	message, err := messageOf(&newest.Event)
	if err != nil {
		return len(lane), nil
	}
	reached, err := s.notify(ctx, &session, &message, newest.Rev, devices)
	if err != nil && (!reached || newest.Attempts+1 < attempts) {
		return 0, err
	}
	if err != nil {
		s.report(err)
	}
	return len(lane), nil
}

// waits reports whether there is still a reason to notify: somebody may have read what is to
// be answered, but not have answered it.
func waits(session *chat.Session, e *chat.Event) bool {
	if e.Type == chat.EventUnanswered {
		return session.WaitingSince != 0
	}
	return session.Unread > 0
}

// messageOf is what a notification shows of an event.
func messageOf(e *chat.Event) (chat.Message, error) {
	if e.Type != chat.EventUnanswered {
		return e.Message()
	}
	var u chat.Unanswered
	err := json.Unmarshal(e.Payload, &u)
	return chat.Message{Content: u.Content}, err
}

// notify sends to every device that wants it and is not done with it. Each has an outcome
// of its own: what one refuses for good holds up no other and is no failure. reached is
// whether any has got it, now or before; err is what is worth another attempt.
func (s *Sink) notify(ctx context.Context, session *chat.Session, m *chat.Message, rev int64, devices []target) (reached bool, err error) {
	for i := range devices {
		d := &devices[i]
		key := d.ID + "/" + session.ID
		if !d.sites.Has(session.Site) || !d.Wants(d.Person, session) {
			continue
		}
		if s.has(key, rev) {
			reached = true
			continue
		}
		switch failed := s.sendOnceRested(ctx, &d.PushDevice, noteOf(s.opts.Engine.Title(session), session, m, d.PushContent)); {
		case failed == nil:
			s.note(key, rev)
			reached = true
		case errors.Is(failed, ErrGone): // there is nobody to retry
		case errors.Is(failed, chat.ErrPermanent):
			s.note(key, rev)
			s.report(fmt.Errorf("device %s: %w", d.ID, failed))
		case err == nil || isPause(err):
			err = failed
		}
	}
	return reached, err
}

// sendOnceRested sends unless the device's push service has asked for a pause, which holds
// up no other device.
func (s *Sink) sendOnceRested(ctx context.Context, d *chat.PushDevice, n Note) error {
	s.mu.Lock()
	until, asked := s.rests[d.ID]
	s.mu.Unlock()
	if left := time.Until(until); asked && left > 0 {
		return &chat.RetryAfter{After: left, Scope: chat.ScopeLane, Refused: true, Cause: fmt.Errorf("%w: the push service asked for a pause", chat.ErrPassed)}
	}
	err := s.send(ctx, d, n)
	var pause *chat.RetryAfter
	s.mu.Lock()
	defer s.mu.Unlock()
	if delete(s.rests, d.ID); errors.As(err, &pause) {
		s.rests[d.ID] = time.Now().Add(pause.After)
	}
	return err
}

// report logs that a device is not notified.
func (s *Sink) report(err error) {
	if times := s.refused.Allow(); times > 0 {
		s.opts.Log.Warn("a device cannot be notified; if that stays, remove it in the console under Team and switch notifications on again there", "err", err, "count", times)
	}
}

// target is a device with what its owner wants.
type target struct {
	chat.PushDevice
	chat.Preferences
	sites chat.SiteSet
}

// targets lists all devices.
func targets(r chat.Reader) (list []target, err error) {
	devices, err := r.PushDevices()
	known := map[string]target{}
	for i := range devices {
		owner := devices[i].Person
		to, seen := known[owner]
		if !seen && err == nil {
			to.Preferences, to.sites, err = team.WishesOf(r, owner)
			known[owner] = to
		}
		to.PushDevice = devices[i]
		list = append(list, to)
	}
	return list, err
}

func isPause(err error) bool {
	var pause *chat.RetryAfter
	return errors.As(err, &pause)
}

func (s *Sink) has(key string, rev int64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sent[key] >= rev
}

func (s *Sink) note(key string, rev int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.sent) >= maxSent {
		clear(s.sent)
	}
	s.sent[key] = rev
}

// Note is what a notification carries; the service worker shows it.
type Note struct {
	SessionID string `json:"sessionId,omitempty"`
	Title     string `json:"title"`
	Body      string `json:"body"`
}

// noteOf says who wrote what only if the owner wants that.
func noteOf(title string, session *chat.Session, m *chat.Message, content bool) Note {
	n := Note{SessionID: session.ID, Title: "New message", Body: "A visitor is waiting for an answer."}
	if !content {
		return n
	}
	n.Title = title
	if n.Body = m.Content; n.Body == "" && len(m.Attachments.V) > 0 {
		n.Body = m.Attachments.V[0].Filename
	}
	n.Body = chat.Clip(n.Body, maxText)
	return n
}

// Test sends a notification at once.
func (s *Sink) Test(ctx context.Context, d *chat.PushDevice) error {
	return s.send(ctx, d, Note{Title: "relay", Body: "Notifications work on this device."})
}

// send sends a note to a device. One that its push service does not know any more is
// removed.
func (s *Sink) send(ctx context.Context, d *chat.PushDevice, n Note) error {
	private, public, err := s.opts.Devices.Keys(ctx)
	if err != nil {
		return err
	}
	body, err := json.Marshal(n)
	if err != nil {
		return err
	}
	topic := ""
	if n.SessionID != "" {
		topic = chat.Hash(n.SessionID)[:32]
	}
	resp, err := webpush.SendNotificationWithContext(ctx, body, &webpush.Subscription{Endpoint: d.Endpoint, Keys: webpush.Keys{Auth: d.Auth, P256dh: d.P256dh}},
		&webpush.Options{HTTPClient: s.client, Subscriber: s.opts.Contact, Topic: topic, TTL: int(ttl / time.Second), Urgency: webpush.UrgencyHigh,
			VAPIDPublicKey: public, VAPIDPrivateKey: private})
	if err != nil {
		return explain(err)
	}
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, maxAnswer)) // only the status matters
	return s.judge(ctx, d, resp)
}

// judge returns the error of a push service's answer (RFC 8030, 5 and 7.3).
func (s *Sink) judge(ctx context.Context, d *chat.PushDevice, resp *http.Response) error {
	err := fmt.Errorf("%w: the push service answered %d %s", chat.ErrPassed, resp.StatusCode, http.StatusText(resp.StatusCode))
	switch status := resp.StatusCode; {
	case status >= 200 && status < 300:
		return nil
	case status == http.StatusNotFound, status == http.StatusGone:
		if err := s.opts.Devices.Remove(ctx, "", d.ID); err != nil && !errors.Is(err, chat.ErrDeviceNotFound) {
			return err
		}
		return ErrGone
	case status == http.StatusTooManyRequests:
		return &chat.RetryAfter{After: retryAfter(resp.Header.Get("Retry-After")), Scope: chat.ScopeLane, Refused: true, Cause: err}
	case status >= 400 && status < 500:
		return fmt.Errorf("%w: %w", chat.ErrPermanent, err)
	}
	return err
}

// ErrGone means that the browser no longer wants notifications; the device is removed.
var ErrGone = &chat.Error{Kind: chat.NotFound, Text: "The browser has given up this subscription; switch notifications on again there"}

// retryAfter reads the header; without one it is a minute.
func retryAfter(header string) time.Duration {
	if at, err := http.ParseTime(header); err == nil {
		return min(max(time.Until(at), time.Second), maxRetryAfter)
	}
	if seconds, err := strconv.Atoi(header); err == nil {
		return time.Duration(min(max(seconds, 1), int(maxRetryAfter/time.Second))) * time.Second
	}
	return time.Minute
}

// explain keeps the address of a device, which is as good as a password, out of errors.
func explain(err error) error {
	var no guard.Forbidden
	switch {
	case errors.As(err, &no):
		return fmt.Errorf("%w: the push service's address is not allowed: %w", chat.ErrPermanent, no)
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("%w: the push service did not answer in time", chat.ErrPassed)
	}
	return fmt.Errorf("%w: the push service cannot be reached", chat.ErrPassed)
}
