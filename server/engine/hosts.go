package engine

import (
	"context"

	"github.com/relay-chat/relay/server/chat"
)

// metaHost holds the host of the website, if no setting says it: see [chat.Hosts].
const metaHost = "site_host"

// learnHost stores the host of the page on which a conversation begins, if it is the first
// of the first site.
func (c *change) learnHost() error {
	host := c.hosts.Candidate(c.session.Metadata.V.URL)
	if host == "" || c.session.Site != "" {
		return nil
	}
	had, err := c.LockMeta(metaHost)
	if err != nil {
		return err
	}
	if had == "" {
		had, err = host, c.PutMeta(metaHost, host)
	}
	c.hosts.Learn(had)
	return err
}

// loadHost finds what is stored, or what the first conversations of an earlier version say.
func loadHost(ctx context.Context, h *chat.Hosts, store chat.Store) error {
	if !h.Learns() {
		return nil
	}
	return store.ReadOne(ctx, func(rd chat.Reader) error {
		host, err := rd.Meta(metaHost)
		if err == nil && host == "" {
			var first []chat.Session
			first, _, err = rd.Export(new(string), 0, 20)
			for i := 0; i < len(first) && host == ""; i++ {
				host = h.Candidate(first[i].Metadata.V.URL)
			}
		}
		if err == nil && host != "" {
			h.Learn(host)
		}
		return err
	})
}
