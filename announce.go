package main

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/relay-chat/relay/bridges"
	"github.com/relay-chat/relay/server"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/config"
)

// answerFrom returns the names of the configured bridges, and warns of incompletely
// configured ones.
func (a *app) answerFrom(engine *chat.Engine, kinds []bridges.Kind, set *bridges.Set) []string {
	for _, problem := range bridges.HalfSetUp(kinds, engine.Settings()) {
		a.log.Warn(problem + "; run relay doctor for details")
	}
	return set.Names()
}

// announceBridge prints or logs the addresses that a backend needs.
func (a *app) announceBridge(base string, settings *chat.Settings, platforms []string) {
	answerFrom := strings.Join(platforms, ", ")
	if answerFrom == "" && settings.Text("eventsWebhookUrl") == "" {
		a.log.Warn("no bridge is set up and EVENTS_WEBHOOK_URL is not set: messages from the backend reach nobody")
	}
	if a.cfg.LogFormat == config.LogJSON {
		if a.cfg.APIKey == "" {
			a.log.Warn("API_KEY is not set: anyone who can reach this port can write to your team and read the stream")
		}
		a.log.Info("relay is running", "version", version, "mode", a.cfg.Mode, "api", base+"/api", "docs", base+"/docs", "answer_from", answerFrom)
		return
	}
	key := "API_KEY"
	if a.cfg.APIKey == "" {
		key = "none! Everybody who reaches this port can write to your team and read the stream: set API_KEY"
	}
	fmt.Fprintf(a.stdout, "\nrelay %s is running as a bridge server. Ctrl-C stops it.\n\n  API     %s/api\n  Stream  %s/api/events/stream\n  Docs    %s/docs\n  Answer  %s\n  Key     %s\n\n",
		version, base, base, base, cmp.Or(answerFrom, "nowhere yet: no bridge is set up"), key)
}

// announce prints or logs the addresses to open.
func (a *app) announce(base string, keys *server.Keyring, platforms []string) {
	answerFrom := strings.Join(append([]string{"console"}, platforms...), ", ")
	start, hint := base+"/", ""
	if keys.SetupOpen() {
		start, hint = base+"/?setup="+keys.SetupCode(), "  (shows your keys: keep this address to yourself)"
	}
	if a.cfg.LogFormat == config.LogJSON {
		a.log.Info("relay is running", "version", version, "start", start, "demo", base+"/demo", "console", base+"/console", "answer_from", answerFrom)
		return
	}
	fmt.Fprintf(a.stdout, "\nrelay %s is running. Ctrl-C stops it.\n\n  Start    %s%s\n  Demo     %s\n  Console  %s\n  Answer   %s\n\n",
		version, start, hint, base+"/demo", base+"/console", answerFrom)
}
