package db

import (
	"context"
	"fmt"
)

const (
	selectOldestLinks = `SELECT bridge, channel, remote, session, message_id, part FROM links INDEXED BY links_created
		ORDER BY created_at LIMIT ?`
	deleteLink = `DELETE FROM links WHERE bridge = ? AND channel = ? AND remote = ? AND session = ? AND message_id = ? AND part = ?`
)

// forgetLinks forgets the n oldest links. Those of a message go with it; but
// notes have no message, and a long session may have any number of them.
func (b *bounded) forgetLinks(ctx context.Context, n int) error {
	return b.inPortions(ctx, n, func(t *tx, most int) (int, error) {
		type key struct {
			Bridge    string `db:"bridge"`
			Channel   string `db:"channel"`
			Remote    string `db:"remote"`
			Session   int64  `db:"session"`
			MessageID string `db:"message_id"`
			Part      int    `db:"part"`
		}
		oldest, err := list[key](t, selectOldestLinks, most)
		if err != nil {
			return 0, fmt.Errorf("find the oldest links: %w", err)
		}
		for _, l := range oldest {
			if _, err := t.q.exec(deleteLink, l.Bridge, l.Channel, l.Remote, l.Session, l.MessageID, l.Part); err != nil {
				return 0, fmt.Errorf("forget a link: %w", err)
			}
			t.change.links--
		}
		return len(oldest), nil
	}, new(int))
}
