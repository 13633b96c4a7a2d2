package server_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/relay-chat/relay/db/dbtest"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/config"
)

// TestLongUploadIsAnswered uploads to a server whose time to answer is over
// when the header has been read.
func TestLongUploadIsAnswered(t *testing.T) {
	s := newSite(t, dbtest.Memory(t))
	id := s.open("v")
	hs := httptest.NewUnstartedServer(nil)
	hs.Config = s.server.HTTPServer()
	hs.Config.WriteTimeout = 1
	hs.Start()
	t.Cleanup(hs.Close)
	s.url = hs.URL
	if a := s.upload(uploads, publicKey, "a.bin", make([]byte, 1<<20), "sessionId", id, "file", ""); a.status != 200 {
		t.Errorf("answered %d %s", a.status, a.body)
	}
}

// TestUploadLimits: strangers do not use up what a session may upload, and an
// address uploads a few files at a time.
func TestUploadLimits(t *testing.T) {
	s := newSite(t, dbtest.Memory(t), limited(t))
	bound := s.must("POST", "/api/widget/init", publicKey, object{"visitorId": "v", "useSessionToken": true})
	form := part(`name="sessionId"`, bound.text("sessionId")) + part(`name="file"`, "hello") + "--x--\r\n"
	send := func(token, from string) answer {
		return s.call("POST", uploads, publicKey, form, "Content-Type", "multipart/form-data; boundary=x", "X-Session-Token", token, "X-Forwarded-For", from)
	}
	for range 30 {
		s.refused(send("wrong", "203.0.113.1"), 404, "Session not found")
	}
	for i := range 12 {
		if a := send(bound.text("sessionToken"), "203.0.113.1"); (a.status == 200) != (i < 10) || (a.status == 429) != (i >= 10) {
			t.Errorf("upload %d: %d %s", i, a.status, a.body)
		}
	}
	var open []net.Conn
	for range 20 {
		open = append(open, s.hold("203.0.113.2"))
	}
	s.refused(send("wrong", "203.0.113.2"), 429, "Too many requests")
	s.refused(send("wrong", "203.0.113.3"), 404, "Session not found")
	for _, conn := range open {
		_, _ = io.WriteString(conn, "--x--")
		if reply, _ := io.ReadAll(conn); !strings.Contains(string(reply), "400 Bad Request") {
			t.Errorf("answered %q", reply)
		}
	}
	s.refused(send("wrong", "203.0.113.2"), 404, "Session not found")
}

// TestUploadsOfAnAddress: more sessions are no way to more uploads.
func TestUploadsOfAnAddress(t *testing.T) {
	s := newSite(t, dbtest.Memory(t), limited(t))
	taken := 0
	for n := range 6 {
		id := s.open(fmt.Sprint("v", n))
		for range 8 {
			a := s.call("POST", uploads, publicKey, part(`name="sessionId"`, id)+part(`name="file"`, "hello")+"--x--\r\n",
				"Content-Type", "multipart/form-data; boundary=x", "X-Forwarded-For", "203.0.113.7")
			if a.status == 200 {
				taken++
			} else {
				s.refused(a, 429, "Too many requests")
			}
		}
	}
	if taken != 20 {
		t.Errorf("%d uploads of one address were accepted within a minute, want 20", taken)
	}
}

// TestBytesOfAnAddress: an address fills a part of the disk at most.
func TestBytesOfAnAddress(t *testing.T) {
	s := newSite(t, dbtest.Memory(t), limited(t), func(c *config.Config) {
		c.Settings = map[string]chat.Raw{"attachmentMaxBytes": chat.Raw("268435456")} // two of them an hour
	})
	id := s.open("v")
	send := func(from string) answer {
		reader, writer := io.Pipe() // no length is announced, so the most counts
		go func() {
			_, _ = io.WriteString(writer, part(`name="sessionId"`, id)+part(`name="file"`, "hello")+"--x--\r\n")
			writer.Close()
		}()
		req, err := http.NewRequestWithContext(t.Context(), "POST", s.url+uploads, reader)
		if err != nil {
			t.Fatal(err)
		}
		req.Header = http.Header{"Authorization": {"Bearer " + publicKey}, "Content-Type": {"multipart/form-data; boundary=x"}, "X-Forwarded-For": {from}}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		body, _ := io.ReadAll(resp.Body)
		return answer{resp.StatusCode, resp.Header, body}
	}
	for range 2 {
		if a := send("203.0.113.8"); a.status != 200 {
			t.Errorf("answered %d %s", a.status, a.body)
		}
	}
	a := send("203.0.113.8")
	s.refused(a, 429, "Too many files")
	if wait, _ := strconv.Atoi(a.header.Get("Retry-After")); wait < 3000 {
		t.Errorf("Retry-After is %d", wait)
	}
	if a := send("203.0.113.9"); a.status != 200 {
		t.Errorf("another address: %d %s", a.status, a.body)
	}
}

// limited switches the limits of rate on, and trusts the proxy that tests play.
func limited(t *testing.T) func(*config.Config) {
	return func(c *config.Config) {
		cfg, _, err := config.Declare(nil).Load(config.Flags{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		c.RateLimit, c.TrustedProxies = true, cfg.TrustedProxies
	}
}

// hold begins an upload of five bytes and returns when relay waits for them.
func (s *site) hold(from string) net.Conn {
	s.t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = conn.Close() })
	fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nX-Forwarded-For: %s\r\nContent-Type: multipart/form-data; boundary=x\r\n"+
		"Content-Length: 5\r\nConnection: close\r\nExpect: 100-continue\r\n\r\n", uploads, publicKey, from)
	reply := make([]byte, len("HTTP/1.1 100 Continue\r\n\r\n"))
	if _, err := io.ReadFull(conn, reply); err != nil || !strings.Contains(string(reply), http.StatusText(http.StatusContinue)) {
		s.t.Fatalf("answered %q, %v", reply, err)
	}
	return conn
}
