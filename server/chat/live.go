package chat

import (
	"slices"
	"strings"
	"unicode"
)

// Bounds of what a page says of itself while it is open.
const (
	maxLivePages   = 20
	maxLiveAddress = 500 // bytes
)

// LiveVisitor is somebody who has a page of a website open now. It is in memory alone.
type LiveVisitor struct {
	// ID is made of a number that only the page knows.
	ID         string `json:"id"`
	Site       string `json:"site,omitempty"`
	Name       string `json:"name"`
	URL        string `json:"url,omitempty"`
	Referrer   string `json:"referrer,omitempty"`
	Country    string `json:"country,omitempty"`
	Browser    string `json:"browser,omitempty"`
	DeviceType string `json:"deviceType,omitempty"`
	Since      Time   `json:"since"`
	// Pages are those of this visit, the first one first.
	Pages []string `json:"pages"`
	// SessionID is the visitor's conversation, if the page has proved that it is.
	SessionID string `json:"sessionId,omitempty"`
}

// LiveID is the id by which operators know the visitor of a page that calls itself so.
func LiveID(own string) string { return Hash("live\n" + own)[:26] }

// Clip keeps of what a page says what is an address of a web page, without its query.
func (v *LiveVisitor) Clip() {
	v.URL, v.Referrer = pageAddress(v.URL), pageAddress(v.Referrer)
	pages := []string{}
	for _, page := range v.Pages[max(0, len(v.Pages)-maxLivePages):] {
		if page = pageAddress(page); page != "" {
			pages = append(pages, page)
		}
	}
	v.Pages = pages
}

// pageAddress is the address of a web page up to its query, "" for anything else.
func pageAddress(s string) string {
	s, _, _ = strings.Cut(s, "#")
	s, _, _ = strings.Cut(s, "?")
	if !strings.HasPrefix(s, "https://") && !strings.HasPrefix(s, "http://") {
		return ""
	}
	s = strings.ToValidUTF8(s[:min(len(s), maxLiveAddress)], "")
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.IsSpace(r) || unicode.Is(unicode.Cf, r) {
			return -1
		}
		return r
	}, s)
}

// Same reports whether two are shown alike.
func (v *LiveVisitor) Same(other *LiveVisitor) bool {
	return v.URL == other.URL && v.Name == other.Name && v.SessionID == other.SessionID && v.Referrer == other.Referrer && slices.Equal(v.Pages, other.Pages)
}
