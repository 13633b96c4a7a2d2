package server_test

import (
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var docsRegion = regexp.MustCompile(`role="region" aria-label="([^"]*)"`)

var docsLink = regexp.MustCompile(`href="(/docs[^"]*|#[^"]*)"`)

// TestGuides: each guide is a page of its own in both modes, and every link
// within the manual leads to a page and to a heading that exist.
func TestGuides(t *testing.T) {
	eachSite(t, testGuides)
}

func testGuides(t *testing.T, s *site) {
	pages := map[string]string{}
	var follow func(path string)
	follow = func(path string) {
		if _, ok := pages[path]; ok {
			return
		}
		a := s.must("GET", path, "", nil)
		pages[path] = string(a.body)
		names := map[string]bool{}
		for _, m := range docsRegion.FindAllStringSubmatch(string(a.body), -1) {
			if m[1] == "" || names[m[1]] {
				t.Errorf("%s has two regions named %q", path, m[1])
			}
			names[m[1]] = true
		}
		for _, m := range docsLink.FindAllStringSubmatch(string(a.body), -1) {
			target, anchor, _ := strings.Cut(m[1], "#")
			if target == "" {
				target = path
			}
			follow(target)
			if anchor != "" && !strings.Contains(pages[target], ` id="`+anchor+`"`) {
				t.Errorf("%s links to %s#%s, which does not exist", path, target, anchor)
			}
		}
	}
	follow("/docs")
	for _, name := range []string{"start", "widget", "telegram", "discord", "slack", "mail", "ai", "knowledge", "assistants", "team", "single-sign-on", "sites", "customise", "operations", "sizing", "privacy", "webhooks", "hooks", "bridge-mode", "api", "keys", "settings"} {
		page, ok := pages["/docs/"+name]
		if !ok {
			t.Errorf("nothing links to /docs/%s", name)
		}
		if !strings.Contains(page, "<h1 id=") || strings.Contains(page, ".md") {
			t.Errorf("/docs/%s has no title, or a link to a source file", name)
		}
	}
	if a := s.call("GET", "/docs/nothing", "", nil, "Accept", "text/html"); a.status != http.StatusNotFound || !strings.Contains(string(a.body), "no such guide") {
		t.Errorf("an unknown guide answers %d", a.status)
	}
	if a := s.call("GET", "/docs/..%2Fconsole", "", nil, "Accept", "text/html"); a.status != http.StatusNotFound {
		t.Errorf("a path out of the guides answers %d", a.status)
	}
}

// TestGuidesNameTheConsole: the way by clicking comes first, and the pages of the console
// have the names that the guides use.
func TestGuidesNameTheConsole(t *testing.T) {
	nav, err := os.ReadFile("../assets/console/shell/nav.ts")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"telegram", "discord", "slack"} {
		guide := readGuide(t, name)
		clicking, file := strings.Index(guide, "*Settings → Channels*"), strings.Index(guide, "relay.env")
		if clicking < 0 || file < clicking || !strings.Contains(guide[clicking:file], "## With a file") {
			t.Errorf("%s.md begins with the file", name)
		}
	}
	files, err := filepath.Glob("../assets/guides/*.md")
	if err != nil || len(files) == 0 {
		t.Fatal(err)
	}
	for _, file := range files {
		guide := readGuide(t, strings.TrimSuffix(filepath.Base(file), ".md"))
		for _, m := range regexp.MustCompile(`Settings → ([A-Z][a-z]+(?: [a-z]+)?)`).FindAllStringSubmatch(guide, -1) {
			first, _, _ := strings.Cut(m[1], " ")
			if !strings.Contains(string(nav), `label: tr("`+m[1]) && !strings.Contains(string(nav), `label: tr("`+first+`"`) {
				t.Errorf("%s names the page %q, which the console does not have", file, m[1])
			}
		}
		if strings.Contains(guide, "*Bridges*") {
			t.Errorf("%s names the page Bridges, which is called Channels", file)
		}
	}
}

func readGuide(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile("../assets/guides/" + name + ".md")
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
