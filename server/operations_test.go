package server_test

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/relay-chat/relay/db"
	"github.com/relay-chat/relay/db/dbtest"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/config"
)

var discard = slog.New(slog.NewTextHandler(io.Discard, nil))

// contextOf is a context that the caller ends, inside a synctest bubble too.
func contextOf(t *testing.T) (context.Context, context.CancelFunc) {
	return context.WithCancel(context.WithoutCancel(t.Context()))
}

func TestSessionsList(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		s.open("never wrote")
		var want []string
		for i := range 5 {
			id := s.open(fmt.Sprint("visitor ", i))
			s.say(id, "hello")
			want = append([]string{id}, want...)
			time.Sleep(2 * time.Millisecond) // the list is ordered by milliseconds
		}
		s.must("POST", "/api/admin/sessions/"+want[1]+"/close", secretKey, nil)
		var got []string
		for cursor := ""; ; {
			a := s.must("GET", "/api/admin/sessions?limit=2&cursor="+cursor, secretKey, nil)
			for _, v := range a.get("sessions").([]any) {
				view := v.(map[string]any)
				got = append(got, view["id"].(string))
				if view["unread"] != 1.0 || view["lastMessage"].(map[string]any)["content"] != "hello" {
					t.Errorf("session: %v", view)
				}
			}
			if cursor = a.text("nextCursor"); cursor == "" {
				break
			}
		}
		if strings.Join(got, " ") != strings.Join(want, " ") {
			t.Errorf("listed %v, want %v", got, want)
		}
		for query, n := range map[string]int{"status=closed": 1, "status=open": 4, "status=all": 5, "q=VISITOR%203": 1, "q=%25": 0, "empty=true": 6} {
			if a := s.must("GET", "/api/admin/sessions?"+query, secretKey, nil); len(a.get("sessions").([]any)) != n {
				t.Errorf("%s lists %d, want %d", query, len(a.get("sessions").([]any)), n)
			}
		}
		s.refused(s.call("GET", "/api/admin/sessions?status=lost", secretKey, nil), 400, "status must be")
		s.refused(s.call("GET", "/api/admin/sessions?empty=yes", secretKey, nil), 400, "empty must be true or false")
		s.refused(s.call("GET", "/api/admin/sessions?cursor=xx", secretKey, nil), 400, "cursor must be")
		nul := base64.RawURLEncoding.EncodeToString([]byte(`{"At":"2026-01-01T00:00:00Z","ID":"\u0000"}`))
		s.refused(s.call("GET", "/api/admin/sessions?cursor="+nul, secretKey, nil), 400, "cursor must be")
	})
}

func TestSettings(t *testing.T) {
	fromEnv := func(c *config.Config) {
		c.Settings = map[string]chat.Raw{"slackChannelId": chat.Raw(`"C0ENV"`), "slackBotToken": chat.Raw(`"xoxb-from-the-environment"`)}
	}
	eachSite(t, func(t *testing.T, s *site) {
		patch := func(body any) answer { return s.call("PATCH", "/api/admin/settings", secretKey, body) }
		a := s.must("GET", "/api/admin/settings", secretKey, nil)
		if a.text("slackChannelId") != "C0ENV" || a.text("bridgeCChannelId") != "C0ENV" || a.text("sources.slackChannelId") != "environment" ||
			a.text("slackBotToken") != "••••ment" || a.text("bridgeCBotToken") != "••••ment" || a.text("sources.primaryColor") != "default" {
			t.Errorf("settings: %s", a.body)
		}
		a = patch(object{"bridgeBChannelId": "111", "bridgeCBotToken": "xoxb-0123456789-stored", "bridgeCChannelId": "C0STORED"})
		if a.status != 200 || a.text("discordChannelId") != "111" || a.text("slackBotToken") != "••••ored" || a.text("sources.slackBotToken") != "stored" ||
			a.text("sources.bridgeBChannelId") != "stored" || a.text("sources.bridgeCBotToken") != "stored" {
			t.Errorf("the specified names: %d %s", a.status, a.body)
		}
		s.refused(patch(object{"slackChannelId": "C0ONE", "bridgeCChannelId": "C0TWO"}), 400, "bridgeCChannelId and slackChannelId are one setting and must not differ")
		s.refused(patch(object{"slackChannelId": "C0ONE", "bridgeCChannelId": nil}), 400, "must not differ")
		if a = patch(object{"slackChannelId": "C0STORED", "bridgeCChannelId": "C0STORED"}); a.text("slackChannelId") != "C0STORED" {
			t.Errorf("both names: %d %s", a.status, a.body)
		}
		a = patch(object{"slackBotToken": "••••ored", "slackChannelId": nil})
		if a.text("slackBotToken") != "••••ored" || a.text("slackChannelId") != "C0ENV" || s.Settings().Text("slackBotToken") != "xoxb-0123456789-stored" {
			t.Errorf("the mask and null: %s", a.body)
		}
		s.refused(patch(object{"operatorName": "Olga", "unknown": 1}), 400, "unknown setting unknown")
		s.refused(patch(object{"operatorName": "Olga", "position": "top"}), 400, "position must be one of")
		s.refused(patch(object{"operatorName": 7}), 400, "operatorName must be a string")
		s.refused(patch(object{"primaryColor": "red"}), 400, "primaryColor must be a colour")
		s.refused(patch(object{"operatorAvatar": "javascript:alert(1)"}), 400, "operatorAvatar must be an address")
		s.refused(patch(object{"operatorAvatar": "https://:443/a.png"}), 400, "operatorAvatar must be an address")
		s.refused(patch(object{"csatEnabled": "yes"}), 400, "csatEnabled must be true or false")
		for _, no := range []string{"", "png", "*/*", "image/", "IMAGE/PNG", "image/png; q=1", ".png"} {
			s.refused(patch(object{"attachments": object{"types": []string{"image/*", no}}}), 400, "attachments.types must be MIME types like image/png")
		}
		s.must("PATCH", "/api/admin/settings", secretKey, object{"attachments": object{"types": []string{"image/*", "image/svg+xml", "x-world/x-3dmf"}}})
		all := patch(object{"unknown": 1, "operatorName": 7, "position": "top", "csatEnabled": true, "preChatForm": object{"required": "yes"}})
		if want := "operatorName must be a string; position must be one of right, left; preChatForm.required must be true or false; unknown setting unknown"; all.text("error") != want {
			t.Errorf("four mistakes: %s", all.body)
		}
		s.refused(patch(object{"operatorName": 7, "eventsWebhookUrl": "http://127.0.0.1/"}), 400, "operatorName must be a string; eventsWebhookUrl is not allowed")
		nonsense := object{}
		for i := range 1000 {
			nonsense[fmt.Sprintf("nonsense%03d%s", i, strings.Repeat("x", 200))] = 1
		}
		s.refused(patch(nonsense), 400, "; and 980 more")
		if name := s.must("GET", "/api/admin/settings", secretKey, nil).text("operatorName"); name != "Support" {
			t.Errorf("a refused PATCH changed operatorName to %s", name)
		}
		if strings.Contains(s.logs.String(), "xoxb") {
			t.Error("a token is in the log")
		}
	}, fromEnv)
}

// Every form that a platform has is taken, everything else refused with the
// setting's name and an example; nothing of a secret is repeated.
func TestBridgeSettingsHaveTheirForm(t *testing.T) {
	s := newSite(t, dbtest.Memory(t))
	for name, c := range map[string]struct{ right, wrong []string }{
		"telegramBotToken":      {[]string{"", "123456789:AAE-canary_x", "1:" + strings.Repeat("canary_", 100)}, []string{"canary", "123456789", "123456789:AA canary", "#canary", "12:AA/canary"}},
		"telegramChatId":        {[]string{"", "-1001234567890", "-100", "-4012345", "987654321"}, []string{"#support", "-100 123", " -1001234567890", "@support", "0", "1e5", "-100.5"}},
		"telegramWebhookSecret": {[]string{"", "a-long_random-TEXT9"}, []string{"canary with spaces", "canary!", strings.Repeat("x", 257)}},
		"discordBotToken":       {[]string{"", "canary.canary-canary_canary", "Bot canary.canary-canary_canary", strings.Repeat("canary.", 100)}, []string{"canary", "canary canary canary canary", "#canary-canary-canary"}},
		"discordChannelId":      {[]string{"", "123456789012345678", "1234567890123456789"}, []string{"#support", "support", "123 456", "-100123", "<#123456789012345678>"}},
		"discordPublicKey":      {[]string{"", strings.Repeat("0aF1", 16)}, []string{"0123", strings.Repeat("x", 64)}},
		"slackBotToken":         {[]string{"", "xoxb-12-34-canary", "xoxb-" + strings.Repeat("canary-", 100)}, []string{"canary", "xoxp-12-34-canary", "xapp-canary", "xoxb-1 canary"}},
		"slackChannelId":        {[]string{"", "C0123456789", "G0123456789"}, []string{"#support", "support", "c0123456789", "C012 345", "C-env"}},
		"slackSigningSecret":    {[]string{"", "0123456789abcdef0123456789abcdef"}, []string{"canary canary", "canary\ncanary"}},
		"slackAppToken":         {[]string{"", "xapp-1-A012-345-canary"}, []string{"canary", "xoxb-canary", "xapp-1 canary"}},
		"bridgeBChannelId":      {[]string{"123456789012345678"}, []string{"#support"}},
		"bridgeCBotToken":       {[]string{"xoxb-12-34-canary"}, []string{"canary"}},
		"bridgeCChannelId":      {[]string{"C0123456789"}, []string{"#support"}},
	} {
		for _, value := range c.right {
			s.must("PATCH", "/api/admin/settings", secretKey, object{name: value})
		}
		for _, value := range c.wrong {
			a := s.call("PATCH", "/api/admin/settings", secretKey, object{name: value})
			s.refused(a, 400, name+" must be ")
			if !strings.Contains(a.text("error"), ", for example ") || strings.Contains(a.text("error"), "canary") {
				t.Errorf("%s: %s", name, a.body)
			}
		}
	}
}

func TestSettingsSurviveARestart(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, store *db.DB) {
		newSite(t, store).must("PATCH", "/api/admin/settings", secretKey, object{"operatorName": "Olga"})
		if name := newSite(t, store).must("GET", "/api/widget/config", publicKey, nil).text("operatorName"); name != "Olga" {
			t.Errorf("operatorName is %s", name)
		}
	})
}

func TestPresence(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		id := s.open("v")
		online := func() any {
			return s.must("POST", "/api/widget/init", publicKey, object{"visitorId": "v"}).get("operatorOnline")
		}
		if online() != false {
			t.Error("online before anybody came")
		}
		s.say(id, "hello")
		s.must("POST", "/api/admin/sessions/"+id+"/read", secretKey, object{})
		if online() != false {
			t.Error("online because somebody looked: reading is no act")
		}
		s.must("POST", "/api/admin/sessions/"+id+"/messages", secretKey, object{"content": "hi"})
		if online() != true {
			t.Error("offline right after an answer")
		}
		s.refused(s.call("POST", "/api/admin/operator/status", secretKey, object{}), 400, "online is required")
		s.must("POST", "/api/admin/operator/status", secretKey, object{"online": false})
		s.must("POST", "/api/admin/sessions/"+id+"/messages", secretKey, object{"content": "hi"})
		if online() != false {
			t.Error("a status set by the API does not hold")
		}
	})
}

// failing is a sink that refuses everything for good.
type failing struct{}

func (failing) Name() string { return "telegram" }
func (failing) Policy() chat.Policy {
	return chat.Policy{Parallel: 1, Batch: 1, Timeout: time.Minute, Attempts: 1, MaxAge: time.Hour, Backoff: chat.Backoff(time.Second, time.Second)}
}
func (failing) Deliver(context.Context, []chat.Delivery) (int, error) {
	return 0, errors.New("the bridge is down")
}

func TestDeliveries(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		engine, err := chat.Open(t.Context(), chat.Config{Store: s.store, Log: discard,
			Targets: func(*chat.Settings) []chat.Target { return []chat.Target{{Name: "telegram", Kind: chat.TargetBridge}} }})
		if err != nil {
			t.Fatal(err)
		}
		id, visitor := s.open("v"), chat.Author{Sender: chat.SenderVisitor, Source: chat.SourceWidget}
		if _, err = engine.Send(t.Context(), visitor, chat.Post{SessionID: id, Content: "hi"}); err != nil {
			t.Fatal(err)
		}
		ctx, stop := contextOf(t)
		done := make(chan error, 1)
		operators := engine.Hub.Subscribe("")
		go func() { done <- engine.Outbox.Serve(ctx, failing{}) }()
		for failed := 0; failed < 2; {
			if e := <-operators.C; e.Type == chat.StateDeliveryFailed {
				failed++
			}
		}
		stop()
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		list := s.must("GET", "/api/admin/deliveries?state=failed&dest=telegram", secretKey, nil).get("deliveries").([]any)
		if len(list) != 2 || list[0].(map[string]any)["lastError"] != "the bridge is down" {
			t.Fatalf("deliveries: %v", list)
		}
		if err := engine.Disconnect(t.Context(), visitor, id, chat.Leave{Reason: "manual"}); err != nil { // it waits for half a minute
			t.Fatal(err)
		}
		if pending := s.must("GET", "/api/admin/deliveries?state=pending", secretKey, nil).get("deliveries").([]any); len(pending) != 0 {
			t.Errorf("pending: %v", pending)
		}
		retry := "/api/admin/deliveries/" + list[0].(map[string]any)["id"].(string) + "/retry"
		s.must("POST", retry, secretKey, nil)
		s.refused(s.call("POST", retry, secretKey, nil), 409, "pending")
		s.refused(s.call("POST", "/api/admin/deliveries/telegram.nope.1/retry", secretKey, nil), 404, "Delivery not found")
		s.refused(s.call("POST", "/api/admin/deliveries/nonsense/retry", secretKey, nil), 404, "Delivery not found")
		s.refused(s.call("GET", "/api/admin/deliveries?state=odd", secretKey, nil), 400, "state must be")
		s.refused(s.call("GET", "/api/admin/deliveries?dest=leave", secretKey, nil), 400, "dest must be")
	})
}

// failedDeliveries puts deliveries that were given up into the store.
func (s *site) failedDeliveries(dest string, sessions, each int) {
	s.t.Helper()
	for range sessions {
		id := s.open(chat.NewID())
		err := s.store.Apply(s.t.Context(), func(tx chat.Tx) error {
			for rev := range int64(each) {
				e := chat.Event{SessionID: id, Rev: rev + 1, Type: chat.EventCustom, Payload: chat.Raw(`{}`), At: chat.Now()}
				failed := chat.Delivery{Dest: dest, SessionID: id, Rev: rev + 1, State: chat.DeliveryFailed, Attempts: 3, LastError: "down"}
				if err := errors.Join(tx.Append(&e, []chat.Destination{{Dest: dest}}), tx.SaveDelivery(&failed)); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			s.t.Fatal(err)
		}
	}
}

// TestRetryAllFailed: however many deliveries failed, each request takes up a
// part, each delivery is taken up once, and others are left alone.
func TestRetryAllFailed(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		s.failedDeliveries("telegram", 2, 10)
		s.failedDeliveries("webhook", 23, 100)
		receive := func(on bool) {
			s.must("PATCH", "/api/admin/settings", secretKey, object{"eventsWebhookUrl": "https://example.com/", "eventsWebhookEnabled": on})
		}
		receive(true)
		retry := func(body object) answer { return s.must("POST", "/api/admin/deliveries/retry", secretKey, body) }
		first := retry(object{"dest": "webhook"})
		if first.get("retried") != 2000.0 || first.text("nextCursor") == "" {
			t.Fatalf("the first request: %s", first.body)
		}
		last := retry(object{"dest": "webhook", "cursor": first.text("nextCursor")})
		if last.get("retried") != 300.0 || last.get("nextCursor") != nil {
			t.Errorf("the second request: %s", last.body)
		}
		count := func(query string) (n int) {
			for cursor := ""; ; {
				a := s.must("GET", "/api/admin/deliveries?"+query+"&cursor="+cursor, secretKey, nil)
				n += len(a.get("deliveries").([]any))
				if cursor = a.text("nextCursor"); cursor == "" {
					return n
				}
			}
		}
		if failed, waiting := count("state=failed&limit=7"), count("state=pending&dest=webhook"); failed != 20 || waiting != 2300 {
			t.Errorf("%d failed and %d wait, want the 20 of the bridge and 2300", failed, waiting)
		}
		s.failedDeliveries("webhook", 1, 1)
		receive(false)
		if all := retry(object{}); all.get("retried") != 20.0 {
			t.Errorf("without a destination: %s", all.body)
		}
		s.refused(s.call("POST", "/api/admin/deliveries/retry", secretKey, object{"dest": "webhook"}), 409, "The webhook is switched off; set eventsWebhookEnabled to true")
		if list := s.must("GET", "/api/admin/deliveries?state=failed", secretKey, nil).get("deliveries").([]any); len(list) != 1 || list[0].(map[string]any)["lastError"] != "down" {
			t.Errorf("what the receiver said last is lost: %v", list)
		} else {
			path := "/api/admin/deliveries/" + list[0].(map[string]any)["id"].(string) + "/retry"
			s.refused(s.call("POST", path, secretKey, nil), 409, "The webhook is switched off; set eventsWebhookEnabled to true")
			s.must("PATCH", "/api/admin/settings", secretKey, object{"eventsWebhookUrl": nil})
			s.refused(s.call("POST", path, secretKey, nil), 409, "The webhook has no address; set eventsWebhookUrl")
			receive(true)
			s.must("POST", path, secretKey, nil)
		}
		if none := retry(object{}); none.get("retried") != 0.0 {
			t.Errorf("with nothing failed: %s", none.body)
		}
		s.refused(s.call("POST", "/api/admin/deliveries/retry", secretKey, object{"cursor": "xx"}), 400, "cursor must be")
		s.refused(s.call("POST", "/api/admin/deliveries/retry", secretKey, object{"dest": 7}), 400, "dest")
		s.refused(s.call("GET", "/api/admin/deliveries?cursor=xx", secretKey, nil), 400, "cursor must be")
	})
}

func TestStats(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		for i := range 3 {
			id := s.open(fmt.Sprint(i))
			s.say(id, "hello")
			if i < 2 {
				s.must("POST", "/api/admin/sessions/"+id+"/messages", secretKey, object{"content": "hi"})
				s.must("POST", "/api/widget/csat", publicKey, object{"sessionId": id, "score": 4 + i})
			}
		}
		for period, days := range map[string]int{"7d": 7, "30d": 30} {
			a := s.must("GET", "/api/admin/stats?period="+period, secretKey, nil)
			list := a.get("days").([]any)
			today, _ := list[len(list)-1].(map[string]any)
			if a.get("sessions") != 3.0 || a.get("answered") != 2.0 || a.get("visitorMessages") != 3.0 || a.get("operatorMessages") != 2.0 ||
				a.get("ratings") != 2.0 || a.get("averageScore") != 4.5 || len(list) != days || today["sessions"] != 3.0 || today["messages"] != 5.0 {
				t.Errorf("%s: %s", period, a.body)
			}
		}
		s.refused(s.call("GET", "/api/admin/stats?period=1y", secretKey, nil), 400, "period must be")
	})
}

func TestRotateKeys(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		_, secret := s.keys()
		s.refused(s.call("POST", "/api/admin/keys/rotate", secret, object{"key": "both"}), 400, "key must be")
		public := s.must("POST", "/api/admin/keys/rotate", secret, object{"key": "public"}).text("publicKey")
		s.must("POST", "/api/widget/init", public, object{"visitorId": "v"})
		lost := s.must("POST", "/api/admin/keys/rotate", secret, object{"key": "secret"}).text("secretKey")
		s.must("GET", "/api/admin/settings", secret, nil) // nobody has the new one
		fresh := s.must("POST", "/api/admin/keys/rotate", secret, object{"key": "secret"}).text("secretKey")
		s.refused(s.call("GET", "/api/admin/settings", lost, nil), 401, "Unauthorized")
		s.must("GET", "/api/admin/settings", secret, nil)
		s.must("GET", "/api/admin/settings", fresh, nil)
		s.refused(s.call("GET", "/api/admin/settings", secret, nil), 401, "Unauthorized")
		if _, shown := s.keys(); shown != "" {
			t.Error("a rotated key is shown on the first-run page")
		}
	}, unset)
	eachSite(t, func(t *testing.T, s *site) {
		s.refused(s.call("POST", "/api/admin/keys/rotate", secretKey, object{"key": "secret"}), 409, "RELAY_SECRET_KEY")
	})
	store, err := db.Memory(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s := newSite(t, store, unset)
	_, secret := s.keys()
	s.must("GET", "/api/admin/settings", secret, nil)
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	s.refused(s.call("POST", "/api/admin/keys/rotate", secret, object{"key": "public"}), 500, "")
}

func TestBridges(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		s.must("PATCH", "/api/admin/settings", secretKey, object{"slackBotToken": "xoxb-1234567890", "telegramBotToken": "1:abcdefghijk"})
		list := s.must("GET", "/api/admin/bridges", secretKey, nil).get("bridges").([]any)
		got := fmt.Sprint(list)
		s.refused(s.call("POST", "/api/admin/bridges/slack/test", secretKey, nil), 409, "The Slack bridge is not set up: slackChannelId is missing")
		s.refused(s.call("POST", "/api/admin/bridges/irc/test", secretKey, nil), 404, "Bridge not found")
		for _, want := range []string{"missing:[telegramChatId] name:telegram", "missing:[discordBotToken discordChannelId] name:discord", "missing:[slackChannelId] name:slack queue:0 receive:none state:off"} {
			if !strings.Contains(got, want) {
				t.Errorf("bridges are %s, without %s", got, want)
			}
		}
	})
}

func TestUserAgentFilter(t *testing.T) {
	list := func(mode config.FilterMode, variable, text string) func(*config.Config) {
		return func(c *config.Config) {
			cfg, _, err := config.Load(config.Flags{}, []string{"UA_FILTER_ENABLED=true", "UA_FILTER_MODE=" + string(mode), variable + "=" + text})
			if err != nil {
				t.Fatal(err)
			}
			c.UAFilterEnabled, c.UAFilterMode, c.UAFilterBlocklist, c.UAFilterAllowlist = cfg.UAFilterEnabled, cfg.UAFilterMode, cfg.UAFilterBlocklist, cfg.UAFilterAllowlist
		}
	}
	for _, tt := range []struct {
		name      string
		configure func(*config.Config)
		agent     string
		status    int
	}{
		{"blocked part", list("blocklist", "UA_FILTER_BLOCKLIST", "curl, wget"), "CURL/8.0", 403},
		{"blocked expression with a comma", list("blocklist", "UA_FILTER_BLOCKLIST", "/^bo{1,2}t/,x"), "Boot 1", 403},
		{"not blocked", list("blocklist", "UA_FILTER_BLOCKLIST", "curl"), "Mozilla/5.0", 401},
		{"allowed", list("allowlist", "UA_FILTER_ALLOWLIST", "mozilla"), "Mozilla/5.0", 401},
		{"not allowed", list("allowlist", "UA_FILTER_ALLOWLIST", "mozilla"), "curl", 403},
		{"empty list", list("allowlist", "UA_FILTER_ALLOWLIST", ""), "curl", 401},
		{"both, blocked", list("both", "UA_FILTER_BLOCKLIST", "curl"), "curl", 403},
		{"both, on no list", list("both", "UA_FILTER_ALLOWLIST", "mozilla"), "curl", 401},
		{"both, on either list", func(c *config.Config) {
			list("both", "UA_FILTER_BLOCKLIST", "bot")(c)
			both := c.UAFilterBlocklist
			list("both", "UA_FILTER_ALLOWLIST", "acme-bot")(c)
			c.UAFilterBlocklist = both
		}, "acme-bot/1", 401},
		{"off", func(c *config.Config) {
			list("blocklist", "UA_FILTER_BLOCKLIST", "curl")(c)
			c.UAFilterEnabled = false
		}, "curl", 401},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newSite(t, dbtest.Memory(t), tt.configure)
			a := s.call("GET", "/api/admin/settings", "", nil, "User-Agent", tt.agent)
			if a.status != tt.status || (a.status == 403 && string(a.body) != `{"error":"Forbidden"}`) {
				t.Errorf("%d %s, want %d", a.status, a.body, tt.status)
			}
			s.must("GET", "/health", "", nil, "User-Agent", tt.agent)
			s.refused(s.call("POST", "/api/webhooks/telegram", "", object{}, "User-Agent", tt.agent), 503, "not set up")
			if a := s.call("OPTIONS", "/api/widget/init", "", nil, "User-Agent", tt.agent); a.status != 204 {
				t.Errorf("a preflight was answered %d", a.status)
			}
		})
	}
}

// TestProxyNotTrusted: all who come through a proxy that is not in
// TRUSTED_PROXIES are one client, like behind one beside relay's container. The
// log reports it once.
func TestProxyNotTrusted(t *testing.T) {
	for _, tt := range []struct {
		name    string
		trusted []netip.Prefix
		header  []string
		logged  int
	}{
		{"another one is trusted", []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}, []string{"X-Forwarded-For", "203.0.113.7"}, 1},
		{"it is trusted", []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, []string{"X-Forwarded-For", "203.0.113.7"}, 0},
		{"none is meant to be", nil, []string{"X-Forwarded-For", "203.0.113.7"}, 0},
		{"there is none", []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}, nil, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newSite(t, dbtest.Memory(t), func(c *config.Config) { c.RateLimit, c.TrustedProxies = true, tt.trusted })
			for range 3 {
				s.must("POST", "/api/widget/init", publicKey, object{"visitorId": "v"}, tt.header...)
			}
			if got := s.logs.String(); strings.Count(got, "TRUSTED_PROXIES") != tt.logged || strings.Contains(got, "203.0.113.7") {
				t.Errorf("the log reports it other than %d times:\n%s", tt.logged, got)
			}
		})
	}
}

func TestRateLimits(t *testing.T) {
	s := newSite(t, dbtest.Memory(t), limited(t))
	burst := func(n int, header []string, call func(header []string) answer) (refused int) {
		for range n {
			if a := call(header); a.status == 429 {
				refused++
				if a.header.Get("Retry-After") == "" || !strings.Contains(string(a.body), "oo many ") {
					t.Fatalf("429 without Retry-After or words: %v %s", a.header, a.body)
				}
			}
		}
		return refused
	}
	init := func(header []string) answer {
		return s.call("POST", "/api/widget/init", publicKey, object{"visitorId": "v"}, header...)
	}
	wrongKey := func(header []string) answer { return s.call("GET", "/api/admin/settings", "wrong", nil, header...) }
	rightKey := func(header []string) answer { return s.call("GET", "/api/admin/settings", secretKey, nil, header...) }
	signIn := func(key string) func(header []string) answer {
		return func(header []string) answer {
			return s.call("POST", "/console/login", "", "name=Olga&key="+key, append(header, "Content-Type", "application/x-www-form-urlencoded")...)
		}
	}
	from := func(addr string) []string { return []string{"X-Forwarded-For", addr} }
	for _, tt := range []struct {
		name    string
		header  []string
		call    func([]string) answer
		refused int
	}{
		{"inits of an address", from("203.0.113.1"), init, 10},
		{"inits of the same address behind a lie", from("1.2.3.4, 203.0.113.1"), init, 40},
		{"inits of the same address with its port", from("203.0.113.1:4711"), init, 40},
		{"inits of another address", from("203.0.113.2"), init, 10},
		{"inits of one IPv6 network", from("2001:db8::1"), init, 10},
		{"inits of the same IPv6 network", from("2001:db8::2"), init, 40},
		{"inits from this machine", nil, init, 0},
		{"wrong keys", from("203.0.113.3"), wrongKey, 30},
		{"the right key is never refused", from("203.0.113.3"), rightKey, 0},
		{"wrong keys at the console", from("203.0.113.4"), signIn("wrong"), 30},
		{"the right key at the console", from("203.0.113.4"), signIn(secretKey), 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s.t = t
			if n := burst(40, tt.header, tt.call); n != tt.refused {
				t.Errorf("%d of 40 were refused, want %d", n, tt.refused)
			}
		})
	}
}

// TestUndelivered: what a platform did not take is shown in its session, at its
// bridge and in the list of deliveries, with what Retry needs.
func TestUndelivered(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		id := s.open("v")
		err := s.store.Apply(t.Context(), func(tx chat.Tx) error {
			failed := chat.Delivery{Dest: "telegram", SessionID: id, Rev: 1, State: chat.DeliveryFailed, Attempts: 1, LastError: "PEER_ID_INVALID\n"}
			retried := chat.Delivery{Dest: "telegram", SessionID: id, Rev: 2, Attempts: 7, LastError: "Internal Server Error", Passed: true}
			hook := chat.Delivery{Dest: "webhook", SessionID: id, Rev: 2, State: chat.DeliveryFailed, LastError: "down"}
			for i := range int64(2) {
				e := chat.Event{SessionID: id, Rev: 1 + i, Type: chat.EventMessageEdited, MessageID: "m", Payload: chat.Raw(`{}`), At: chat.Now()}
				if err := tx.Append(&e, []chat.Destination{{Dest: "telegram"}, {Dest: "webhook"}}); err != nil {
					return err
				}
			}
			return errors.Join(tx.SaveDelivery(&failed), tx.SaveDelivery(&retried), tx.SaveDelivery(&hook))
		})
		if err != nil {
			t.Fatal(err)
		}
		list := s.must("GET", "/api/admin/sessions/"+id, secretKey, nil).get("undelivered").([]any)
		if len(list) != 2 {
			t.Fatalf("undelivered: %v", list)
		}
		for i, want := range []object{{"state": "failed", "reason": "PEER_ID_INVALID", "id": "telegram." + id + ".1"}, {"state": "retrying", "attempts": 7.0}} {
			for name, value := range want {
				if got := list[i].(map[string]any)[name]; got != value {
					t.Errorf("%s of %d is %v, want %v", name, i, got, value)
				}
			}
			if got := list[i].(map[string]any); got["messageId"] != "m" || got["dest"] != "telegram" {
				t.Errorf("undelivered is %v", got)
			}
		}
		bridge := s.must("GET", "/api/admin/bridges", secretKey, nil).get("bridges").([]any)[0].(map[string]any)
		if failed, retrying := bridge["failed"].(map[string]any), bridge["retrying"].(map[string]any); failed["count"] != 1.0 ||
			failed["reason"] != "PEER_ID_INVALID" || retrying["count"] != 1.0 || retrying["sessionId"] != id || bridge["queue"] != 1.0 {
			t.Errorf("the bridge says %v", bridge)
		}
		deliveries := s.must("GET", "/api/admin/deliveries?dest=telegram", secretKey, nil).get("deliveries").([]any)
		if d := deliveries[0].(map[string]any); len(deliveries) != 2 || d["passed"] != true || d["messageId"] != "m" {
			t.Errorf("deliveries: %v", deliveries)
		}
		s.must("POST", "/api/admin/deliveries/telegram."+id+".1/retry", secretKey, nil)
		if list := s.must("GET", "/api/admin/sessions/"+id, secretKey, nil).get("undelivered").([]any); len(list) != 1 {
			t.Errorf("one was taken up again, undelivered are %v", list)
		}
	})
}
