package slack

import (
	"regexp"
	"strings"
)

// token is a mention or a link in Slack's markup
// (https://docs.slack.dev/messaging/formatting-message-text).
var token = regexp.MustCompile(`<([^<>]+)>`)

var unescaper = strings.NewReplacer("&lt;", "<", "&gt;", ">", "&amp;", "&")

// plain takes Slack's markup out of a text: tokens become what they show, the
// three escaped characters themselves, emoji codes emoji. name tells the
// display name of a user.
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

// shown is what a token shows.
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

// special is a mention of many, or a date.
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

// link shows a link's words, and its address unless they are that.
func link(address, label string) string {
	if label == "" {
		return strings.TrimPrefix(strings.TrimPrefix(address, "mailto:"), "tel:")
	}
	if bare(label) == bare(address) {
		return label
	}
	return label + " (" + address + ")"
}

func bare(address string) string {
	for _, scheme := range []string{"https://", "http://", "mailto:", "tel:"} {
		address = strings.TrimPrefix(address, scheme)
	}
	return strings.TrimSuffix(address, "/")
}

// code is an emoji as Slack writes it, perhaps with the tone of a skin.
var code = regexp.MustCompile(`:([a-z0-9_+-]+):(?::skin-tone-([2-6]):)?`)

// emoji turns the codes of common emoji into emoji.
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
