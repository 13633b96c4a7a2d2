package chat

import (
	"bytes"
	"encoding/json"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"
)

// Setting describes one setting of the admin API.
type Setting struct {
	Name    string // as in the API
	Alias   string // another name in the API
	Env     string // its environment variable, "" when it has none
	Number  string // its environment variable, which package config reads as a number of its own
	Secret  bool   // write-only: answered as a mask
	Widget  bool   // a key of the widget's config
	Default string // JSON; "" is null
	JSON    bool   // its variable holds JSON, not a text
	// Is describes valid values, Example shows one. Most settings only need
	// check.
	Is, Example string
	// Page is where the console has it, Called what it is called there. Chosen is how to set
	// one that is chosen there from a list.
	Page, Called, Chosen string
	check                func(json.RawMessage) error
}

// SettingList is every setting, in the order in which people read them.
var SettingList = []Setting{
	{Name: "operatorName", Widget: true, Default: `"Support"`, check: text(100)},
	{Name: "operatorAvatar", Widget: true, check: address("https")},
	{Name: "primaryColor", Widget: true, Default: `"#3b5bdb"`, check: colour},
	{Name: "welcomeMessage", Widget: true, Default: `"Hi! How can we help?"`, check: text(1000)},
	{Name: "offlineMessage", Widget: true, Default: `"We are away right now. Leave a message and we will answer here."`, check: text(1000)},
	{Name: "position", Widget: true, Default: `"right"`, check: oneOf("right", "left")},
	{Name: "theme", Widget: true, Default: `"auto"`, check: oneOf("auto", "light", "dark")},
	{Name: "language", Widget: true, Default: `"auto"`, check: text(35)},
	{Name: "texts", Widget: true, check: ownTexts},
	{Name: "proactive", Default: "[]", check: proactive},
	{Name: "starters", Widget: true, Default: "[]", check: starters},
	{Name: "headerColor", Widget: true, check: colour},
	{Name: "footerColor", Widget: true, check: colour},
	{Name: "chatBackground", Widget: true, check: colour},
	{Name: "toggleColor", Widget: true, check: colour},
	{Name: "attachments", Default: `{"enabled":true}`, check: attachmentRules},
	{Name: "attachmentMaxBytes", Number: "ATTACHMENT_MAX_BYTES", Default: "10485760", check: number(1, largestMaxBytes, "must be a number of bytes from 1 to 1073741824")},
	{Name: "preChatForm", Widget: true, check: preChatForm},
	{Name: "retentionDays", Number: "RETENTION_DAYS", Default: "0", check: number(0, 36500, "must be a number of days from 0 to 36500")},
	{Name: "telegramBotToken", Page: "Channels", Called: "the bot token", Env: "TELEGRAM_BOT_TOKEN", Secret: true, check: form(`[0-9]{1,19}:[A-Za-z0-9_-]{1,980}`),
		Is: "a bot token as @BotFather gives it: digits, a colon, letters and digits", Example: "123456789:AAExampleExampleExampleExampleExample"},
	{Name: "telegramChatId", Page: "Channels", Chosen: "group", Env: "TELEGRAM_CHAT_ID", check: form(`-?[1-9][0-9]{0,18}`),
		Is: "the id of a group, a number that begins with -100", Example: "-1001234567890"},
	{Name: "telegramWebhookSecret", Env: "TELEGRAM_WEBHOOK_SECRET", Secret: true, check: form(`[A-Za-z0-9_-]{1,256}`),
		Is: "a text of 1 to 256 letters, digits, _ and -", Example: "a-long-random-text"},
	{Name: "discordBotToken", Page: "Channels", Called: "the bot token", Env: "DISCORD_BOT_TOKEN", Secret: true, check: form(`(Bot )?[A-Za-z0-9._-]{20,1000}`),
		Is: "a bot token of Discord: 20 to 1,000 letters, digits, dots, _ and -", Example: "example-discord-token"},
	{Name: "discordChannelId", Page: "Channels", Chosen: "channel", Alias: "bridgeBChannelId", Env: "DISCORD_CHANNEL_ID", check: form(`[1-9][0-9]{0,19}`),
		Is: "the id of a channel, a long number that Copy Channel ID gives", Example: "123456789012345678"},
	{Name: "enableDiscordGateway", Env: "ENABLE_DISCORD_GATEWAY", Default: "false", check: shape[bool]("true or false")},
	{Name: "discordPublicKey", Env: "DISCORD_PUBLIC_KEY", check: form(`[0-9A-Fa-f]{64}`),
		Is: "64 hexadecimal digits", Example: "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"},
	{Name: "slackBotToken", Page: "Channels", Called: "the bot token", Alias: "bridgeCBotToken", Env: "SLACK_BOT_TOKEN", Secret: true, check: form(`xoxb-[A-Za-z0-9-]{1,995}`),
		Is: "a Bot User OAuth Token, which begins with xoxb-", Example: "xoxb-example"},
	{Name: "slackChannelId", Page: "Channels", Chosen: "channel", Alias: "bridgeCChannelId", Env: "SLACK_CHANNEL_ID", check: form(`[CG][A-Z0-9]{1,98}`),
		Is: "the id of a channel, which begins with C and stands at the bottom of the channel's details", Example: "C0123456789"},
	{Name: "slackSigningSecret", Env: "SLACK_SIGNING_SECRET", Secret: true, check: form(`[!-~]{1,1000}`),
		Is: "the Signing Secret of the app, without spaces", Example: "0123456789abcdef0123456789abcdef"},
	{Name: "slackAppToken", Page: "Channels", Called: "the app token", Env: "SLACK_APP_TOKEN", Secret: true, check: form(`xapp-[A-Za-z0-9-]{1,995}`),
		Is: "an App-Level Token, which begins with xapp-", Example: "xapp-example"},
	{Name: "slackOtherWorkspaces", Env: "SLACK_OTHER_WORKSPACES", Default: "false", Example: "true", check: shape[bool]("true or false")},
	{Name: "eventsWebhookUrl", Page: "Webhook", Called: "the address", Env: "EVENTS_WEBHOOK_URL", Example: "https://example.com/hooks/relay", check: address("http", "https")},
	{Name: "eventsWebhookSecret", Page: "Webhook", Called: "the secret", Env: "EVENTS_WEBHOOK_SECRET", Secret: true, Example: "whsec_bWFrZS1hLXNlY3JldC1vZi15b3VyLW93bi1pbnN0ZWE=", check: text(500)},
	{Name: "eventsWebhookEnabled", Default: "true", check: shape[bool]("true or false")},
	{Name: "eventsWebhookHeaderPrefix", Env: "EVENTS_WEBHOOK_HEADER_PREFIX", Default: `"X-Service"`, Example: "X-Acme", check: headerPrefix},
	{Name: "businessHours", Env: "BUSINESS_HOURS", JSON: true, check: businessHours,
		Example: `{"timezone":"Europe/Berlin","weekly":{"monday":["09:00-12:00","13:00-17:00"],"friday":["09:00-15:00"]},"exceptions":{"2026-12-24":[]}}`},
	{Name: "aiBaseUrl", Page: "AI", Called: "the address", Env: "AI_BASE_URL", Example: "https://api.openai.com/v1", check: endpointAddress},
	{Name: "aiApiKey", Page: "AI", Called: "the key", Env: "AI_API_KEY", Secret: true, Is: "a key without spaces", Example: "sk-example", check: form(`[!-~]{1,1000}`)},
	{Name: "aiModel", Page: "AI", Called: "the model", Env: "AI_MODEL", Example: "gpt-4o-mini", check: text(200)},
	{Name: "aiSystemPrompt", Env: "AI_SYSTEM_PROMPT", Example: "We are a bakery in Graz, open from Tuesday to Saturday, 7:00 to 18:00.", check: text(20000)},
	{Name: "aiTakeoverDelay", Env: "AI_TAKEOVER_DELAY", JSON: true, Default: "300", Example: "60", check: number(0, 3600, "must be a number of seconds from 0 to 3600")},
	{Name: "aiName", Env: "AI_NAME", Default: `"Assistant"`, Example: "Robo", check: text(100)},
	{Name: "aiMode", Env: "AI_MODE", Default: `"answer"`, Example: "draft", check: oneOf("answer", "draft", "off")},
	{Name: "aiDailyTokens", Page: "AI", Called: "“Most tokens a day”", Env: "AI_DAILY_TOKENS", JSON: true, Default: "500000", Example: "200000", check: number(0, 1<<40, "must be a number of tokens from 0, which is no limit")},
	{Name: "aiCallsPerAddress", Env: "AI_CALLS_PER_ADDRESS", JSON: true, Default: "30", Example: "100", check: number(0, 1e6, "must be a number of messages from 0, which is no limit, to 1000000")},
	{Name: "aiMaxAnswers", Env: "AI_MAX_ANSWERS", JSON: true, Default: "10", Example: "5", check: number(1, 1000, "must be a number from 1 to 1000")},
	{Name: "aiEmbeddingModel", Env: "AI_EMBEDDING_MODEL", Example: "text-embedding-3-small", check: text(200)},
	{Name: "csatEnabled", Default: "false", check: shape[bool]("true or false")},
	{Name: "csatStyle", Default: `"faces"`, check: oneOf("faces", "stars")},
	{Name: "csatTrigger", Default: `"off"`, check: oneOf("off", "on_close", "on_disconnect", "manual")},
}

// Check returns a value's problem, as the end of a sentence that
// begins with the setting's name.
func (s *Setting) Check(value json.RawMessage) error {
	err := s.check(value)
	if err == errForm {
		return checkError("must be " + s.Is + ", for example " + s.Example)
	}
	return err
}

// The checks of settings: each returns the end of a sentence that begins with
// the setting's name, or with the path of a field in it, like ".fields[].label" or
// "[].text".

type checkError string

func (e checkError) Error() string { return string(e) }

// sentence completes a check's error with the setting's name.
func sentence(name string, err error) string {
	text := err.Error()
	if strings.HasPrefix(text, ".") || strings.HasPrefix(text, "[]") {
		return name + text
	}
	return name + " " + text
}

// problemOf is a check's error for the field of a form: of a path in the setting only the
// last name stays.
func problemOf(err error) string {
	text := err.Error()
	if !strings.HasPrefix(text, ".") && !strings.HasPrefix(text, "[]") {
		return text
	}
	path, rest, _ := strings.Cut(text, " ")
	if last := strings.TrimRight(path[strings.LastIndex(path, ".")+1:], "[]"); last != "" {
		return last + " " + rest
	}
	return rest
}

func text(longest int) func(json.RawMessage) error {
	return func(value json.RawMessage) error {
		var v string
		if json.Unmarshal(value, &v) != nil {
			return checkError("must be a string")
		}
		if utf8.RuneCountInString(v) > longest {
			return checkError("is too long")
		}
		return nil
	}
}

// errForm is for a text that Is does not describe.
const errForm checkError = "is of the wrong form"

// form accepts texts that match a pattern, and the empty one, which means none.
func form(pattern string) func(json.RawMessage) error {
	is := LazyPattern(pattern)
	return func(value json.RawMessage) error {
		var v string
		if json.Unmarshal(value, &v) != nil {
			return checkError("must be a string")
		}
		if v != "" && !is(v) {
			return errForm
		}
		return nil
	}
}

var isColour = LazyPattern(`#[0-9a-fA-F]{6}`)

func colour(value json.RawMessage) error {
	var v string
	if json.Unmarshal(value, &v) != nil || !isColour(v) {
		return checkError("must be a colour like #3b5bdb")
	}
	return nil
}

var isHeaderPrefix = LazyPattern(`[A-Za-z][A-Za-z0-9-]{0,60}[A-Za-z0-9]`)

func headerPrefix(value json.RawMessage) error {
	var v string
	if json.Unmarshal(value, &v) != nil || !isHeaderPrefix(v) {
		return checkError("must be the beginning of a header's name like X-Service")
	}
	return nil
}

func oneOf(allowed ...string) func(json.RawMessage) error {
	return func(value json.RawMessage) error {
		var v string
		if json.Unmarshal(value, &v) != nil || !slices.Contains(allowed, v) {
			return checkError("must be one of " + strings.Join(allowed, ", "))
		}
		return nil
	}
}

func address(schemes ...string) func(json.RawMessage) error {
	return func(value json.RawMessage) error {
		var v string
		if json.Unmarshal(value, &v) != nil {
			return checkError("must be a string")
		}
		u, err := url.Parse(v)
		if v != "" && (err != nil || u.Hostname() == "" || !slices.Contains(schemes, u.Scheme)) {
			return checkError("must be an address that begins with " + strings.Join(schemes, ":// or ") + "://")
		}
		return nil
	}
}

// endpointAddress refuses a password in the address, which operators are shown.
func endpointAddress(value json.RawMessage) error {
	var v string
	if err := address("http", "https")(value); err != nil || json.Unmarshal(value, &v) != nil {
		return err
	}
	if u, err := url.Parse(v); err == nil && u.User != nil {
		return checkError("must have no name and no password in it: the key is a setting of its own")
	}
	return nil
}

// The largest file that can be allowed.
const largestMaxBytes = 1 << 30

func number(least, most int64, problem checkError) func(json.RawMessage) error {
	return func(value json.RawMessage) error {
		var v int64
		if json.Unmarshal(value, &v) != nil || v < least || v > most {
			return problem
		}
		return nil
	}
}

var isMIMEType = LazyPattern(`[a-z0-9-]+/(\*|[a-z0-9][a-z0-9.+_-]*)`)

func attachmentRules(value json.RawMessage) error {
	if err := shape[AttachmentRules]("an object with enabled, maxBytes and types")(value); err != nil {
		return err
	}
	var v AttachmentRules
	v.MaxBytes = 1
	if json.Unmarshal(value, &v) != nil || v.MaxBytes < 1 || v.MaxBytes > largestMaxBytes {
		return checkError("must have a maxBytes from 1 to 1073741824")
	}
	for _, t := range v.Types {
		if !isMIMEType(t) {
			return checkError(".types must be MIME types like image/png, or halves of them like image/*; none means any")
		}
	}
	return nil
}

func preChatForm(value json.RawMessage) error {
	if err := shape[PreChatForm]("an object with required, timing and fields")(value); err != nil {
		return err
	}
	var v PreChatForm
	if err := json.Unmarshal(value, &v); err != nil {
		return err
	}
	if v.Timing != "before_first_message" && v.Timing != "after_first_message" {
		return checkError("must have the timing before_first_message or after_first_message")
	}
	if v.Fields == nil {
		return checkError("must have a list of fields")
	}
	return preChatFields(v.Fields)
}

// preChatFields rejects fields that no visitor could answer, or whose answers cannot
// be distinguished.
func preChatFields(fields []PreChatField) error {
	for i, f := range fields {
		same := func(other PreChatField) bool { return other.Name == f.Name }
		switch {
		case f.Name == "" || f.Label == "" || utf8.RuneCountInString(f.Name) > MaxName || f.Type == "":
			return checkError("must have a name, a type and a label in every field")
		case slices.ContainsFunc(fields[:i], same):
			return checkError("has two fields called " + f.Name)
		case !slices.Contains(fieldTypes, f.Type):
			return checkError(".fields." + f.Name + ".type must be one of " + strings.Join(fieldTypes, ", "))
		case f.Type == "select" && len(f.Options) == 0:
			return checkError("has nothing to choose from in " + f.Name + ": a select needs options")
		}
	}
	return nil
}

// shape requires a value to decode into a Go type without unknown fields. must
// describes it.
func shape[T any](must string) func(json.RawMessage) error {
	return func(value json.RawMessage) error {
		var v T
		d := json.NewDecoder(bytes.NewReader(value))
		d.DisallowUnknownFields()
		err := d.Decode(&v)
		if err == nil {
			return nil
		}
		path, inner, ok := WrongType(err, reflect.TypeFor[T]())
		if path != "" {
			path = "." + path
		}
		if reflect.TypeFor[T]().Kind() == reflect.Slice && bytes.HasPrefix(bytes.TrimSpace(value), []byte("[")) {
			path = "[]" + path
		}
		if ok && path != "" {
			return checkError(path + " must be " + inner)
		}
		return checkError("must be " + must)
	}
}
