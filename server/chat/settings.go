package chat

import (
	"bytes"
	"context"
	"encoding/json"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// Setting describes one setting of the admin API (contract.md 3, settings).
type Setting struct {
	Name    string // as in the API
	Alias   string // another name of it: the seed's placeholder
	Env     string // its environment variable, "" when it has none
	Secret  bool   // write-only: answered as a mask
	Widget  bool   // a key of the widget's config
	Default string // JSON; "" is null
	check   func(json.RawMessage) error
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
	{Name: "language", Widget: true, Default: `"en"`, check: text(35)},
	{Name: "headerColor", Widget: true, check: colour},
	{Name: "footerColor", Widget: true, check: colour},
	{Name: "chatBackground", Widget: true, check: colour},
	{Name: "toggleColor", Widget: true, check: colour},
	{Name: "attachments", Default: `{"enabled":true}`, check: attachmentRules},
	{Name: "attachmentMaxBytes", Default: "10485760", check: maxBytes},
	{Name: "preChatForm", Widget: true, check: preChatForm},
	{Name: "telegramBotToken", Env: "TELEGRAM_BOT_TOKEN", Secret: true, check: text(200)},
	{Name: "telegramChatId", Env: "TELEGRAM_CHAT_ID", check: text(100)},
	{Name: "telegramWebhookSecret", Env: "TELEGRAM_WEBHOOK_SECRET", Secret: true, check: text(256)},
	{Name: "discordBotToken", Env: "DISCORD_BOT_TOKEN", Secret: true, check: text(200)},
	{Name: "discordChannelId", Alias: "bridgeBChannelId", Env: "DISCORD_CHANNEL_ID", check: text(100)},
	{Name: "enableDiscordGateway", Env: "ENABLE_DISCORD_GATEWAY", Default: "false", check: shape[bool]},
	{Name: "discordPublicKey", Env: "DISCORD_PUBLIC_KEY", check: text(200)},
	{Name: "slackBotToken", Alias: "bridgeCBotToken", Env: "SLACK_BOT_TOKEN", Secret: true, check: text(300)},
	{Name: "slackChannelId", Alias: "bridgeCChannelId", Env: "SLACK_CHANNEL_ID", check: text(100)},
	{Name: "slackSigningSecret", Env: "SLACK_SIGNING_SECRET", Secret: true, check: text(200)},
	{Name: "slackAppToken", Env: "SLACK_APP_TOKEN", Secret: true, check: text(300)},
	{Name: "eventsWebhookUrl", Env: "EVENTS_WEBHOOK_URL", check: address("http", "https")},
	{Name: "eventsWebhookSecret", Env: "EVENTS_WEBHOOK_SECRET", Secret: true, check: text(500)},
	{Name: "eventsWebhookEnabled", Default: "true", check: shape[bool]},
	{Name: "csatEnabled", Default: "false", check: shape[bool]},
	{Name: "csatTrigger", Default: `"off"`, check: oneOf("off", "on_close", "on_disconnect", "manual")},
}

// Where a setting's value comes from; a stored one wins.
const (
	FromDefault     = "default"
	FromEnvironment = "environment"
	FromStored      = "stored"
)

// Settings are the values in force with their sources.
type Settings struct {
	values  map[string]Raw
	sources map[string]string
}

// PreChatForm is what a visitor is asked before or after its first message.
type PreChatForm struct {
	Required bool           `json:"required"`
	Timing   string         `json:"timing"` // before_first_message or after_first_message
	Fields   []PreChatField `json:"fields"`
}

// PreChatField is one question of a PreChatForm.
type PreChatField struct {
	Name     string   `json:"name"`
	Type     string   `json:"type"`
	Label    string   `json:"label"`
	Required bool     `json:"required"`
	Options  []string `json:"options,omitempty"`
}

// AttachmentRules say what files are accepted.
type AttachmentRules struct {
	Enabled  bool  `json:"enabled"`
	MaxBytes int64 `json:"maxBytes"`
	// Types are MIME types, or their first half like image/*. None means any.
	Types []string `json:"types"`
}

// Allows reports whether files of a type are accepted.
func (a *AttachmentRules) Allows(mimeType string) bool {
	half, _, _ := strings.Cut(mimeType, "/")
	return len(a.Types) == 0 || slices.Contains(a.Types, mimeType) || slices.Contains(a.Types, half+"/*")
}

// Settings returns the settings in force.
func (r *Relay) Settings() *Settings { return r.settings.Load() }

// PatchSettings stores the given settings: all of them or, when one is unknown
// or of the wrong type, none. null removes a stored value, a secret's mask
// leaves it as it is.
func (r *Relay) PatchSettings(ctx context.Context, patch map[string]json.RawMessage) error {
	changes := map[string]Raw{}
	for name, value := range patch {
		s, ok := findSetting(name)
		if !ok {
			return Errorf(Invalid, "unknown setting %s", name)
		}
		if isNull(value) {
			changes[s.Name] = nil
			continue
		}
		if s.Secret && isMask(value, r.Settings().values[s.Name]) {
			continue
		}
		if err := s.check(value); err != nil {
			return Errorf(Invalid, "%s %s", name, err)
		}
		changes[s.Name] = Raw(bytes.Clone(value))
	}
	err := r.store.Apply(ctx, func(tx Tx) error { return storeSettings(tx, changes) })
	if err != nil {
		return err
	}
	if err := r.loadSettings(ctx); err != nil {
		return err
	}
	r.hub.Broadcast(StateConfig, map[string]any{"config": r.Settings().WidgetConfig()})
	return nil
}

func storeSettings(tx Tx, changes map[string]Raw) error {
	for name, value := range changes {
		var err error
		if value == nil {
			err = tx.DeleteSetting(name)
		} else {
			err = tx.PutSetting(name, value)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// loadSettings reads the stored settings over those of the environment.
func (r *Relay) loadSettings(ctx context.Context) error {
	return r.store.Read(ctx, func(rd Reader) error {
		stored, err := rd.Settings()
		if err != nil {
			return err
		}
		r.settings.Store(mergeSettings(r.env, stored))
		return nil
	})
}

func mergeSettings(env, stored map[string]Raw) *Settings {
	s := &Settings{values: map[string]Raw{}, sources: map[string]string{}}
	for _, def := range SettingList {
		value, source := Raw(def.Default), FromDefault
		if v, ok := env[def.Name]; ok {
			value, source = v, FromEnvironment
		}
		if v, ok := stored[def.Name]; ok {
			value, source = v, FromStored
		}
		s.values[def.Name], s.sources[def.Name] = value, source
	}
	return s
}

// Public returns the settings as the admin API answers them: aliases too,
// secrets masked, and under "sources" where each value comes from.
func (s *Settings) Public() map[string]any {
	out := map[string]any{"sources": s.sources}
	for _, def := range SettingList {
		value := s.values[def.Name]
		if def.Secret && len(value) > 0 {
			value = mask(value)
		}
		out[def.Name] = value
		if def.Alias != "" {
			out[def.Alias] = value
		}
	}
	return out
}

// WidgetConfig returns the config object of the widget (contract.md 3).
func (s *Settings) WidgetConfig() map[string]any {
	out := map[string]any{}
	for _, def := range SettingList {
		if def.Widget {
			out[def.Name] = s.values[def.Name]
		}
	}
	out["attachments"] = s.AttachmentRules()
	out["csat"] = map[string]bool{"enabled": s.Bool("csatEnabled")}
	return out
}

// AttachmentRules returns the rules for files.
func (s *Settings) AttachmentRules() AttachmentRules {
	rules := AttachmentRules{Enabled: true, MaxBytes: DefaultMaxBytes, Types: []string{}}
	s.decode("attachmentMaxBytes", &rules.MaxBytes)
	s.decode("attachments", &rules)
	return rules
}

// Text returns a setting's text, "" when it has none.
func (s *Settings) Text(name string) string {
	var v string
	s.decode(name, &v)
	return v
}

// Bool returns a setting that is on or off.
func (s *Settings) Bool(name string) bool {
	var v bool
	s.decode(name, &v)
	return v
}

// decode reads a value that was checked when it was stored.
func (s *Settings) decode(name string, v any) {
	if raw := s.values[name]; len(raw) > 0 {
		_ = json.Unmarshal(raw, v)
	}
}

func findSetting(name string) (*Setting, bool) {
	i := slices.IndexFunc(SettingList, func(s Setting) bool {
		return s.Name == name || (s.Alias != "" && s.Alias == name)
	})
	if i < 0 {
		return nil, false
	}
	return &SettingList[i], true
}

func isNull(value json.RawMessage) bool { return string(bytes.TrimSpace(value)) == "null" }

// mask shows a secret's last four characters, or none of a short one.
func mask(value Raw) Raw {
	var secret string
	_ = json.Unmarshal(value, &secret)
	if secret == "" {
		return nil
	}
	shown := ""
	if len(secret) >= 12 {
		shown = secret[len(secret)-4:]
	}
	return mustJSON("••••" + shown)
}

// isMask reports whether value is what GET answered for current.
func isMask(value json.RawMessage, current Raw) bool {
	var given, masked string
	if json.Unmarshal(value, &given) != nil || len(current) == 0 {
		return false
	}
	_ = json.Unmarshal(mask(current), &masked)
	return given == masked
}

// The checks of settings: each answers the end of a sentence that begins with
// the setting's name.

type checkError string

func (e checkError) Error() string { return string(e) }

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

var colourForm = regexp.MustCompile(`^#[0-9a-fA-F]{6}$`)

func colour(value json.RawMessage) error {
	var v string
	if json.Unmarshal(value, &v) != nil || !colourForm.MatchString(v) {
		return checkError("must be a colour like #3b5bdb")
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
		if v != "" && (err != nil || u.Host == "" || !slices.Contains(schemes, u.Scheme)) {
			return checkError("must be an address that begins with " + strings.Join(schemes, ":// or ") + "://")
		}
		return nil
	}
}

// The largest file that can be allowed.
const largestMaxBytes = 1 << 30

func maxBytes(value json.RawMessage) error {
	var v int64
	if json.Unmarshal(value, &v) != nil || v < 1 || v > largestMaxBytes {
		return checkError("must be a number of bytes from 1 to 1073741824")
	}
	return nil
}

func attachmentRules(value json.RawMessage) error {
	if err := shape[AttachmentRules](value); err != nil {
		return checkError("must be an object with enabled, maxBytes and types")
	}
	var v AttachmentRules
	v.MaxBytes = 1
	if json.Unmarshal(value, &v) != nil || v.MaxBytes < 1 || v.MaxBytes > largestMaxBytes {
		return checkError("must have a maxBytes from 1 to 1073741824")
	}
	return nil
}

func preChatForm(value json.RawMessage) error {
	var v PreChatForm
	if shape[PreChatForm](value) != nil || json.Unmarshal(value, &v) != nil {
		return checkError("must be an object with required, timing and fields")
	}
	if v.Timing != "before_first_message" && v.Timing != "after_first_message" {
		return checkError("must have the timing before_first_message or after_first_message")
	}
	for _, f := range v.Fields {
		if f.Name == "" || f.Label == "" || len(f.Name) > maxName || f.Type == "" {
			return checkError("must have a name, a type and a label in every field")
		}
	}
	return nil
}

func shape[T any](value json.RawMessage) error {
	var v T
	d := json.NewDecoder(bytes.NewReader(value))
	d.DisallowUnknownFields()
	if err := d.Decode(&v); err != nil {
		return checkError("is of the wrong type")
	}
	return nil
}
