package server

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/team"
)

// language is that of somebody's console: as chosen, else the browser's.
func (s *consolePages) language(r *http.Request, by chat.Author) string {
	chosen, err := s.team.People.PreferencesOf(r.Context(), by.Person)
	if err != nil {
		s.log.Error("cannot read the language of a person", "err", err)
	}
	if slices.Contains(team.Languages, chosen.Language) {
		return chosen.Language
	}
	return browserLanguage(r)
}

// browserLanguage is the language of the console that the browser prefers, English for none.
func browserLanguage(r *http.Request) string {
	best, most := team.Languages[0], 0.0
	for wish := range strings.SplitSeq(r.Header.Get("Accept-Language"), ",") {
		name, weight := wishOf(wish)
		if weight > most && slices.Contains(team.Languages, name) {
			best, most = name, weight
		}
	}
	return best
}

// wishOf is a language of Accept-Language, without its country, and its weight.
func wishOf(wish string) (name string, weight float64) {
	tag, rest, weighted := strings.Cut(strings.TrimSpace(wish), ";")
	name, _, _ = strings.Cut(strings.ToLower(strings.TrimSpace(tag)), "-")
	if !weighted {
		return name, 1
	}
	value, ok := strings.CutPrefix(strings.TrimSpace(rest), "q=")
	weight, err := strconv.ParseFloat(value, 64)
	if !ok || err != nil || weight > 1 {
		return name, 0
	}
	return name, weight
}
