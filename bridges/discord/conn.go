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
	ended   func() // called when nothing can be read any more
}

// writeTimeout bounds a write: one to a dead peer blocks for minutes.
const writeTimeout = 15 * time.Second

// Read implements [net.Conn].
func (l *timedConn) Read(p []byte) (int, error) {
	if err := l.SetReadDeadline(time.Now().Add(l.silence)); err != nil {
		return 0, err
	}
	n, err := l.Conn.Read(p)
	if err != nil {
		l.ended()
	}
	return n, err
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

	mu    sync.Mutex
	last  net.Conn
	ended chan struct{} // closed when the gateway has closed the last one
}

func (d *dialer) open(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := d.dial(ctx, network, address)
	if err != nil {
		return nil, err
	}
	ended := make(chan struct{})
	d.mu.Lock()
	d.last, d.ended = conn, ended
	d.mu.Unlock()
	return &timedConn{conn, d.silence, sync.OnceFunc(func() { close(ended) })}, nil
}

// closed returns what is closed when the gateway has closed the last connection, nil
// without one.
func (d *dialer) closed() <-chan struct{} {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.ended
}

func (d *dialer) cut() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.last != nil {
		_ = d.last.Close() // it may be closed already
	}
}
