package chat

import (
	"context"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
)

// metaHost holds the host of the website, if no setting says it: see [Hosts].
const metaHost = "site_host"

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

// Learn stores the host of a page on which a conversation begins, if it is the first.
func (h *Hosts) Learn(tx MetaTx, address string) error {
	host := h.candidate(address)
	if host == "" || h.learned.Load() != nil {
		return nil
	}
	had, err := tx.LockMeta(metaHost)
	if err != nil {
		return err
	}
	if had == "" {
		had, err = host, tx.PutMeta(metaHost, host)
	}
	h.learned.Store(&had)
	return err
}

// Load finds what is stored, or what the first conversations of an earlier version say.
func (h *Hosts) Load(ctx context.Context, store Store) error {
	if !h.learns {
		return nil
	}
	return store.ReadOne(ctx, func(rd Reader) error {
		host, err := rd.Meta(metaHost)
		if err == nil && host == "" {
			var first []Session
			first, _, err = rd.Export(0, 20)
			for i := 0; i < len(first) && host == ""; i++ {
				host = h.candidate(first[i].Metadata.V.URL)
			}
		}
		if err == nil && host != "" {
			h.learned.Store(&host)
		}
		return err
	})
}

// candidate is the host of a page that may be the website's, "" for none.
func (h *Hosts) candidate(address string) string {
	page, err := url.Parse(address)
	if !h.learns || err != nil || page.Host == "" || page.Hostname() == "localhost" || slices.Contains(h.known, strings.ToLower(page.Host)) {
		return ""
	}
	if addr, err := netip.ParseAddr(page.Hostname()); err == nil && addr.IsLoopback() {
		return ""
	}
	return strings.ToLower(page.Host)
}
