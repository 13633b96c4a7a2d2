package chat

import (
	"context"
	"maps"
	"slices"
	"unicode/utf8"
)

// maxName is the longest name of a custom event or a pre-chat field.
const maxName = 100

// maxAnswer is the longest answer to a question of the pre-chat form.
const maxAnswer = 1000

// CustomEvent is an event with a meaning that only the website and its backend
// know (seed 2, custom event). Data is a JSON object or nil.
type CustomEvent struct {
	Name      string `json:"name"`
	Data      Raw    `json:"data,omitempty"`
	Timestamp Time   `json:"timestamp"`
}

// check refuses what is no custom event; parent is where it stands in a body.
func (e *CustomEvent) check(parent string) error {
	switch {
	case e.Name == "":
		return Errorf(Invalid, "%sname is required", parent)
	case utf8.RuneCountInString(e.Name) > maxName:
		return Errorf(Invalid, "%sname must be at most %d characters", parent, maxName)
	case len(e.Data) > 0 && e.Data[0] != '{':
		return Errorf(Invalid, "%sdata must be an object", parent)
	}
	return nil
}

// Trigger lets a custom event through: from the page to the desks, or from an
// operator's program to the page.
func (r *Relay) Trigger(ctx context.Context, by Author, sessionID string, e CustomEvent) error {
	if err := e.check(""); err != nil {
		return err
	}
	return r.change(ctx, by, sessionID, func(c *change) error {
		e.Timestamp = c.at
		return c.emitFact(EventCustom, e)
	})
}

// FillIn stores a visitor's answers to the pre-chat form. Name, email and
// phone also become part of its identity, as long as that is not verified.
func (r *Relay) FillIn(ctx context.Context, by Author, sessionID string, answers map[string]any) error {
	if err := r.checkAnswers(answers); err != nil {
		return err
	}
	return r.change(ctx, by, sessionID, func(c *change) error {
		c.session.PreChat = mustJSON(answers)
		identity := map[string]any{}
		for _, name := range []string{"name", "email", "phone"} {
			if text, ok := answers[name].(string); ok && text != "" && !c.session.Verified && !r.identity.Required {
				identity[name] = text
			}
		}
		return c.learn(identity)
	})
}

// checkAnswers holds answers to the form in force.
func (r *Relay) checkAnswers(answers map[string]any) error {
	if len(answers) > 50 {
		return Errorf(Invalid, "fields has too many entries")
	}
	for _, name := range slices.Sorted(maps.Keys(answers)) {
		switch v := answers[name].(type) {
		case bool, float64:
		case string:
			if utf8.RuneCountInString(v) > maxAnswer {
				return Errorf(Invalid, "fields.%.100s must be at most %d characters", name, maxAnswer)
			}
		default:
			return Errorf(Invalid, "fields.%.100s must be a text, a number or true or false", name)
		}
		if utf8.RuneCountInString(name) > maxName {
			return Errorf(Invalid, "a name in fields is too long")
		}
	}
	var form PreChatForm
	r.Settings().decode("preChatForm", &form)
	for _, f := range form.Fields {
		if v, given := answers[f.Name]; f.Required && (!given || v == "") {
			return Errorf(Invalid, "fields.%s is required", f.Name)
		}
	}
	return nil
}
