package discord

import (
	"context"
	"net"
	"sync"
	"time"
)

// timedConn is the network connection of a gateway session. A silent one counts as
// dead: discordgo would wait five heartbeats.
type timedConn struct {
	net.Conn
	silence time.Duration
}

// writeTimeout bounds a write: one to a dead peer blocks for minutes.
const writeTimeout = 15 * time.Second

// Read implements [net.Conn].
func (l *timedConn) Read(p []byte) (int, error) {
	if err := l.SetReadDeadline(time.Now().Add(l.silence)); err != nil {
		return 0, err
	}
	return l.Conn.Read(p)
}

// Write implements [net.Conn].
func (l *timedConn) Write(p []byte) (int, error) {
	if err := l.SetWriteDeadline(time.Now().Add(writeTimeout)); err != nil {
		return 0, err
	}
	return l.Conn.Write(p)
}

// dialer opens connections and can close the newest, which ends every wait on it.
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
	return &timedConn{conn, d.silence}, nil
}

func (d *dialer) cut() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.last != nil {
		_ = d.last.Close() // it may be closed already
	}
}
