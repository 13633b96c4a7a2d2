package access

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
func (p *Platform) Follow(ctx context.Context, to string) error {
	p.channel.mu.Lock()
	defer p.channel.mu.Unlock()
	from := p.channel.id
	if to == "" || to == from || slices.Contains(p.channel.former, to) {
		return nil
	}
	p.Log.Warn("the platform gave the channel another id", "from", from, "to", to)
	if err := p.store.Apply(ctx, func(tx chat.Tx) error { return tx.MoveChannel(p.Name(), from, to) }); err != nil {
		return err
	}
	if p.moved != nil {
		if err := p.moved(ctx, to); err != nil {
			return err
		}
	}
	p.channel.id, p.channel.former = to, append(p.channel.former, from)
	return nil
}
