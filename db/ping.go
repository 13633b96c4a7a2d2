package db

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/relay-chat/relay/server/chat"
)

// Bounds of a ping: its result is good for pingLife, so that nobody can make
// the database write by asking. It is larger than what fits into the gaps of a
// disk that is full for messages.
const (
	pingLife     = time.Second
	pingPatience = 4 * time.Second
	pingSize     = 32 << 10
)

const deletePings = `DELETE FROM meta WHERE name LIKE 'ping %' AND name <> ?`

// pingCache is the result of the last ping.
type pingCache struct {
	mu  sync.Mutex
	at  time.Time
	err error
}

// Ping reports whether the database takes and stores transactions: it writes,
// or did within the last second.
func (d *DB) Ping(ctx context.Context) error {
	p := &d.pings
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.at.IsZero() && time.Since(p.at) < pingLife {
		return p.err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), pingPatience) // the result is for others too
	defer cancel()
	p.err = d.backend.apply(ctx, writePing)
	p.at = time.Now()
	return p.err
}

// writePing writes anew before it removes the last ping: to write over it
// would need no space.
func writePing(t *tx) error {
	name := "ping " + chat.Now().String()
	if err := t.PutMeta(name, strings.Repeat(".", pingSize)); err != nil {
		return err
	}
	_, err := t.q.exec(deletePings, name)
	return err
}
