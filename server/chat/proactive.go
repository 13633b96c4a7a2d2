package chat

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"
)

// ProactiveMessage is shown on a page before the visitor has asked anything. The
// browser decides, by these rules alone, and shows each at most once.
type ProactiveMessage struct {
	ID string `json:"id"`
	// Text is what is shown; Texts are translations by language.
	Text  string            `json:"text"`
	Texts map[string]string `json:"texts,omitempty"`
	// Pages are paths like /pricing or /shop/*; none means every page.
	Pages []string `json:"pages"`
	// Seconds is how long the visitor has been on the page.
	Seconds int `json:"seconds"`
	// ExitIntent waits until the pointer leaves the page at its top.
	ExitIntent bool `json:"exitIntent"`
	OnlyOnline bool `json:"onlyOnline"`
	Disabled   bool `json:"disabled,omitempty"`
}

// Bounds of proactive messages.
const (
	maxProactive      = 20
	maxProactivePages = 20
	maxProactiveText  = 500 // characters
	maxProactiveWait  = 3600
)

var (
	isProactiveID = Pattern(`[A-Za-z0-9_-]{1,40}`)
	isPagePattern = Pattern(`[/*][!-~]{0,299}`)
)

// Proactive returns the messages that are switched on.
func (s *Settings) Proactive() []ProactiveMessage {
	list := []ProactiveMessage{}
	s.decode("proactive", &list)
	return slices.DeleteFunc(list, func(m ProactiveMessage) bool { return m.Disabled })
}

// proactive checks the setting of that name.
func proactive(value json.RawMessage) error {
	const must = `a list of messages like {"id":"prices","text":"Questions about our prices?","pages":["/pricing*"],"seconds":20,"exitIntent":false,"onlyOnline":true}`
	if err := shape[[]ProactiveMessage](must)(value); err != nil {
		return err
	}
	var list []ProactiveMessage
	if json.Unmarshal(value, &list) != nil || list == nil || len(list) > maxProactive {
		return checkError("must be a list of at most 20 messages")
	}
	for i, m := range list {
		same := func(other ProactiveMessage) bool { return other.ID == m.ID }
		if !isProactiveID(m.ID) || slices.ContainsFunc(list[:i], same) {
			return checkError("must have an id of letters, digits, - and _ in every message, each another")
		}
		if err := m.check(); err != nil {
			return checkError("." + m.ID + err.Error())
		}
	}
	return nil
}

func (m *ProactiveMessage) check() error {
	tooLong := func(text string) bool {
		n := utf8.RuneCountInString(text)
		return n == 0 || n > maxProactiveText || strings.TrimSpace(text) == ""
	}
	if tooLong(m.Text) {
		return checkError(".text must have 1 to 500 characters")
	}
	for code, text := range m.Texts {
		if !isLanguage(code) || tooLong(text) || len(m.Texts) > maxLanguages {
			return checkError(".texts must be texts of 1 to 500 characters by language: de, fr, pt")
		}
	}
	if m.Seconds < 0 || m.Seconds > maxProactiveWait {
		return checkError(".seconds must be from 0 to 3600")
	}
	if len(m.Pages) > maxProactivePages || slices.ContainsFunc(m.Pages, func(p string) bool { return !isPagePattern(p) }) {
		return checkError(".pages must be at most 20 paths like /pricing or /shop/*")
	}
	return nil
}
