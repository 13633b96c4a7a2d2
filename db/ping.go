package db

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/relay-chat/relay/server/chat"
)

// Bounds of a ping: its result is valid for pingLife, so that requests cannot
// make the database write all the time. It is larger than the free space that
// remains within pages when the disk is full.
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

// Ping reports whether the database can write: it writes a row, or did within the
// last second.
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

// writePing inserts a row before it removes the last one: overwriting that would
// need no space, so a full disk would go unnoticed.
func writePing(t *tx) error {
	name := "ping " + chat.Now().String()
	if err := t.PutMeta(name, strings.Repeat(".", pingSize)); err != nil {
		return err
	}
	_, err := t.q.exec(deletePings, name)
	return err
}
