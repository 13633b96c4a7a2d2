package knowledge_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/relay-chat/relay/bridges/knowledge"
	"github.com/relay-chat/relay/db/dbtest"
)

// listing is a sitemap of pages.
func listing(site *site, paths ...string) http.HandlerFunc {
	var out strings.Builder
	for _, path := range paths {
		out.WriteString("<url><loc>" + site.URL + path + "</loc></url>")
	}
	return text("application/xml", "<urlset>"+out.String()+"</urlset>")
}

// headed answers with a page that has something in its head.
func headed(head, body string) http.HandlerFunc {
	return text("text/html; charset=utf-8", "<!doctype html><html><head>"+head+"</head><body><main>"+body+"</main></body></html>")
}

// TestCurrent: of what a site says of its pages, the text of those is kept that are current.
func TestCurrent(t *testing.T) {
	each(t, func(t *testing.T, b *base) {
		s := newSite(t, map[string]http.HandlerFunc{
			"/new":    headed(`<link rel=canonical href="/new"><title>Prices</title><meta property="article:modified_time" content="2026-01-15">`, "<p>Zebras cost 9.</p>"),
			"/old":    headed(`<link rel=canonical href="/new"><title>Prices</title>`, "<p>Zebras cost 4.</p>"),
			"/loop1":  headed(`<link rel=canonical href="/loop2"><title>Loops</title>`, "<p>Giraffes are tall.</p>"),
			"/loop2":  headed(`<link rel=canonical href="/loop1"><title>Loops</title>`, "<p>Giraffes are very tall.</p>"),
			"/broken": headed(`<link rel=canonical href="/none"><title>Broken</title>`, "<p>Lions roar.</p>"),
			"/hidden": headed(`<meta name=robots content=noindex><title>Hidden</title>`, "<p>Tigers hide.</p>"),
			"/lost":   headed(`<title>Page not found</title>`, "<p>Bears are not here.</p>"),
			"/secret": headed(`<title>Sign in</title>`, "<p>Wolves want a password.</p><form><input type=password></form>"),
			"/future": headed(`<title>Future</title><meta property="article:modified_time" content="2190-01-15">`, "<p>Robots walk.</p>"),
			"/header": func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("X-Robots-Tag", "noindex")
				page("Header", "<p>Foxes hide.</p>")(w, r)
			},
		})
		s.set("/sitemap.xml", listing(s, "/old", "/new", "/loop1", "/loop2", "/broken", "/hidden", "/lost", "/secret", "/header", "/future"))
		source := b.crawl(s.URL+"/sitemap.xml", false)
		b.pass(10 * time.Minute)
		b.work()
		pages := b.pages(source.ID)
		for path, reason := range map[string]string{"/old": "canonical", "/hidden": "noindex", "/header": "noindex", "/lost": "no such page", "/secret": "sign in", "/new": "", "/broken": "", "/future": ""} {
			if p := pages[s.URL+path]; (reason == "") != (p.Passages > 0) || !strings.Contains(p.Error, reason) {
				t.Errorf("%s has %d passages and the error %q", path, p.Passages, p.Error)
			}
		}
		if pages[s.URL+"/loop1"].Passages+pages[s.URL+"/loop2"].Passages != 1 {
			t.Errorf("of two pages that name each other, %v and %v are kept", pages[s.URL+"/loop1"], pages[s.URL+"/loop2"])
		}
		if got := b.ask("what do zebras cost"); len(got) != 1 || got[0].Text != "Zebras cost 9." || got[0].Dated.Std().Format(time.DateOnly) != "2026-01-15" {
			t.Errorf("found %+v", got)
		}
		if got := b.ask("robots walk"); len(got) != 1 || got[0].Dated.Std().Year() != 2026 {
			t.Errorf("a page of the future is dated %+v", got)
		}
	})
}

// TestNamedPage: the page that the owner named is read whatever it says of itself.
func TestNamedPage(t *testing.T) {
	b := newBase(t, dbtest.Memory(t))
	s := newSite(t, map[string]http.HandlerFunc{"/a": headed(`<meta name=robots content=noindex><link rel=canonical href="/b">`, "<p>Zebras cost 9.</p>")})
	if source := b.crawl(s.URL+"/a", false); source.Passages != 1 {
		t.Errorf("the source is %+v", source)
	}
}

// TestGoneFromSitemap: a page that the sitemap has no more is removed, and its twin found instead; while
// a sitemap cannot be read, or a page waits, nothing is.
func TestGoneFromSitemap(t *testing.T) {
	each(t, func(t *testing.T, b *base) {
		same := page("Prices", "<p>Zebras cost 9.</p>")
		s := newSite(t, map[string]http.HandlerFunc{"/a": same, "/b": same, "/c": page("Lions", "<p>Lions roar.</p>")})
		s.set("/index.xml", text("application/xml", "<sitemapindex><sitemap><loc>"+s.URL+"/one.xml</loc></sitemap><sitemap><loc>"+s.URL+"/two.xml</loc></sitemap></sitemapindex>"))
		s.set("/one.xml", listing(s, "/a", "/b"))
		s.set("/two.xml", listing(s, "/c"))
		source := b.crawl(s.URL+"/index.xml", false)
		if source.Pages != 3 || source.Passages != 2 {
			t.Fatalf("the source is %+v", source)
		}
		refresh := func() {
			b.pass(25 * time.Hour)
			b.work()
			b.pass(time.Hour)
			b.work()
			source = b.source(source.ID)
		}
		s.set("/one.xml", text("application/xml", "broken"))
		s.set("/two.xml", listing(s, "/x"))
		if refresh(); source.Pages != 4 {
			t.Errorf("with a broken sitemap %d pages are left", source.Pages)
		}
		s.set("/one.xml", listing(s, "/b"))
		s.set("/two.xml", listing(s, "/c"))
		if refresh(); source.Pages != 2 {
			t.Errorf("%d pages are left: %v", source.Pages, b.pages(source.ID))
		}
		if got := b.ask("zebras"); len(got) != 1 || got[0].URL != s.URL+"/b" {
			t.Errorf("found %+v", got)
		}
		if refresh(); source.Pages != 2 || source.Passages != 2 {
			t.Errorf("a day later: %+v", source)
		}
	})
}

// TestTraps: rows of addresses without end are left.
func TestTraps(t *testing.T) {
	for address, want := range map[string]bool{
		"https://a.example/help/prices":                  false,
		"https://a.example/blog/2026/01/new-prices":      false,
		"https://a.example/events?month=2031-05":         true,
		"https://a.example/calendar/2031/05":             true,
		"https://a.example/calendar":                     false,
		"https://a.example/a/b/a/b/a/b":                  true,
		"https://a.example/" + strings.Repeat("x1/", 14): true,
		"https://a.example/p?replytocom=7":               true,
		"https://a.example/p?page=2":                     false,
	} {
		if got := knowledge.IsTrap(address); got != want {
			t.Errorf("%s: %v", address, got)
		}
	}
	for address, want := range map[string]string{
		"https://a.example/p;jsessionid=AB12?b=1&PHPSESSID=7&utm_x=1": "https://a.example/p?b=1",
		"https://a.example/p;v=1?Session_ID=3":                        "https://a.example/p;v=1",
	} {
		if got := knowledge.UsualAddress(address); got != want {
			t.Errorf("%s becomes %s", address, got)
		}
	}
}
