package slack

import (
	"strconv"
	"strings"
)

// Manifest returns the manifest of an app with everything that the bridge uses, to be
// pasted at https://api.slack.com/apps. Without an address the app uses Socket Mode
// (https://docs.slack.dev/reference/app-manifest).
func Manifest(requestURL string) string {
	scopes := append([]string{}, neededScopes...)
	scopes = append(scopes, scopeUpload, scopeReact, scopeNames, scopeJoin, "groups:history", "groups:read")
	var m strings.Builder
	m.WriteString(manifestHead)
	for _, scope := range scopes {
		m.WriteString("      - " + scope + "\n")
	}
	m.WriteString("settings:\n  event_subscriptions:\n")
	if requestURL != "" {
		m.WriteString("    request_url: " + strconv.Quote(requestURL) + "\n")
	}
	m.WriteString("    bot_events:\n      - message.channels\n      - message.groups\n")
	m.WriteString("  org_deploy_enabled: false\n  socket_mode_enabled: " + strconv.FormatBool(requestURL == "") + "\n  token_rotation_enabled: false\n")
	return m.String()
}

const manifestHead = `display_information:
  name: relay
  description: Website visitors, answered from Slack
features:
  bot_user:
    display_name: relay
    always_online: true
oauth_config:
  scopes:
    bot:
`
