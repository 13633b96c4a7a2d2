package server_test

import (
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"log/slog"
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

// Every form that a platform has is accepted, everything else refused with the
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
	dbtest.EachLasting(t, func(t *testing.T, store *db.DB) {
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
		fresh := s.must("POST", "/api/admin/keys/rotate", secret, object{"key": "secret"}).text("secretKey")
		s.must("GET", "/api/admin/settings", secret, nil) // nobody has used the new one
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
