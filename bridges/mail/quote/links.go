package quote

import (
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxLink is how many bytes an address may have that is written behind its text.
const maxLink = 1000

// endLink writes the address of a link behind its text, if that says another one.
func (w *writer) endLink() {
	address, text := w.link, strings.TrimSpace(w.linkText)
	w.link, w.linkText = "", ""
	if address == "" || text == "" || len(address) > maxLink || sameAddress(address, text) {
		return
	}
	if w.line.Len() > 0 {
		w.line.WriteString(" ")
	}
	w.space = false
	w.add("(" + address + ")")
}

// linkAddress is the address of a link that people can follow, "" if it is none. A link of
// Outlook's that only checks another one is that one.
func linkAddress(href string) string {
	href = strings.TrimSpace(href)
	lower := strings.ToLower(href[:min(len(href), 10)])
	if strings.ContainsFunc(href, unicode.IsSpace) || !utf8.ValidString(href) {
		return ""
	}
	if strings.HasPrefix(lower, "mailto:") {
		address, _, _ := strings.Cut(href[len("mailto:"):], "?")
		return address
	}
	if !strings.HasPrefix(lower, "http://") && !strings.HasPrefix(lower, "https://") {
		return ""
	}
	if u, err := url.Parse(href); err == nil && strings.HasSuffix(u.Hostname(), ".safelinks.protection.outlook.com") && strings.HasPrefix(u.Query().Get("url"), "http") {
		return linkAddress(u.Query().Get("url"))
	}
	return href
}

// sameAddress reports whether a text says an address, maybe in a shorter form.
func sameAddress(address, text string) bool {
	short := func(s string) string {
		s = strings.ToLower(strings.Trim(s, " <>()[]\""))
		for _, prefix := range []string{"mailto:", "https://", "http://", "www."} {
			s = strings.TrimPrefix(s, prefix)
		}
		return strings.TrimSuffix(s, "/")
	}
	return short(address) == short(text)
}
