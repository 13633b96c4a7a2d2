package webhook

import (
	"bufio"
	"context"
	"crypto/tls"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"github.com/relay-chat/relay/server/chat"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// network is all that a sink can reach: one receiver, behind pipes.
type network struct {
	t       *testing.T
	retries int
	cert    tls.Certificate // speaks TLS if there is one

	mu      sync.Mutex
	refuses bool
	answer  func(conn net.Conn, attempt int)
	takes   func(attempt int) bool // whether the answer is a 2xx
	dialled []string               // addresses, each once
	tried   map[string]int         // attempts by webhook-id
	taken   map[string][]int       // what came in each session, by number
	ids     map[string]bool        // webhook-ids that were accepted
	longest int                    // bytes that were read of one answer
}

func newNetwork(t *testing.T) *network {
	return &network{t: t, retries: len(schedule), takes: nothing, answer: good, tried: map[string]int{}, taken: map[string][]int{}, ids: map[string]bool{}}
}

// heal makes the receiver a good one.
func (n *network) heal() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.refuses, n.answer, n.takes, n.cert = false, good, everything, tls.Certificate{}
}

// url is where the receiver is.
func (n *network) url() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.cert.Certificate != nil {
		return "https://receiver.example/"
	}
	return "http://receiver.example/"
}

func everything(int) bool { return true }
func nothing(int) bool    { return false }

var good = says("200 OK")

// says makes a whole answer.
func says(status string, header ...string) func(net.Conn, int) {
	return func(conn net.Conn, _ int) {
		fmt.Fprintf(conn, "HTTP/1.1 %s\r\n%sContent-Length: 0\r\n\r\n", status, strings.Join(header, ""))
	}
}

func (n *network) dial(_ context.Context, _, address string) (net.Conn, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if !slices.Contains(n.dialled, address) {
		n.dialled = append(n.dialled, address)
	}
	if n.refuses {
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}
	}
	near, far := net.Pipe()
	if n.cert.Certificate != nil {
		far = tls.Server(far, &tls.Config{Certificates: []tls.Certificate{n.cert}})
	}
	go n.serve(far)
	return &counted{Conn: near, network: n}, nil
}

// counted is a connection that counts what is read of each answer.
type counted struct {
	net.Conn
	network *network
	read    int
}

func (c *counted) Read(p []byte) (int, error) {
	got, err := c.Conn.Read(p)
	c.network.mu.Lock()
	defer c.network.mu.Unlock()
	c.read += got
	c.network.longest = max(c.network.longest, c.read)
	return got, err
}

func (c *counted) Write(p []byte) (int, error) {
	c.network.mu.Lock()
	c.read = 0
	c.network.mu.Unlock()
	return c.Conn.Write(p)
}

// oneSite is a relay with one website.
func oneSite() *chat.Sites { return chat.SitesOf(nil, &chat.Settings{}, nil, nil) }

// sink posts to the receiver.
func (n *network) sink() *Sink {
	s := New(Options{Sites: oneSite, Target: func(string) (Target, bool) {
		return Target{URL: n.url(), Secret: secret, Prefix: "X-Service", Trusted: true}, true
	}})
	s.trusted.DialContext = n.dial
	return s
}

// serve is the receiver at one end of a connection.
func (n *network) serve(conn net.Conn) {
	defer conn.Close()
	for in := bufio.NewReader(conn); ; {
		req, err := http.ReadRequest(in)
		if err != nil {
			return
		}
		body, err := io.ReadAll(req.Body)
		if err != nil {
			return
		}
		id := req.Header.Get("webhook-id")
		n.mu.Lock()
		n.tried[id]++
		answer, attempt, taken := n.answer, n.tried[id], n.takes(n.tried[id])
		n.mu.Unlock()
		if taken {
			n.take(id, req.Header, body)
		}
		answer(conn, attempt)
	}
}

// take notes an event that was acknowledged.
func (n *network) take(id string, h http.Header, body []byte) {
	var e struct {
		Data struct {
			SessionID string
			Message   struct{ Content string }
		}
	}
	if err := json.Unmarshal(body, &e); err != nil || h.Get("X-Service-Signature") != "sha256="+hex.EncodeToString(mac([]byte(secret), body)) {
		n.t.Errorf("signed %s: %s", h.Get("X-Service-Signature"), body)
	}
	number := 0 // of the new session
	fmt.Sscan(e.Data.Message.Content, &number)
	n.mu.Lock()
	defer n.mu.Unlock()
	n.ids[id] = true
	n.taken[e.Data.SessionID] = append(n.taken[e.Data.SessionID], number)
}
