package server_test

import (
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/relay-chat/relay/db/dbtest"
)

// TestStopCutsBodiesThatHang stops relay while clients have sent a part of a
// body and sit still, and one that sends the rest soon.
func TestStopCutsBodiesThatHang(t *testing.T) {
	s := newSite(t, dbtest.Memory(t))
	id := s.open("v")
	listener, stop := s.serve()
	send := func(path, contentType, head string, length int) net.Conn {
		t.Helper()
		conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = conn.Close() })
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
