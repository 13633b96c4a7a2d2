package telegram

import (
	"regexp"
	"strings"

	"github.com/relay-chat/relay/bridges/naming"
	"github.com/relay-chat/relay/server/chat"
)

// Lengths in UTF-16 units without markup (Bot API, sendMessage and sendPhoto).
const (
	maxText    = 4096
	maxCaption = 1024
	maxFrom    = 200
)

// joiner is an invisible character. After an @ it prevents a mention, which would
// notify a member of the group.
const joiner = "\u2060"

var escaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

// escape makes text safe for HTML mode: no markup, no mentions.
func escape(text string) string { return escaper.Replace(silence(text)) }

// webAddress matches an address up to an @ that begins a part of its path, as in
// https://example.com/@ada. That is no mention, and a joiner would change the link.
var webAddress = regexp.MustCompile(`(?i)\bhttps?://[a-z0-9.-]+\.[a-z]{2,}(:[0-9]+)?/([a-z0-9._~%+-]+/)*@`)

// silence breaks mentions. E-mail addresses are none.
func silence(text string) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	if !strings.Contains(text, "@") {
		return text
	}
	addresses := webAddress.FindAllStringIndex(text, -1)
	var out strings.Builder
	before := ' '
	for i, r := range text {
		out.WriteRune(r)
		if len(addresses) > 0 && i == addresses[0][1]-1 {
			addresses = addresses[1:]
		} else if r == '@' && !wordy(before) && i+1 < len(text) && wordy(rune(text[i+1])) {
			out.WriteString(joiner)
		}
		before = r
	}
	return out.String()
}

func wordy(r rune) bool {
	return r == '_' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
}

// label precedes an op's text, "" for none.
func label(op chat.Op) string {
	if name := naming.Label(op, maxFrom); name != "" {
		return name + ":"
	}
	return ""
}

// render returns an op's text as HTML, and as plain text in case Telegram rejects
// the HTML.
func render(op chat.Op) (html, plain string) {
	if op.Kind == chat.OpNote {
		return "<i>" + escape(op.Text) + "</i>", silence(op.Text)
	}
	name := label(op)
	if name == "" {
		return escape(op.Text), silence(op.Text)
	}
	if op.Text == "" {
		return "<b>" + escape(name) + "</b>", silence(name)
	}
	return "<b>" + escape(name) + "</b>\n" + escape(op.Text), silence(name + "\n" + op.Text)
}
