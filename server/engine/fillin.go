package engine

import (
	"context"
	"slices"
	"strings"

	"github.com/relay-chat/relay/server/chat"
)

// FillIn stores a visitor's answers to the pre-chat form. Name, email and
// phone also become part of its identity, as long as that is not verified.
func (r *Relay) FillIn(ctx context.Context, by chat.Author, sessionID string, answers map[string]any) error {
	for name, v := range answers {
		if text, ok := v.(string); ok {
			answers[name] = strings.TrimSpace(text)
		}
	}
	form := r.SettingsOf(by.Site).PreChatForm()
	if err := form.Check(answers); err != nil {
		return err
	}
	return r.change(ctx, by, sessionID, func(c *change) error {
		c.session.PreChat = chat.MustJSON(answers)
		identity := map[string]any{}
		for _, name := range []string{"name", "email", "phone"} {
			if text, ok := answers[name].(string); ok && text != "" && !c.session.Verified && !r.identity.Required {
				identity[name] = text
			}
		}
		return c.addIdentity(identity)
	})
}

// checkFormDue rejects a session's first message while a form that must
// be filled in first is not.
func (c *change) checkFormDue() error {
	if c.by.Sender != chat.SenderVisitor || c.backend || c.session.Started() || len(c.session.PreChat) > 0 {
		return nil
	}
	form := c.settings.PreChatForm()
	if !form.Required || form.Timing != chat.BeforeFirstMessage || len(form.Fields) == 0 {
		return nil
	}
	first := form.Fields[max(0, slices.IndexFunc(form.Fields, func(f chat.PreChatField) bool { return f.Required }))]
	return chat.Errorf(chat.Invalid, "fields.%s is required: the pre-chat form comes before the first message", first.Name)
}
