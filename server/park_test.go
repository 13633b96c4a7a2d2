package server_test

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/relay-chat/relay/db/dbtest"
)

// TestParkedStream: a stream goes on outside net/http until one side ends it,
// and relay does not stop before its streams have ended.
func TestParkedStream(t *testing.T) {
	s := newSite(t, dbtest.Memory(t))
	listener, stop := s.serve()
	id := s.open("v")
	leaver, _ := openRaw(t, listener, id)
	_, lines := openRaw(t, listener, id)
	talker, talk := openRaw(t, listener, id)
	eventually(t, "three streams are open", func() bool { return s.Hub.Watched(id) == 3 })

	if _, err := io.WriteString(talker, "x"); err != nil {
		t.Fatal(err)
	}
	eventually(t, "input closes a stream", func() bool { return s.Hub.Watched(id) == 2 })
	_, _ = io.Copy(io.Discard, talk) // until the connection is closed
	leaver.Close()
	eventually(t, "the stream of who left is closed", func() bool { return s.Hub.Watched(id) == 1 })
	for _, text := range []string{"one", "two"} {
		s.say(id, text)
		for !strings.Contains(next(t, lines), `"content":"`+text+`"`) {
		}
	}
	stop()
	if _, err := io.Copy(io.Discard, lines); err != nil {
		t.Errorf("the stream did not end well: %v", err)
	}
	if n := s.Hub.Watched(id); n != 0 {
		t.Errorf("%d streams are left", n)
	}
}

// TestStreamWithInput: what is sent right behind the request closes the stream,
// too, and a request with a body is answered.
func TestStreamWithInput(t *testing.T) {
	s := newSite(t, dbtest.Memory(t))
	listener, stop := s.serve()
	id := s.open("v")
	ask := func(header, rest string) *bufio.Reader {
		conn, err := net.Dial("tcp", listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close() })
		_, err = io.WriteString(conn, "GET /api/widget/stream?sessionId="+id+"&apiKey="+publicKey+" HTTP/1.1\r\nHost: relay\r\n"+header+"\r\n"+rest)
		if err != nil {
			t.Fatal(err)
		}
		return bufio.NewReader(conn)
	}
	_, _ = io.Copy(io.Discard, ask("", "GET / HTTP/1.1\r\n")) // until the connection is closed
	eventually(t, "a second request closes the stream", func() bool { return s.Hub.Watched(id) == 0 })
	body := ask("Content-Length: 2\r\n", "{}")
	eventually(t, "a stream is open", func() bool { return s.Hub.Watched(id) == 1 })
	s.say(id, "one")
	for !strings.Contains(next(t, body), `"content":"one"`) {
	}
	stop()
}

// TestStreamsThatEndAtOnce: a stream may end before the goroutine that parks it
// is done, and relay stops at that very moment. Run by the race detector.
func TestStreamsThatEndAtOnce(t *testing.T) {
	for round := range 60 {
		s := newSite(t, dbtest.Memory(t))
		listener, stop := s.serve()
		id := s.open("v")
		for range 8 {
			conn, err := net.Dial("tcp", listener.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			askStream(t, conn, id)
		}
		time.Sleep(time.Duration(round) * 50 * time.Microsecond)
		stop()
	}
}

// openRaw opens a widget stream on a bare connection and reads its header.
func openRaw(t *testing.T, listener net.Listener, id string) (net.Conn, *bufio.Reader) {
	t.Helper()
	conn, err := net.Dial("tcp", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	askStream(t, conn, id)
	lines := bufio.NewReader(conn)
	answer, err := http.ReadResponse(lines, nil)
	if err != nil {
		t.Fatal(err)
	}
	if answer.StatusCode != 200 || len(answer.TransferEncoding) > 0 || !answer.Close {
		t.Errorf("the answer is %s, transfer encoding %v, close %v", answer.Status, answer.TransferEncoding, answer.Close)
	}
	return conn, lines
}

func askStream(t *testing.T, conn net.Conn, id string) {
	t.Helper()
	if _, err := io.WriteString(conn, "GET /api/widget/stream?sessionId="+id+"&apiKey="+publicKey+" HTTP/1.1\r\nHost: relay\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
}

func next(t *testing.T, lines *bufio.Reader) string {
	t.Helper()
	line, err := lines.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return line
}

// eventually waits for something that another goroutine does.
func eventually(t *testing.T, what string, done func() bool) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); !done(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("in vain: %s", what)
		}
	}
}
