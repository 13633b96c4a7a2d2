package telegramtest

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"time"
)

// webhook is where updates are pushed to, if anywhere.
type webhook struct {
	url, secret, lastError string
	lastErrorAt            int64
}

func (f *Platform) getWebhookInfo(params) (any, *apiError) {
	w := f.queue.webhook
	info := map[string]any{"url": w.url, "has_custom_certificate": false, "pending_update_count": len(f.queue.waiting)}
	if w.lastError != "" {
		info["last_error_message"], info["last_error_date"] = w.lastError, w.lastErrorAt
	}
	return info, nil
}

func (f *Platform) setWebhook(p params) (any, *apiError) {
	address := p.text("url")
	if address != "" && !strings.HasPrefix(address, "https://") {
		return nil, badRequest("bad webhook: An HTTPS URL must be provided for webhook")
	}
	if strings.HasSuffix(address, "/unresolvable/webhooks/telegram") {
		return nil, badRequest("bad webhook: Failed to resolve host: Name or service not known")
	}
	f.queue.allow(p)
	f.queue.webhook = webhook{url: address, secret: p.text("secret_token")}
	f.wake()
	return true, nil
}

func (f *Platform) deleteWebhook(params) (any, *apiError) {
	f.queue.webhook = webhook{}
	f.wake()
	return true, nil
}

// SetWebhook registers a webhook as another program would.
func (f *Platform) SetWebhook(address, secret string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.queue.webhook = webhook{url: address, secret: secret}
	f.wake()
}

// Webhook is the registered address.
func (f *Platform) Webhook() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.queue.webhook.url
}

// push brings updates to the webhook, one after the other. A rejected
// one is pushed again after as long as the answer asks for.
func (f *Platform) push() {
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

func (f *Platform) pushable() (update, bool) {
	q := &f.queue
	switch {
	case q.webhook.url == "" || f.hook == nil:
		return update{}, false
	case len(q.again) > 0:
		return q.again[0], true
	case len(q.waiting) > 0:
		return q.waiting[0], true
	}
	return update{}, false
}

func (w *webhook) deliver(hook http.Handler, u update) *httptest.ResponseRecorder {
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
func (f *Platform) settlePush(u update, answer *httptest.ResponseRecorder) time.Duration {
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
		q.waiting = slices.DeleteFunc(q.waiting, func(other update) bool { return other.id == u.id })
	}
	return 0
}
