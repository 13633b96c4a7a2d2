package bridgetest

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"time"
)

// updateQueue is what the bot has not confirmed yet.
type updateQueue struct {
	lastID  int64
	waiting []telegramUpdate
	again   []telegramUpdate // repeated, whatever was confirmed
	told    []telegramUpdate // all that the bot was told
	known   map[int64]bool   // their ids
	kinds   []string         // allowed_updates; nil: those that are sent unasked
	changed chan struct{}    // closed when something changed
	webhook telegramWebhook
	poll    int // the number of the latest getUpdates: the one that counts
}

type telegramUpdate struct {
	id   int64
	kind string
	body map[string]any
}

type telegramWebhook struct {
	url, secret, lastError string
	lastErrorAt            int64
}

func (u *telegramUpdate) json() map[string]any {
	return map[string]any{"update_id": u.id, u.kind: u.body}
}

// tell queues an update for the bot. The caller holds the lock.
func (f *Telegram) tell(kind string, body map[string]any) {
	q := &f.queue
	if q.lastID == 0 {
		q.lastID = 870000000
	}
	q.lastID++
	if q.kinds != nil && !slices.Contains(q.kinds, kind) || q.kinds == nil && kind == "message_reaction" {
		return
	}
	q.waiting = append(q.waiting, telegramUpdate{q.lastID, kind, body})
	f.wake()
}

// wake lets what waits for a change look again.
func (f *Telegram) wake() {
	close(f.queue.changed)
	f.queue.changed = make(chan struct{})
}

// Redeliver implements [Platform].
func (f *Telegram) Redeliver() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.queue.again = append(f.queue.again, f.queue.told...)
	f.wake()
}

// Skip lets the numbers of updates jump, as they do after an idle week.
func (f *Telegram) Skip(n int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.queue.lastID += n
}

// Waiting is how many updates the bot has not confirmed.
func (f *Telegram) Waiting() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.queue.waiting)
}

// conflict is a 409.
func conflict(text string) *apiError { return &apiError{Code: 409, Description: "Conflict: " + text} }

// getUpdates is long polling: an offset confirms what is before it, and the
// latest call ends the one before.
func (f *Telegram) getUpdates(ctx context.Context, p params) (any, *apiError) {
	f.mu.Lock()
	q := &f.queue
	if q.webhook.url != "" {
		f.mu.Unlock()
		return nil, conflict("can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first")
	}
	q.allow(p)
	if offset := p.int("offset"); offset != 0 {
		q.waiting = slices.DeleteFunc(q.waiting, func(u telegramUpdate) bool { return u.id < offset })
	}
	q.poll++
	mine := q.poll
	f.wake()
	limit := time.NewTimer(time.Duration(min(p.int("timeout"), 50)) * time.Second)
	defer limit.Stop()
	for {
		found, changed, ended := f.next(p, mine)
		f.mu.Unlock()
		if ended != nil || len(found) > 0 {
			return found, ended
		}
		select {
		case <-ctx.Done():
			return []any{}, nil
		case <-f.done:
			return []any{}, nil
		case <-limit.C:
			return []any{}, nil
		case <-changed:
		}
		f.mu.Lock()
	}
}

// next returns what there is for the n-th call of getUpdates.
func (f *Telegram) next(p params, n int) (found []any, changed chan struct{}, ended *apiError) {
	q := &f.queue
	switch {
	case q.webhook.url != "":
		return nil, nil, conflict("terminated by setWebhook request")
	case q.poll != n:
		return nil, nil, conflict("terminated by other getUpdates request; make sure that only one bot instance is running")
	}
	list := append(q.again, q.waiting...)
	q.again = nil
	limit := int(p.int("limit"))
	if limit == 0 {
		limit = 100
	}
	for _, u := range list[:min(limit, len(list))] {
		q.remember(u)
		found = append(found, u.json())
	}
	return found, q.changed, nil
}

// remember notes that the bot was told of an update.
func (q *updateQueue) remember(u telegramUpdate) {
	if !q.known[u.id] {
		q.known[u.id], q.told = true, append(q.told, u)
	}
}

// allow keeps which updates the bot wants; not given, the former choice holds.
func (q *updateQueue) allow(p params) {
	kinds, given := p["allowed_updates"].([]any)
	if !given {
		return
	}
	q.kinds = nil
	for _, kind := range kinds {
		if name, ok := kind.(string); ok {
			q.kinds = append(q.kinds, name)
		}
	}
}

func (f *Telegram) getWebhookInfo(params) (any, *apiError) {
	w := f.queue.webhook
	info := map[string]any{"url": w.url, "has_custom_certificate": false, "pending_update_count": len(f.queue.waiting)}
	if w.lastError != "" {
		info["last_error_message"], info["last_error_date"] = w.lastError, w.lastErrorAt
	}
	return info, nil
}

func (f *Telegram) setWebhook(p params) (any, *apiError) {
	address := p.text("url")
	if address != "" && !strings.HasPrefix(address, "https://") {
		return nil, badRequest("bad webhook: An HTTPS URL must be provided for webhook")
	}
	if strings.HasSuffix(address, "/unresolvable/webhooks/telegram") {
		return nil, badRequest("bad webhook: Failed to resolve host: Name or service not known")
	}
	f.queue.allow(p)
	f.queue.webhook = telegramWebhook{url: address, secret: p.text("secret_token")}
	f.wake()
	return true, nil
}

func (f *Telegram) deleteWebhook(params) (any, *apiError) {
	f.queue.webhook = telegramWebhook{}
	f.wake()
	return true, nil
}

// SetWebhook registers a webhook as another program would.
func (f *Telegram) SetWebhook(address, secret string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.queue.webhook = telegramWebhook{url: address, secret: secret}
	f.wake()
}

// Webhook is the registered address.
func (f *Telegram) Webhook() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.queue.webhook.url
}

// push brings updates to the webhook, one after the other. What is not taken
// is brought again after as long as the answer asks for.
func (f *Telegram) push() {
	for {
		f.mu.Lock()
		u, ok := f.pushable()
		w, hook, changed := f.queue.webhook, f.hook, f.queue.changed
		f.mu.Unlock()
		if !ok {
			select {
			case <-f.done:
				return
			case <-changed:
			}
			continue
		}
		answer := w.deliver(hook, u)
		pause := f.settlePush(u, answer)
		select {
		case <-f.done:
			return
		case <-time.After(pause):
		}
	}
}

func (f *Telegram) pushable() (telegramUpdate, bool) {
	q := &f.queue
	switch {
	case q.webhook.url == "" || f.hook == nil:
		return telegramUpdate{}, false
	case len(q.again) > 0:
		return q.again[0], true
	case len(q.waiting) > 0:
		return q.waiting[0], true
	}
	return telegramUpdate{}, false
}

func (w *telegramWebhook) deliver(hook http.Handler, u telegramUpdate) *httptest.ResponseRecorder {
	body, _ := json.Marshal(u.json())
	r := httptest.NewRequest(http.MethodPost, w.url, bytes.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	if w.secret != "" {
		r.Header.Set("X-Telegram-Bot-Api-Secret-Token", w.secret)
	}
	answer := httptest.NewRecorder()
	hook.ServeHTTP(answer, r)
	return answer
}

// settlePush notes what became of a pushed update and returns how long to wait
// before the next.
func (f *Telegram) settlePush(u telegramUpdate, answer *httptest.ResponseRecorder) time.Duration {
	f.mu.Lock()
	defer f.mu.Unlock()
	q := &f.queue
	if answer.Code/100 != 2 {
		q.webhook.lastError = "Wrong response from the webhook: " + strconv.Itoa(answer.Code) + " " + http.StatusText(answer.Code)
		q.webhook.lastErrorAt = time.Now().Unix()
		seconds, _ := strconv.Atoi(answer.Header().Get("Retry-After"))
		return max(time.Duration(seconds)*time.Second, 100*time.Millisecond)
	}
	q.remember(u)
	if len(q.again) > 0 && q.again[0].id == u.id {
		q.again = q.again[1:]
	} else {
		q.waiting = slices.DeleteFunc(q.waiting, func(other telegramUpdate) bool { return other.id == u.id })
	}
	return 0
}
