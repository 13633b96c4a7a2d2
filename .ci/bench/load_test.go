package bench

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// The load comes from the machine that it loads, so it is made with little
// work: requests are rendered once, answers are read off the connection, and
// nothing is allocated while the clock runs.

// dial connects without leaving a trace: thousands of connections are closed
// in every round, and none may occupy its port for a minute after it.
func dial(address string) (net.Conn, error) {
	c, err := net.Dial("tcp", address)
	if err != nil {
		return nil, err
	}
	return c, c.(*net.TCPConn).SetLinger(0)
}

// client is a keep-alive connection that makes one request at a time.
type client struct {
	net.Conn
	buf []byte
}

func connect(address string) (*client, error) {
	c, err := dial(address)
	return &client{Conn: c, buf: make([]byte, 16<<10)}, err
}

var (
	endOfHeader   = []byte("\r\n\r\n")
	contentLength = []byte("\r\nContent-Length: ")
)

// do sends a request and returns the body of its answer, which is valid until
// the next one. The status must be a good one.
func (c *client) do(request []byte) ([]byte, error) {
	if _, err := c.Write(request); err != nil {
		return nil, err
	}
	for have, want := 0, -1; ; {
		n, err := c.Read(c.buf[have:])
		if err != nil {
			return nil, err
		}
		have += n
		header, _, complete := bytes.Cut(c.buf[:have], endOfHeader)
		if !complete {
			continue
		}
		if want < 0 {
			if header[len("HTTP/1.1 ")] != '2' {
				return nil, fmt.Errorf("%s", c.buf[:have])
			}
			want = len(header) + len(endOfHeader) + lengthIn(header)
		}
		if have >= want {
			return c.buf[len(header)+len(endOfHeader) : want], nil
		}
	}
}

func lengthIn(header []byte) int {
	_, after, found := bytes.Cut(header, contentLength)
	if !found {
		return 0
	}
	digits, _, _ := bytes.Cut(after, []byte("\r"))
	n, _ := strconv.Atoi(string(digits))
	return n
}

// each runs work for 0 … n-1 on a few goroutines and returns the first error.
func each(n, workers int, work func(i int) error) error {
	var all sync.WaitGroup
	var next atomic.Int64
	failed := make(chan error, workers)
	for range workers {
		all.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				if err := work(i); err != nil {
					failed <- err
					return
				}
			}
		})
	}
	all.Wait()
	close(failed)
	return <-failed
}

// request renders a request; headers are whole lines.
func request(method, path, headers, body string) []byte {
	return fmt.Appendf(nil, "%s %s HTTP/1.1\r\nHost: localhost\r\n%sContent-Length: %d\r\n\r\n%s", method, path, headers, len(body), body)
}

// requests are those of one visitor.
type requests struct {
	open     []byte // the stream, up to its cursor
	headers  string
	message  []byte
	clientID []byte // the part of message, nil if it has none
	posted   int
}

const blankID = "00000000000000000000000000000000"

func newRequests(streamPath, postPath, headers, body string) *requests {
	r := &requests{open: []byte("GET " + streamPath), headers: headers, message: request("POST", postPath, headers, body)}
	if i := bytes.Index(r.message, []byte(blankID)); i >= 0 {
		r.clientID = r.message[i : i+len(blankID)]
	}
	return r
}

// stream opens the stream right behind what was posted so far, as a page does:
// the first message also makes the event of the new session.
func (r *requests) stream() []byte {
	cursor := 0
	if r.posted > 0 {
		cursor = r.posted + 1
	}
	return fmt.Appendf(nil, "%s%d HTTP/1.1\r\nHost: localhost\r\n%s\r\n", r.open, cursor, r.headers)
}

// post returns the request for one more message, with another client id.
func (r *requests) post() []byte {
	const digits = "0123456789abcdef"
	for i := range r.clientID {
		r.clientID[i] = digits[rand.IntN(len(digits))]
	}
	r.posted++
	return r.message
}

// postFor has writers post for a while, each on a connection of its own, and
// returns how many posts were answered per second.
func postFor(address string, list []*requests, while time.Duration) (float64, error) {
	clients := make([]*client, len(list))
	for i := range clients {
		var err error
		if clients[i], err = connect(address); err != nil {
			return 0, err
		}
		defer clients[i].Close()
	}
	var total atomic.Int64
	begin := time.Now()
	err := each(len(list), len(list), func(i int) error {
		n := 0
		for time.Since(begin) < while {
			if _, err := clients[i].do(list[i].post()); err != nil {
				return err
			}
			n++
		}
		total.Add(int64(n))
		return nil
	})
	return float64(total.Load()) / time.Since(begin).Seconds(), err
}
