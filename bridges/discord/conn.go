package discord

import (
	"context"
	"net"
	"sync"
	"time"
)

// line is the network connection of a gateway session. One that says nothing
// for long is dead: discordgo would wait five heartbeats.
type line struct {
	net.Conn
	silence time.Duration
}

// writeTimeout bounds a write: one to a dead peer blocks for minutes.
const writeTimeout = 15 * time.Second

// Read implements [net.Conn].
func (l *line) Read(p []byte) (int, error) {
	if err := l.SetReadDeadline(time.Now().Add(l.silence)); err != nil {
		return 0, err
	}
	return l.Conn.Read(p)
}

// Write implements [net.Conn].
func (l *line) Write(p []byte) (int, error) {
	if err := l.SetWriteDeadline(time.Now().Add(writeTimeout)); err != nil {
		return 0, err
	}
	return l.Conn.Write(p)
}

// dialer opens lines and can cut the newest, which ends whatever waits for it.
type dialer struct {
	dial    func(ctx context.Context, network, address string) (net.Conn, error)
	silence time.Duration

	mu   sync.Mutex
	last net.Conn
}

func (d *dialer) open(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := d.dial(ctx, network, address)
	if err != nil {
		return nil, err
	}
	d.mu.Lock()
	d.last = conn
	d.mu.Unlock()
	return &line{conn, d.silence}, nil
}

func (d *dialer) cut() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.last != nil {
		_ = d.last.Close() // it may be closed already
	}
}
