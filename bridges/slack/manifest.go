package slack

import (
	"strconv"
	"strings"
)

// Manifest returns the manifest of an app with everything that the bridge uses, to be
// pasted at https://api.slack.com/apps. Without an address the app uses Socket Mode
// (https://docs.slack.dev/reference/app-manifest).
func Manifest(requestURL string) string {
	var m strings.Builder
	m.WriteString(manifestHead)
	for _, scope := range allScopes() {
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

func allScopes() []string {
	return append(append([]string{}, neededScopes...), scopeUpload, scopeReact, scopeNames, scopeJoin, "groups:history", "groups:read")
}

// manifest is Manifest as an object.
func manifest(requestURL string) map[string]any {
	type object = map[string]any
	events := object{"bot_events": []string{"message.channels", "message.groups"}}
	if requestURL != "" {
		events["request_url"] = requestURL
	}
	return object{
		"display_information": object{"name": "relay", "description": "Website visitors, answered from Slack"},
		"features":            object{"bot_user": object{"display_name": "relay", "always_online": true}},
		"oauth_config":        object{"scopes": object{"bot": allScopes()}},
		"settings": object{"event_subscriptions": events, "org_deploy_enabled": false, "socket_mode_enabled": requestURL == "",
			"token_rotation_enabled": false},
	}
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
