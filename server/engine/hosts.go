package engine

import (
	"context"

	"github.com/relay-chat/relay/server/chat"
)

// metaHost holds the host of the website, if no setting says it: see [chat.Hosts].
const metaHost = "site_host"

// learnHost stores the host of a page on which a conversation begins, if it is the first.
func learnHost(h *chat.Hosts, tx chat.MetaTx, address string) error {
	host := h.Candidate(address)
	if host == "" {
		return nil
	}
	had, err := tx.LockMeta(metaHost)
	if err != nil {
		return err
	}
	if had == "" {
		had, err = host, tx.PutMeta(metaHost, host)
	}
	h.Learn(had)
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
			first, _, err = rd.Export(0, 20)
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
