package server_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/relay-chat/relay/bridges"
	"github.com/relay-chat/relay/db"
	"github.com/relay-chat/relay/db/dbtest"
	"github.com/relay-chat/relay/server"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/config"
)

// stubBridge is a bridge of which the routes need little.
type stubBridge struct {
	chat.Bridge
	wrong error
}

func (b stubBridge) Name() string               { return "telegram" }
func (b stubBridge) Channel() string            { return "-100" }
func (b stubBridge) Limits() chat.Limits        { return chat.Limits{} }
func (b stubBridge) Split(op chat.Op) []chat.Op { return []chat.Op{op} }

func (b stubBridge) Do(context.Context, chat.Thread, chat.Op) (string, error) { return "7", b.wrong }

func (b stubBridge) Run(ctx context.Context, _ chat.Receiver) error {
	<-ctx.Done()
	return nil
}

func (b stubBridge) Webhook(chat.Receiver) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) })
}

func (b stubBridge) Check(context.Context) []chat.Finding {
	return []chat.Finding{{Subject: "token", Level: chat.FindingOK, Text: "It is valid"},
		{Subject: "topics", Level: chat.FindingFail, Text: "They are off", Fix: "Switch them on"}}
}

func TestBridgeThatRuns(t *testing.T) {
	dbtest.EachLasting(t, func(t *testing.T, store *db.DB) {
		kinds := bridges.Kinds(bridges.Env{Log: discard, WebhookURL: "https://chat.example.com/api/webhooks/"})
		stub := stubBridge{wrong: &chat.Misconfigured{Problem: "the bot is no administrator", Fix: "make it one"}}
		kinds[0].New = func(*chat.Settings) (chat.Bridge, error) { return stub, nil }
		s := newSiteWith(t, store, kinds)
		s.refused(s.call("POST", "/api/webhooks/telegram", "", object{}), 503, "not set up")
		s.refused(s.call("POST", "/api/webhooks/irc", "", object{}), 404, "Not found")
		s.must("PATCH", "/api/admin/settings", secretKey, object{"telegramBotToken": "1:abcdefghijk", "telegramChatId": "-100"})
		s.await("telegram", "state:running")
		if a := s.must("GET", "/health", "", nil); string(a.body) != `{"bridges":["telegram"],"status":"ok"}` {
			t.Errorf("health: %s", a.body)
		}
		if a := s.must("POST", "/api/webhooks/telegram", "", object{"update_id": 1}); len(a.body) != 0 {
			t.Errorf("webhook: %s", a.body)
		}
		a := s.must("POST", "/api/admin/bridges/telegram/test", secretKey, nil)
		if a.get("ok") != false || len(a.get("findings").([]any)) != 2 {
			t.Errorf("test: %s", a.body)
		}
		s.say(s.open("v"), "hello")
		s.await("telegram", "fix:make it one lastError:the bot is no administrator missing:[] name:telegram queue:2 receive:polling state:misconfigured")

		running, _ := server.AskBridges(t.Context(), s.address(), s.ring)
		var report bytes.Buffer
		list := bridges.Examine(t.Context(), kinds, new(chat.SitesFile).Alone(chat.SettingsOf(bridges.Settings(), nil, nil)), running)
		if n := bridges.Report(&report, list); n != 1 || !strings.Contains(report.String(), "fail  running relay: the bot is no administrator\n        Fix: make it one") {
			t.Errorf("doctor beside it finds %d:\n%s", n, &report)
		}
	})
}

// A reader that may not open the running relay's database learns nothing.
func TestAskBridgesOfAnother(t *testing.T) {
	s, other := newSite(t, dbtest.Memory(t)), newSite(t, dbtest.Memory(t), func(c *config.Config) { c.SecretKey = "sk_another_one" })
	if states, _ := server.AskBridges(t.Context(), s.address(), other.ring); states != nil {
		t.Errorf("got %v", states)
	}
	if states, _ := server.AskBridges(t.Context(), config.Config{Host: "127.0.0.1", Port: 1}, s.ring); states != nil {
		t.Errorf("nothing runs, and yet %v", states)
	}
}

// address is a configuration by which the site is found.
func (s *site) address() config.Config {
	at, err := netip.ParseAddrPort(strings.TrimPrefix(s.url, "http://"))
	if err != nil {
		s.t.Fatal(err)
	}
	return config.Config{Host: at.Addr().String(), Port: at.Port()}
}

// await waits until a bridge is as wanted.
func (s *site) await(bridge, want string) {
	s.t.Helper()
	for end := time.Now().Add(10 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		for _, state := range s.must("GET", "/api/admin/bridges", secretKey, nil).get("bridges").([]any) {
			got := fmt.Sprint(state)
			if strings.Contains(got, "name:"+bridge) && strings.Contains(got, want) {
				return
			}
			if strings.Contains(got, "name:"+bridge) && time.Now().After(end) {
				s.t.Fatalf("%s is %s, want %s", bridge, got, want)
			}
		}
	}
}

// TestDoctorRevealsNothing: another program that listens where relay would is
// asked, too. What it is shown opens nothing else.
func TestDoctorRevealsNothing(t *testing.T) {
	s := newSite(t, dbtest.Memory(t))
	var shown string
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { shown = r.Header.Get("Cookie") }))
	defer other.Close()
	server.AskBridges(t.Context(), (&site{t: t, url: other.URL}).address(), s.ring)
	if shown == "" {
		t.Fatal("the other program was not asked")
	}
	for _, request := range [][2]string{{"GET", "/api/admin/settings"}, {"GET", "/api/admin/sessions"}, {"POST", "/api/admin/bridges/telegram/test"}} {
		if a := s.call(request[0], request[1], "", nil, "Cookie", shown); a.status != 401 {
			t.Errorf("%s %s: %d %s", request[0], request[1], a.status, a.body)
		}
	}
}

// TestChannelOfSite: a site's own channel is refused with a reason wherever it cannot be had.
func TestChannelOfSite(t *testing.T) {
	dbtest.EachLasting(t, func(t *testing.T, store *db.DB) {
		s := newSite(t, store)
		shop := s.must("POST", "/api/admin/sites", secretKey, object{"name": "Shop"}).text("id")
		at := "/api/admin/bridges/telegram"
		s.refused(s.call("POST", at+"/connect?site=nowhere", secretKey, nil), 400, "site must be the id of a site")
		s.refused(s.call("POST", at+"/test?site=nowhere", secretKey, nil), 400, "site must be the id of a site")
		s.refused(s.call("DELETE", at+"?site=nowhere", secretKey, nil), 400, "site must be the id of a site")
		s.refused(s.call("POST", at+"/connect?site="+shop, secretKey, nil), 409, "Telegram is not connected yet")
		refused := s.call("POST", at+"/connect?site="+shop, secretKey, object{"token": "1:abcdefghijk"})
		s.refused(refused, 400, "are relay’s")
		if refused.text("field") != "token" {
			t.Errorf("the field is %s", refused.body)
		}
		s.refused(s.call("PATCH", "/api/admin/sites/"+shop+"/settings", secretKey, object{"telegramChatId": "the group"}), 400, "telegramChatId must be the id of a group")
		s.must("PATCH", "/api/admin/sites/"+shop+"/settings", secretKey, object{"telegramChatId": "-100777"})
		s.must("DELETE", at+"?site="+shop, secretKey, nil)
		if a := s.must("GET", "/api/admin/sites/"+shop+"/settings", secretKey, nil); a.get("telegramChatId") != nil && a.text("telegramChatId") != "" {
			t.Errorf("the site still has %v", a.get("telegramChatId"))
		}
		if a := s.must("GET", "/api/admin/audit", secretKey, nil); !strings.Contains(string(a.body), `"site":"`+shop+`"`) {
			t.Errorf("the audit list does not name the site: %s", a.body)
		}
	})
}
