package chat

import (
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
)

// Hosts are the names of the website and of relay itself. Visitors' pages there are shown
// by their path alone; what a page of another host, or a program, claims is shown with it.
// Without ALLOWED_ORIGINS the website is where the first conversation was begun.
type Hosts struct {
	known   []string
	learns  bool // no setting names the website
	learned atomic.Pointer[string]
}

// NewHosts takes relay's own address, "" if it is unknown, and the website's origins.
func NewHosts(publicURL string, origins []string) *Hosts {
	h := &Hosts{learns: len(origins) == 0}
	for _, address := range append([]string{publicURL}, origins...) {
		if u, err := url.Parse(address); err == nil && u.Host != "" {
			h.known = append(h.known, strings.ToLower(u.Host))
		}
	}
	return h
}

// List returns all of them.
func (h *Hosts) List() []string {
	if h == nil {
		return nil
	}
	if host := h.learned.Load(); host != nil {
		return append(slices.Clone(h.known), *host)
	}
	return h.known
}

// Short shortens a page's address for people, "" if it is none.
func (h *Hosts) Short(address string) string {
	page, err := url.Parse(address)
	if err != nil || page.Host == "" {
		return ""
	}
	path := strings.TrimSuffix(page.Path, "/")
	if path != "" && slices.Contains(h.List(), strings.ToLower(page.Host)) {
		return path
	}
	return page.Host + path
}

// Learns reports whether no setting names the website.
func (h *Hosts) Learns() bool { return h.learns }

// Learn notes the website's host.
func (h *Hosts) Learn(host string) { h.learned.Store(&host) }

// Candidate is the host of a page that may be the website's, "" for none and once that is
// known.
func (h *Hosts) Candidate(address string) string {
	page, err := url.Parse(address)
	if !h.learns || h.learned.Load() != nil || err != nil || page.Host == "" || page.Hostname() == "localhost" || slices.Contains(h.known, strings.ToLower(page.Host)) {
		return ""
	}
	if addr, err := netip.ParseAddr(page.Hostname()); err == nil && addr.IsLoopback() {
		return ""
	}
	return strings.ToLower(page.Host)
}
