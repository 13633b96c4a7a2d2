package slack

import (
	"strings"

	"github.com/relay-chat/relay/bridges/platform"
	"github.com/relay-chat/relay/server/chat"
)

// settings are Slack's.
var settings = []chat.Setting{
	{Name: "slackBotToken", Page: "Channels", Called: "the bot token", Alias: "bridgeCBotToken", Env: "SLACK_BOT_TOKEN", Secret: true, Valid: chat.Form(`xoxb-[A-Za-z0-9-]{1,995}`),
		Is: "a Bot User OAuth Token, which begins with xoxb-", Example: "xoxb-example"},
	{Name: "slackChannelId", Site: true, Page: "Channels", Chosen: "channel", Alias: "bridgeCChannelId", Env: "SLACK_CHANNEL_ID", Valid: chat.Form(`[CG][A-Z0-9]{1,98}`),
		Is: "the id of a channel, which begins with C and stands at the bottom of the channel's details", Example: "C0123456789"},
	{Name: "slackSigningSecret", Env: "SLACK_SIGNING_SECRET", Secret: true, Valid: chat.Form(`[!-~]{1,1000}`),
		Is: "the Signing Secret of the app, without spaces", Example: "0123456789abcdef0123456789abcdef"},
	{Name: "slackAppToken", Page: "Channels", Called: "the app token", Env: "SLACK_APP_TOKEN", Secret: true, Valid: chat.Form(`xapp-[A-Za-z0-9-]{1,995}`),
		Is: "an App-Level Token, which begins with xapp-", Example: "xapp-example"},
	{Name: "slackOtherWorkspaces", Env: "SLACK_OTHER_WORKSPACES", Default: "false", Example: "true", Valid: chat.Bool},
	platform.APIURL("slackApiUrl", "SLACK_API_URL", "https://slack-gov.com/api"),
}

var card = chat.BridgeCard{
	Name: Name, Title: "Slack",
	About:   "A thread for each conversation, in a channel of your workspace.",
	Icon:    chat.BridgeIcon{Colour: "#7b3294", Lines: "M13 8v16M19 8v16M8 13h16M8 19h16"},
	Channel: "slackChannelId",
	Make:    "Slack opens with everything filled in: choose your workspace, press Next and Create.",
	Tokens: []chat.BridgeToken{
		{Setting: "slackBotToken", Label: "Bot User OAuth Token (xoxb-…)", Hint: "Under Install App, install it, and copy this token.",
			Wrong: "That doesn’t look like a bot token.", Looks: "It begins with xoxb-."},
		{Setting: "slackAppToken", Label: "App-Level Token (xapp-…)", Placeholder: "xapp-…",
			Hint:  "Under Basic Information → App-Level Tokens, make one with the scope connections:write.",
			Wrong: "That doesn’t look like an app-level token.", Looks: "It begins with xapp-."}},
	Place: "Choose a channel", Waiting: "Waiting for a channel that the app can see…", Use: "Join", Member: "the member ID",
	Options: []chat.BridgeOption{
		{Setting: "slackAppToken", Label: "Slack: App-Level Token", Control: "secret", None: "None",
			Hint: "With one, answers arrive through Socket Mode, which needs no public address."},
		{Setting: "slackSigningSecret", Label: "Slack: Signing Secret", Control: "secret", None: "None",
			Hint: "For answers that Slack posts to relay’s address, under Basic Information."},
		{Setting: "slackOtherWorkspaces", Label: "Slack: people of other workspaces may answer", Control: "check",
			Hint: "In channels shared through Slack Connect. Their commands never have an effect."}},
}

// Kind is Slack for relay.
func Kind(env platform.Env) platform.Kind {
	config := func(s *chat.Settings) Config {
		return Config{BotToken: s.Text("slackBotToken"), ChannelID: s.Text("slackChannelId"), SigningSecret: s.Text("slackSigningSecret"),
			AppToken: s.Text("slackAppToken"), OtherWorkspaces: s.Bool("slackOtherWorkspaces"), APIURL: s.Text("slackApiUrl"),
			PublicURL: env.PushURL(Name), Back: env.CatchUp(), Forgets: env.Forgets, Log: env.Log}
	}
	// requestURL is where an app pushes to; "" for one that uses Socket Mode, as it does unless
	// the settings choose pushes and relay has an HTTPS address.
	requestURL := func(s *chat.Settings) string {
		if s.Text("slackAppToken") == "" && s.Text("slackSigningSecret") != "" && strings.HasPrefix(env.WebhookURL, "https://") {
			return env.PushURL(Name)
		}
		return ""
	}
	return platform.Kind{Name: Name, Live: "socket", Settings: settings, Needs: []string{"slackBotToken", "slackChannelId"},
		Card: card, Pushed: "slackSigningSecret", Begin: "relay manifest prints the app to make at https://api.slack.com/apps",
		Link:     func(s *chat.Settings) string { return AppLink(requestURL(s)) },
		Manifest: func(s *chat.Settings) string { return Manifest(requestURL(s)) },
		New:      func(s *chat.Settings) (chat.Bridge, error) { return New(config(s)) },
		Setup: func(s *chat.Settings) (platform.Setup, error) {
			return NewSetup(Config{BotToken: s.Text("slackBotToken"), AppToken: s.Text("slackAppToken"), APIURL: s.Text("slackApiUrl"), Log: env.Log})
		}}
}
