package chat_test

import (
	"testing"

	"github.com/relay-chat/relay/bridges"
	"github.com/relay-chat/relay/server/chat"
)

// Fixes name the console's page of a setting, unless the environment sets it.
func TestFixInConsole(t *testing.T) {
	s := chat.SettingsOf(bridges.Settings(), map[string]chat.Raw{"slackBotToken": chat.Raw(`"xoxb-1"`), "mailOauthToken": chat.Raw(`"1//token"`)}, nil)
	for fix, want := range map[string]string{
		"copy the token that @BotFather gave you into TELEGRAM_BOT_TOKEN; it looks like 123456789:AAE…": "copy the token that @BotFather gave you into the console, under Settings → Channels; it looks like 123456789:AAE…",
		"put the id of your group into TELEGRAM_CHAT_ID: it begins with -100":                           "in the console, under Settings → Channels, press Disconnect, then Connect, and choose the group",
		"copy the Bot User OAuth Token into SLACK_BOT_TOKEN":                                            "copy the Bot User OAuth Token into SLACK_BOT_TOKEN",
		"check AI_BASE_URL and AI_MODEL":                                                                "check the address under Settings → AI and the model under Settings → AI",
		"the AI has used up today's tokens (AI_DAILY_TOKENS)":                                           "the AI has used up today's tokens",
		"sign in again (MAIL_OAUTH_TOKEN), or choose another one (MAIL_OAUTH)":                          "sign in again (MAIL_OAUTH_TOKEN), or choose another one",
		"correct MAIL_OAUTH_SECRET":                                                                     "correct the client secret under Settings → E-mail",
		"set ENABLE_DISCORD_GATEWAY=true":                                                               "set ENABLE_DISCORD_GATEWAY=true",
	} {
		if got := s.InConsole(fix); got != want {
			t.Errorf("%q: %q, want %q", fix, got, want)
		}
	}
}
