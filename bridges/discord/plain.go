package discord

import (
	"regexp"
	"strconv"
	"strings"
	"time"
)

// tokens matches what Discord shows differently (Discord, "Message Formatting"), and
// links in brackets, which disable previews.
var tokens = regexp.MustCompile(`<(@[!&]?\d+|#\d+|a?:\w+:\d+|t:-?\d+(?::[a-zA-Z])?|/[^:<>]+:\d+|id:\w+|https?://[^\s<>]+)>`)

// plain makes an operator's text readable outside of Discord. Other markup is kept
// as the operator typed it. Channels and roles have no names for visitors.
func plain(text string, mentioned []author) string {
	return tokens.ReplaceAllStringFunc(text, func(whole string) string {
		word := whole[1 : len(whole)-1]
		switch {
		case strings.HasPrefix(word, "@&"):
			return "@role"
		case word[0] == '@':
			return "@" + nameOf(strings.TrimLeft(word, "@!"), mentioned)
		case word[0] == '#', strings.HasPrefix(word, "id:"):
			return "#channel"
		case word[0] == '/':
			name, _, _ := strings.Cut(word, ":")
			return name
		case strings.HasPrefix(word, "t:"):
			return moment(strings.TrimPrefix(word, "t:"))
		case strings.HasPrefix(word, "http"):
			return word
		}
		return ":" + strings.Split(word, ":")[1] + ":" // an emoji of the server
	})
}

func nameOf(id string, mentioned []author) string {
	for i := range mentioned {
		if mentioned[i].ID == id {
			return mentioned[i].name()
		}
	}
	return "somebody"
}

// moment writes a time that Discord shows in each reader's own zone.
func moment(text string) string {
	unix, _, _ := strings.Cut(text, ":")
	n, err := strconv.ParseInt(unix, 10, 64)
	if err != nil || n < -62135596800 || n > 253402300799 {
		return text
	}
	return time.Unix(n, 0).UTC().Format("2 January 2006 at 15:04 UTC")
}
