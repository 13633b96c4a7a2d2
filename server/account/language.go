package account

import (
	"net/http"
	"slices"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/team"
	"github.com/relay-chat/relay/server/web"
)

// Language is that of a request: as the one who is signed in has chosen, else the browser's.
func (a *Accounts) Language(r *http.Request) string { return a.console.language(r) }

func (s *consolePages) language(r *http.Request) string {
	if by, err := s.SignedIn(r); err == nil {
		return s.languageOf(r, by)
	}
	return web.BrowserLanguage(r)
}

// languageOf is that of somebody's console.
func (s *consolePages) languageOf(r *http.Request, by chat.Author) string {
	chosen, err := s.team.People.PreferencesOf(r.Context(), by.Person)
	if err != nil {
		s.log.Error("cannot read the language of a person", "err", err)
	}
	if slices.Contains(team.Languages, chosen.Language) {
		return chosen.Language
	}
	return web.BrowserLanguage(r)
}
