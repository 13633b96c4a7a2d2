package server

import (
	"bytes"
	"io"
	"log/slog"
	"net"
	"strings"
	"testing"

	"github.com/relay-chat/relay/server/config"
)

func listenConfig(t *testing.T, environ ...string) config.Config {
	t.Helper()
	t.Chdir(t.TempDir())
	cfg, _, err := config.Declare(nil).Load(config.Declare(nil).ParseFlags([]string{"serve", "--port", "0"}), environ)
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}

// TestListenLocal: behind https, another address of the same machine already finds no relay.
func TestListenLocal(t *testing.T) {
	for name, tt := range map[string]struct {
		environ []string
		open    bool
	}{
		"no public address": {nil, true},
		"https":             {[]string{"PUBLIC_URL=https://chat.example.com"}, false},
		"https and a host":  {[]string{"PUBLIC_URL=https://chat.example.com", "HOST=0.0.0.0"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			listener, err := Listen(t.Context(), listenConfig(t, tt.environ...), false)
			if err != nil {
				t.Fatal(err)
			}
			defer listener.Close()
			_, port, _ := net.SplitHostPort(listener.Addr().String())
			conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", "127.0.0.2:"+port)
			if err == nil {
				conn.Close()
			}
			if open := err == nil; open != tt.open {
				t.Errorf("open to others: %t, want %t (%v)", open, tt.open, err)
			}
		})
	}
}

// from is a connection with a remote address of its own.
type from struct {
	net.Conn
	addr net.Addr
}

func (c from) RemoteAddr() net.Addr { return c.addr }

// queue is a listener on all addresses with the connections that wait there.
type queue struct {
	net.Listener
	waiting []net.Conn
}

func (q *queue) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv6unspecified, Port: 3000} }

func (q *queue) Accept() (net.Conn, error) {
	if len(q.waiting) == 0 {
		return nil, io.EOF
	}
	next := q.waiting[0]
	q.waiting = q.waiting[1:]
	return next, nil
}

// TestOnlyLocalSocket: behind https, relay refuses other machines at a socket that
// systemd has opened for them, and says so.
func TestOnlyLocalSocket(t *testing.T) {
	for _, tt := range []struct {
		environ []string
		want    string
	}{
		{nil, "192.0.2.7 127.0.0.1 ::1"},
		{[]string{"PUBLIC_URL=https://chat.example.com"}, "127.0.0.1 ::1"},
		{[]string{"PUBLIC_URL=https://chat.example.com", "TRUSTED_PROXIES=192.0.2.7"}, "192.0.2.7 127.0.0.1 ::1"},
	} {
		q, others := &queue{}, []net.Conn{}
		for _, ip := range []string{"192.0.2.7", "127.0.0.1", "::1"} {
			here, there := net.Pipe()
			q.waiting, others = append(q.waiting, from{here, &net.TCPAddr{IP: net.ParseIP(ip)}}), append(others, there)
		}
		var log bytes.Buffer
		listener, got := OnlyLocal(q, listenConfig(t, tt.environ...), slog.New(slog.NewTextHandler(&log, nil))), []string{}
		for conn, err := listener.Accept(); err == nil; conn, err = listener.Accept() {
			got = append(got, conn.RemoteAddr().(*net.TCPAddr).IP.String())
		}
		kept := strings.Contains(tt.want, "192")
		if strings.Join(got, " ") != tt.want || strings.Contains(log.String(), "open to other machines") == kept {
			t.Errorf("%v: accepts %v, want %s; log: %s", tt.environ, got, tt.want, &log)
		}
		if !kept {
			if _, err := others[0].Read(make([]byte, 1)); err != io.EOF {
				t.Errorf("%v: the refused connection is still open: %v", tt.environ, err)
			}
		}
	}
}

// TestTunnel: who starts relay on a server is told how to reach it from elsewhere.
func TestTunnel(t *testing.T) {
	const here = "http://localhost:3000"
	session := []string{"USER=root", "SSH_CONNECTION=198.51.100.1 50000 203.0.113.5 22"}
	for _, tt := range []struct {
		base    string
		environ []string
		system  string
		want    string
	}{
		{here, session, "linux", "ssh -L 3000:localhost:3000 root@203.0.113.5"},
		{here, append([]string{"DISPLAY=:10"}, session...), "darwin", "ssh -L 3000:localhost:3000 root@203.0.113.5"},
		{here, nil, "linux", "ssh -L 3000:localhost:3000 you@your-server"},
		{here, []string{"WAYLAND_DISPLAY=wayland-0"}, "linux", ""},
		{here, nil, "darwin", ""},
		{"https://chat.example.com", session, "linux", ""},
		{"http://192.0.2.1:3000", session, "linux", ""},
	} {
		if got := Tunnel(tt.base, tt.environ, tt.system); got != tt.want {
			t.Errorf("%s, %v, %s: %q, want %q", tt.base, tt.environ, tt.system, got, tt.want)
		}
	}
}
