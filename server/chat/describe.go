package chat

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// ShownValue is how many characters of a visitor's value operators
// see.
const ShownValue = 300

// Title names a session by its visitor: name, e-mail address, or the nickname that the
// console shows, with the page.
func (s *Session) Title(hosts *Hosts) string {
	name := s.Named()
	if page := hosts.Short(s.Metadata.V.URL); page != "" && name == Nickname(s.VisitorID) {
		return Clip(OneLine(name+" · "+page), 80)
	}
	return name
}

// Named is what the visitor says of itself, or the nickname.
func (s *Session) Named() string {
	id := s.IdentityFacts()
	for _, name := range []string{"name", "email", "phone", "id"} {
		if v, ok := id[name].(string); ok && strings.TrimSpace(v) != "" {
			return Clip(OneLine(v), 80)
		}
	}
	return Nickname(s.VisitorID)
}

func (s *Session) IdentityFacts() map[string]any { return FactsOf(s.Identity) }

// FactsOf reads a stored object.
func FactsOf(object Raw) map[string]any {
	facts := map[string]any{}
	if len(object) > 0 {
		_ = json.Unmarshal(object, &facts) // an object, as it was stored
	}
	return facts
}

// Describe lists the known facts about the visitor, one per line: identity,
// page and answers to the pre-chat form.
func (s *Session) Describe() []string {
	lines := append(identityLines(s.IdentityFacts(), s.Verified), pageLines(s)...)
	return append(lines, valueLines(s.PreChat)...)
}

// pageLines shows the visitor's page and browser.
func pageLines(s *Session) (lines []string) {
	m := s.Metadata.V
	for _, field := range [][2]string{{"Page", m.URL}, {"Referrer", m.Referrer}, {"Country", m.Country}, {"Browser", m.Browser},
		{"Device", m.DeviceType}, {"Language", m.Language}, {"Time zone", m.Timezone}} {
		if field[1] != "" {
			lines = append(lines, field[0]+": "+Clip(OneLine(field[1]), ShownValue))
		}
	}
	return lines
}

// identityLines shows the visitor's identity and whether it is verified.
func identityLines(id map[string]any, verified bool) (lines []string) {
	if len(id) == 0 {
		return nil
	}
	names := slices.Sorted(maps.Keys(id))
	for _, first := range []string{"phone", "email", "name"} {
		if at := slices.Index(names, first); at >= 0 {
			names = slices.Insert(slices.Delete(names, at, at+1), 0, first)
		}
	}
	for _, name := range names {
		lines = append(lines, label(name)+": "+valueText(id[name]))
	}
	if verified {
		return append(lines, "Identity: verified")
	}
	return append(lines, "Identity: not verified")
}

// valueLines show an object's members.
func valueLines(object Raw) (lines []string) {
	var values map[string]any
	if len(object) == 0 || json.Unmarshal(object, &values) != nil {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		lines = append(lines, label(name)+": "+valueText(values[name]))
	}
	return lines
}

// valueText shows one value on one line.
func valueText(v any) string {
	if s, ok := v.(string); ok {
		return Clip(OneLine(s), ShownValue)
	}
	return Clip(string(MustJSON(v)), ShownValue)
}

// label turns a field's name into a label.
func label(name string) string {
	name = Clip(OneLine(name), 60)
	if name == "" {
		return name
	}
	r, size := utf8.DecodeRuneInString(name)
	return string(unicode.ToUpper(r)) + name[size:]
}

// RatingText renders a rating for operators.
func RatingText(score int, comment string) string {
	text := fmt.Sprintf("The visitor rated the conversation %d of 5.", score)
	if comment != "" {
		text += "\n" + comment
	}
	return text
}

// OneLine puts a text on one line.
func OneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// Clip cuts a text after most characters.
func Clip(s string, most int) string {
	runes := []rune(s)
	if len(runes) <= most {
		return s
	}
	return string(runes[:most-1]) + "…"
}

func itoa(n int64) string { return strconv.FormatInt(n, 10) }

// SessionRef names a session where its id must not appear: the id of a
// session without a token gives access to it.
func SessionRef(id string) string { return Hash(id)[:8] }
