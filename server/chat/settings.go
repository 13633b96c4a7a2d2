package chat

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// The source of a setting's value; a stored value wins.
const (
	FromDefault     = "default"
	FromEnvironment = "environment"
	FromStored      = "stored"
	FromSite        = "site" // stored for this site alone, as long as there are several
	FromFile        = "file" // declared for this site in the file of sites
)

// Settings are the current values with their sources.
type Settings struct {
	declared  []Setting
	values    map[string]Raw
	sources   map[string]string
	variables map[string]string // of settings that the environment sets
	pushes    bool              // devices can be notified
	// mailWished: somebody of the team wants e-mails about visitors' messages.
	mailWished bool
	// confirmedHost is the private host and port of the AI that an administrator confirmed.
	confirmedHost string
}

// PreChatForm is the form that visitors fill in before or after their first message.
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

// AttachmentRules decide which files are accepted.
type AttachmentRules struct {
	Enabled  bool  `json:"enabled"`
	MaxBytes int64 `json:"maxBytes"`
	// Types are MIME types, or whole families like image/*. None means any.
	Types []string `json:"types"`
}

// Allows reports whether files of a type are accepted.
func (a *AttachmentRules) Allows(mimeType string) bool {
	half, _, _ := strings.Cut(mimeType, "/")
	return len(a.Types) == 0 || slices.Contains(a.Types, mimeType) || slices.Contains(a.Types, half+"/*")
}

// maxMistakes bounds how many mistakes one error reports.
const maxMistakes = 20

// Changes returns the values that a patch stores, nil for those it removes.
func (s *Settings) Changes(patch map[string]json.RawMessage) (map[string]Raw, error) {
	changes := map[string]Raw{}
	fields := map[string]string{}
	var mistakes []string
	for _, name := range slices.Sorted(maps.Keys(patch)) {
		value := patch[name]
		def, known := s.find(name)
		switch {
		case !known:
			mistakes = append(mistakes, "unknown setting "+Clip(OneLine(name), MaxName))
		case name == def.Alias && differs(patch, def.Name, value):
			mistakes = append(mistakes, def.Alias+" and "+def.Name+" are one setting and must not differ")
		case isNull(value):
			changes[def.Name] = nil
		case def.Secret && isMask(value, s.values[def.Name]):
		default:
			if err := def.Check(value); err != nil {
				mistakes = append(mistakes, sentence(name, err))
				fields[name] = problemOf(err)
			}
			changes[def.Name] = Raw(bytes.Clone(value))
		}
	}
	if more := len(mistakes) - maxMistakes; more > 0 {
		mistakes = append(mistakes[:maxMistakes], "and "+itoa(int64(more))+" more")
	}
	if len(mistakes) > 0 {
		return nil, &Error{Kind: Invalid, Text: strings.Join(mistakes, "; "), Fields: fields}
	}
	s.keepMailSecrets(changes)
	s.keepAIKey(changes)
	s.keepSignOnSecret(changes)
	return changes, nil
}

// textAfter is what a setting's text is after changes, which were checked.
func (s *Settings) textAfter(changes map[string]Raw, name string) (text string) {
	value, changed := changes[name]
	if !changed {
		return s.Text(name)
	}
	_ = json.Unmarshal(value, &text) // nil is none
	return text
}

// takeBack has changes remove the values of settings that they do not bring anew.
func takeBack(changes map[string]Raw, names ...string) {
	for _, name := range names {
		if _, given := changes[name]; !given {
			changes[name] = nil
		}
	}
}

// differs reports whether a patch has another value under name.
func differs(patch map[string]json.RawMessage, name string, value json.RawMessage) bool {
	other, given := patch[name]
	return given && !bytes.Equal(other, value)
}

// SettingsOf merges stored values of the declared settings over those of the environment.
func SettingsOf(declared []Setting, env, stored map[string]Raw) *Settings {
	s := &Settings{declared: declared, values: map[string]Raw{}, sources: map[string]string{}, variables: map[string]string{}, pushes: len(stored[SettingPush]) > 0, mailWished: len(stored[SettingMailWishes]) > 0}
	_ = json.Unmarshal(stored[SettingConfirmedHost], &s.confirmedHost)
	for i := range declared {
		def := &declared[i]
		value, source := Raw(def.Default), FromDefault
		if v, ok := env[def.Name]; ok {
			value, source = v, FromEnvironment
			s.variables[def.Name] = def.Env
		}
		if v, ok := stored[def.Name]; ok {
			value, source = v, FromStored
		}
		s.values[def.Name], s.sources[def.Name] = value, source
	}
	return s
}

// ofSite returns the settings with those of one site over relay's own.
func (s *Settings) ofSite(own map[string]Raw, several bool) *Settings {
	if several {
		return s.over(own, FromSite)
	}
	return s.over(own, FromStored)
}

// over returns the settings with those of a site in their place.
func (s *Settings) over(own map[string]Raw, source string) *Settings {
	if len(own) == 0 {
		return s
	}
	of := *s
	of.values, of.sources = maps.Clone(s.values), maps.Clone(s.sources)
	for i := range s.declared {
		def := &s.declared[i]
		if value, ok := own[def.Name]; ok && def.Site {
			of.values[def.Name], of.sources[def.Name] = value, source
		}
	}
	return &of
}

// IsOfSite reports whether each site may have its own value of a setting.
func (s *Settings) IsOfSite(name string) bool {
	def, known := s.find(name)
	return known && def.Site
}

// IsOfBridge reports whether a setting is a bridge's.
func (s *Settings) IsOfBridge(name string) bool {
	def, known := s.find(name)
	return known && def.Bridge != ""
}

// OfSites lists the settings of which each site may have its own value.
func (s *Settings) OfSites() (names []string) {
	for i := range s.declared {
		if def := &s.declared[i]; def.Site && !def.Fixed {
			names = append(names, def.Name)
		}
	}
	return names
}

// Movable returns the values that a site takes along to another relay: what each site may
// have of its own and is no default, without secrets and without the channels of this relay's
// bots.
func (s *Settings) Movable() map[string]Raw {
	values := map[string]Raw{}
	for i := range s.declared {
		def := &s.declared[i]
		if def.Site && def.Bridge == "" && !def.Fixed && !def.Secret && s.sources[def.Name] != FromDefault && len(s.values[def.Name]) > 0 {
			values[def.Name] = s.values[def.Name]
		}
	}
	return values
}

// SettingValue is a setting as a list shows it.
type SettingValue struct{ Name, Value, Source string }

// List returns the settings that the API has, or those alone that a site may have of its
// own. Secrets are masked.
func (s *Settings) List(ofSite bool) (list []SettingValue) {
	for i := range s.declared {
		def := &s.declared[i]
		if def.Fixed || ofSite && !def.Site {
			continue
		}
		value := s.values[def.Name]
		if def.Secret && len(value) > 0 {
			value = mask(value)
		}
		if holdsPicture(value) {
			value = Raw(`"(an uploaded picture)"`)
		}
		list = append(list, SettingValue{def.Name, string(value), s.sources[def.Name]})
	}
	return list
}

// Public returns the settings as the admin API does: with aliases, masked secrets, the
// source of each value and the environment variables that set some of them.
func (s *Settings) Public() map[string]any {
	sources, variables := maps.Clone(s.sources), maps.Clone(s.variables)
	out := map[string]any{"sources": sources, "variables": variables}
	for i := range s.declared {
		def := &s.declared[i]
		if def.Fixed {
			delete(sources, def.Name)
			delete(variables, def.Name)
			continue
		}
		value := s.values[def.Name]
		if def.Secret && len(value) > 0 {
			value = mask(value)
		}
		out[def.Name] = value
		if def.Alias != "" {
			out[def.Alias] = value
			sources[def.Alias] = s.sources[def.Name]
		}
	}
	return out
}

// WidgetConfig returns the config object of a site's widget, as far as the settings know it.
func (s *Settings) WidgetConfig(site string) map[string]any {
	out := map[string]any{}
	for i := range s.declared {
		if def := &s.declared[i]; def.Widget {
			out[def.Name] = s.values[def.Name]
		}
	}
	out["operatorAvatar"] = s.pictureAddress(site)
	out["attachments"] = s.AttachmentRules()
	out["csat"] = map[string]any{"enabled": s.Bool("csatEnabled"), "style": s.Text("csatStyle")}
	return out
}

// AttachmentRules returns the rules for files.
func (s *Settings) AttachmentRules() AttachmentRules {
	rules := AttachmentRules{Enabled: true, MaxBytes: DefaultMaxBytes, Types: []string{}}
	s.decode("attachmentMaxBytes", &rules.MaxBytes)
	s.decode("attachments", &rules)
	if rules.Types == nil { // lists are never null
		rules.Types = []string{}
	}
	return rules
}

// Text returns a setting's text, "" when it has none.
func (s *Settings) Text(name string) string {
	var v string
	s.decode(name, &v)
	return v
}

// Value returns a setting's JSON, "" when it has none.
func (s *Settings) Value(name string) string { return string(s.values[name]) }

// EnvOf returns the environment variable of a setting, "" for none.
func (s *Settings) EnvOf(name string) string {
	def, ok := s.find(name)
	if !ok {
		return ""
	}
	return def.Env
}

// Variable returns the environment variable that sets a setting, "" for none.
func (s *Settings) Variable(name string) string { return s.variables[name] }

// With returns a copy of the settings with some values replaced.
func (s *Settings) With(values map[string]json.RawMessage) *Settings {
	other := &Settings{declared: s.declared, values: maps.Clone(s.values), sources: s.sources, variables: s.variables, confirmedHost: s.confirmedHost}
	for name, value := range values {
		other.values[name] = Raw(value)
	}
	return other
}

// Source returns where a setting's value comes from.
func (s *Settings) Source(name string) string { return s.sources[name] }

// Number returns a numeric setting.
func (s *Settings) Number(name string) int64 {
	var v int64
	s.decode(name, &v)
	return v
}

// Bool returns a boolean setting.
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

// find returns a setting that the API has.
func (s *Settings) find(name string) (*Setting, bool) {
	i := slices.IndexFunc(s.declared, func(def Setting) bool {
		return !def.Fixed && (def.Name == name || def.Alias != "" && def.Alias == name)
	})
	if i < 0 {
		return nil, false
	}
	return &s.declared[i], true
}

func isNull(value json.RawMessage) bool { return string(bytes.TrimSpace(value)) == "null" }

// mask shows the last four characters of a long secret and none of a short one.
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
	return MustJSON("••••" + shown)
}

// isMask reports whether value is the mask of current.
func isMask(value json.RawMessage, current Raw) bool {
	var given, masked string
	if json.Unmarshal(value, &given) != nil || len(current) == 0 {
		return false
	}
	_ = json.Unmarshal(mask(current), &masked)
	return given == masked
}

// Pushes reports whether there are devices to notify.
func (s *Settings) Pushes() bool { return s.pushes }
