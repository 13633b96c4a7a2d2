package e2e

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/relay-chat/relay/bridges/bridgetest"
	"github.com/relay-chat/relay/bridges/discord/discordtest"
	"github.com/relay-chat/relay/bridges/slack/slacktest"
)

// TestBridgeGap: what operators answer in Discord and Slack while relay bridge is down
// reaches the backend once, with a database and without one.
func TestBridgeGap(t *testing.T) {
	for name, database := range map[string]string{"with a database": "sqlite://" + t.TempDir() + "/relay.db", "without a database": ""} {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			heard := &buffer{}
			backend := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(heard, r.Body)
			}))
			defer backend.Close()
			d, s := discordtest.New(t), slacktest.New(t)
			environ := []string{"API_KEY=" + backendKey, "DATABASE_URL=" + database, "DISCORD_BOT_TOKEN=" + d.Token, "DISCORD_CHANNEL_ID=" + d.Channel,
				"ENABLE_DISCORD_GATEWAY=true", "DISCORD_API_URL=" + d.URL, "SLACK_BOT_TOKEN=" + s.BotToken, "SLACK_APP_TOKEN=" + s.AppToken,
				"SLACK_CHANNEL_ID=" + s.Channel, "SLACK_API_URL=" + s.URL, "EVENTS_WEBHOOK_URL=" + backend.URL}
			start := func() *instance {
				in := launch(t, bridgeLines, []string{"bridge"}, environ)
				in.base = bridgeLines.FindStringSubmatch(in.stdout.String())[1]
				return in
			}
			in := start()
			visitor := map[string]any{"id": "sess_1", "visitorId": "v_1"}
			say := func(id, text string) {
				in.call(t, "POST", in.base+"/api/messages", backendKey, map[string]any{"session": visitor,
					"message": map[string]any{"id": id, "sessionId": "sess_1", "content": text, "sender": "visitor"}}, nil)
			}
			platforms := map[string]bridgetest.Platform{"discord": d, "slack": s}
			say("m1", "Do you ship?")
			threads := map[string]string{}
			for name, p := range platforms {
				eventually(t, "the thread at "+name, func() bool { return strings.Contains(shown(p), "Do you ship?") })
				threads[name] = p.Threads()[0].Ref
				p.Write(threads[name], "Ada", "Before, at "+name, "")
				eventually(t, "the backend hears "+name, func() bool { return strings.Contains(heard.String(), "Before, at "+name) })
			}
			say("m2", "Thanks")
			for name, p := range platforms {
				eventually(t, "the thanks at "+name, func() bool { return strings.Contains(shown(p), "Thanks") })
			}
			in.kill()
			for name, p := range platforms {
				p.Write(threads[name], "Ada", "Meanwhile, at "+name, "")
			}
			in = start()
			for name := range platforms {
				eventually(t, "the backend hears what was said meanwhile at "+name, func() bool { return strings.Contains(heard.String(), "Meanwhile, at "+name) })
			}
			for name, p := range platforms {
				p.Write(threads[name], "Ada", "After, at "+name, "")
				eventually(t, "the backend hears what follows at "+name, func() bool { return strings.Contains(heard.String(), "After, at "+name) })
				for _, when := range []string{"Before", "Meanwhile", "After"} {
					if n := strings.Count(heard.String(), when+", at "+name); n != 1 {
						t.Errorf("%q was heard %d times of %s", when, n, name)
					}
				}
				for _, violation := range p.Violations() {
					t.Error(violation)
				}
			}
		})
	}
}
