package web

import (
	"html"
	"log/slog"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/relay-chat/relay/assets"
	"github.com/relay-chat/relay/server/team"
)

// pageCSP lets relay's own pages load what relay serves, and nothing else.
const pageCSP = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; frame-src 'self'; " +
	"base-uri 'none'; form-action 'self'; media-src 'self'; img-src 'self' data: blob:"

// Policy returns the Content-Security-Policy of a page. Pages with the widget also show
// the operator's avatar, wherever it is. The set-up page frames the demo and the
// console, which frames the preview of the widget and is an app with a service worker.
func Policy(name string) string {
	switch name {
	case "demo.html", "preview.html":
		return pageCSP + " https:; frame-ancestors 'self'"
	case "chat.html":
		return pageCSP + " https:; manifest-src 'self'; frame-ancestors 'none'"
	case "console.html":
		return pageCSP + "; manifest-src 'self'; worker-src 'self'; frame-ancestors 'self'"
	}
	return pageCSP + "; frame-ancestors 'none'"
}

// Slots are the values of a page's placeholders, by name.
type Slots map[string]string

// Parts are the parts of a page that other pages' sources were filled for, by name.
type Parts map[string][]byte

// Fill returns a page with its values, each escaped, and its parts as they are.
func Fill(name string, values Slots, within Parts) ([]byte, error) {
	return FillIn("en", name, values, within)
}

// FillIn is [Fill] in a language.
func FillIn(language, name string, values Slots, within Parts) ([]byte, error) {
	page, err := assets.PageIn(language, name)
	if err != nil {
		return nil, err
	}
	pairs := make([]string, 0, 2*(len(values)+len(within)))
	for slot, part := range within {
		pairs = append(pairs, "${"+slot+"}", string(part))
	}
	for slot, value := range values {
		pairs = append(pairs, "${"+slot+"}", html.EscapeString(value))
	}
	return []byte(strings.NewReplacer(pairs...).Replace(string(page))), nil
}

// Pages answers relay's own pages.
type Pages struct {
	Version string
	Log     *slog.Logger
	// Language is that in which a request is answered.
	Language func(*http.Request) string
}

// NewPages makes the pages of a version of relay.
func NewPages(version string, log *slog.Logger) Pages { return Pages{version, log, BrowserLanguage} }

// Show answers a page. Pages are never cached: they show keys and sessions.
func (s Pages) Show(w http.ResponseWriter, r *http.Request, status int, name string, values Slots) {
	s.ShowWith(w, r, status, name, values, nil)
}

// ShowWith answers a page that has parts, in the language of the request.
func (s Pages) ShowWith(w http.ResponseWriter, r *http.Request, status int, name string, values Slots, within Parts) {
	s.ShowIn(s.Language(r), w, r, status, name, values, within)
}

// ShowIn answers a page in a language.
func (s Pages) ShowIn(language string, w http.ResponseWriter, r *http.Request, status int, name string, values Slots, within Parts) {
	values["Version"] = s.Version
	page, err := FillIn(language, name, values, within)
	if err != nil {
		s.PageFailed(w, name, err)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", Policy(name))
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		_, _ = w.Write(page)
	}
}

// PageFailed reports a page that the program should have.
func (s Pages) PageFailed(w http.ResponseWriter, name string, err error) {
	s.Log.Error("page failed", "page", name, "err", err)
	http.Error(w, "Internal server error", http.StatusInternalServerError)
}

// ShowError answers a page with an error. Where the fault is relay's it speaks the browser's
// language: the database, which knows what a person has chosen, may be away.
func (s Pages) ShowError(w http.ResponseWriter, r *http.Request, status int, text string) {
	of := BrowserLanguage
	if status < http.StatusInternalServerError {
		of = s.Language
	}
	language := of(r)
	s.ShowIn(language, w, r, status, "error.html", Slots{"Status": strconv.Itoa(status),
		"Title": assets.Say(language, http.StatusText(status)), "Text": assets.Say(language, text)}, nil)
}

// BrowserLanguage is the language of the console that the browser prefers, English for none.
func BrowserLanguage(r *http.Request) string {
	best, most := team.Languages[0], 0.0
	for wish := range strings.SplitSeq(r.Header.Get("Accept-Language"), ",") {
		name, weight := wishOf(wish)
		if weight > most && slices.Contains(team.Languages, name) {
			best, most = name, weight
		}
	}
	return best
}

// wishOf is a language of Accept-Language, without its country, and its weight.
func wishOf(wish string) (name string, weight float64) {
	tag, rest, weighted := strings.Cut(strings.TrimSpace(wish), ";")
	name, _, _ = strings.Cut(strings.ToLower(strings.TrimSpace(tag)), "-")
	if !weighted {
		return name, 1
	}
	value, ok := strings.CutPrefix(strings.TrimSpace(rest), "q=")
	weight, err := strconv.ParseFloat(value, 64)
	if !ok || err != nil || weight > 1 {
		return name, 0
	}
	return name, weight
}
