package server_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/relay-chat/relay/assets"
	catalogs "github.com/relay-chat/relay/assets/build/texts"
	"github.com/relay-chat/relay/db/dbtest"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/team"
)

func TestBrowserLanguage(t *testing.T) {
	s := newSite(t, dbtest.Memory(t))
	for header, want := range map[string]string{
		"": "en", "de": "de", "de-AT,de;q=0.9": "de", "nl, fr;q=0.7, de;q=0.8": "de", "pt-BR": "pt", "JA": "ja", "nl": "en", "*": "en",
		"de;q=0": "en", "de;q=2": "en", "fr;q=x, es;q=0.1": "es", "en-US,en;q=0.9,de;q=0.8": "en", ";;,,=": "en", "de;q=NaN": "en",
	} {
		if page := string(s.must("GET", "/console", "", nil, "Accept-Language", header).body); !strings.Contains(page, `<html lang="`+want+`">`) {
			t.Errorf("%q is not answered in %s", header, want)
		}
	}
}

// TestLanguagesHaveCatalogs: the languages that people can choose are those that the console has texts in.
func TestLanguagesHaveCatalogs(t *testing.T) {
	codes, err := catalogs.Languages("../assets/console/lang")
	if err != nil || !slices.Equal(slices.Sorted(slices.Values(append(codes, "en"))), slices.Sorted(slices.Values(team.Languages))) {
		t.Errorf("catalogs %v, languages %v, %v", codes, team.Languages, err)
	}
	for _, code := range codes {
		page, err := assets.PageIn(code, "console.html")
		if err != nil || !strings.Contains(string(page), `<html lang="`+code+`">`) || !strings.Contains(string(page), "/static/texts-"+code+".js") {
			t.Errorf("%s: no page, %v", code, err)
		}
	}
}

// TestConsoleLanguage: the pages follow the browser, and the console what its person has chosen.
func TestConsoleLanguage(t *testing.T) {
	s := newSite(t, dbtest.Memory(t))
	page := func(cookie string) string {
		return string(s.must("GET", "/console", "", nil, "Accept-Language", "fr-CH, fr;q=0.9", "Cookie", cookie).body)
	}
	if login := page(""); !strings.Contains(login, `<html lang="fr">`) || !strings.Contains(login, "Se connecter") {
		t.Error("the sign-in page does not follow the browser")
	}
	cookie := s.cookieOf("Mia", chat.RoleOperator)
	if got := page(cookie); !strings.Contains(got, `<html lang="fr">`) {
		t.Error("the console does not follow the browser")
	}
	choose := func(language string) answer {
		return s.call("PATCH", "/api/admin/me", "", object{"preferences": object{"language": language}}, "Cookie", cookie)
	}
	if a := choose("de"); a.status != http.StatusOK || a.text("preferences.language") != "de" {
		t.Fatal(a)
	}
	if got := page(cookie); !strings.Contains(got, `<html lang="de">`) || !strings.Contains(got, "Posteingang") {
		t.Error("the console is not in the language that was chosen")
	}
	if a := choose("tlh"); a.status != http.StatusBadRequest || !strings.Contains(string(a.body), "must be one of en, de") {
		t.Errorf("an unknown language: %d %s", a.status, a.body)
	}
	if a := choose(""); a.status != http.StatusOK || strings.Contains(string(a.body), "language") {
		t.Errorf("back to the browser's: %s", a.body)
	}
}
