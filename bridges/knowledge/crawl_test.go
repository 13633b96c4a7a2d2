package knowledge_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/relay-chat/relay/bridges/knowledge"
	"github.com/relay-chat/relay/db"
	"github.com/relay-chat/relay/db/dbtest"
	"github.com/relay-chat/relay/server/chat"
)

// packed answers with a body of n zeros, compressed.
func packed(n int) http.HandlerFunc {
	var body bytes.Buffer
	out := gzip.NewWriter(&body)
	chunk := make([]byte, 1<<20)
	for ; n > 0; n -= len(chunk) {
		_, _ = out.Write(chunk)
	}
	_ = out.Close()
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.Header().Set("Content-Encoding", "gzip")
		_, _ = w.Write(body.Bytes())
	}
}

func redirect(to string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, to, http.StatusFound) }
}

// TestHostilePages: nothing that a page can be ends the crawl, and each has an error
// that says what is wrong with it.
func TestHostilePages(t *testing.T) {
	deep := strings.Repeat("<div>", 100_000) + "deep"
	for name, tt := range map[string]struct {
		page http.HandlerFunc
		want string // a part of the error, "" for none
	}{
		"huge":                  {text("text/html", strings.Repeat("x", 2<<20+1)), "larger than 2 MB"},
		"gzip bomb":             {packed(200 << 20), "larger than 2 MB"},
		"another host":          {redirect("http://example.com/"), "another site"},
		"a private address":     {redirect("http://10.0.0.1/"), "another site"},
		"metadata":              {redirect("http://169.254.169.254/latest"), "another site"},
		"a file":                {redirect("file:///etc/passwd"), "another site"},
		"circle":                {redirect("/page"), "in circles"},
		"picture":               {text("image/png", "\x89PNG\r\n\x1a\n"), "image/png, not a text"},
		"gone":                  {http.NotFound, "404 Not Found"},
		"deep":                  {text("text/html", deep), "HTML cannot be read"},
		"broken PDF":            {text("application/pdf", "%PDF-1.7\n1 0 obj\n<</Type/Catalog/Pages 1 0 R>>\nstartxref\n9\n%%EOF"), "PDF"},
		"no text":               {page("", "<script>render()</script>"), "no text"},
		"broken HTML":           {text("text/html", "<p>well<table><tr><p>yes</b></td><![CDATA[<a href='"), ""},
		"wrong charset":         {text("text/html; charset=utf-16", "<p>caf\xe9 na\xefve</p>"), ""},
		"unknown charset":       {text("text/html; charset=klingon", "<p>caf\xe9</p>"), ""},
		"NUL":                   {text("text/html", "<p>a\x00b well</p>"), ""},
		"no type":               {text("", "<html><p>well</p>"), ""},
		"broken sitemap":        {text("application/xml", "<urlset><url><loc>"), "sitemap"},
		"entities in a sitemap": {text("application/xml", `<!DOCTYPE x [<!ENTITY a "aaaa">]><urlset><url><loc>&a;</loc></url></urlset>`), ""},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBase(t, dbtest.Memory(t))
			s := newSite(t, map[string]http.HandlerFunc{"/page": tt.page})
			source := b.crawl(s.URL+"/page", false)
			got := b.pages(source.ID)[s.URL+"/page"]
			if source.Waiting != 0 && tt.want != "" || (got.Error == "") != (tt.want == "") || !strings.Contains(got.Error, tt.want) {
				t.Errorf("%+v: the error is %q, want %q", source.KnowledgeCounts, got.Error, tt.want)
			}
		})
	}
}

// TestCrawl: a site is read once, however its pages lead to each other, within its
// folder and its rules, a second between two requests.
func TestCrawl(t *testing.T) {
	each(t, func(t *testing.T, b *base) {
		s := newSite(t, map[string]http.HandlerFunc{
			"/robots.txt": text("text/plain", "User-agent: *\nDisallow: /help/secret\nCrawl-delay: 3\n"),
			"/help/": page("Help", `<p>Start here.</p><a href="a">a</a><a href="/help/a#x">again</a><a href="?utm_source=x">self</a>
				<a href="/help/secret">secret</a><a href="/shop">shop</a><a href="https://elsewhere.example/help/">elsewhere</a>
				<a href="mailto:a@b.example">mail</a><a href="a.jpg">picture</a><a href="//[::">broken</a><a rel="nofollow" href="no">no</a>`),
			"/help/a":      page("A", `<p>Alpha centauri.</p><a href="/help/">back</a><a href="b?b=1&a=2">b</a>`),
			"/help/b":      page("B", `<p>Beta blocker.</p><a href="a">back</a>`),
			"/help/secret": page("Secret", "<p>Hidden gamma.</p>"),
		})
		source := b.crawl(s.URL+"/help/", true)
		pages := b.pages(source.ID)
		if source.Title != "Help" || source.Pages != 4 || source.Waiting != 0 || source.Failed != 1 {
			t.Errorf("the site is %+v, its pages %v", source, pages)
		}
		if got := pages[s.URL+"/help/secret"].Error; !strings.Contains(got, "robots.txt") || s.count("/help/secret") != 0 {
			t.Errorf("the secret page has the error %q and was fetched %d times", got, s.count("/help/secret"))
		}
		if s.count("/help/a") != 1 || s.count("/help/b?b=1&a=2") != 1 || s.count("/shop") != 0 || s.count("/help/no") != 0 {
			t.Errorf("fetched: %v", s.asked)
		}
		for _, rested := range b.rested {
			if rested < time.Second || rested > 3*time.Second {
				t.Errorf("it rested %v", b.rested)
			}
		}
		if got := b.ask("alpha"); len(got) != 1 || got[0].Title != "A" || got[0].URL != s.URL+"/help/a" || got[0].Source != source.ID || strings.Contains(got[0].Text, "](") {
			t.Errorf("found %+v", got)
		}
		if err := b.Remove(t.Context(), source.ID); err != nil {
			t.Fatal(err)
		}
		if got := b.ask("alpha beta start"); len(got) != 0 {
			t.Errorf("removed, it finds %v", got)
		}
	})
}

// TestSitemaps: an index leads to its sitemaps, of which 500 pages are read.
func TestSitemaps(t *testing.T) {
	b := newBase(t, dbtest.Memory(t))
	var long strings.Builder
	long.WriteString("<urlset>")
	pages := map[string]http.HandlerFunc{}
	s := newSite(t, pages)
	for i := range 10_000 {
		fmt.Fprintf(&long, "<url><loc>%s/p%d</loc></url>", s.URL, i)
	}
	s.set("/sitemap.xml", text("application/xml", "<sitemapindex><sitemap><loc>"+s.URL+"/long.xml</loc></sitemap><sitemap><loc>"+s.URL+"/sitemap.xml</loc></sitemap></sitemapindex>"))
	s.set("/long.xml", text("application/xml", long.String()+"</urlset>"))
	s.set("/p1", page("One", "<p>Page number one.</p>"))
	source := b.crawl(s.URL+"/sitemap.xml", false)
	if source.Pages != 500 || source.Waiting != 0 || !strings.Contains(source.Note, "more than 500 pages") {
		t.Errorf("the source is %+v", source)
	}
	if got := b.ask("number"); len(got) != 1 || got[0].Title != "One" {
		t.Errorf("found %+v", got)
	}
}

// TestRefresh: once a day what changed is read again, what did not is not even sent,
// and what is gone can no longer be found.
func TestRefresh(t *testing.T) {
	each(t, func(t *testing.T, b *base) {
		unchanged := 0
		s := newSite(t, map[string]http.HandlerFunc{
			"/": page("Start", `<p>Old lamps.</p><a href="/same">same</a><a href="/gone">gone</a>`),
			"/same": func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("ETag", `"1"`)
				if r.Header.Get("If-None-Match") == `"1"` {
					unchanged++
					w.WriteHeader(http.StatusNotModified)
					return
				}
				page("Same", "<p>Eternal shelves.</p>")(w, r)
			},
			"/gone": page("Gone", "<p>Fleeting chairs.</p>"),
		})
		source := b.crawl(s.URL+"/", true)
		s.set("/", page("Start", "<p>New lamps.</p>"))
		s.set("/gone", http.NotFound)
		b.work()
		if s.count("/") != 1 {
			t.Errorf("fetched %d times on the first day", s.count("/"))
		}
		b.pass(24 * time.Hour)
		b.work()
		if s.count("/") != 2 || s.count("/same") != 2 || unchanged != 1 {
			t.Errorf("fetched: %v, unchanged %d", s.asked, unchanged)
		}
		for question, want := range map[string]int{"old": 0, "new": 1, "eternal": 1, "fleeting": 0} {
			if got := b.ask(question); len(got) != want {
				t.Errorf("%q finds %v", question, got)
			}
		}
		if got := b.source(source.ID); got.Failed != 1 || got.RefreshAt.Std().Sub(b.clock()) > 24*time.Hour {
			t.Errorf("the source is %+v", got)
		}
	})
}

// TestFailingSite: a page is tried three times, at the time that its server asks for,
// and what was read before stays meanwhile.
func TestFailingSite(t *testing.T) {
	b := newBase(t, dbtest.Memory(t))
	s := newSite(t, map[string]http.HandlerFunc{"/": page("Start", "<p>Sturdy lamps.</p>")})
	source := b.crawl(s.URL, false)
	s.set("/", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "600")
		w.WriteHeader(http.StatusServiceUnavailable)
	})
	if err := b.Refresh(t.Context(), source.ID); err != nil {
		t.Fatal(err)
	}
	for attempt, pause := range []time.Duration{0, 10 * time.Minute, 10 * time.Minute} {
		b.pass(pause - 10*time.Second)
		b.work()
		if s.count("/") != attempt+1 && attempt > 0 {
			t.Errorf("before attempt %d it was fetched %d times", attempt+1, s.count("/"))
		}
		b.pass(time.Minute)
		b.work()
	}
	if got := b.pages(source.ID)[s.URL+"/"]; got.State != 2 || s.count("/") != 4 || !strings.Contains(got.Error, "503 Service Unavailable") {
		t.Errorf("fetched %d times: %+v", s.count("/"), got)
	}
	if got := b.ask("sturdy"); len(got) != 1 {
		t.Errorf("found %v", got)
	}
}

// TestRobotsUnknown: while a site's rules cannot be read, its pages are not either.
func TestRobotsUnknown(t *testing.T) {
	b := newBase(t, dbtest.Memory(t))
	s := newSite(t, map[string]http.HandlerFunc{"/": page("Start", "<p>Well.</p>"), "/robots.txt": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500) }})
	source := b.crawl(s.URL, false)
	if got := b.pages(source.ID)[s.URL+"/"]; source.Waiting != 1 || s.count("/") != 0 || !strings.Contains(got.Error, "robots.txt cannot be read") {
		t.Errorf("%+v, fetched %d times, error %q", source.KnowledgeCounts, s.count("/"), got.Error)
	}
	s.set("/robots.txt", http.NotFound)
	b.pass(2 * time.Minute)
	b.work()
	if got := b.source(source.ID); got.Waiting != 0 || got.Passages != 1 {
		t.Errorf("later: %+v", got.KnowledgeCounts)
	}
}

// TestPrivateAddresses: what operators add by API does not lead into private networks,
// by its address, its name or a rebinding of that; what the machine's owner adds may.
func TestPrivateAddresses(t *testing.T) {
	inside := newSite(t, map[string]http.HandlerFunc{"/": page("Inside", "<p>Internal affairs.</p>")})
	named := strings.Replace(inside.URL, "127.0.0.1", "localtest.invalid", 1)
	b := newBase(t, dbtest.Memory(t))
	if _, err := b.AddPages(t.Context(), chat.AllSites, inside.URL, true, false); err == nil || !strings.Contains(err.Error(), "WEBHOOK_ALLOW_CIDRS") {
		t.Errorf("an address of the API: %v", err)
	}
	if _, err := b.AddPages(t.Context(), chat.AllSites, "http://169.254.169.254/", true, true); err == nil {
		t.Error("the owner reaches the cloud's metadata")
	}
	source, err := b.AddPages(t.Context(), chat.AllSites, named, true, false)
	if err != nil {
		t.Fatal(err)
	}
	b.work()
	if got := b.source(source.ID); got.Passages != 0 {
		t.Errorf("a name that is unknown: %+v", got)
	}
	allowed := newBase(t, dbtest.Memory(t), func(o *knowledge.Options) { o.Allowed = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")} })
	added, err := allowed.AddPages(t.Context(), chat.AllSites, inside.URL, true, false)
	if err != nil {
		t.Fatal(err)
	}
	allowed.work()
	if got := allowed.source(added.ID); got.Passages != 1 {
		t.Errorf("an allowed address: %+v", got)
	}
}

// TestRestart: a crawl goes on where it was cut off.
func TestRestart(t *testing.T) {
	dbtest.EachURL(t, func(t *testing.T, url string) {
		server := openShop(t)
		first, err := db.Open(t.Context(), url, db.Options{})
		if err != nil {
			t.Fatal(err)
		}
		b := newBase(t, first)
		source, err := b.AddPages(t.Context(), chat.AllSites, server.URL+"/sitemap.xml", false, true)
		for range 5 {
			if err == nil {
				_, err = b.Step(t.Context())
			}
		}
		if err := first.Close(); err != nil {
			t.Fatal(err)
		}
		if err != nil {
			t.Fatal(err)
		}
		again := newBase(t, dbtest.Open(t, url))
		if got := again.source(source.ID); got.Waiting != 26 {
			t.Errorf("it was cut off at %+v", got.KnowledgeCounts)
		}
		again.pass(time.Minute)
		again.work()
		if got := again.source(source.ID); got.Waiting != 0 || got.Pages != 30 || got.Failed != 0 {
			t.Errorf("it ended with %+v", got.KnowledgeCounts)
		}
	})
}

// TestSamePages: pages with the same text are found once.
func TestSamePages(t *testing.T) {
	each(t, func(t *testing.T, b *base) {
		same := page("Start", `<p>Singular lamps.</p><a href="/index">index</a>`)
		s := newSite(t, map[string]http.HandlerFunc{"/": same, "/index": same})
		b.crawl(s.URL, true)
		if got := b.ask("singular"); len(got) != 1 || got[0].URL != s.URL+"/" {
			t.Errorf("found %v", got)
		}
	})
}

// TestStop: a fetch that is cut off by the end of relay is made again.
func TestStop(t *testing.T) {
	b := newBase(t, dbtest.Memory(t))
	asked, end := make(chan struct{}), make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" {
			close(asked)
			<-r.Context().Done()
		}
	}))
	defer server.Close()
	source, err := b.AddPages(t.Context(), chat.AllSites, server.URL, true, true)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := contextOf(t)
	go func() {
		_ = b.Run(ctx)
		close(end)
	}()
	<-asked
	cancel()
	<-end
	if got := b.source(source.ID); got.Waiting != 1 || got.Failed != 0 {
		t.Errorf("the page is %+v", got.KnowledgeCounts)
	}
}

// TestKinds: every kind of file is read, with its headings.
func TestKinds(t *testing.T) {
	each(t, func(t *testing.T, b *base) {
		for name, data := range map[string]string{
			"a.md": "Title\n=====\n\n## Alpha\n\nmarkdown words\n", "b.txt": "plain words", "c.html": "<title>C</title><h2>Gamma</h2><p>hyper words</p>",
			"d.pdf": smallPDF("portable words"),
		} {
			if _, err := b.AddFile(t.Context(), chat.AllSites, name, []byte(data)); err != nil {
				t.Fatal(err)
			}
		}
		if err := b.ReadFiles(t.Context()); err != nil {
			t.Fatal(err)
		}
		var titles []string
		for _, p := range b.ask("markdown plain hyper portable") {
			titles = append(titles, p.Title)
		}
		slices.Sort(titles)
		if want := []string{"C › Gamma", "a.md › Title › Alpha", "b.txt", "d.pdf › Page 1"}; !slices.Equal(titles, want) {
			t.Errorf("found %q, want %q", titles, want)
		}
	})
}

// smallPDF is a PDF of one page with a text.
func smallPDF(words string) string {
	content := "BT /F1 12 Tf 72 720 Td (" + words + ") Tj ET"
	var out strings.Builder
	var at []int
	out.WriteString("%PDF-1.4\n")
	for i, object := range []string{"<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Count 1/Kids[3 0 R]>>",
		"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>",
		fmt.Sprintf("<</Length %d>>\nstream\n%s\nendstream", len(content), content), "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>"} {
		at = append(at, out.Len())
		fmt.Fprintf(&out, "%d 0 obj\n%s\nendobj\n", i+1, object)
	}
	start := out.Len()
	out.WriteString("xref\n0 6\n0000000000 65535 f \n")
	for _, place := range at {
		fmt.Fprintf(&out, "%010d 00000 n \n", place)
	}
	fmt.Fprintf(&out, "trailer\n<</Size 6/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n", start)
	return out.String()
}
