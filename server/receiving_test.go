package server_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/relay-chat/relay/db/dbtest"
	"github.com/relay-chat/relay/server/config"
)

// TestStopCutsBodiesThatHang stops relay while clients have sent a part of a
// body and sit still, and one that sends the rest soon.
func TestStopCutsBodiesThatHang(t *testing.T) {
	s := newSite(t, dbtest.Memory(t))
	id := s.open("v")
	listener, stop := s.serve()
	send := func(path, contentType, head string, length int) net.Conn {
		t.Helper()
		conn := dial(t, listener)
		fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s",
			path, publicKey, contentType, length, head)
		return conn
	}
	form := "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.txt\"\r\n\r\nthe beginning"
	hanging := []net.Conn{
		send("/api/widget/messages", "application/json", `{"sessionId":`, 100),
		send("/api/widget/messages", "application/json", "", 100),
		send("/api/widget/attachments?sessionId="+id, "multipart/form-data; boundary=b", form, 1<<20),
	}
	rest := `"content":"just in time"}`
	head := `{"sessionId":"` + id + `",`
	quick := send("/api/widget/messages", "application/json", head, len(head)+len(rest))
	time.Sleep(200 * time.Millisecond) // they are being received
	begun := time.Now()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		stop()
	}()
	time.Sleep(200 * time.Millisecond)
	if _, err := io.WriteString(quick, rest); err != nil {
		t.Fatal(err)
	}
	<-ended
	if took := time.Since(begun); took > 5*time.Second {
		t.Errorf("the stop took %s", took)
	}
	if text, _ := io.ReadAll(quick); !strings.HasPrefix(string(text), "HTTP/1.1 200 ") || !strings.Contains(string(text), "just in time") {
		t.Errorf("who sent the rest soon was answered %s", text)
	}
	for i, conn := range hanging {
		if text, _ := io.ReadAll(conn); !strings.HasPrefix(string(text), "HTTP/1.1 400 ") {
			t.Errorf("hanging request %d was answered %s", i, text)
		}
	}
}

// TestRefusalBeforeTheBody sends the head of a request that is refused, announces a large
// body and sends none of it: the answer does not wait for it.
func TestRefusalBeforeTheBody(t *testing.T) {
	s := newSite(t, dbtest.Memory(t), func(c *config.Config) { c.AllowedOrigins = []string{"https://shop.test"} })
	listener, stop := s.serve()
	defer stop()
	const (
		key  = "Authorization: Bearer " + publicKey + "\r\n"
		form = "Content-Type: multipart/form-data; boundary=b\r\n"
		data = "Content-Type: application/json\r\n"
	)
	for _, tt := range []struct {
		name, path, head string
		status           int
	}{
		{"no key", "/api/widget/attachments", form, 401},
		{"no key, which expects to be asked", "/api/widget/attachments", form + "Expect: 100-continue\r\n", 401},
		{"another website", "/api/widget/messages", key + data + "Origin: https://evil.test\r\n", 403},
		{"no such route", "/api/widget/nothing", data, 404},
		{"too large", "/api/widget/messages", key + data, 413},
		{"a file too large", "/api/widget/attachments", key + form, 413},
		{"another type", "/api/widget/attachments", key + data, 415},
	} {
		t.Run(tt.name, func(t *testing.T) {
			conn := dial(t, listener)
			fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: localhost\r\n%sContent-Length: 1000000000\r\n\r\n", tt.path, tt.head)
			answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
			if err != nil {
				t.Fatal(err)
			}
			defer answer.Body.Close()
			if answer.StatusCode != tt.status || !answer.Close {
				t.Errorf("answered %s, the connection closes: %t", answer.Status, answer.Close)
			}
		})
	}
}

// TestTwoLengthsCloseTheConnection sends a body with two lengths, as requests are
// smuggled past a proxy that believes the other one.
func TestTwoLengthsCloseTheConnection(t *testing.T) {
	s := newSite(t, dbtest.Memory(t))
	listener, stop := s.serve()
	defer stop()
	conn := dial(t, listener)
	fmt.Fprintf(conn, "POST /api/widget/init HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n"+
		"2\r\n{}\r\n0\r\n\r\nGET /health HTTP/1.1\r\nHost: localhost\r\n\r\n")
	text, err := io.ReadAll(conn) // until relay closes it
	if err != nil || strings.Count(string(text), "HTTP/1.1 ") != 1 {
		t.Errorf("answered %q, %v", text, err)
	}
}

// dial connects to a listener until the end of the test.
func dial(t *testing.T, listener net.Listener) net.Conn {
	t.Helper()
	conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}
