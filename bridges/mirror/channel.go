package mirror

import (
	"context"
	"slices"
	"sync"

	"github.com/relay-chat/relay/server/chat"
)

// boundChannel is the channel that a mirror's threads and links are stored under.
type boundChannel struct {
	mu sync.Mutex
	id string
	// former are earlier ids, which late updates may still name.
	former []string
}

// followChannel moves threads and links when the platform gave the channel another id,
// which an update reports or the bridge learns when it writes.
func (m *Mirror) followChannel(ctx context.Context, to string) error {
	m.channel.mu.Lock()
	defer m.channel.mu.Unlock()
	from := m.channel.id
	if to == "" || to == from || slices.Contains(m.channel.former, to) {
		return nil
	}
	m.log.Warn("the platform gave the channel another id", "from", from, "to", to)
	if err := m.store.Apply(ctx, func(tx chat.Tx) error { return tx.MoveChannel(m.Name(), from, to) }); err != nil {
		return err
	}
	if m.opts.Moved != nil {
		if err := m.opts.Moved(ctx, to); err != nil {
			return err
		}
	}
	m.channel.id, m.channel.former = to, append(m.channel.former, from)
	return nil
}
