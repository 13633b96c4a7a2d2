package knowledge

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/relay-chat/relay/bridges/apart"
	"github.com/relay-chat/relay/bridges/guard"
	"github.com/relay-chat/relay/server/chat"
)

// The crawler's intervals and limits.
const (
	refreshEvery = 24 * time.Hour
	startPause   = time.Second      // leaves the machine to the start of relay
	pollEvery    = 10 * time.Second // for sources that a command or another node added
	retryFirst   = time.Minute
	readerForm   = 1 // counts up when more is read of pages: those of an older form are read in full again
	maxAttempts  = 3 // per refresh, also of a page that relay did not survive
)

// Run reads the waiting files and pages, one after the other, and then embeds their
// passages, until ctx ends.
func (k *Knowledge) Run(ctx context.Context) error {
	k.waitForWork(ctx, startPause)
	for ctx.Err() == nil {
		worked, err := k.Step(ctx)
		if err != nil && ctx.Err() == nil {
			k.opts.Log.Error("the knowledge base cannot use the database", "err", err)
		}
		if err == nil && worked {
			continue
		}
		k.waitForWork(ctx, pollEvery)
	}
	return nil
}

// waitForWork waits until there may be something to read, for a time at most.
func (k *Knowledge) waitForWork(ctx context.Context, most time.Duration) {
	timer := time.NewTimer(most)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-k.bell:
	case <-timer.C:
	}
}

// Step reads one page or embeds some passages. It reports whether there was work.
func (k *Knowledge) Step(ctx context.Context) (worked bool, err error) {
	if err := k.store.RefreshDue(ctx, k.now(), k.now().Add(refreshEvery)); err != nil {
		return false, err
	}
	page, source, err := k.store.NextPage(ctx, k.now())
	switch {
	case err != nil:
		return false, err
	case page.Number != 0:
		return true, k.read(ctx, &source, page)
	}
	return k.embed(ctx)
}

// ReadFiles reads the waiting files. Commands call it because no relay may be running.
func (k *Knowledge) ReadFiles(ctx context.Context) error {
	for {
		page, source, err := k.store.NextPage(ctx, 0)
		if err != nil || page.Number == 0 {
			return err
		}
		if err := k.read(ctx, &source, page); err != nil {
			return err
		}
	}
}

// read reads a page of a source and stores the result. A page that relay's stop interrupts
// is read again at the next start, a few times: it may be what ended relay.
func (k *Knowledge) read(ctx context.Context, s *chat.KnowledgeSource, p chat.SourcePage) error {
	r := &chat.PageResult{Page: p}
	if p.Attempts >= maxAttempts {
		reject(r, errEndedRelay)
	} else {
		if err := k.store.CountAttempt(ctx, p.Number); err != nil {
			return err
		}
		r.Page.Attempts++
		if p.URL == "" {
			k.readFile(ctx, r)
		} else {
			k.readPage(ctx, s, r)
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	r.Page.FetchedAt = k.now()
	if r.Page.State != chat.PageWaiting {
		r.Page.File = nil
	}
	if err := k.store.SettlePage(ctx, s.ID, r); err != nil {
		return err
	}
	return k.dropGone(ctx, s)
}

var errEndedRelay = errors.New("relay stopped each time while it read this")

func (k *Knowledge) readFile(ctx context.Context, r *chat.PageResult) {
	d, err := k.extract(ctx, reading{Name: r.Page.Title, Data: r.Page.File})
	switch {
	case errors.Is(err, apart.ErrNotStarted):
		k.retryLater(r, err, 0)
	case err != nil:
		reject(r, err)
	default:
		accept(r, d)
	}
}

// tooMuchBefore begins the hash of a page that was too much for the reader. What follows is
// that of its bytes: the same ones are not tried again.
const tooMuchBefore = "unread:"

// document reads what a server sent, unless just that was too much before.
func (k *Knowledge) document(ctx context.Context, r *chat.PageResult, a answer) (d document, ok bool) {
	hash := tooMuchBefore + hashOf(a.body)
	if r.Page.Hash == hash {
		r.Page.State = chat.PageFailed // its error still stands
		return d, false
	}
	d, err := k.extract(ctx, reading{ContentType: contentType(a.header), At: a.at.String(), Data: a.body})
	switch {
	case errors.Is(err, apart.ErrNotStarted):
		k.retryLater(r, err, 0)
	case err != nil:
		reject(r, err)
		if errors.Is(err, apart.ErrTooMuch) {
			r.Page.Hash = hash
		}
	}
	return d, err == nil
}

func hashOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:16])
}

// readPage fetches a page if its site's robots.txt allows it.
func (k *Knowledge) readPage(ctx context.Context, s *chat.KnowledgeSource, r *chat.PageResult) {
	u, ok := parseAddress(r.Page.URL)
	start, known := parseAddress(s.URL)
	if !ok || !known {
		reject(r, errAddress)
		return
	}
	rules := k.rules(ctx, u, s.Trusted)
	if err := rules.allow(u); err != nil {
		k.retryLater(r, err, 0)
		return
	}
	want := request{url: u, trusted: s.Trusted, pause: rules.pause(), allowed: rules.allow}
	if r.Page.Passages > 0 && r.Page.Reader == readerForm { // else its text may be that of a page that has gone
		want.etag, want.modified = r.Page.ETag, r.Page.Modified
	}
	a, err := k.fetcher.get(ctx, want)
	if err != nil {
		k.retryLater(r, err, 0)
		return
	}
	k.handleResponse(ctx, s, start, r, a)
}

// handleResponse stores in r what a server returned for a page.
func (k *Knowledge) handleResponse(ctx context.Context, s *chat.KnowledgeSource, start *url.URL, r *chat.PageResult, a answer) {
	switch {
	case a.status == http.StatusNotModified:
		r.Page.State, r.Page.Error, r.Page.Attempts = chat.PageRead, "", 0
		return
	case a.status == http.StatusTooManyRequests || a.status >= 500:
		k.retryLater(r, fmt.Errorf("its server answered %d %s", a.status, http.StatusText(a.status)), retryAfter(a.header))
		return
	case a.status != http.StatusOK:
		reject(r, fmt.Errorf("its server answered %d %s", a.status, http.StatusText(a.status)))
		return
	}
	d, ok := k.document(ctx, r, a)
	if !ok {
		return
	}
	if k.head(ctx, s, r, &d, a) {
		accept(r, d)
		r.Page.Dated = min(chat.Time(d.Head.Dated)*1000, k.now())
		r.Page.ETag, r.Page.Modified = clip(a.header.Get("ETag"), 500), clip(a.header.Get("Last-Modified"), 100)
	}
	if d.Sitemap {
		r.Page.ETag, r.Page.Modified = "", "" // a sitemap is always read: it leads to new pages
	}
	if d.Sitemap || s.Kind == chat.KnowledgeSite {
		r.Found, r.Index = pagesAmong(d.Links, start, d.Sitemap), d.Index
		if more := len(r.Found) - chat.MaxSourcePages; more > 0 {
			r.Found, r.Dropped = r.Found[:chat.MaxSourcePages], more
		}
	}
	if r.Page.URL == s.URL {
		r.Title = d.Title
	}
}

// rules returns the robots.txt of a page's site, which is fetched once an hour.
func (k *Knowledge) rules(ctx context.Context, u *url.URL, trusted bool) robots {
	site := u.Scheme + "://" + u.Host
	if trusted {
		site = "trusted " + site
	}
	known, ok := k.robots[site]
	if !ok || k.opts.Now().After(known.until) {
		known = k.fetcher.fetchRules(ctx, u, trusted)
		if len(k.robots) > 1000 {
			clear(k.robots)
		}
		k.robots[site] = known
	}
	return known
}

// accept stores a document in r. An unchanged one keeps its passages; one without any may
// have had a twin that kept them.
func accept(r *chat.PageResult, d document) {
	p := &r.Page
	p.State, p.Error, p.Attempts, p.Sitemap, p.Title, p.Reader = chat.PageRead, "", 0, d.Sitemap, d.Title, readerForm
	if d.Sitemap {
		r.Replace, p.Hash, p.Title = true, "", ""
		return
	}
	hash := hashOf([]byte(d.Title + "\n" + d.Markdown))
	if hash == p.Hash && p.Passages > 0 {
		return
	}
	p.Hash, r.Replace = hash, true
	r.Passages = cutPassages(d.Title, d.Markdown)
	if len(r.Passages) == 0 {
		p.Error = "It has no text. If its text is made by scripts, add it as a file or as text."
	}
}

// reject marks a page as failed until the next refresh and drops its passages.
func reject(r *chat.PageResult, err error) {
	p := &r.Page
	p.State, p.Error, p.Hash, p.ETag, p.Modified = chat.PageFailed, sentence(err), "", "", ""
	r.Replace = true
}

// retryLater schedules another attempt and keeps a page's passages. An error that no
// retry can fix rejects the page.
func (k *Knowledge) retryLater(r *chat.PageResult, err error, after time.Duration) {
	var forbidden guard.Forbidden
	for _, final := range []error{errElsewhere, errRedirects, errTooLarge, errDisallowed} {
		if errors.Is(err, final) || errors.As(err, &forbidden) {
			reject(r, err)
			return
		}
	}
	p := &r.Page
	p.Error = sentence(err)
	if p.Attempts >= maxAttempts {
		p.State = chat.PageFailed
		return
	}
	p.NextAt = k.now().Add(max(after, retryFirst<<(2*(p.Attempts-1))))
}
