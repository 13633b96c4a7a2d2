package telegram

import (
	"github.com/relay-chat/relay/bridges/platform"
	"github.com/relay-chat/relay/server/chat"
)

// settings are Telegram's.
var settings = []chat.Setting{
	{Name: "telegramBotToken", Page: "Channels", Called: "the bot token", Env: "TELEGRAM_BOT_TOKEN", Secret: true, Valid: chat.Form(`[0-9]{1,19}:[A-Za-z0-9_-]{1,980}`),
		Is: "a bot token as @BotFather gives it: digits, a colon, letters and digits", Example: "123456789:AAExampleExampleExampleExampleExample"},
	{Name: "telegramChatId", Site: true, Page: "Channels", Chosen: "group", Env: "TELEGRAM_CHAT_ID", Valid: chat.Form(`-?[1-9][0-9]{0,18}`),
		Is: "the id of a group, a number that begins with -100", Example: "-1001234567890"},
	{Name: "telegramWebhookSecret", Env: "TELEGRAM_WEBHOOK_SECRET", Secret: true, Valid: chat.Form(`[A-Za-z0-9_-]{1,256}`),
		Is: "a text of 1 to 256 letters, digits, _ and -", Example: "a-long-random-text"},
	platform.APIURL("telegramApiUrl", "TELEGRAM_API_URL", "http://localhost:8081"),
}

var card = chat.BridgeCard{
	Name: Name, Title: "Telegram",
	About:   "A topic for each conversation, in a group of yours.",
	Icon:    chat.BridgeIcon{Colour: "#2481cc", Shape: "M6 15.500l19-7.500-3.200 16-6-4.400-3 3-.6-5.100 8.300-7.500-10.300 6.500z"},
	Channel: "telegramChatId",
	Tokens: []chat.BridgeToken{{Setting: "telegramBotToken", Label: "Bot token",
		Hint: "In Telegram, write /newbot to {link}, choose a name, and paste the token that it sends you.",
		Link: &chat.BridgeLink{URL: "https://t.me/BotFather", Text: "@BotFather"}, Whole: `^\d+:[\w-]{20,}$`,
		Wrong: "That doesn’t look like a bot token.", Looks: "It looks like 123456789:AAE…, with digits before the colon."}},
	Place: "Add the bot to a group", Waiting: "Waiting for the bot to be added to a group…", Use: "Use",
	Add: "Scan this with your phone, or open the link here: Telegram asks for a group and gives the bot its rights there. " +
		"relay sees the group by itself.",
	AddButton: "Open Telegram",
	Options: []chat.BridgeOption{{Setting: "telegramWebhookSecret", Label: "Telegram: webhook secret", Control: "secret", None: "None: relay fetches answers itself",
		Hint: "With one, and a public https:// address, Telegram pushes answers to relay. 1 to 256 letters, digits, _ and -."}},
}

// Kind is Telegram for relay.
func Kind(env platform.Env) platform.Kind {
	config := func(s *chat.Settings) Config {
		return Config{Token: s.Text("telegramBotToken"), ChatID: s.Text("telegramChatId"), WebhookSecret: s.Text("telegramWebhookSecret"),
			APIURL: s.Text("telegramApiUrl"), PublicURL: env.PushURL(Name), Log: env.Log}
	}
	return platform.Kind{Name: Name, Live: "polling", Settings: settings, Needs: []string{"telegramBotToken", "telegramChatId"},
		Card: card, Alone: true,
		New:   func(s *chat.Settings) (chat.Bridge, error) { return New(config(s)) },
		Setup: func(s *chat.Settings) (platform.Setup, error) { return NewSetup(config(s)) }}
}
