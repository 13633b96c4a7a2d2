package mirror

import (
	"context"
	"slices"
	"sync"

	"relay/server/chat"
)

// channel is the channel that a desk's threads and links are stored under.
type channel struct {
	mu sync.Mutex
	id string
	// left are earlier ids: who still speaks of them is late.
	left []string
}

// follow takes threads and links along when the platform gave the channel
// another id, which an update tells or the bridge learns when it writes.
func (d *Mirror) follow(ctx context.Context, to string) error {
	d.channel.mu.Lock()
	defer d.channel.mu.Unlock()
	from := d.channel.id
	if to == "" || to == from || slices.Contains(d.channel.left, to) {
		return nil
	}
	d.log.Warn("the platform gave the channel another id", "from", from, "to", to)
	if err := d.store.Apply(ctx, func(tx chat.Tx) error { return tx.MoveChannel(d.Name(), from, to) }); err != nil {
		return err
	}
	if d.opts.Moved != nil {
		if err := d.opts.Moved(ctx, to); err != nil {
			return err
		}
	}
	d.channel.id, d.channel.left = to, append(d.channel.left, from)
	return nil
}
