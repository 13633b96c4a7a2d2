package bridges_test

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/relay-chat/relay/server/chat"
)

func TestSetFollowsSettings(t *testing.T) {
	inPost(t, func(t *testing.T, p *post) {
		p.expect(t, chat.BridgeState{State: "off", Receive: "none", Missing: []string{"telegramBotToken", "telegramChatId"}})
		p.say(t, "to nobody")
		p.with(t, map[string]any{"telegramBotToken": "1:one", "telegramChatId": "-100"})
		p.expect(t, chat.BridgeState{State: "running", Receive: "polling"})
		p.say(t, "hello")
		p.with(t, map[string]any{"operatorName": "Olga"}) // nothing of the bridge's
		p.with(t, map[string]any{"telegramBotToken": "1:bad"})
		p.expect(t, chat.BridgeState{State: "misconfigured", Receive: "none", LastError: "the token is not one", Fix: "copy it again"})
		p.say(t, "waits")
		p.expect(t, chat.BridgeState{State: "misconfigured", Receive: "none", LastError: "the token is not one", Fix: "copy it again", Queue: 1})
		p.with(t, map[string]any{"telegramBotToken": "1:two"})
		p.expect(t, chat.BridgeState{State: "running", Receive: "polling"})
		if got := p.set.Names(); !slices.Equal(got, []string{"telegram"}) {
			t.Errorf("set up are %v", got)
		}
		p.with(t, map[string]any{"telegramBotToken": nil})
		p.expect(t, chat.BridgeState{State: "off", Receive: "none", Missing: []string{"telegramBotToken"},
			LastError: "telegramBotToken is missing", Fix: "set TELEGRAM_BOT_TOKEN, or telegramBotToken by the admin API"})
		p.mu.Lock()
		defer p.mu.Unlock()
		if want := []string{"1:one", "1:two"}; !slices.Equal(p.made, want) {
			t.Errorf("bridges %v were made, want %v", p.made, want)
		}
		if n := len(p.posts); n != 4 || p.posts[1] != "1:one: Earlier:\nVisitor: to nobody" || p.posts[2] != "1:one: hello" || p.posts[3] != "1:two: waits" {
			t.Errorf("posted %q", p.posts)
		}
	})
}

// TestSetRetriesAtOnce: what rests because of wrong settings leaves at once under new
// ones.
func TestSetRetriesAtOnce(t *testing.T) {
	inPost(t, func(t *testing.T, p *post) {
		p.fail = &chat.Misconfigured{Problem: "the bot was removed", Fix: "add it"}
		p.with(t, map[string]any{"telegramBotToken": "1:one", "telegramChatId": "-100"})
		p.say(t, "hello")
		time.Sleep(2 * time.Hour)
		p.expect(t, chat.BridgeState{State: "misconfigured", Receive: "polling", LastError: "the bot was removed", Fix: "add it", Queue: 2})
		p.mu.Lock()
		p.fail = nil
		p.mu.Unlock()
		p.with(t, map[string]any{"telegramBotToken": "1:two"})
		p.expect(t, chat.BridgeState{State: "running", Receive: "polling"})
	})
}

// TestCheckEndsThePauseOfABridge: after a fix, a check restarts the bridge at once
// instead of at its next attempt.
func TestCheckEndsThePauseOfABridge(t *testing.T) {
	inPost(t, func(t *testing.T, p *post) {
		var receiveErr error = &chat.Misconfigured{Problem: "the token was revoked", Fix: "set another"}
		p.run = func(ctx context.Context) error {
			p.mu.Lock()
			err := receiveErr
			p.mu.Unlock()
			if err == nil {
				<-ctx.Done()
			}
			return err
		}
		p.fail = &chat.Misconfigured{Problem: "the bot was removed", Fix: "add it"}
		p.with(t, map[string]any{"telegramBotToken": "1:one", "telegramChatId": "-100"})
		p.say(t, "hello")
		time.Sleep(2 * time.Hour)
		p.mu.Lock()
		p.fail, receiveErr = nil, nil
		p.mu.Unlock()
		for range 2 {
			if _, err := p.set.Check(t.Context(), "telegram", ""); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Second)
			p.expect(t, chat.BridgeState{State: "running", Receive: "polling"})
		}
		p.mu.Lock()
		defer p.mu.Unlock()
		if !slices.Equal(p.made, []string{"1:one", "1:one"}) {
			t.Errorf("made %q, want the bridge once more and not again while it works", p.made)
		}
	})
}

const unreached = "check this machine's network, firewall and DNS, and TELEGRAM_API_URL if it is set; relay keeps retrying"

func TestSetReceivesAgain(t *testing.T) {
	inPost(t, func(t *testing.T, p *post) {
		runs := 0
		p.run = func(ctx context.Context) error {
			if runs++; runs < 4 {
				return &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}
			}
			if runs == 5 {
				return nil
			}
			select {
			case <-ctx.Done():
				return nil
			case <-time.After(time.Hour):
				return &chat.Misconfigured{Problem: "the token was revoked", Fix: "set another"}
			}
		}
		p.with(t, map[string]any{"telegramBotToken": "1:one", "telegramChatId": "-100"})
		p.expect(t, chat.BridgeState{State: "failing", Receive: "none", LastError: "Telegram cannot be reached", Fix: unreached, Details: "dial tcp: connection refused"})
		time.Sleep(10 * time.Second) // pauses of 1, 2 and 4 seconds
		p.expect(t, chat.BridgeState{State: "failing", Receive: "none", LastError: "Telegram cannot be reached", Fix: unreached, Details: "dial tcp: connection refused"})
		time.Sleep(10 * time.Second)
		p.expect(t, chat.BridgeState{State: "running", Receive: "polling"})
		time.Sleep(time.Hour)
		p.expect(t, chat.BridgeState{State: "misconfigured", Receive: "none", LastError: "the token was revoked", Fix: "set another"})
		time.Sleep(time.Minute)
		p.expect(t, chat.BridgeState{State: "running", Receive: "webhook"})
	})
}

// reporter is a link that retries by itself and reports the problem that it finds.
type reporter struct {
	link
	looked atomic.Bool
}

func (t *reporter) Watch(ctx context.Context) {
	t.looked.Store(true)
	<-ctx.Done()
}

func (t *reporter) Receiving() (way string, problem error) {
	if !t.looked.Load() {
		return "polling", nil
	}
	return "polling", &chat.Misconfigured{Problem: "another program polls", Fix: "stop it"}
}

func TestSetReportsReception(t *testing.T) {
	inPost(t, func(t *testing.T, p *post) {
		p.reports = true
		p.with(t, map[string]any{"telegramBotToken": "1:one", "telegramChatId": "-100"})
		needs := chat.BridgeState{State: "misconfigured", Receive: "polling", LastError: "another program polls", Fix: "stop it"}
		p.expect(t, needs)
		p.mu.Lock()
		p.fail = &chat.Misconfigured{Problem: "it is not allowed", Fix: "allow it"} // what was looked at says more
		p.mu.Unlock()
		p.say(t, "hello")
		synctest.Wait()
		needs.Queue = 2
		p.expect(t, needs)
		if _, err := p.set.Check(t.Context(), "telegram", ""); err != nil {
			t.Error(err)
		}
		synctest.Wait()
		p.mu.Lock()
		defer p.mu.Unlock()
		if len(p.made) != 2 {
			t.Errorf("made %d times: who looks may have mended it", len(p.made))
		}
	})
}

// asker is a link that has to ask its platform first how updates come in.
type asker struct {
	link
	answered atomic.Bool
}

func (a *asker) Receiving() (way string, problem error) {
	if !a.answered.Load() {
		return "", nil
	}
	return "webhook", nil
}

// TestSetStarting: as long as a bridge does not know how updates will come in,
// no way is reported.
func TestSetStarting(t *testing.T) {
	inPost(t, func(t *testing.T, p *post) {
		p.asks = new(asker)
		p.with(t, map[string]any{"telegramBotToken": "1:one", "telegramChatId": "-100"})
		p.expect(t, chat.BridgeState{State: "starting", Receive: "none"})
		p.asks.answered.Store(true)
		p.expect(t, chat.BridgeState{State: "running", Receive: "webhook"})
	})
}

func TestSetWebhook(t *testing.T) {
	inPost(t, func(t *testing.T, p *post) {
		ask := func(name string) (int, string) {
			w := httptest.NewRecorder()
			p.set.Webhook(name).ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/", nil))
			return w.Code, w.Body.String()
		}
		if code, body := ask("telegram"); code != http.StatusServiceUnavailable || !json.Valid([]byte(body)) {
			t.Errorf("not set up: %d %s", code, body)
		}
		if code, body := ask("smoke"); code != http.StatusNotFound || !json.Valid([]byte(body)) {
			t.Errorf("unknown: %d %s", code, body)
		}
		p.with(t, map[string]any{"telegramBotToken": "1:one", "telegramChatId": "-100"})
		if code, body := ask("telegram"); code != http.StatusOK || body != "1:one" {
			t.Errorf("set up: %d %s", code, body)
		}
		findings, err := p.set.Check(t.Context(), "telegram", "")
		if err != nil || len(findings) != 1 || findings[0].Text != "1:one" {
			t.Errorf("check: %v, %v", findings, err)
		}
		if _, err := p.set.Check(t.Context(), "slack", ""); err == nil {
			t.Error("check of a bridge that is off")
		}
		if _, err := p.set.Fetch(t.Context(), chat.FileRef{Bridge: "slack", Ref: "r"}); err == nil {
			t.Error("fetch from a bridge that is off")
		}
	})
}

// mending is a bridge whose reception is mended at a time.
type mending struct {
	link
	at time.Time
}

func (m *mending) Receiving() (way string, problem error) {
	if time.Now().Before(m.at) {
		return "polling", errors.New("no connection")
	}
	return "polling", nil
}

// TestSetSeesLife: what rests after hours without the platform leaves as soon as
// reception shows that it is back, or an update comes in.
func TestSetSeesLife(t *testing.T) {
	for name, update := range map[string]bool{"reception is well again": false, "an update comes in": true} {
		t.Run(name, func(t *testing.T) {
			inPost(t, func(t *testing.T, p *post) {
				back := time.Now().Add(3 * time.Hour)
				var in chat.Receiver
				p.make = func(l link) chat.Bridge {
					if update {
						return &l
					}
					return &mending{l, back}
				}
				p.received = func(r chat.Receiver) { in = r }
				p.fail = errors.New("no connection")
				p.with(t, map[string]any{"telegramBotToken": "1:one", "telegramChatId": "-100"})
				p.say(t, "hello")
				time.Sleep(time.Until(back) - time.Second) // not at the moment at which reception is looked at
				p.mu.Lock()
				p.fail = nil
				p.mu.Unlock()
				time.Sleep(time.Second)
				if update {
					if err := in.Receive(t.Context(), chat.Update{Bridge: "telegram", Thread: "1", Key: "1", Raw: chat.Raw(`{}`)}); err != nil {
						t.Fatal(err)
					}
				}
				time.Sleep(6 * time.Second)
				p.mu.Lock()
				defer p.mu.Unlock()
				if len(p.posts) != 2 {
					t.Errorf("posted %q", p.posts)
				}
			})
		})
	}
}
