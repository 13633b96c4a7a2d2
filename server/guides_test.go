package server_test

import (
	"net/http"
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
	for _, name := range []string{"widget", "telegram", "discord", "slack", "ai", "knowledge", "team", "customise", "operations", "sizing", "privacy", "webhooks", "bridge-mode", "api", "settings"} {
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
