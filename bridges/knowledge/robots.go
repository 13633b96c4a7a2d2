package knowledge

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"time"
)

// robotsLife is how long a site's robots.txt is not asked for again.
const robotsLife = time.Hour

// robots are the rules of a site for programs.
type robots struct {
	rules rules
	err   error // the rules are not known
	until time.Time
}

// The errors of a page that a site keeps to itself.
var (
	errDisallowed = errors.New("the site’s robots.txt does not allow programs to read it")
	errRobots     = errors.New("the site’s robots.txt cannot be read, so that its rules are not known")
)

// fetchRules returns a site's rules (RFC 9309): none when it has no robots.txt, unknown
// while its server fails.
func (f *fetcher) fetchRules(ctx context.Context, site *url.URL, trusted bool) robots {
	at := *site
	at.Path, at.RawPath, at.RawQuery = "/robots.txt", "", ""
	known := robots{until: f.now().Add(robotsLife)}
	a, err := f.get(ctx, request{url: &at, trusted: trusted, most: maxRules})
	switch {
	case errors.Is(err, errElsewhere), errors.Is(err, errRedirects), err == nil && a.status >= 400 && a.status < 500 && a.status != http.StatusTooManyRequests:
		return known
	case err != nil:
		known.err, known.until = err, f.now().Add(time.Minute)
		return known
	}
	if a.status >= 300 {
		known.until = f.now().Add(time.Minute)
		known.err = errRobots
		return known
	}
	known.rules = parseRules(a.body, userAgent)
	return known
}

// allow returns why a page may not be read, nil if it may.
func (r robots) allow(u *url.URL) error {
	switch {
	case r.err != nil:
		return r.err
	case !r.rules.allows(u.RequestURI()):
		return errDisallowed
	}
	return nil
}

// pause is what the site wants to have between two requests.
func (r robots) pause() time.Duration {
	return min(max(r.rules.delay, pause), longestPause)
}
