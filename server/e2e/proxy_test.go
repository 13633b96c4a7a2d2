package e2e

import (
	"net"
	"sync"
	"testing"
	"time"
)

// cable is the network between one relay and its database, which can be cut.
type cable struct {
	net.Listener
	to string // a Unix socket

	mu    sync.Mutex
	state *sync.Cond
	cut   bool      // nothing passes, and nobody notices
	ended time.Time // of the last cut
	conns map[net.Conn]bool
}

func newCable(t *testing.T, to string) *cable {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	c := &cable{Listener: l, to: to, conns: map[net.Conn]bool{}}
	c.state = sync.NewCond(&c.mu)
	go c.serve()
	t.Cleanup(func() {
		l.Close()
		c.Mend()
		c.drop()
	})
	return c
}

func (c *cable) serve() {
	for {
		conn, err := c.Accept()
		if err != nil {
			return
		}
		go func() {
			c.pass()
			server, err := net.Dial("unix", c.to)
			if err != nil {
				conn.Close()
				return
			}
			c.track(conn, server)
			go c.copy(server, conn)
			c.copy(conn, server)
		}()
	}
}

func (c *cable) track(conns ...net.Conn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, conn := range conns {
		c.conns[conn] = true
	}
}

// pass waits while the cable is cut.
func (c *cable) pass() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for c.cut {
		c.state.Wait()
	}
}

// copy passes bytes on, and holds them while the cable is cut.
func (c *cable) copy(to, from net.Conn) {
	defer to.Close()
	defer from.Close()
	buf := make([]byte, 32<<10)
	for {
		n, err := from.Read(buf)
		c.pass()
		if n > 0 {
			if _, failed := to.Write(buf[:n]); failed != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// Cut holds everything back: nobody notices but by waiting.
func (c *cable) Cut() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.cut = true
}

// Mend lets everything pass again, which was only late; drop resets the connections.
func (c *cable) Mend() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.cut, c.ended = false, time.Now()
	c.state.Broadcast()
}

// broken reports whether the cable was cut at any moment since.
func (c *cable) broken(since time.Time) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.cut || c.ended.After(since)
}

func (c *cable) drop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for conn := range c.conns {
		conn.Close()
	}
	clear(c.conns)
}
