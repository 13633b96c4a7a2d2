package discord

import (
	"encoding/json"

	"github.com/relay-chat/relay/bridges/platform"
	"github.com/relay-chat/relay/server/chat"
)

// settings are Discord's.
var settings = []chat.Setting{
	{Name: "discordBotToken", Page: "Channels", Called: "the bot token", Env: "DISCORD_BOT_TOKEN", Secret: true, Valid: chat.Form(`(Bot )?[A-Za-z0-9._-]{20,1000}`),
		Is: "a bot token of Discord: 20 to 1,000 letters, digits, dots, _ and -", Example: "example-discord-token"},
	{Name: "discordChannelId", Site: true, Page: "Channels", Chosen: "channel", Alias: "bridgeBChannelId", Env: "DISCORD_CHANNEL_ID", Valid: chat.Form(snowflake),
		Is: "the id of a channel, a long number that Copy Channel ID gives", Example: "123456789012345678"},
	{Name: "enableDiscordGateway", Env: "ENABLE_DISCORD_GATEWAY", Default: "false", Valid: chat.Bool},
	{Name: "discordPublicKey", Env: "DISCORD_PUBLIC_KEY", Valid: chat.Form(`[0-9A-Fa-f]{64}`),
		Is: "64 hexadecimal digits", Example: "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"},
	platform.APIURL("discordApiUrl", "DISCORD_API_URL", "http://localhost:8082/api/v10"),
}

var card = chat.BridgeCard{
	Name: Name, Title: "Discord",
	About: "A thread for each conversation, in a channel of your server.",
	Icon: chat.BridgeIcon{Colour: "#5865f2", Dots: "M13 17.500h.01M19 17.500h.01",
		Shape: "M10 10c4-1.500 8-1.500 12 0 2 3.500 3 7.500 3 11-1.500 1.300-3 2-4.500 2.500l-1.200-2.200c-2 .6-4.600.6-6.600 0L11.500 23.500C10 23 " +
			"8.500 22.300 7 21c0-3.500 1-7.500 3-11z"},
	Channel: "discordChannelId",
	Tokens: []chat.BridgeToken{{Setting: "discordBotToken", Label: "Bot token",
		Hint: "At {link}, make an application. Under Bot, switch on Message Content Intent, press Reset Token, and paste the token.",
		Link: &chat.BridgeLink{URL: "https://discord.com/developers/applications", Text: "Discord’s developer portal"}, Whole: `^[\w.-]{40,}$`,
		Wrong: "That doesn’t look like a bot token.", Looks: "It is a long text of letters and digits with two dots in it."}},
	Place: "Choose a channel", Waiting: "Waiting for the bot to join your server…", Use: "Use",
	Add:       "Open the link to add the bot to your server, with exactly the permissions that it needs.",
	AddButton: "Invite the bot",
	Options: []chat.BridgeOption{
		{Setting: "enableDiscordGateway", Label: "Discord: receive answers through the gateway", Control: "check", Hint: "Without it, relay only sends."},
		{Setting: "discordPublicKey", Label: "Discord: public key", Control: "text", Longest: 64,
			Hint: "For commands that Discord posts to relay’s address. 64 hexadecimal digits, under General Information."}},
}

// Kind is Discord for relay.
func Kind(env platform.Env) platform.Kind {
	config := func(s *chat.Settings) Config {
		return Config{Token: s.Text("discordBotToken"), ChannelID: s.Text("discordChannelId"), Gateway: s.Bool("enableDiscordGateway"),
			PublicKey: s.Text("discordPublicKey"), APIURL: s.Text("discordApiUrl"), CatchUp: env.CatchUp(), Forgets: env.Forgets, Log: env.Log}
	}
	return platform.Kind{Name: Name, Live: "gateway", Settings: settings, Needs: []string{"discordBotToken", "discordChannelId"},
		Card: card, On: map[string]json.RawMessage{"enableDiscordGateway": json.RawMessage("true")},
		New: func(s *chat.Settings) (chat.Bridge, error) { return New(config(s)) },
		Setup: func(s *chat.Settings) (platform.Setup, error) {
			return NewSetup(Config{Token: s.Text("discordBotToken"), APIURL: s.Text("discordApiUrl"), Log: env.Log})
		}}
}
