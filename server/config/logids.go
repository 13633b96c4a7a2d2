package config

import (
	"fmt"
	"log/slog"
	"regexp"
	"sync"

	"github.com/relay-chat/relay/server/chat"
)

// The id of a session that is bound to no token opens it, and is in the address
// of requests and in the text of errors. A log shows a hash in its place: the
// first digits of its SHA-256, by which lines about one session are still found.

// idForm finds what relay makes at random: session ids, and those of messages and
// files, which begin in the same way.
var idForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[A-Z2-7]{26}[0-9A-V]{0,13}`) })

// shownID is how many digits of an id's hash a log shows.
const shownID = 8

// hideIDs puts hashes in the place of ids in an attribute.
func hideIDs(_ []string, a slog.Attr) slog.Attr {
	switch a.Value.Kind() {
	case slog.KindString:
		a.Value = slog.StringValue(hashIDs(a.Value.String()))
	case slog.KindAny:
		if text, ok := asText(a.Value.Any()); ok && idForm().MatchString(text) {
			a.Value = slog.StringValue(hashIDs(text))
		}
	}
	return a
}

// asText returns what a log would show of a value.
func asText(v any) (text string, ok bool) {
	switch v := v.(type) {
	case nil, slog.Level, *slog.Source:
		return "", false
	case error:
		return v.Error(), true
	default:
		return fmt.Sprint(v), true
	}
}

func hashIDs(text string) string {
	return idForm().ReplaceAllStringFunc(text, func(id string) string { return "#" + chat.Hash(id)[:shownID] })
}
