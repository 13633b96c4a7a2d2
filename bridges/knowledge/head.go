package knowledge

import (
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// pageHead is what a page says of itself beside its text.
type pageHead struct {
	Canonical string `json:",omitempty"` // the address under which the site wants the page to be known
	NoIndex   bool   `json:",omitempty"` // the site wants it to be found by nobody
	NoFollow  bool   `json:",omitempty"`
	// Dated is when it was changed last, as far as it says: seconds of Unix time, 0 if unknown.
	Dated int64 `json:",omitempty"`
	// Refused is why it is no page with content: that it was not found, or that people sign in first.
	Refused string `json:",omitempty"`
}

// headOf reads a page's robots, canonical address and date.
func headOf(root *html.Node, at *url.URL, title, dataDate string) (h pageHead) {
	dates := map[string]string{}
	for n := range root.Descendants() {
		switch n.DataAtom {
		case atom.Meta:
			name := strings.ToLower(attribute(n, "name") + attribute(n, "property") + attribute(n, "itemprop"))
			content := attribute(n, "content")
			if name == "robots" || name == userAgent {
				h.addRobots(content)
			} else if dateNames[name] && dates[name] == "" {
				dates[name] = content
			}
		case atom.Link:
			if at != nil && h.Canonical == "" && strings.EqualFold(attribute(n, "rel"), "canonical") {
				if u, err := at.Parse(strings.TrimSpace(attribute(n, "href"))); err == nil {
					h.Canonical = u.String()
				}
			}
		case atom.Time:
			if name := strings.ToLower(attribute(n, "itemprop")); dateNames[name] && dates[name] == "" {
				dates[name] = attribute(n, "datetime")
			}
		}
	}
	h.Dated = dateOf(dates, dataDate)
	if h.Dated == 0 {
		h.Dated = yearIn(title, at)
	}
	return h
}

func (h *pageHead) addRobots(content string) {
	for word := range strings.FieldsFuncSeq(strings.ToLower(content), func(r rune) bool { return r == ',' || r == ' ' }) {
		h.NoIndex = h.NoIndex || word == "noindex" || word == "none"
		h.NoFollow = h.NoFollow || word == "nofollow" || word == "none"
	}
}

// changedNames are where pages say when they were changed, publishedNames when they were made.
var (
	changedNames   = []string{"article:modified_time", "og:updated_time", "datemodified", "last-modified", "dcterms.modified", "revised"}
	publishedNames = []string{"article:published_time", "datepublished", "dcterms.date", "date"}
	dateNames      = func() map[string]bool {
		set := map[string]bool{}
		for _, name := range append(append([]string{}, changedNames...), publishedNames...) {
			set[name] = true
		}
		return set
	}()
)

// dateOf is when a page was changed, else made, in seconds; 0 when it does not say.
func dateOf(dates map[string]string, dataDate string) int64 {
	list := []string{}
	for _, name := range changedNames {
		list = append(list, dates[name])
	}
	list = append(list, dataDate)
	for _, name := range publishedNames {
		list = append(list, dates[name])
	}
	for _, text := range list {
		if when := parseDate(text); when > 0 {
			return when
		}
	}
	return 0
}

// parseDate reads a date of the years that web pages are from, 0 if it is none.
func parseDate(text string) int64 {
	text = strings.TrimSpace(text)
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05-0700", "2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02 15:04:05", "2006-01-02", time.RFC1123, "2006-01", "2006"} {
		if when, err := time.Parse(layout, text); err == nil && when.Year() >= 1995 && when.Year() < 2200 {
			return when.Unix()
		}
	}
	return 0
}

var yearWord = regexp.MustCompile(`(?:^|[^0-9A-Za-z.,])(20[0-4][0-9])(?:$|[^0-9A-Za-z.,])`)

// yearIn is the end of the year that a title or the end of an address names, 0 if they name none.
func yearIn(title string, at *url.URL) int64 {
	texts := []string{title}
	if at != nil {
		texts = append(texts, at.Path[strings.LastIndexByte(strings.TrimSuffix(at.Path, "/"), '/')+1:])
	}
	for _, text := range texts {
		if found := yearWord.FindAllStringSubmatch(text, -1); len(found) == 1 {
			year, _ := strconv.Atoi(found[0][1])
			return time.Date(year, 12, 31, 0, 0, 0, 0, time.UTC).Unix()
		}
	}
	return 0
}

// The lengths in characters of a page that says no more than that there is none, and of one that
// only asks people to sign in.
const (
	longestMissing = 1500
	longestSignIn  = 600
)

// missingTitle matches titles of pages that were not found although their server says 200.
var missingTitle = regexp.MustCompile(`(?i)^\W*(?:error\s*)?404\b|\b(?:error|fehler|erreur|errore|fout|erro)\s*404\b|` +
	`\b404\s*(?:[-–|:]|not|error|page|seite)|(?:page|file|site) (?:was |could )?not (?:be )?found|page (?:does not|doesn.t) exist|` +
	`seite (?:wurde )?nicht gefunden|page (?:introuvable|non trouvée)|página no encontrada|página não encontrada|` +
	`pagina non trovata|pagina niet gevonden|nie znaleziono strony|strona nie została znaleziona|` +
	`stránka (?:nebyla )?nenalezena|sidan (?:kunde inte hittas|hittades inte)|siden (?:blev|ble) ikke fundet|siden finnes ikke|` +
	`sivua ei löyt|страница не найдена|сторінку не знайдено|sayfa bulunamadı|` +
	`ページが見つかりません|页面不存在|找不到(?:页面|頁面)|페이지를 찾을 수 없|الصفحة غير موجودة`)

// refusal is why a page has no content of its own, "" if it has.
func refusal(title, heading, markdown string, asksToSignIn bool) string {
	length := utf8.RuneCountInString(markdown)
	switch {
	case length <= longestMissing && (missingTitle.MatchString(title) || missingTitle.MatchString(heading)):
		return "its server says that there is no such page, with the status of one that is there"
	case length <= longestSignIn && asksToSignIn:
		return "people have to sign in first to see it"
	}
	return ""
}

// asksToSignIn reports whether a page has a field for a password.
func asksToSignIn(root *html.Node) bool {
	for n := range root.Descendants() {
		if n.DataAtom == atom.Input && strings.EqualFold(attribute(n, "type"), "password") {
			return true
		}
	}
	return false
}
