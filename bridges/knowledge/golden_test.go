package knowledge_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/relay-chat/relay/db/dbtest"
	"github.com/relay-chat/relay/server/chat"
)

const shop = "../../testdata/shop"

// golden is a question that a visitor of the shop asks, and the page that answers
// it; "" when none does.
type golden struct{ Question, Page string }

func goldenSet(t testing.TB) (list []golden) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(shop, "questions.json"))
	if err == nil {
		err = json.Unmarshal(data, &list)
	}
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// openShop serves the shop with a sitemap of its pages.
func openShop(t testing.TB) *httptest.Server { return openSite(t, shop, 30) }

// openSite serves a folder's pages, so many, with a sitemap of them.
func openSite(t testing.TB, folder string, pages int) *httptest.Server {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*", "*.html"))
	if err != nil || len(files) != pages {
		t.Fatalf("%d pages, %v", len(files), err)
	}
	mux := http.NewServeMux()
	mux.Handle("/", http.FileServer(http.Dir(folder)))
	mux.HandleFunc("/robots.txt", http.NotFound)
	mux.HandleFunc("/sitemap.xml", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/xml")
		fmt.Fprint(w, `<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">`)
		for _, file := range files {
			path, _ := filepath.Rel(folder, file)
			fmt.Fprintf(w, "<url><loc>http://%s/%s</loc></url>", r.Host, filepath.ToSlash(path))
		}
		fmt.Fprint(w, `</urlset>`)
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server
}

// TestGoldenShop: of the questions that the shop's pages answer, the right page is
// among the first six passages for nine in ten, in every language and database.
func TestGoldenShop(t *testing.T) {
	server := openShop(t)
	each(t, func(t *testing.T, b *base) {
		s := b.crawl(server.URL+"/sitemap.xml", false)
		if s.Waiting != 0 || s.Failed != 0 || s.Pages != 30 {
			t.Fatalf("the crawl ended with %+v", s.KnowledgeCounts)
		}
		asked, found, first := b.score(goldenSet(t))
		t.Logf("%d of %d in the first six, %d first; %d passages", found, asked, first, s.Passages)
		if asked != 40 || found*10 < asked*9 {
			t.Errorf("the right page is among the passages for %d of %d questions", found, asked)
		}
	})
}

// score asks the questions that have an answer, and counts those whose page is among
// the passages, and those where it is the first.
func (b *base) score(set []golden) (asked, found, first int) {
	for _, q := range set {
		if q.Page == "" {
			continue
		}
		asked++
		switch rankOf(b.ask(q.Question), "/"+q.Page+".html") {
		case 0:
			b.t.Logf("not found: %s (%s)", q.Question, q.Page)
		case 1:
			first++
			found++
		default:
			found++
		}
	}
	return asked, found, first
}

// BenchmarkGoldenShop prints in how many of a hundred questions the right page is
// found, and how long one takes.
func BenchmarkGoldenShop(t *testing.B) {
	b := newBase(t, dbtest.Open(t, dbtest.FileURL(t)))
	b.crawl(openShop(t).URL+"/sitemap.xml", false)
	set := goldenSet(t)
	asked, found, first := 0, 0, 0
	for t.Loop() {
		asked, found, first = b.score(set)
	}
	t.ReportMetric(100*float64(found)/float64(asked), "%found")
	t.ReportMetric(100*float64(first)/float64(asked), "%first")
	t.ReportMetric(float64(t.Elapsed().Microseconds())/float64(t.N*asked), "µs/question")
}

// rankOf returns the place of a page among passages, 0 if it has none.
func rankOf(passages []chat.Passage, path string) int {
	for i, p := range passages {
		if strings.HasSuffix(p.URL, path) {
			return i + 1
		}
	}
	return 0
}
