package knowledge

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"time"

	"github.com/relay-chat/relay/bridges/guard"
)

// The manners of the crawler.
const (
	pause        = time.Second // between two requests
	longestPause = 10 * time.Second
	fetchTime    = 20 * time.Second
	maxRedirects = 5
	userAgent    = "relay-knowledge"
)

// fetcher fetches web pages, one after the other.
type fetcher struct {
	trusted, guarded *http.Transport
	version          string
	now              func() time.Time
	rest             func(context.Context, time.Duration) error
	last             time.Time // the end of the last request
}

func newFetcher(o Options) *fetcher {
	f := &fetcher{trusted: guard.NewTransport(guard.Private), guarded: guard.NewTransport(o.Allowed), version: o.Version, now: o.Now, rest: o.Rest}
	f.trusted.DisableCompression, f.guarded.DisableCompression = false, false // what is unpacked is counted
	return f
}

// answer is what a server said.
type answer struct {
	status int
	header http.Header
	body   []byte
	at     *url.URL // behind redirects
}

// The errors of a fetch that another one will not mend.
var (
	errElsewhere = errors.New("it redirects to another site, which is not followed")
	errRedirects = errors.New("it redirects in circles")
	errTooLarge  = errors.New("it is larger than 2 MB")
)

// request is a page to be fetched.
type request struct {
	url            *url.URL
	trusted        bool
	etag, modified string
	pause          time.Duration
	most           int // bytes of the body that are read; 0 for a page's, which may not be longer
	// allowed reports whether a redirect to another page may be followed.
	allowed func(*url.URL) error
}

// get fetches a page and follows redirects within its site.
func (f *fetcher) get(ctx context.Context, r request) (answer, error) {
	at := r.url
	for range maxRedirects {
		a, err := f.once(ctx, r, at)
		if err != nil || !isRedirect(a.status) {
			return a, err
		}
		next, err := at.Parse(a.header.Get("Location"))
		if err != nil || !sameSite(next, r.url) {
			return a, errElsewhere
		}
		if r.allowed != nil {
			if err := r.allowed(next); err != nil {
				return a, err
			}
		}
		at = next
	}
	return answer{}, errRedirects
}

func isRedirect(status int) bool {
	switch status {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return true
	}
	return false
}

// once makes one request, a pause after the one before.
func (f *fetcher) once(ctx context.Context, r request, at *url.URL) (answer, error) {
	if wait := max(r.pause, pause) - f.now().Sub(f.last); wait > 0 && !f.last.IsZero() {
		if err := f.rest(ctx, wait); err != nil {
			return answer{}, err
		}
	}
	defer func() { f.last = f.now() }()
	ctx, cancel := context.WithTimeout(ctx, fetchTime)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, at.String(), nil)
	if err != nil {
		return answer{}, errors.New("its address is no URL")
	}
	req.Header.Set("User-Agent", userAgent+"/"+f.version)
	req.Header.Set("Accept", "text/html, application/xhtml+xml, text/plain, text/markdown, application/pdf, application/xml;q=0.9, */*;q=0.1")
	setUnless(req.Header, "If-None-Match", r.etag)
	setUnless(req.Header, "If-Modified-Since", r.modified)
	transport := f.guarded
	if r.trusted && at.Host == r.url.Host { // not where it redirects to
		transport = f.trusted
	}
	resp, err := transport.RoundTrip(req)
	if err != nil {
		return answer{}, explain(err)
	}
	defer resp.Body.Close()
	body, err := readBody(resp, r.most)
	return answer{resp.StatusCode, resp.Header, body, at}, err
}

func setUnless(h http.Header, name, value string) {
	if value != "" {
		h.Set(name, value)
	}
}

// readBody reads a page's body, or the beginning of it; of errors and redirects none.
func readBody(resp *http.Response, most int) ([]byte, error) {
	if resp.StatusCode != http.StatusOK {
		return nil, nil
	}
	var body bytes.Buffer
	n, err := io.Copy(&body, io.LimitReader(resp.Body, int64(cmp.Or(most, maxPage+1))))
	switch {
	case n > maxPage:
		return nil, errTooLarge
	case err != nil:
		return nil, fmt.Errorf("it was cut off: %w", explain(err))
	}
	return body.Bytes(), nil
}

// explain says why a request got no answer.
func explain(err error) error {
	var (
		no      guard.Forbidden
		dns     *net.DNSError
		network net.Error
	)
	switch {
	case errors.As(err, &no):
		return no
	case errors.As(err, &dns) && dns.IsNotFound:
		return fmt.Errorf("the name %s is unknown", dns.Name)
	case errors.As(err, &network) && network.Timeout(), errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("its server did not answer within %s", fetchTime)
	}
	return fmt.Errorf("its server cannot be reached: %w", err)
}

// retryAfter reads how long a server wants to be left alone.
func retryAfter(h http.Header) time.Duration {
	seconds, err := strconv.Atoi(h.Get("Retry-After"))
	if err != nil || seconds < 0 {
		return 0
	}
	return min(time.Duration(seconds)*time.Second, time.Hour)
}

// refused returns why an address may not be fetched, as far as it alone shows.
func refused(address string, allowed []netip.Prefix, trusted bool) (private netip.Addr, err error) {
	if trusted {
		allowed = guard.Private
	}
	return guard.Refuse(address, allowed)
}
