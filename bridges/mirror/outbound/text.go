package outbound

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/relay-chat/relay/server/chat"
)

// The texts of a mirror are plain: the bridge escapes and formats them.

// shownData is how many characters of a custom event's data are shown.
const shownData = 600

// authorOf returns a message's author as a thread shows it, "" for the visitor.
func authorOf(m *chat.Message) string {
	switch m.Sender {
	case chat.SenderVisitor:
		if m.SourceBridge == chat.SourceAgent {
			return "Visitor, through an agent"
		}
		return ""
	case chat.SenderAI:
		return aiAuthorOf(m)
	}
	name := cmp.Or(chat.OneLine(m.OperatorName), "Operator")
	if m.SourceBridge != "" {
		name += " (" + m.SourceBridge + ")"
	}
	if m.Internal {
		name = "Internal note by " + name
	}
	return name
}

// aiAuthorOf is the AI as a thread shows it: always as one.
func aiAuthorOf(m *chat.Message) string {
	name := cmp.Or(chat.OneLine(m.OperatorName), "AI")
	if name != "AI" && m.SourceBridge == chat.SourceAI {
		name += " (AI)"
	}
	switch {
	case m.Draft:
		return "Draft by " + name
	case m.Internal:
		return "Internal note by " + name
	}
	return name
}

// The last lines of drafts, which stand in the text: an author cannot be changed
// everywhere.
const (
	draftWaits = "\n(!send sends it, !send … sends this instead, or just answer)"
	draftSent  = "\n(sent)"
)

// shownText is a message's text with the pages that it rests on and what the visitor can choose. A draft says what can
// be done with it.
func shownText(m *chat.Message) string {
	var b strings.Builder
	b.WriteString(m.Content)
	for i, s := range m.Sources {
		fmt.Fprintf(&b, "\n[%d] %s %s", i+1, s.Title, s.URL)
	}
	for _, button := range m.Buttons {
		b.WriteString("\n" + button.Line())
	}
	switch {
	case m.Draft && m.SentAt != 0:
		b.WriteString(draftSent)
	case m.Draft:
		b.WriteString(draftWaits)
	}
	return b.String()
}

// summaryOf returns the beginning of a thread: the lines about the visitor.
func summaryOf(about []string, continued bool) string {
	var lines []string
	if continued {
		lines = append(lines, "Continued: the conversation began elsewhere, or its earlier thread was not found.")
	}
	lines = append(lines, about...)
	lines = append(lines, "Write here to answer. !help lists the commands; messages starting with // are internal notes.")
	return strings.Join(lines, "\n")
}

// The beginning of the thread of SystemSession.
const (
	systemTitle   = "relay"
	systemSummary = "What relay itself has to tell operators stands here. No visitor reads it."
)

// contentOf returns a message's text, or the names of its files.
func contentOf(m *chat.Message) string {
	if m.Content != "" || len(m.Attachments.V) == 0 {
		return m.Content
	}
	names := make([]string, len(m.Attachments.V))
	for i, a := range m.Attachments.V {
		names[i] = a.Filename
	}
	return "[" + strings.Join(names, ", ") + "]"
}

// noteOf returns what a thread shows of an event that is no message, "" for
// nothing.
func noteOf(e *chat.Event) (string, error) {
	var body struct {
		Identity chat.Raw `json:"identity"`
		Verified bool     `json:"verified"`
		PreChat  chat.Raw `json:"preChat"`
		Name     string   `json:"name"`
		Data     chat.Raw `json:"data"`
		Score    int      `json:"score"`
		Comment  string   `json:"comment"`
		Duration float64  `json:"duration"`
		Reason   string   `json:"reason"`
		Active   *bool    `json:"active"`
		Online   bool     `json:"online"`
		Text     string   `json:"text"`
		Content  string   `json:"content"`
	}
	if err := json.Unmarshal(e.Payload, &body); err != nil {
		return "", fmt.Errorf("%w: read event %s: %w", chat.ErrPermanent, e.Type, err)
	}
	switch e.Type {
	case chat.EventIdentityUpdate:
		known := chat.Session{Identity: body.Identity, Verified: body.Verified, PreChat: body.PreChat}
		return strings.Join(known.Describe(), "\n"), nil
	case chat.EventCustom:
		return strings.TrimSpace("Event: " + chat.Clip(chat.OneLine(body.Name), chat.MaxName) + " " + dataText(body.Data)), nil
	case chat.EventCSATSubmitted:
		return chat.RatingText(body.Score, body.Comment), nil
	case chat.EventDisconnect:
		return leaveText(body.Duration, body.Reason), nil
	case chat.EventAITakeover:
		if body.Active != nil && !*body.Active {
			return cmp.Or(aiEnds[body.Reason], "The AI stopped answering."), nil
		}
		return "The AI answers now, until an operator writes.", nil
	case chat.EventStatusSet:
		if body.Online {
			return "Operators are online now.", nil
		}
		return "Operators are offline now.", nil
	case chat.EventUnanswered, chat.EventMailed, chat.EventMerged:
		return body.Content, nil
	case chat.EventNotice:
		return body.Text, nil
	}
	return "", nil
}

// aiEnds say why the AI answers no more.
var aiEnds = map[string]string{
	chat.AIEndOperator: "The AI stopped answering: an operator wrote.",
	chat.AIEndOff:      "The AI stopped answering: it was switched off here.",
	chat.AIEndAsked:    "The AI handed over: the visitor asks for a person.",
	chat.AIEndUnsure:   "The AI handed over: it does not know the answer.",
	chat.AIEndTopic:    "The AI handed over: it is about a topic that a person always answers.",
	chat.AIEndAction:   "The AI handed over: an action waits for your yes.",
	chat.AIEndLimit:    "The AI handed over: it answered as often as AI_MAX_ANSWERS allows.",
	chat.AIEndBudget:   "The AI handed over: today's tokens, or this address's messages, are used up.",
	chat.AIEndFailed:   "The AI handed over: its endpoint gives no answers. relay doctor says more.",
}

func dataText(data chat.Raw) string {
	if len(data) == 0 || string(data) == "null" || string(data) == "{}" {
		return ""
	}
	return chat.Clip(unescaped.Replace(string(data)), shownData)
}

// unescaped takes back how package json hides signs of HTML; what is escaped
// itself stays.
var unescaped = strings.NewReplacer(`\\`, `\\`, `\u003c`, "<", `\u003e`, ">", `\u0026`, "&")

func leaveText(seconds float64, reason string) string {
	why := map[string]string{"page_unload": "left the page", "inactivity": "was inactive for long", "manual": "closed the chat"}[reason]
	text := "The visitor " + cmp.Or(why, "left")
	if d := time.Duration(min(seconds, 1e8) * float64(time.Second)).Round(time.Second); d > 0 {
		text += " after " + d.String()
	}
	return text + "."
}

// unsent stands for a file that the platform does not accept.
func unsent(f *chat.OpFile) string {
	text := fmt.Sprintf("The file %s (%s, %d bytes) cannot be shown here.", f.Filename, f.MimeType, f.Size)
	if f.URL != "" {
		text += "\n" + f.URL
	}
	return text
}

// lateText says when a message was written that is delivered late.
func lateText(written chat.Time) string {
	return "\n\n(delivered late: written on " + day(written) + ")"
}

func day(at chat.Time) string { return at.Std().Format("2 January at 15:04 UTC") }

// waitingText stands for a delivery that could not be shown yet.
func waitingText(e *chat.Event, err error, stateless bool) string {
	return eventName(e) + " could not be shown here yet: " + chat.ReasonOf(err.Error()) + whereElse("relay keeps retrying", stateless)
}

// refusedText stands for a delivery that the platform rejected.
func refusedText(e *chat.Event, err error, stateless bool) string {
	return eventName(e) + " could not be shown here: " + chat.ReasonOf(err.Error()) + whereElse("Retry there sends it again", stateless)
}

// eventName names an event in a note.
func eventName(e *chat.Event) string {
	what := "Something that happened"
	switch e.Type {
	case chat.EventMessage:
		what = "A message"
	case chat.EventMessageEdited:
		what = "The edit of a message"
	case chat.EventMessageDeleted:
		what = "The deletion of a message"
	}
	return what + " on " + day(e.At)
}

// whereElse returns where the text can be read, and what happens next.
func whereElse(more string, stateless bool) string {
	if stateless {
		return ""
	}
	return "\nIt is in the console; " + more + "."
}

// keptText explains a message that was deleted, but not here.
func keptText(m *chat.Message) string {
	return deletedText(m, "this message") + ". The platform does not let relay remove it here."
}

// perhapsHereText warns of a deleted message that may stand here.
func perhapsHereText(m *chat.Message) string {
	return deletedText(m, "a message") + ", that may stand above: relay could not find out whether it arrived. If it does, delete it by hand."
}

func deletedText(m *chat.Message, which string) string {
	what := "The visitor deleted " + which
	if m.Sender != chat.SenderVisitor {
		what = strings.ToUpper(which[:1]) + which[1:] + " was deleted"
	}
	return what + ", written on " + day(m.Timestamp)
}

// earlierText shows the messages from before a thread began.
func earlierText(messages []chat.Message) string {
	lines := []string{"Earlier:"}
	for i := range messages {
		m := &messages[i]
		if m.DeletedAt != 0 {
			continue
		}
		from := cmp.Or(authorOf(m), "Visitor")
		lines = append(lines, from+": "+chat.Clip(chat.OneLine(contentOf(m)), chat.ShownValue))
	}
	if len(lines) == 1 {
		return "Earlier: (deleted)"
	}
	return strings.Join(lines, "\n")
}
