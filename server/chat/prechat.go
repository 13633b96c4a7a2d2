package chat

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Bounds of the answers to a pre-chat form.
const (
	maxAnswer  = 1000 // characters of one answer
	maxAnswers = 50
)

// fieldTypes are the types of a question. A stored form of an earlier version may
// have others, which are shown as text.
var fieldTypes = []string{"text", "email", "phone", "tel", "number", "textarea", "select", "checkbox"}

// BeforeFirstMessage is when a form is due that comes first.
const BeforeFirstMessage = "before_first_message"

// PreChatForm returns the current form; without one it has no fields.
func (s *Settings) PreChatForm() (form PreChatForm) {
	s.decode("preChatForm", &form)
	return form
}

// Check checks answers against the form. Without a form a page may ask anything.
func (form *PreChatForm) Check(answers map[string]any) error {
	if len(answers) > maxAnswers {
		return Errorf(Invalid, "fields has too many entries")
	}
	for _, name := range slices.Sorted(maps.Keys(answers)) {
		if utf8.RuneCountInString(name) > MaxName {
			return Errorf(Invalid, "a name in fields is too long")
		}
		field, declared := form.field(name)
		if !declared {
			return Errorf(Invalid, "fields.%s is not a field of the pre-chat form", name)
		}
		if err := field.check(answers[name]); err != nil {
			return Errorf(Invalid, "fields.%s %s", name, err)
		}
	}
	for i := range form.Fields {
		f := &form.Fields[i]
		if v := answers[f.Name]; f.Required && (v == nil || v == "" || v == false) {
			return Errorf(Invalid, "fields.%s is required", f.Name)
		}
	}
	return nil
}

// field finds a question by its name. Without a form, the names that
// become part of an identity imply their types.
func (form *PreChatForm) field(name string) (f PreChatField, declared bool) {
	i := slices.IndexFunc(form.Fields, func(f PreChatField) bool { return f.Name == name })
	if i >= 0 {
		return form.Fields[i], true
	}
	switch name {
	case "name":
		f.Type = "text"
	case "email", "phone":
		f.Type = name
	}
	return f, len(form.Fields) == 0
}

// check returns an answer's problem. An empty text counts as no answer.
func (f *PreChatField) check(answer any) error {
	ok := false
	switch v := answer.(type) {
	case string:
		if utf8.RuneCountInString(v) > maxAnswer {
			return checkError("must be at most " + itoa(maxAnswer) + " characters")
		}
		ok = f.accepts(v)
	case bool:
		ok = f.Type == "" || f.Type == "checkbox"
	case float64:
		ok = f.Type == "" || f.Type == "number"
	}
	if !ok {
		return checkError("must be " + f.wants())
	}
	return nil
}

// accepts reports whether a text is a valid answer.
func (f *PreChatField) accepts(v string) bool {
	switch f.Type {
	case "checkbox":
		return false
	case "email":
		return v == "" || isEmail(v)
	case "number":
		_, err := strconv.ParseFloat(v, 64)
		return v == "" || err == nil
	case "select":
		return v == "" || slices.Contains(f.Options, v)
	}
	return true
}

// wants describes valid answers.
func (f *PreChatField) wants() string {
	switch f.Type {
	case "":
		return "a text, a number or true or false"
	case "email":
		return "an e-mail address"
	case "number":
		return "a number"
	case "select":
		return "one of " + strings.Join(f.Options, ", ")
	case "checkbox":
		return "true or false"
	}
	return "a text"
}

// isEmail is not stricter than browsers.
var isEmail = Pattern(`[^\s@]{1,64}@[^\s@]{1,255}`)
