package engine

import (
	"context"
	"strings"

	"github.com/relay-chat/relay/server/chat"
)

// FillPlaceholders replaces {visitor.name}, {visitor.email} and {operator.name} in a saved
// answer. The text after a bar replaces an unknown value: {visitor.name|there}. Other
// braces are ordinary text.
func FillPlaceholders(text string, values map[string]string) string {
	var out strings.Builder
	for {
		before, rest, found := strings.Cut(text, "{")
		inner, after, closed := strings.Cut(rest, "}")
		out.WriteString(before)
		if !found || !closed {
			out.WriteString(text[len(before):])
			return out.String()
		}
		name, fallback, _ := strings.Cut(inner, "|")
		value, known := values[strings.TrimSpace(name)]
		if !known {
			out.WriteByte('{')
			text = rest
			continue
		}
		if value = strings.TrimSpace(value); value == "" {
			value = strings.TrimSpace(fallback)
		}
		if text = after; value != "" {
			out.WriteString(value)
			continue
		}
		shorter := strings.TrimSuffix(out.String(), " ") // "Hello ," reads badly
		out.Reset()
		out.WriteString(shorter)
	}
}

// placeholders returns the values of the placeholders in a session.
func placeholders(s *chat.Session, by chat.Author) map[string]string {
	values := map[string]string{"visitor.name": "", "visitor.email": "", "operator.name": by.Name}
	for _, facts := range []map[string]any{s.IdentityFacts(), chat.FactsOf(s.PreChat)} {
		for _, field := range []string{"name", "email"} {
			if text, ok := facts[field].(string); ok && values["visitor."+field] == "" {
				values["visitor."+field] = chat.Clip(chat.OneLine(text), 80)
			}
		}
	}
	return values
}

// AnswerFor returns the saved answer with a name for a session, see SavedAnswer, with its
// placeholders filled.
func (r *savedAnswers) AnswerFor(ctx context.Context, by chat.Author, sessionID, name string) (string, error) {
	var s chat.Session
	err := r.store.ReadOne(ctx, func(rd chat.Reader) (err error) {
		s, err = rd.Session(sessionID)
		return err
	})
	if err != nil {
		return "", err
	}
	a, err := r.SavedAnswer(ctx, by, chat.SiteSet{s.Site}, name)
	if err != nil || !strings.Contains(a.Content, "{") {
		return a.Content, err
	}
	if by.Name == "" {
		by.Name = r.config.SettingsOf(s.Site).Text("operatorName")
	}
	return FillPlaceholders(a.Content, placeholders(&s, by)), err
}
