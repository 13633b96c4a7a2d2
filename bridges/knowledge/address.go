package knowledge

import (
	"net/url"
	"path"
	"slices"
	"strings"
)

// maxAddress is how long an address may be.
const maxAddress = 2000

// parseAddress reads the address of a page in its usual form, without its fragment
// and without what only counts visitors. ok is false for what is no web address.
func parseAddress(text string) (u *url.URL, ok bool) {
	u, err := url.Parse(strings.TrimSpace(text))
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Hostname() == "" || u.User != nil || len(text) > maxAddress {
		return nil, false
	}
	u.Host, u.Fragment, u.RawFragment = strings.ToLower(u.Host), "", ""
	u.Host = strings.TrimSuffix(u.Host, map[string]string{"http": ":80", "https": ":443"}[u.Scheme])
	if u.Path == "" {
		u.Path = "/"
	}
	u.Path, u.RawPath = withoutSession(u.Path), withoutSession(u.RawPath)
	if u.RawQuery != "" {
		u.RawQuery = withoutTracking(u.RawQuery)
	}
	u.ForceQuery = false
	return u, true
}

// withoutTracking leaves out of a query what shows where a visitor came from.
func withoutTracking(query string) string {
	parts := strings.Split(query, "&")
	return strings.Join(slices.DeleteFunc(parts, func(part string) bool {
		name, _, _ := strings.Cut(part, "=")
		name = strings.ToLower(name)
		return name == "" || strings.HasPrefix(name, "utm_") || sessionNames[name]
	}), "&")
}

// sameSite reports whether two addresses are of one host; www. makes no difference.
func sameSite(a, b *url.URL) bool {
	site := func(u *url.URL) string { return strings.TrimPrefix(strings.ToLower(u.Host), "www.") }
	return (a.Scheme == "https" || a.Scheme == "http") && a.User == nil && site(a) == site(b)
}

// below reports whether a page is of the part of a site that begins at start: in its
// folder.
func below(u, start *url.URL) bool {
	folder := start.EscapedPath()
	folder = folder[:strings.LastIndex(folder, "/")+1]
	return sameSite(u, start) && strings.HasPrefix(u.EscapedPath(), folder)
}

// noText are the ends of addresses that are no pages.
var noText = map[string]bool{".jpg": true, ".jpeg": true, ".png": true, ".gif": true, ".svg": true, ".webp": true, ".avif": true, ".ico": true, ".css": true,
	".js": true, ".json": true, ".zip": true, ".gz": true, ".mp3": true, ".mp4": true, ".webm": true, ".woff": true, ".woff2": true, ".rss": true, ".ics": true,
	".doc": true, ".docx": true, ".xls": true, ".xlsx": true, ".csv": true, ".exe": true, ".dmg": true, ".apk": true}

// pagesAmong returns those of links that are pages of the site from start on, in
// their usual form, each once. What a sitemap lists is of the whole site.
func pagesAmong(links []string, start *url.URL, sitemap bool) (pages []string) {
	queries := map[string]int{}
	for _, link := range links {
		u, ok := parseAddress(link)
		if !ok || !sameSite(u, start) || !sitemap && !below(u, start) || !sitemap && noText[strings.ToLower(path.Ext(u.Path))] {
			continue
		}
		if !sitemap && u.RawQuery != "" {
			queries[u.EscapedPath()]++
		}
		if !sitemap && (isTrap(u) || queries[u.EscapedPath()] > maxQueries) {
			continue
		}
		pages = append(pages, u.String())
	}
	return unique(pages)
}
