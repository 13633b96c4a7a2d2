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

// Setting declares one setting: all that the environment, the admin API, the console and
// the widget know of it.
type Setting struct {
	Name    string // as in the API
	Alias   string // another name in the API
	Env     string // its environment variable, "" when it has none
	Bridge  string // the bridge whose setting it is
	Site    bool   // each website may have its own value; others are relay's
	Fixed   bool   // set by the environment alone: the API does not have it
	Secret  bool   // write-only: answered as a mask
	Widget  bool   // a key of the widget's config
	Default string // JSON; "" is null
	JSON    bool   // its variable holds JSON, not a text
	// Valid returns the problem of a value, as the end of a sentence that begins with the
	// setting's name. Is describes valid values, Example shows one.
	Valid       func(json.RawMessage) error
	Is, Example string
	// Page is where the console has it, Called what it is called there. Chosen is how to set
	// one that is chosen there from a list.
	Page, Called, Chosen string
}

// SettingList is every setting of a relay with these bridges' settings, in the order in
// which people read them.
func SettingList(bridges ...Setting) []Setting {
	return slices.Concat(ownSettings, bridges, connectedSettings)
}

// ownSettings need nothing beside relay.
var ownSettings = []Setting{
	{Name: "operatorName", Site: true, Widget: true, Default: `"Support"`, Valid: text(100)},
	{Name: "operatorAvatar", Site: true, Widget: true, Valid: picture},
	{Name: "primaryColor", Site: true, Widget: true, Default: `"#3b5bdb"`, Valid: colour},
	{Name: "welcomeMessage", Site: true, Widget: true, Default: `"Hi! How can we help?"`, Valid: text(1000)},
	{Name: "offlineMessage", Site: true, Widget: true, Default: `"We are away right now. Leave a message and we will answer here."`, Valid: text(1000)},
	{Name: "position", Site: true, Widget: true, Default: `"right"`, Valid: oneOf("right", "left")},
	{Name: "theme", Site: true, Widget: true, Default: `"auto"`, Valid: oneOf("auto", "light", "dark")},
	{Name: "language", Site: true, Widget: true, Default: `"auto"`, Valid: text(35)},
	{Name: "texts", Site: true, Widget: true, Valid: ownTexts},
	{Name: "proactive", Site: true, Default: "[]", Valid: proactive},
	{Name: "starters", Site: true, Widget: true, Default: "[]", Valid: starters},
	{Name: "headerColor", Site: true, Widget: true, Valid: colour},
	{Name: "footerColor", Site: true, Widget: true, Valid: colour},
	{Name: "chatBackground", Site: true, Widget: true, Valid: colour},
	{Name: "toggleColor", Site: true, Widget: true, Valid: colour},
	{Name: "darkPrimaryColor", Site: true, Widget: true, Valid: colour},
	{Name: "darkHeaderColor", Site: true, Widget: true, Valid: colour},
	{Name: "darkFooterColor", Site: true, Widget: true, Valid: colour},
	{Name: "darkChatBackground", Site: true, Widget: true, Valid: colour},
	{Name: "launcherLabel", Site: true, Valid: text(40)},
	{Name: "launcherPicture", Site: true, Valid: picture},
	{Name: "launcherHidden", Site: true, Default: "false", Valid: Bool},
	{Name: "attachments", Site: true, Default: `{"enabled":true}`, Valid: attachmentRules},
	{Name: "attachmentMaxBytes", Site: true, Env: "ATTACHMENT_MAX_BYTES", JSON: true, Default: "10485760", Valid: number(1, largestMaxBytes, "must be a number of bytes from 1 to 1073741824"),
		Is: "a number of bytes from 1 to 1073741824", Example: "26214400"},
	{Name: "preChatForm", Site: true, Widget: true, Valid: preChatForm},
	{Name: "retentionDays", Site: true, Env: "RETENTION_DAYS", JSON: true, Default: "0", Valid: number(0, 36500, "must be a number of days from 0 to 36500"),
		Is: "a number of days from 0 (keep everything) to 36500", Example: "365"},
}

// connectedSettings are of what relay is connected to, and of what it does there.
var connectedSettings = []Setting{
	{Name: "eventsWebhookUrl", Site: true, Page: "Webhook", Called: "the address", Env: "EVENTS_WEBHOOK_URL", Example: "https://example.com/hooks/relay", Valid: address("http", "https")},
	{Name: "eventsWebhookSecret", Site: true, Page: "Webhook", Called: "the secret", Env: "EVENTS_WEBHOOK_SECRET", Secret: true, Example: "whsec_bWFrZS1hLXNlY3JldC1vZi15b3VyLW93bi1pbnN0ZWE=", Valid: text(500)},
	{Name: "eventsWebhookEnabled", Site: true, Default: "true", Valid: Bool},
	{Name: "eventsWebhookHeaderPrefix", Site: true, Env: "EVENTS_WEBHOOK_HEADER_PREFIX", Default: `"X-Service"`, Example: "X-Acme", Valid: headerPrefix},
	{Name: "businessHours", Site: true, Env: "BUSINESS_HOURS", JSON: true, Valid: businessHours,
		Example: `{"timezone":"Europe/Berlin","weekly":{"monday":["09:00-12:00","13:00-17:00"],"friday":["09:00-15:00"]},"exceptions":{"2026-12-24":[]}}`},
	{Name: "unanswered", Site: true, Env: "UNANSWERED", JSON: true, Default: "[]", Valid: unanswered,
		Example: `[{"after":5,"do":"ring"},{"after":15,"do":"tell","text":"Thank you for waiting. We answer as soon as somebody is back."}]`},
	{Name: "autoCloseDays", Site: true, Env: "AUTO_CLOSE_DAYS", JSON: true, Default: "0", Valid: number(0, 365, "must be a number of days from 0 to 365"),
		Is: "a number of days from 0 (close nothing) to 365", Example: "14"},
	{Name: "autoCloseText", Site: true, Env: "AUTO_CLOSE_TEXT", Example: "We close this conversation for now. Write again whenever you like.", Valid: text(1000)},
	{Name: "outsideHours", Site: true, Env: "OUTSIDE_HOURS", Default: `"chat"`, Example: "form", Valid: oneOf(OutsideChat, OutsideForm, OutsideHide)},
	{Name: "hiddenPages", Site: true, Env: "HIDDEN_PAGES", JSON: true, Default: "[]", Example: `["/checkout*","/cart"]`, Valid: hiddenPages},
	{Name: "pageRules", Site: true, Env: "PAGE_RULES", JSON: true, Default: "[]", Valid: pageRules,
		Example: `[{"page":"/checkout/help","do":"show"},{"page":"/checkout*","do":"hide"},{"page":"/pricing","do":"open","seconds":20}]`},
	{Name: "liveVisitors", Site: true, Env: "LIVE_VISITORS", JSON: true, Default: "false", Example: "true", Valid: Bool, Is: "true or false"},
	{Name: "typingPreview", Site: true, Widget: true, Env: "TYPING_PREVIEW", JSON: true, Default: "false", Example: "true", Valid: Bool, Is: "true or false"},
	{Name: "smtpUrl", Page: "E-mail", Called: "the server", Env: "SMTP_URL", Secret: true, Example: mailServerExample, Valid: optional(parsed(ParseMailServer))},
	{Name: "mailFrom", Site: true, Page: "E-mail", Called: "the sender", Env: "MAIL_FROM", Example: mailFromExample, Valid: optional(mailFrom)},
	{Name: "mailPerMinute", Env: "MAIL_PER_MINUTE", JSON: true, Default: "60", Example: "14", Valid: number(1, maxMailRate, "must be a number of e-mails from 1 to 6000")},
	{Name: "imapUrl", Page: "E-mail", Called: "the mailbox", Env: "IMAP_URL", Secret: true, Example: mailboxExample, Valid: optional(parsed(ParseMailbox))},
	{Name: "imapMoveTo", Env: "IMAP_MOVE_TO", Example: "Archive", Valid: text(200)},
	{Name: "mailReplyTo", Site: true, Env: "MAIL_REPLY_TO", Example: mailReplyExample, Valid: optional(mailReplyTo)},
	{Name: "mailInbox", Env: "MAIL_INBOX", JSON: true, Default: "false", Example: "true", Valid: Bool, Is: "true or false"},
	{Name: "mailOauth", Page: "E-mail", Called: "the provider", Env: "MAIL_OAUTH", Example: "microsoft", Valid: optional(parsed(ParseMailProvider))},
	{Name: "mailOauthClient", Page: "E-mail", Called: "the client ID", Env: "MAIL_OAUTH_CLIENT", Is: "an id without spaces", Example: "8c4e0f3a-1f0b-4d53-9a53-7d1c3c0f2a11", Valid: Form(`[!-~]{1,500}`)},
	{Name: "mailOauthSecret", Page: "E-mail", Called: "the client secret", Env: "MAIL_OAUTH_SECRET", Secret: true, Is: "a secret without spaces", Example: "example-client-secret", Valid: Form(`[!-~]{1,1000}`)},
	{Name: "mailOauthToken", Page: "E-mail", Called: "the refresh token", Env: "MAIL_OAUTH_TOKEN", Secret: true, Is: "a refresh token without spaces", Example: "1//example-refresh-token", Valid: optional(mailToken)},
	{Name: "oidcIssuer", Page: "Sign-in", Called: "the issuer", Env: "OIDC_ISSUER", Example: "https://id.example.com/realms/team", Valid: optional(issuer)},
	{Name: "oidcClient", Page: "Sign-in", Called: "the client ID", Env: "OIDC_CLIENT", Is: "an id without spaces", Example: "relay", Valid: Form(`[!-~]{1,500}`)},
	{Name: "oidcSecret", Page: "Sign-in", Called: "the client secret", Env: "OIDC_SECRET", Secret: true, Is: "a secret without spaces", Example: "example-client-secret", Valid: Form(`[!-~]{1,1000}`)},
	{Name: "oidcName", Env: "OIDC_NAME", Example: "Keycloak", Valid: text(40)},
	{Name: "oidcDomains", Env: "OIDC_DOMAINS", JSON: true, Default: "[]", Example: `["example.com"]`, Valid: signOnDomains},
	{Name: "oidcGroups", Env: "OIDC_GROUPS", JSON: true, Default: "[]", Valid: signOnGroups,
		Example: `[{"group":"relay-admins","role":"administrator"},{"group":"support","role":"operator"}]`},
	{Name: "oidcGroupsClaim", Env: "OIDC_GROUPS_CLAIM", Default: `"groups"`, Is: "a name without spaces", Example: "realm_access.roles", Valid: Form(`[!-~]{1,200}`)},
	{Name: "oidcScopes", Env: "OIDC_SCOPES", Is: "words with spaces between them", Example: "groups", Valid: Form(`[!-~]+( [!-~]+){0,19}`)},
	{Name: "oidcOnly", Env: "OIDC_ONLY", JSON: true, Default: "false", Example: "true", Valid: Bool, Is: "true or false"},
	{Name: "requireTotp", Env: "REQUIRE_TOTP", JSON: true, Default: "false", Example: "true", Valid: Bool, Is: "true or false"},
	{Name: "aiBaseUrl", Page: "AI", Called: "the address", Env: "AI_BASE_URL", Example: "https://api.openai.com/v1", Valid: endpointAddress},
	{Name: "aiApiKey", Page: "AI", Called: "the key", Env: "AI_API_KEY", Secret: true, Is: "a key without spaces", Example: "sk-example", Valid: Form(`[!-~]{1,1000}`)},
	{Name: "aiModel", Page: "AI", Called: "the model", Env: "AI_MODEL", Example: "gpt-4o-mini", Valid: text(200)},
	{Name: "aiSystemPrompt", Site: true, Env: "AI_SYSTEM_PROMPT", Example: "We are a bakery in Graz, open from Tuesday to Saturday, 7:00 to 18:00.", Valid: text(20000)},
	{Name: "aiTakeoverDelay", Site: true, Env: "AI_TAKEOVER_DELAY", JSON: true, Default: "300", Example: "60", Valid: number(0, 3600, "must be a number of seconds from 0 to 3600")},
	{Name: "aiName", Site: true, Env: "AI_NAME", Default: `"Assistant"`, Example: "Robo", Valid: text(100)},
	{Name: "aiMode", Site: true, Env: "AI_MODE", Default: `"answer"`, Example: "draft", Valid: oneOf("answer", "rehearse", "draft", "off")},
	{Name: "aiTone", Site: true, Env: "AI_TONE", Default: `"neutral"`, Example: "friendly", Valid: oneOf(ToneNeutral, ToneFriendly, ToneFormal, ToneBrief)},
	{Name: "aiOpening", Site: true, Env: "AI_OPENING", Example: "Hi, I am the bakery's assistant.", Valid: text(maxAISentence)},
	{Name: "aiHandOver", Site: true, Env: "AI_HAND_OVER", Example: "Mia or Ben will answer you here.", Valid: text(maxAISentence)},
	{Name: "aiTopics", Site: true, Env: "AI_TOPICS", JSON: true, Default: "[]", Example: `["refund","complaint","allergy"]`, Valid: aiTopics},
	{Name: "aiDailyTokens", Page: "AI", Called: "“Most tokens a day”", Env: "AI_DAILY_TOKENS", JSON: true, Default: "500000", Example: "200000", Valid: number(0, 1<<40, "must be a number of tokens from 0, which is no limit")},
	{Name: "aiTokenPrice", Page: "AI", Called: "the price", Env: "AI_TOKEN_PRICE", Is: "an amount with its currency", Example: "0.60 €", Valid: optional(parsed(ParsePrice))},
	{Name: "aiCallsPerAddress", Env: "AI_CALLS_PER_ADDRESS", JSON: true, Default: "30", Example: "100", Valid: number(0, 1e6, "must be a number of messages from 0, which is no limit, to 1000000")},
	{Name: "aiActionsPerDay", Env: "AI_ACTIONS_PER_DAY", JSON: true, Default: "200", Example: "1000", Valid: number(0, 1e6, "must be a number of actions from 0, which is none, to 1000000")},
	{Name: "aiTopicRow", Site: true, Env: "AI_TOPIC_ROW", JSON: true, Default: "10", Example: "20", Valid: number(1, 100, "must be a number of answers from 1 to 100")},
	{Name: "aiMaxAnswers", Site: true, Env: "AI_MAX_ANSWERS", JSON: true, Default: "10", Example: "5", Valid: number(1, 1000, "must be a number from 1 to 1000")},
	{Name: "aiEmbeddingModel", Env: "AI_EMBEDDING_MODEL", Example: "text-embedding-3-small", Valid: text(200)},
	{Name: "agentsEnabled", Site: true, Env: "AGENTS_ENABLED", JSON: true, Default: "false", Example: "true", Valid: Bool, Is: "true or false"},
	{Name: "assistantName", Site: true, Env: "ASSISTANT_NAME", Example: "{name}’s assistant", Valid: text(100)},
	{Name: "csatEnabled", Site: true, Default: "false", Valid: Bool},
	{Name: "csatStyle", Site: true, Default: `"faces"`, Valid: oneOf("faces", "stars")},
	{Name: "csatTrigger", Site: true, Default: `"off"`, Valid: oneOf("off", "on_close", "on_disconnect", "manual")},
}

// Boolean reports whether the setting is true or false.
func (s *Setting) Boolean() bool { return s.Default == "true" || s.Default == "false" }

// Check is [Setting.Valid] in the words of Is.
func (s *Setting) Check(value json.RawMessage) error {
	err := s.Valid(value)
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

// Form accepts texts that match a pattern, and the empty one, which means none.
func Form(pattern string) func(json.RawMessage) error {
	is := Pattern(pattern)
	return optional(func(v string) error {
		if !is(v) {
			return errForm
		}
		return nil
	})
}

// optional accepts texts that a check accepts, and the empty one, which means none.
func optional(check func(string) error) func(json.RawMessage) error {
	return func(value json.RawMessage) error {
		var v string
		if json.Unmarshal(value, &v) != nil {
			return checkError("must be a string")
		}
		if v == "" {
			return nil
		}
		return check(v)
	}
}

// parsed checks a text by reading it.
func parsed[T any](parse func(string) (T, error)) func(string) error {
	return func(v string) error {
		_, err := parse(v)
		return err
	}
}

// Bool accepts true and false.
func Bool(value json.RawMessage) error { return shape[bool]("true or false")(value) }

// IsBaseURL reports whether a text is an address without a name, a query and a fragment.
func IsBaseURL(text string) bool {
	u, err := url.Parse(text)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != "" &&
		u.User == nil && u.RawQuery == "" && u.Fragment == ""
}

// BaseURL accepts base addresses, and the empty text, which means none.
func BaseURL(value json.RawMessage) error {
	var v string
	if json.Unmarshal(value, &v) != nil || v != "" && !IsBaseURL(v) {
		return errForm
	}
	return nil
}

var isColour = Pattern(`#[0-9a-fA-F]{6}`)

func colour(value json.RawMessage) error {
	var v string
	if json.Unmarshal(value, &v) != nil || !isColour(v) {
		return checkError("must be a colour like #3b5bdb")
	}
	return nil
}

var isHeaderPrefix = Pattern(`[A-Za-z][A-Za-z0-9-]{0,60}[A-Za-z0-9]`)

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
	return optional(func(v string) error {
		u, err := url.Parse(v)
		if err != nil || u.Hostname() == "" || !slices.Contains(schemes, u.Scheme) {
			return checkError("must be an address that begins with " + strings.Join(schemes, ":// or ") + "://")
		}
		return nil
	})
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

var isMIMEType = Pattern(`[a-z0-9-]+/(\*|[a-z0-9][a-z0-9.+_-]*)`)

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
