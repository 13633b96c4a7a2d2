package slack

import (
	"regexp"
	"strings"

	"github.com/relay-chat/relay/bridges/marks"
)

// token is a mention or a link in Slack's markup
// (https://docs.slack.dev/messaging/formatting-message-text).
var token = regexp.MustCompile(`<([^<>]+)>`)

var unescaper = strings.NewReplacer("&lt;", "<", "&gt;", ">", "&amp;", "&")

// plain removes Slack's markup from a text: it unescapes the three escaped
// characters and replaces tokens by what Slack shows for them, and the codes of
// emoji. name returns the display name of a user.
func plain(text string, name func(user string) string) string {
	var out strings.Builder
	done := 0
	for _, at := range token.FindAllStringSubmatchIndex(text, -1) {
		out.WriteString(emoji(unescaper.Replace(text[done:at[0]])))
		out.WriteString(unescaper.Replace(shown(text[at[2]:at[3]], name)))
		done = at[1]
	}
	out.WriteString(emoji(unescaper.Replace(text[done:])))
	return strings.ToValidUTF8(out.String(), "\uFFFD")
}

// shown returns what Slack shows for a token.
func shown(inner string, name func(user string) string) string {
	what, label, _ := strings.Cut(inner, "|")
	if what == "" {
		return label
	}
	switch what[0] {
	case '@':
		if label == "" {
			label = name(what[1:])
		}
		return "@" + strings.TrimPrefix(label, "@")
	case '#':
		if label == "" {
			label = "channel"
		}
		return "#" + label
	case '!':
		return special(what[1:], label)
	}
	return link(what, label)
}

// special returns what Slack shows for a mention of a group, or a date.
func special(what, label string) string {
	name, _, _ := strings.Cut(what, "^")
	switch {
	case name == "date" && label != "":
		return label
	case label != "":
		return "@" + strings.TrimPrefix(label, "@")
	case name == "subteam":
		return "@group"
	}
	return "@" + name
}

// link returns a link as visitors see it.
func link(address, label string) string {
	if label == "" {
		return strings.TrimPrefix(strings.TrimPrefix(address, "mailto:"), "tel:")
	}
	return marks.Link(label, address)
}

// code matches an emoji as Slack writes it, perhaps with a skin tone.
var code = regexp.MustCompile(`:([a-z0-9_+-]+):(?::skin-tone-([2-6]):)?`)

// emoji replaces the codes of common emoji.
func emoji(text string) string {
	if !strings.Contains(text, ":") {
		return text
	}
	return code.ReplaceAllStringFunc(text, func(found string) string {
		parts := code.FindStringSubmatch(found)
		sign, known := emojis[parts[1]]
		if !known {
			return found
		}
		if parts[2] != "" && strings.Contains(toned, sign) {
			sign += string(rune(0x1F3FB + int(parts[2][0]-'2')))
		}
		return sign
	})
}
