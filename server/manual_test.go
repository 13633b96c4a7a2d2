package server_test

import (
	"html"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/relay-chat/relay/bridges"
	"github.com/relay-chat/relay/db/dbtest"
)

// TestCardsReachEveryGuide: the cards at /docs name each guide of the folder, once.
func TestCardsReachEveryGuide(t *testing.T) {
	s := newSite(t, dbtest.Memory(t))
	_, text, _ := strings.Cut(string(s.must("GET", "/docs", "", nil).body), `class="docs-cards"`)
	if n := strings.Count(text, `<section class="card">`); n != 9 {
		t.Errorf("%d cards", n)
	}
	for _, name := range append(guideFiles(t), "settings") {
		if n := strings.Count(text, `href="/docs/`+name+`"`); n != 1 {
			t.Errorf("%d cards lead to /docs/%s", n, name)
		}
	}
}

// TestSearchKnowsEverything: the page of the search has each heading of the guides, each
// operation, type and setting, with a link to it. TestGuides follows the links.
func TestSearchKnowsEverything(t *testing.T) {
	s := newSite(t, dbtest.Memory(t))
	_, text, _ := strings.Cut(string(s.must("GET", "/docs/search", "", nil).body), `id="places"`)
	found := map[string]bool{}
	for _, m := range regexp.MustCompile(`<li data-text="[^"]*"><a href="/docs/[^"]+">([^<]+)</a>`).FindAllStringSubmatch(text, -1) {
		found[html.UnescapeString(m[1])] = true
	}
	expect := func(kind, title string) {
		if !found[title] {
			t.Errorf("the search does not know the %s %q", kind, title)
		}
	}
	for _, name := range guideFiles(t) {
		for _, title := range headings(readGuide(t, name)) {
			expect("heading", title)
		}
	}
	for _, item := range document().loose.Paths.Map() {
		for method, op := range item.Operations() {
			if method != "HEAD" {
				expect("operation", op.Summary)
			}
		}
	}
	for name := range document().loose.Components.Schemas {
		expect("type", name)
	}
	for _, name := range exampleVariables(t) {
		expect("setting", name)
	}
	expectText(t, text, "conversations begin in a", "a text of a guide")
}

// TestSettingsTable: each variable has its row, and the row of one that can be set while
// relay runs says where: its name in the API and a page that the console has.
func TestSettingsTable(t *testing.T) {
	s := newSite(t, dbtest.Memory(t))
	page := string(s.must("GET", "/docs/settings", "", nil).body)
	nav, err := os.ReadFile("../assets/console/shell/nav.ts")
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]string{}
	for _, m := range regexp.MustCompile(`<tr role="row" id="([A-Z0-9_]+)">(.*?)</tr>`).FindAllStringSubmatch(page, -1) {
		rows[m[1]] = m[2]
	}
	for _, name := range exampleVariables(t) {
		if rows[name] == "" {
			t.Errorf("%s has no row", name)
		}
	}
	place := regexp.MustCompile(`Console: Settings → ([^<]+)<.*API: <code>([^<]+)<`)
	for _, def := range bridges.Settings() {
		if def.Env == "" {
			continue
		}
		m := place.FindStringSubmatch(rows[def.Env])
		switch {
		case def.Fixed && m != nil:
			t.Errorf("%s can be set nowhere else, not in %s", def.Env, m[1])
		case def.Fixed:
		case m == nil || m[2] != def.Name:
			t.Errorf("%s: the row does not name %s and its page", def.Env, def.Name)
		case def.Page != "" && def.Page != m[1] || !strings.Contains(string(nav), `label: tr("`+m[1]+`")`):
			t.Errorf("%s is on the page %q, not on %q", def.Env, def.Page, m[1])
		}
	}
}

func expectText(t *testing.T, page, text, what string) {
	t.Helper()
	if !strings.Contains(page, text) {
		t.Errorf("%s is missing: %q", what, text)
	}
}

// guideFiles are the names of the guides.
func guideFiles(t *testing.T) (names []string) {
	t.Helper()
	files, err := filepath.Glob("../assets/guides/*.md")
	if err != nil || len(files) == 0 {
		t.Fatal("no guides", err)
	}
	for _, file := range files {
		names = append(names, strings.TrimSuffix(filepath.Base(file), ".md"))
	}
	return names
}

// headings are those of a guide, without its code blocks.
func headings(guide string) (titles []string) {
	plain := regexp.MustCompile("(?ms)^ *```.*?^ *```$").ReplaceAllString(guide, "")
	for _, m := range regexp.MustCompile(`(?m)^#{1,6} (.+)$`).FindAllStringSubmatch(plain, -1) {
		titles = append(titles, strings.NewReplacer("`", "", "*", "").Replace(m[1]))
	}
	return titles
}

// exampleVariables are the settings of relay.example.env.
func exampleVariables(t *testing.T) (names []string) {
	t.Helper()
	file, err := os.ReadFile("../relay.example.env")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`(?m)^#([A-Z0-9_]+)=`).FindAllStringSubmatch(string(file), -1) {
		names = append(names, m[1])
	}
	return names
}
