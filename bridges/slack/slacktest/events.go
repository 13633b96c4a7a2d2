package slacktest

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"time"
)

// mail holds the events that the app has not acknowledged.
type mail struct {
	lastID  int
	waiting []*letter
	emitted []json.RawMessage // all events, in order
	lost    int               // given up after all retries
	late    int               // acknowledged after the deadline, or not at all
	changed chan struct{}     // closed when something changed
	hook    http.Handler      // takes what is pushed
	sockets []*socket
	ticket  int
}

// letter is an event on its way.
type letter struct {
	id      string // of its envelope
	payload json.RawMessage
	tries   int
	due     time.Time
	pending bool // on its way: due is the deadline then
}

// The app has three seconds to acknowledge; then Slack tries again at once,
// after a minute and after five.
const ackDeadline = 3 * time.Second

var retries = []time.Duration{0, time.Minute, 5 * time.Minute}

// emit makes an event of a message and sends it. The caller holds the lock.
func (f *Platform) emit(event map[string]any) {
	if event["type"] == nil {
		event["type"] = "message"
	}
	if event["channel"] == nil {
		event["channel"] = f.channelOf(event)
	}
	event["event_ts"], event["channel_type"] = f.newTS(), "channel"
	if ts, ok := event["ts"].(string); ok && event["subtype"] == nil {
		event["event_ts"] = ts
	}
	f.mail.lastID++
	payload, err := json.Marshal(map[string]any{"type": "event_callback", "token": "unused", "team_id": "T0RELAY", "api_app_id": appID,
		"event_id": fmt.Sprintf("Ev%08d", f.mail.lastID), "event_time": time.Now().Unix(), "event": event,
		"authorizations": []any{map[string]any{"team_id": "T0RELAY", "user_id": botUser, "is_bot": true}}})
	if err != nil {
		panic(err)
	}
	f.mail.emitted = append(f.mail.emitted, payload)
	f.post(payload)
}

// channelOf is the channel of the message that an event is about.
func (f *Platform) channelOf(event map[string]any) any {
	for _, field := range []string{"message", "previous_message"} {
		if m, ok := event[field].(map[string]any); ok {
			return m["channel"]
		}
	}
	return f.Channel
}

// post sends a payload.
func (f *Platform) post(payload json.RawMessage) {
	f.mail.lastID++
	f.mail.waiting = append(f.mail.waiting, &letter{id: fmt.Sprintf("envelope-%d", f.mail.lastID), payload: payload, due: time.Now()})
	f.wake()
}

// Emit sends the app a payload as it is.
func (f *Platform) Emit(payload string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.post(json.RawMessage(payload))
}

// Redeliver implements [bridgetest.Platform].
func (f *Platform) Redeliver() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, payload := range f.mail.emitted {
		f.post(payload)
	}
}

// Waiting is how many events are not acknowledged, Late how often one was not
// in time, Lost how many were given up.
func (f *Platform) Waiting() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.mail.waiting)
}

// Late is how often an event was not acknowledged in time.
func (f *Platform) Late() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.mail.late
}

// Lost is how many events were given up.
func (f *Platform) Lost() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.mail.lost
}

// Emitted are the events so far, as they were sent.
func (f *Platform) Emitted() []json.RawMessage {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.mail.emitted)
}

// PushTo has a handler take what is pushed; nil ends it.
func (f *Platform) PushTo(h http.Handler) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.mail.hook = h
	f.wake()
}

// wake lets the courier look again.
func (f *Platform) wake() {
	close(f.mail.changed)
	f.mail.changed = make(chan struct{})
}

// deliver is the courier: it sends what is due and notes what was not
// acknowledged in time.
func (f *Platform) deliver() {
	for {
		f.mu.Lock()
		due, wait := f.next()
		hook, changed := f.mail.hook, f.mail.changed
		f.mu.Unlock()
		if due != nil {
			if hook != nil {
				f.settle(due, f.push(hook, due))
			}
			continue
		}
		timer := time.NewTimer(wait)
		select {
		case <-f.done:
			timer.Stop()
			return
		case <-changed:
			timer.Stop()
		case <-timer.C:
		}
	}
}

// next takes the first letter that is to be pushed now, or sends over sockets
// what is due and returns how long to wait.
func (f *Platform) next() (due *letter, wait time.Duration) {
	wait = time.Hour
	now := time.Now()
	for _, l := range slices.Clone(f.mail.waiting) {
		if l.due.After(now) {
			wait = min(wait, l.due.Sub(now))
			continue
		}
		if l.pending || f.mail.hook == nil && !f.send(l) {
			f.fail(l)
			wait = 0
			continue
		}
		l.pending, l.due = true, now.Add(ackDeadline)
		wait = min(wait, ackDeadline)
		if f.mail.hook != nil {
			return l, 0
		}
	}
	return nil, wait
}

// fail notes that a letter did not arrive, and when it is tried again.
func (f *Platform) fail(l *letter) {
	f.mail.late++
	if l.tries >= len(retries) {
		f.mail.lost++
		f.drop(l.id)
		return
	}
	l.pending, l.due = false, time.Now().Add(retries[l.tries])
	l.tries++
}

func (f *Platform) drop(id string) {
	f.mail.waiting = slices.DeleteFunc(f.mail.waiting, func(l *letter) bool { return l.id == id })
}

// settle notes what became of a pushed letter.
func (f *Platform) settle(l *letter, taken bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if taken {
		f.drop(l.id)
		return
	}
	f.fail(l)
}

// push brings a letter to the webhook.
func (f *Platform) push(hook http.Handler, l *letter) (taken bool) {
	r := f.Sign(l.payload, time.Now())
	if l.tries > 0 {
		r.Header.Set("X-Slack-Retry-Num", strconv.Itoa(l.tries))
		r.Header.Set("X-Slack-Retry-Reason", "http_error")
	}
	begun := time.Now()
	answer := httptest.NewRecorder()
	hook.ServeHTTP(answer, r)
	return answer.Code/100 == 2 && time.Since(begun) < ackDeadline
}

// Sign makes a request of the Events API that is signed for a time.
func (f *Platform) Sign(payload []byte, at time.Time) *http.Request {
	r := httptest.NewRequest(http.MethodPost, "/webhooks/slack", bytes.NewReader(payload))
	r.Header.Set("Content-Type", "application/json")
	stamp := strconv.FormatInt(at.Unix(), 10)
	mac := hmac.New(sha256.New, []byte(f.Secret))
	fmt.Fprintf(mac, "v0:%s:%s", stamp, payload)
	r.Header.Set("X-Slack-Request-Timestamp", stamp)
	r.Header.Set("X-Slack-Signature", "v0="+hex.EncodeToString(mac.Sum(nil)))
	return r
}
