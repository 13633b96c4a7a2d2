package chat

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// The texts of a desk are plain: the bridge escapes and formats them.

// How much of what a visitor gave is shown in one place.
const (
	shownValue = 300 // characters of one value in a summary
	shownData  = 600 // of a custom event's data
)

// authorOf is who wrote a message as a desk shows it, "" for the visitor.
func authorOf(m *Message) string {
	switch m.Sender {
	case SenderVisitor:
		return ""
	case SenderAI:
		return cmp.Or(oneLine(m.OperatorName), "AI")
	}
	name := cmp.Or(oneLine(m.OperatorName), "Operator")
	if m.SourceBridge != "" {
		name += " (" + m.SourceBridge + ")"
	}
	if m.Internal {
		name = "Internal note by " + name
	}
	return name
}

// titleOf names a session by its visitor: name, e-mail address or page.
func titleOf(s *Session) string {
	id := identityOf(s)
	for _, name := range []string{"name", "email", "phone", "id"} {
		if v, ok := id[name].(string); ok && strings.TrimSpace(v) != "" {
			return clip(oneLine(v), 80)
		}
	}
	if page, err := url.Parse(s.Metadata.V.URL); err == nil && page.Host != "" {
		return clip("Visitor at "+page.Host+strings.TrimSuffix(page.Path, "/"), 80)
	}
	return "Visitor"
}

func identityOf(s *Session) map[string]any {
	id := map[string]any{}
	if len(s.Identity) > 0 {
		_ = json.Unmarshal(s.Identity, &id) // an object, as it was stored
	}
	return id
}

// summaryOf is what a thread begins with: what is known of the visitor.
func summaryOf(s *Session, continued bool) string {
	var lines []string
	if continued {
		lines = append(lines, "Continued: the conversation began elsewhere, or its earlier thread was not found.")
	}
	lines = append(lines, identityLines(identityOf(s), s.Verified)...)
	lines = append(lines, pageLines(s)...)
	lines = append(lines, "Write here to answer. !help lists the commands; a line that begins with // stays in the thread.")
	return strings.Join(lines, "\n")
}

// What the thread of houseSession begins with.
const (
	houseTitle   = "relay"
	houseSummary = "What relay itself has to tell operators stands here. No visitor reads it."
)

// pageLines show where a visitor is, with what, and what it answered.
func pageLines(s *Session) (lines []string) {
	m := s.Metadata.V
	for _, field := range [][2]string{{"Page", m.URL}, {"Referrer", m.Referrer}, {"Country", m.Country}, {"Browser", m.Browser},
		{"Device", m.DeviceType}, {"Language", m.Language}} {
		if field[1] != "" {
			lines = append(lines, field[0]+": "+clip(oneLine(field[1]), shownValue))
		}
	}
	return append(lines, valueLines(s.PreChat)...)
}

// contentOf is a message's text, or what it consists of.
func contentOf(m *Message) string {
	if m.Content != "" || len(m.Attachments.V) == 0 {
		return m.Content
	}
	names := make([]string, len(m.Attachments.V))
	for i, a := range m.Attachments.V {
		names[i] = a.Filename
	}
	return "[" + strings.Join(names, ", ") + "]"
}

// identityLines show who a visitor says it is, and whether that is proven.
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
		return clip(oneLine(s), shownValue)
	}
	return clip(string(mustJSON(v)), shownValue)
}

// label makes a name look like a label.
func label(name string) string {
	name = clip(oneLine(name), 60)
	if name == "" {
		return name
	}
	r, size := utf8.DecodeRuneInString(name)
	return string(unicode.ToUpper(r)) + name[size:]
}

// noteOf is what a desk says about an event that is no message, "" for
// nothing.
func noteOf(e *Event) (string, error) {
	var body struct {
		Identity map[string]any `json:"identity"`
		Verified bool           `json:"verified"`
		PreChat  Raw            `json:"preChat"`
		Name     string         `json:"name"`
		Data     Raw            `json:"data"`
		Score    int            `json:"score"`
		Comment  string         `json:"comment"`
		Duration float64        `json:"duration"`
		Reason   string         `json:"reason"`
		Active   *bool          `json:"active"`
		Online   bool           `json:"online"`
		Text     string         `json:"text"`
	}
	if err := json.Unmarshal(e.Payload, &body); err != nil {
		return "", fmt.Errorf("%w: read event %s: %w", ErrPermanent, e.Type, err)
	}
	switch e.Type {
	case EventIdentityUpdate:
		return strings.Join(append(identityLines(body.Identity, body.Verified), valueLines(body.PreChat)...), "\n"), nil
	case EventCustom:
		return strings.TrimSpace("Event: " + clip(oneLine(body.Name), maxName) + " " + dataText(body.Data)), nil
	case EventCSATSubmitted:
		return ratingText(body.Score, body.Comment), nil
	case EventDisconnect:
		return leaveText(body.Duration, body.Reason), nil
	case EventAITakeover:
		if body.Active != nil && !*body.Active {
			return "The AI stopped answering.", nil
		}
		return "The AI answers now, until an operator writes.", nil
	case EventStatusSet:
		if body.Online {
			return "Operators are online now.", nil
		}
		return "Operators are offline now.", nil
	case EventNotice:
		return body.Text, nil
	}
	return "", nil
}

func dataText(data Raw) string {
	if len(data) == 0 || string(data) == "null" || string(data) == "{}" {
		return ""
	}
	return clip(unescaped.Replace(string(data)), shownData)
}

// unescaped takes back how package json hides signs of HTML; what is escaped
// itself stays.
var unescaped = strings.NewReplacer(`\\`, `\\`, `\u003c`, "<", `\u003e`, ">", `\u0026`, "&")

func ratingText(score int, comment string) string {
	text := fmt.Sprintf("The visitor rated the conversation %d of 5.", score)
	if comment != "" {
		text += "\n" + comment
	}
	return text
}

func leaveText(seconds float64, reason string) string {
	why := map[string]string{"page_unload": "left the page", "inactivity": "was inactive for long", "manual": "closed the chat"}[reason]
	text := "The visitor " + cmp.Or(why, "left")
	if d := time.Duration(min(seconds, 1e8) * float64(time.Second)).Round(time.Second); d > 0 {
		text += " after " + d.String()
	}
	return text + "."
}

// unsent stands for a file that the platform does not take.
func unsent(f *OpFile) string {
	text := fmt.Sprintf("The file %s (%s, %d bytes) cannot be shown here.", f.Filename, f.MimeType, f.Size)
	if f.URL != "" {
		text += "\n" + f.URL
	}
	return text
}

// keptText stands by a message that was deleted, but not here.
func keptText(m *shown) string {
	what := "The visitor deleted this message"
	if m.Sender != SenderVisitor {
		what = "This message was deleted"
	}
	return what + ", written on " + m.Timestamp.Std().Format("2 January at 15:04 UTC") + ". The platform does not let relay remove it here."
}

// perhapsHereText warns of a deleted message that may stand here.
func perhapsHereText(m *Message) string {
	what := "The visitor deleted a message"
	if m.Sender != SenderVisitor {
		what = "A message was deleted"
	}
	return what + ", written on " + m.Timestamp.Std().Format("2 January at 15:04 UTC") +
		", that may stand above: relay could not find out whether it arrived. If it does, delete it by hand."
}

// oneLine puts a text on one line.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// clip cuts a text after so many characters.
func clip(s string, most int) string {
	runes := []rune(s)
	if len(runes) <= most {
		return s
	}
	return string(runes[:most-1]) + "…"
}
