package knowledge_test

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/relay-chat/relay/bridges/knowledge"
	"github.com/relay-chat/relay/db"
	"github.com/relay-chat/relay/db/dbtest"
	"github.com/relay-chat/relay/server/chat"
)

// asReader makes the tests' program the reader of documents.
const asReader = "read-document"

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == asReader {
		if err := knowledge.ReadDocument(os.Stdin, os.Stdout); err != nil {
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// apart has documents read in a process of their own, as relay does.
func apart(o *knowledge.Options) { o.Reader = []string{os.Args[0], asReader} }

// deflated packs a string of a size.
func deflated(t *testing.T, size int) string {
	t.Helper()
	var out bytes.Buffer
	z := zlib.NewWriter(&out)
	_, _ = io.WriteString(z, "BT (")
	piece := bytes.Repeat([]byte("A"), 1<<20)
	for range size >> 20 {
		if _, err := z.Write(piece); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// pdfPage renders a PDF of one page with a packed content.
func pdfPage(content string, levels int) string {
	return pdfOf("<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Count 1/Kids[3 0 R]>>", "<</Type/Page/Parent 2 0 R/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>",
		fmt.Sprintf("<</Length %d/Filter[%s]>>\nstream\n%s\nendstream", len(content), strings.Repeat("/FlateDecode ", levels), content),
		"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>")
}

// pdfOf renders a PDF of objects.
func pdfOf(objects ...string) string {
	var out strings.Builder
	var at []int
	out.WriteString("%PDF-1.4\n")
	for i, object := range objects {
		at = append(at, out.Len())
		fmt.Fprintf(&out, "%d 0 obj\n%s\nendobj\n", i+1, object)
	}
	start := out.Len()
	fmt.Fprintf(&out, "xref\n0 %d\n0000000000 65535 f \n", len(at)+1)
	for _, place := range at {
		fmt.Fprintf(&out, "%010d 00000 n \n", place)
	}
	fmt.Fprintf(&out, "trailer\n<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n", len(at)+1, start)
	return out.String()
}

// TestDocumentsThatEatTheMachine end their reader, not relay, and the next one is read.
func TestDocumentsThatEatTheMachine(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ file, data, want string }{
		"bomb":   {"a.pdf", pdfPage(deflated(t, 400<<20), 1), "it unpacks to more than relay reads"},
		"circle": {"a.pdf", pdfOf("<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Count 999999999/Kids[2 0 R]/Parent 2 0 R>>"), "it takes longer than 10 seconds|it unpacks to more than relay reads"}, // whichever ends first
		"empty":  {"a.pdf", "%PDF-1.4\nstartxref\n0\n%%EOF\n", ""},
		"cells":  {"a.html", "<p>lamp<table><tr>" + strings.Repeat("<td>x<table>", 100_000), ""},
		"formatting": {"a.html", "<p>" + func() (out string) {
			for i := range 400 {
				out += fmt.Sprintf("<b a%d>", i)
			}
			return out
		}() + strings.Repeat("<p>x", 62000) + "<p>lamp", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBase(t, dbtest.Memory(t), apart)
			s, err := b.AddFile(t.Context(), chat.AllSites, tt.file, []byte(tt.data))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := b.AddFile(t.Context(), chat.AllSites, "lamp.md", []byte("A lamp stands here.")); err != nil {
				t.Fatal(err)
			}
			b.work()
			page := b.pages(s.ID)[""]
			said := func(want string) bool { return strings.Contains(page.Error, want) }
			if page.State == chat.PageWaiting || !slices.ContainsFunc(strings.Split(tt.want, "|"), said) {
				t.Errorf("its state is %v, its error %q, want %q", page.State, page.Error, tt.want)
			}
			if found := b.ask("lamp"); len(found) == 0 {
				t.Error("the file behind it is not found")
			}
		})
	}
}

// TestPageThatEndsItsReader is told at its source and not read again until it changes,
// however often its site is fetched.
func TestPageThatEndsItsReader(t *testing.T) {
	t.Parallel()
	store := dbtest.Memory(t)
	b := newBase(t, store, func(o *knowledge.Options) { o.Reader = []string{"/bin/sh", "-c", "exit 2"} })
	s := newSite(t, map[string]http.HandlerFunc{"/a.pdf": text("application/pdf", pdfPage("BT ET", 0))})
	source := b.crawl(s.URL+"/a.pdf", false)
	first := b.pages(source.ID)[s.URL+"/a.pdf"]
	if first.State != chat.PageFailed || !strings.Contains(first.Error, "It was too much to read") {
		t.Fatalf("its state is %v, its error %q", first.State, first.Error)
	}
	tried := newBase(t, store, func(o *knowledge.Options) { o.Reader = []string{"/no/reader"} }) // which would be told
	again := func() chat.SourcePage {
		if err := tried.Refresh(t.Context(), source.ID); err != nil {
			t.Fatal(err)
		}
		tried.pass(time.Hour)
		tried.work()
		return tried.pages(source.ID)[s.URL+"/a.pdf"]
	}
	if got := again(); got.State != chat.PageFailed || got.Error != first.Error || s.count("/a.pdf") != 2 {
		t.Errorf("fetched again, its state is %v, its error %q", got.State, got.Error)
	}
	s.set("/a.pdf", text("text/plain", "A lamp stands here."))
	if got := again(); !strings.Contains(got.Error, "could not start") || got.State != chat.PageWaiting {
		t.Errorf("changed, its state is %v, its error %q", got.State, got.Error)
	}
	b = newBase(t, store, apart)
	b.pass(24 * time.Hour)
	b.work()
	if got := b.pages(source.ID)[s.URL+"/a.pdf"]; got.State != chat.PageRead || len(b.ask("lamp")) != 1 {
		t.Errorf("with a reader, its state is %v, its error %q", got.State, got.Error)
	}
}

// TestPageThatEndsRelay: a page that relay did not survive three times is left alone.
func TestPageThatEndsRelay(t *testing.T) {
	each(t, func(t *testing.T, b *base) {
		s := newSite(t, map[string]http.HandlerFunc{"/": page("Lamps", "<p>A lamp.</p>")})
		source, err := b.AddPages(t.Context(), chat.AllSites, s.URL+"/", false, true)
		if err != nil {
			t.Fatal(err)
		}
		for range 3 {
			next, _, err := b.store.NextPage(t.Context(), b.at())
			if err != nil || next.Number == 0 {
				t.Fatal(next, err)
			}
			if err := b.store.CountAttempt(t.Context(), next.Number); err != nil {
				t.Fatal(err)
			}
		}
		b.work()
		if got := b.pages(source.ID)[s.URL+"/"]; got.State != chat.PageFailed || !strings.Contains(got.Error, "Relay stopped each time") || s.count("/") != 0 {
			t.Errorf("its state is %v, its error %q, it was fetched %d times", got.State, got.Error, s.count("/"))
		}
	})
}

// at is the clock's time as the store has it.
func (b *base) at() chat.Time { return chat.TimeOf(b.clock()) }

// TestReaderIsAlone: a reader has nothing of relay's environment, and what it does not
// answer is no answer.
func TestReaderIsAlone(t *testing.T) {
	t.Setenv("RELAY_SECRET_KEY", "sk_secret")
	for name, tt := range map[string]struct{ script, want string }{
		"environment": {`cat >/dev/null; test -z "$RELAY_SECRET_KEY$HOME" && echo '{"Document":{"Markdown":"alone with a lamp"}}'`, ""},
		"nothing":     {`cat >/dev/null`, "too much"},
		"failure":     {`cat >/dev/null; exit 3`, "too much"},
		"flood":       {`cat >/dev/null; yes`, "too much"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBase(t, dbtest.Memory(t), func(o *knowledge.Options) { o.Reader = []string{"/bin/sh", "-c", tt.script} })
			s, err := b.AddFile(t.Context(), chat.AllSites, "a.md", []byte("text"))
			if err != nil {
				t.Fatal(err)
			}
			b.work()
			if got := b.pages(s.ID)[""]; (got.Error == "") != (tt.want == "") || !strings.Contains(got.Error, tt.want) {
				t.Errorf("its error is %q, want %q", got.Error, tt.want)
			}
		})
	}
}

// TestSitemapBomb: a small sitemap that unpacks to a deep tree is read as far as it goes.
func TestSitemapBomb(t *testing.T) {
	t.Parallel()
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	b := newBase(t, dbtest.Memory(t), apart)
	s := newSite(t, map[string]http.HandlerFunc{"/lamp": page("Lamp", "<p>A lamp.</p>")})
	fmt.Fprintf(z, "<urlset><url><loc>%s/lamp</loc></url>", s.URL)
	open := `<a b="` + strings.Repeat("c", 22) + `">` // 30 bytes: a reader under the race detector is slow
	for range 55 {
		_, _ = io.WriteString(z, strings.Repeat(open, 10_000))
	}
	_ = z.Close()
	s.set("/sitemap.xml.gz", text("application/gzip", packed.String()))
	source := b.crawl(s.URL+"/sitemap.xml.gz", true)
	if got := b.source(source.ID); got.Pages != 1 || got.Failed != 0 || len(b.ask("lamp")) != 1 {
		t.Errorf("the source is %+v", got)
	}
}

// TestTwinsKeepTheirText: of pages with the same text one keeps it. When that one goes,
// changes or cannot be read, the next one has it.
func TestTwinsKeepTheirText(t *testing.T) {
	for name, then := range map[string]http.HandlerFunc{
		"gone": http.NotFound, "changed": page("Chair", "<p>A chair.</p>"), "too much": text("image/png", "\x89PNG\r\n\x1a\n"),
	} {
		t.Run(name, func(t *testing.T) {
			dbtest.Each(t, func(t *testing.T, store *db.DB) {
				b := newBase(t, store)
				lamp := func(w http.ResponseWriter, r *http.Request) {
					w.Header().Set("ETag", `"lamp"`)
					if r.Header.Get("If-None-Match") == `"lamp"` {
						w.WriteHeader(http.StatusNotModified)
						return
					}
					page("Lamp", "<p>A lamp.</p>")(w, r)
				}
				s := newSite(t, map[string]http.HandlerFunc{"/": page("Start", `<p>Start.<a href="a">a</a><a href="b">b</a><a href="c">c</a>`), "/a": lamp, "/b": lamp, "/c": lamp})
				source := b.crawl(s.URL+"/", true)
				for _, gone := range []string{"/a", "/b"} {
					s.set(gone, then)
					b.pass(25 * time.Hour)
					b.work()
					if got := b.ask("lamp"); len(got) != 1 || got[0].URL == s.URL+gone {
						t.Fatalf("without %s a lamp is found in %v; pages %v", gone, got, b.pages(source.ID))
					}
				}
			})
		})
	}
}

// TestNamesStayWhereTheyAre: of what the machine's owner adds only a host that is in a
// private network now may be there later.
func TestNamesStayWhereTheyAre(t *testing.T) {
	b := newBase(t, dbtest.Memory(t))
	for address, want := range map[string]bool{"http://127.0.0.1:9/": true, "http://localhost:9/": true, "http://93.184.216.34/": false, "http://name.invalid/": false} {
		s, err := b.AddPages(context.Background(), chat.AllSites, address, false, true)
		if err != nil {
			t.Fatal(err)
		}
		_, source, err := b.store.NextPage(t.Context(), b.at())
		if err != nil || source.ID != s.ID || source.Trusted != want {
			t.Errorf("%s is trusted: %v, %v", address, source.Trusted, err)
		}
		if err := b.Remove(t.Context(), s.ID); err != nil {
			t.Fatal(err)
		}
	}
}

// TestFilesOfBytes: what is no text is refused, whatever its name says.
func TestFilesOfBytes(t *testing.T) {
	b := newBase(t, dbtest.Memory(t))
	for _, tt := range []struct {
		name, data string
		fine       bool
	}{
		{"a.md", "\x8f\x02\x91\xe0\x13\x05\x06\x07 random", false},
		{"a.txt", strings.Repeat("text ", 200) + "\x00", false},
		{"a.html", "\x89PNG\r\n\x1a\n", false},
		{"a.md", "GIF89a\x01", false},
		{"a.txt", "Gr\xf6\xdfe", true},
		{"a.txt", "\xff\xfeG\x00\xf6\x00", true},
		{"a.md", "\xef\xbb\xbf# Größe", true},
		{"a.html", "<p>text", true},
	} {
		if _, err := b.AddFile(t.Context(), chat.AllSites, tt.name, []byte(tt.data)); (err == nil) != tt.fine {
			t.Errorf("%s of %q: %v", tt.name, tt.data[:min(len(tt.data), 20)], err)
		}
	}
}
