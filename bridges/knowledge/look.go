package knowledge

import (
	"bytes"
	"cmp"
	"context"
	"encoding/hex"
	"net/url"
	"strings"
	"unicode"

	"golang.org/x/net/html"

	"github.com/relay-chat/relay/server/chat"
)

// Look reads a site's name, icon and theme colour from one of its pages, under the
// same guard and limits as the crawler.
func (k *Knowledge) Look(ctx context.Context, address string) (look chat.SiteLook, err error) {
	if !strings.Contains(address, "://") {
		address = "https://" + address
	}
	at, err := url.Parse(address)
	if err != nil || at.Hostname() == "" || at.User != nil || at.Scheme != "https" && at.Scheme != "http" {
		return look, chat.Errorf(chat.Invalid, "url must be the address of a website like https://shop.example.com")
	}
	if _, err := refused(at.String(), k.opts.Allowed, false); err != nil {
		return look, chat.Errorf(chat.Invalid, "url is not allowed: %s", err)
	}
	f := newFetcher(k.opts)
	defer f.guarded.CloseIdleConnections()
	page, err := f.get(ctx, request{url: at})
	switch {
	case err != nil:
		return look, chat.Errorf(chat.Conflict, "The page could not be read: %s", err)
	case page.status != 200:
		return look, chat.Errorf(chat.Conflict, "The page could not be read: its server answered %d", page.status)
	}
	return lookOf(page.body, page.at), nil
}

// The longest texts that are stored.
const (
	maxSiteName = 100
	maxSiteIcon = 1000
)

// lookOf reads the head of a page: the site's name, icon and theme colour.
func lookOf(body []byte, at *url.URL) (look chat.SiteLook) {
	names := map[string]string{}
	icon := ""
	z := html.NewTokenizer(bytes.NewReader(body))
	for {
		switch z.Next() {
		case html.ErrorToken:
			return finish(names, icon, at)
		case html.StartTagToken, html.SelfClosingTagToken:
			t := z.Token()
			switch t.Data {
			case "title":
				if z.Next() == html.TextToken && names["title"] == "" {
					names["title"] = string(z.Text())
				}
			case "meta":
				name := strings.ToLower(cmp.Or(attr(t, "property"), attr(t, "name")))
				if names[name] == "" {
					names[name] = attr(t, "content")
				}
			case "link":
				if rel := strings.ToLower(attr(t, "rel")); strings.Contains(rel, "apple-touch-icon") || icon == "" && strings.Contains(rel, "icon") {
					icon = attr(t, "href")
				}
			case "body":
				return finish(names, icon, at)
			}
		}
	}
}

func finish(names map[string]string, icon string, at *url.URL) (look chat.SiteLook) {
	title, _, _ := strings.Cut(names["title"], " | ")
	title, _, _ = strings.Cut(title, " – ")
	look.Name = chat.Clip(printable(html.UnescapeString(cmp.Or(names["og:site_name"], names["application-name"], title))), maxSiteName)
	if to, err := at.Parse(icon); icon != "" && err == nil && to.Scheme == "https" && to.User == nil && len(to.String()) <= maxSiteIcon {
		look.Icon = to.String()
	}
	look.Color = colourOf(names["theme-color"])
	return look
}

func attr(t html.Token, name string) string {
	for _, a := range t.Attr {
		if a.Key == name {
			return strings.TrimSpace(a.Val)
		}
	}
	return ""
}

// colourOf reads #rgb and #rrggbb, "" for all else.
func colourOf(text string) string {
	digits, ok := strings.CutPrefix(strings.ToLower(strings.TrimSpace(text)), "#")
	if ok && len(digits) == 3 {
		digits = strings.Join([]string{digits[:1], digits[:1], digits[1:2], digits[1:2], digits[2:], digits[2:]}, "")
	}
	if _, err := hex.DecodeString(digits); !ok || err != nil || len(digits) != 6 {
		return ""
	}
	return "#" + digits
}

// printable removes what has no shape: control characters and marks that turn the
// direction of text.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if r != ' ' && !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, chat.OneLine(text))
}
