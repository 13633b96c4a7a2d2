package platform

import (
	"context"
	"slices"
	"sync"

	"github.com/relay-chat/relay/server/chat"
)

// boundChannel is the channel that threads and links are stored under.
type boundChannel struct {
	mu sync.Mutex
	id string
	// former are earlier ids, which late updates may still name.
	former []string
}

// Follow moves threads and links when the platform gave the channel another id,
// which an update reports or the bridge learns when it writes.
func (c *Client) Follow(ctx context.Context, to string) error {
	c.channel.mu.Lock()
	defer c.channel.mu.Unlock()
	from := c.channel.id
	if to == "" || to == from || slices.Contains(c.channel.former, to) {
		return nil
	}
	c.Log.Warn("the platform gave the channel another id", "from", from, "to", to)
	if err := c.store.Apply(ctx, func(tx chat.Tx) error { return tx.MoveChannel(c.Name(), from, to) }); err != nil {
		return err
	}
	if c.moved != nil {
		if err := c.moved(ctx, to); err != nil {
			return err
		}
	}
	c.channel.id, c.channel.former = to, append(c.channel.former, from)
	return nil
}
