package knowledge_test

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/relay-chat/relay/bridges/knowledge"
	"github.com/relay-chat/relay/db"
	"github.com/relay-chat/relay/db/dbtest"
	"github.com/relay-chat/relay/server/chat"
)

// base is a knowledge base on a database, with a clock that stands still until
// somebody rests.
type base struct {
	*knowledge.Knowledge
	t     testing.TB
	store *db.DB

	mu     sync.Mutex
	now    time.Time
	rested []time.Duration
}

// each runs a test on a knowledge base in every database.
func each(t *testing.T, test func(t *testing.T, b *base)) {
	t.Helper()
	dbtest.Each(t, func(t *testing.T, store *db.DB) { test(t, newBase(t, store)) })
}

func newBase(t testing.TB, store *db.DB, change ...func(*knowledge.Options)) *base {
	b := &base{t: t, store: store, now: time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)}
	o := knowledge.Options{Store: store, Log: slog.New(slog.DiscardHandler), Version: "test", Now: b.clock, Rest: b.rest}
	for _, c := range change {
		c(&o)
	}
	b.Knowledge = knowledge.New(o)
	return b
}

func (b *base) clock() time.Time {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.now
}

// rest lets the clock go on instead of waiting.
func (b *base) rest(_ context.Context, d time.Duration) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.now, b.rested = b.now.Add(d), append(b.rested, d)
	return nil
}

// pass lets time pass.
func (b *base) pass(d time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.now = b.now.Add(d)
}

// work reads all that is to be read by now.
func (b *base) work() {
	b.t.Helper()
	for {
		worked, err := b.Step(b.t.Context())
		if err != nil {
			b.t.Fatal(err)
		}
		if !worked {
			return
		}
	}
}

// crawl adds a site as the machine's owner would, and reads it.
func (b *base) crawl(address string, follow bool) chat.KnowledgeSource {
	b.t.Helper()
	s, err := b.AddPages(b.t.Context(), chat.AllSites, address, follow, true)
	if err != nil {
		b.t.Fatal(err)
	}
	b.work()
	return b.source(s.ID)
}

func (b *base) source(id string) chat.KnowledgeSource {
	b.t.Helper()
	s, _, err := b.Source(b.t.Context(), id)
	if err != nil {
		b.t.Fatal(err)
	}
	return s
}

// page returns a page of a source by the end of its address.
func (b *base) pages(id string) map[string]chat.SourcePage {
	b.t.Helper()
	_, list, err := b.Source(b.t.Context(), id)
	if err != nil {
		b.t.Fatal(err)
	}
	pages := map[string]chat.SourcePage{}
	for _, p := range list {
		pages[p.URL] = p
	}
	return pages
}

// ask returns the passages for a question.
func (b *base) ask(question string) []chat.Passage {
	b.t.Helper()
	found, err := b.Passages(b.t.Context(), nil, question, 6)
	if err != nil {
		b.t.Fatal(err)
	}
	return found
}

// site serves pages, HTML unless they are made otherwise, and counts the requests.
type site struct {
	*httptest.Server
	mu    sync.Mutex
	asked map[string]int
	pages map[string]http.HandlerFunc
}

func newSite(t *testing.T, pages map[string]http.HandlerFunc) *site {
	s := &site{asked: map[string]int{}, pages: pages}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.asked[r.URL.RequestURI()]++
		page := s.pages[r.URL.Path]
		s.mu.Unlock()
		if page == nil {
			http.NotFound(w, r)
			return
		}
		page(w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

// set replaces a page.
func (s *site) set(path string, page http.HandlerFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pages[path] = page
}

func (s *site) count(path string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked[path]
}

// text answers with a page of a type.
func text(contentType, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		_, _ = w.Write([]byte(body))
	}
}

// page answers with HTML.
func page(title, body string) http.HandlerFunc {
	return text("text/html; charset=utf-8", "<!doctype html><title>"+title+"</title><main><h1>"+title+"</h1>"+body+"</main>")
}

// contextOf returns a context that ends with the test or earlier.
func contextOf(t *testing.T) (context.Context, context.CancelFunc) {
	return context.WithCancel(t.Context())
}
