package chat

import (
	"database/sql/driver"
	"net/mail"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The limits of a message's buttons.
const (
	MaxButtons    = 6
	MaxButtonText = 80
	maxButtonURL  = 2000
)

// Button is a quick reply below a message, whose text the visitor sends by a tap, or with a
// URL a link.
type Button struct {
	Text string `json:"text"`
	URL  string `json:"url,omitempty"`
}

// Buttons are those of a message, in their order.
type Buttons []Button

// Value stores buttons as JSON text, none as none.
func (b Buttons) Value() (driver.Value, error) { return listValue(b) }

// Scan reads buttons from the store.
func (b *Buttons) Scan(src any) error { return scanList(src, (*[]Button)(b)) }

// Check rejects what no visitor can be shown.
func (b Buttons) Check() error {
	if len(b) > MaxButtons {
		return Errorf(Invalid, "buttons must be at most %d", MaxButtons)
	}
	for i, one := range b {
		switch {
		case strings.TrimSpace(one.Text) == "":
			return Errorf(Invalid, "buttons[%d].text is required", i)
		case utf8.RuneCountInString(one.Text) > MaxButtonText:
			return Errorf(Invalid, "buttons[%d].text must be at most %d characters", i, MaxButtonText)
		case strings.ContainsFunc(one.Text, unicode.IsControl):
			return Errorf(Invalid, "buttons[%d].text must be one line", i)
		case one.URL != "" && !isLink(one.URL):
			return Errorf(Invalid, "buttons[%d].url must be an http, https or mailto address of at most %d characters", i, maxButtonURL)
		}
	}
	return nil
}

// isLink reports whether an address is one that a click may open: nothing that runs
// anything, and nothing that shows another host than it opens.
func isLink(address string) bool {
	u, err := url.Parse(address)
	hidden := func(r rune) bool { return unicode.IsControl(r) || unicode.IsSpace(r) || unicode.Is(unicode.Cf, r) }
	if err != nil || len(address) > maxButtonURL || !utf8.ValidString(address) || strings.ContainsFunc(address, hidden) {
		return false
	}
	switch u.Scheme {
	case "http", "https":
		return u.Hostname() != "" && u.User == nil && u.Opaque == ""
	case "mailto":
		to, err := url.PathUnescape(u.Opaque)
		if err != nil {
			return false
		}
		parsed, err := mail.ParseAddress(to)
		return err == nil && parsed.Address == to
	}
	return false
}

// Line is a button as text, where there are none.
func (b Button) Line() string {
	if b.URL == "" {
		return "▸ " + b.Text
	}
	return "▸ " + b.Text + ": " + b.URL
}

// CutButtons takes the buttons from the last lines of an operator's text: [[Yes]] is a quick
// reply, [[Prices | https://example.com]] a link. What would be refused stays text.
func CutButtons(text string) (content string, list Buttons) {
	lines := strings.Split(strings.TrimRight(text, " \t\r\n"), "\n")
	at := len(lines)
	for ; at > 0; at-- {
		row, ok := buttonsOf(strings.TrimSpace(lines[at-1]))
		if !ok {
			break
		}
		list = append(row, list...)
	}
	content = strings.TrimRight(strings.Join(lines[:at], "\n"), " \t\r\n")
	if len(list) == 0 || content == "" || list.Check() != nil {
		return text, nil
	}
	return content, list
}

// buttonsOf reads a line that consists of buttons.
func buttonsOf(line string) (list Buttons, ok bool) {
	for line != "" {
		inner, rest, closed := strings.Cut(strings.TrimPrefix(line, "[["), "]]")
		if !closed || !strings.HasPrefix(line, "[[") || len(list) > MaxButtons {
			return nil, false
		}
		label, address, _ := strings.Cut(inner, "|")
		list = append(list, Button{Text: strings.TrimSpace(label), URL: strings.TrimSpace(address)})
		line = strings.TrimSpace(rest)
	}
	return list, len(list) > 0
}
