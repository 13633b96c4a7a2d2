package knowledge

import (
	"context"
	"errors"
	"net/url"
	"strings"

	"github.com/relay-chat/relay/server/chat"
)

// The reasons why the text of a page that was read is not kept.
var (
	errNoIndex   = errors.New("its site does not want it to be found (noindex)")
	errCanonical = errors.New("its site names another page instead of it (canonical)")
)

// head applies what a page says of itself: whether it is one, whether it may be found, and which page stands
// for it. The page that the owner named is read whatever it says of itself. It reports whether the text is kept.
func (k *Knowledge) head(ctx context.Context, s *chat.KnowledgeSource, r *chat.PageResult, d *document, a answer) bool {
	for _, value := range a.header.Values("X-Robots-Tag") {
		d.Head.addRobots(value)
	}
	if d.Head.NoFollow {
		d.Links = nil
	}
	named := r.Page.URL == s.URL
	switch other := canonicalOf(d, a.at); {
	case d.Head.Refused != "":
		reject(r, errors.New(d.Head.Refused))
		return false
	case d.Sitemap || named:
	case d.Head.NoIndex:
		setAside(r, errNoIndex)
		return false
	case other != nil:
		return k.canonical(ctx, s, r, d, other)
	}
	return true
}

// canonicalOf is the page that stands for another one on the same site, nil if that is itself. The
// start page stands for none: where each page names it, that is a mistake.
func canonicalOf(d *document, at *url.URL) *url.URL {
	other, ok := parseAddress(d.Head.Canonical)
	if !ok || !sameSite(other, at) || other.RequestURI() == at.RequestURI() || other.RequestURI() == "/" {
		return nil
	}
	return other
}

// canonical gives a page up for the one that stands for it, if that has a text. One that was not read
// yet is waited for, once.
func (k *Knowledge) canonical(ctx context.Context, s *chat.KnowledgeSource, r *chat.PageResult, d *document, other *url.URL) bool {
	if there, err := k.store.HasText(ctx, s.ID, other.String()); err == nil && there {
		setAside(r, errCanonical)
		return false
	}
	d.Links = append(d.Links, other.String())
	if r.Page.Attempts > 1 {
		return true
	}
	r.Page.NextAt = k.now().Add(retryFirst)
	return false
}

// setAside keeps a page without its text.
func setAside(r *chat.PageResult, why error) {
	p := &r.Page
	p.State, p.Error, p.Attempts, p.Hash, p.ETag, p.Modified, p.Reader = chat.PageRead, sentence(why), 0, "", "", "", readerForm
	r.Replace, r.Passages = true, nil
}

// dropGone removes pages that the sitemaps of a source have no more, once these were all read again.
func (k *Knowledge) dropGone(ctx context.Context, s *chat.KnowledgeSource) error {
	if s.RefreshAt == 0 {
		return nil
	}
	return k.store.DropUnlisted(ctx, s.ID, s.RefreshAt.Add(-refreshEvery), readerForm, k.now())
}

// The bounds of addresses that pages lead to: parts of a path, how often one part is in it, and how many
// addresses of a page differ by their query alone.
const (
	maxParts    = 12
	maxSamePart = 2
	maxQueries  = 30
)

// isTrap reports whether an address is one of a row without end: of a calendar, or a path that repeats itself.
func isTrap(u *url.URL) bool {
	parts := strings.Split(strings.Trim(strings.ToLower(u.EscapedPath()), "/"), "/")
	if len(parts) > maxParts {
		return true
	}
	same := map[string]int{}
	dates, calendar := 0, false
	for _, part := range parts {
		if same[part]++; same[part] > maxSamePart {
			return true
		}
		calendar = calendar || calendarWords[part]
		if part != "" && strings.Trim(part, "0123456789-") == "" {
			dates++
		}
	}
	for name, values := range u.Query() {
		name = strings.ToLower(name)
		if calendarWords[name] || calendarKeys[name] && len(values) > 0 && strings.ContainsAny(values[0], "0123456789") {
			return true
		}
	}
	return calendar && dates > 0
}

// calendarWords are parts of the addresses of calendars, calendarKeys the names of what is asked of them.
var (
	calendarWords = map[string]bool{"calendar": true, "kalender": true, "calendario": true, "calendrier": true, "agenda": true,
		"ical": true, "outlook-ical": true, "tribe-bar-date": true,
		"eventdisplay": true, "add-to-cart": true, "replytocom": true}
	calendarKeys = map[string]bool{"month": true, "monat": true, "mois": true, "mes": true, "year": true, "jahr": true,
		"week": true, "woche": true, "day": true, "date": true, "datum": true,
		"startdate": true, "start_date": true, "from": true}
)

// sessionNames are what addresses call a visit, in small letters.
var sessionNames = map[string]bool{"sid": true, "phpsessid": true, "jsessionid": true, "aspsessionid": true, "sessionid": true,
	"session_id": true, "session": true, "sess": true, "cfid": true,
	"cftoken": true, "zenid": true, "oscsid": true, "osid": true, "xtc_sid": true, "gclid": true, "fbclid": true, "msclkid": true,
	"yclid": true, "dclid": true, "mc_cid": true, "mc_eid": true,
	"_ga": true, "_gl": true, "igshid": true, "vero_id": true, "_hsenc": true, "_hsmi": true}

// withoutSession leaves the id of a visit out of a path: ";jsessionid=…".
func withoutSession(path string) string {
	before, after, found := strings.Cut(path, ";")
	if name, _, _ := strings.Cut(strings.ToLower(after), "="); found && sessionNames[name] {
		return before
	}
	return path
}
