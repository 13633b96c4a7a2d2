package account

import (
	"net/http"
	"slices"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/team"
	"github.com/relay-chat/relay/server/web"
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
	return web.BrowserLanguage(r)
}
