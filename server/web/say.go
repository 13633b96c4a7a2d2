package web

import (
	"net/http"
	"strings"

	"github.com/relay-chat/relay/assets"
)

// Say is [SayIn] in the language of a request.
func (s Pages) Say(r *http.Request, text string, values ...string) string {
	return SayIn(s.Language(r), text, values...)
}

// SayIn returns a text of relay in a language, with values, each behind its name, in the place of its {names}. The
// text stands in assets/console/lang/pages.txt; one that does not stays English.
func SayIn(language, text string, values ...string) string {
	text = assets.Say(language, text)
	pairs := make([]string, 0, len(values))
	for i, value := range values {
		if i%2 == 0 {
			value = "{" + value + "}"
		}
		pairs = append(pairs, value)
	}
	return strings.NewReplacer(pairs...).Replace(text)
}
