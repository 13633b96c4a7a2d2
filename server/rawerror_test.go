package server_test

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/relay-chat/relay/db/dbtest"
)

// TestRequestsThatCannotBeParsed: what net/http refuses before a handler is asked
// is answered in JSON like everything else.
func TestRequestsThatCannotBeParsed(t *testing.T) {
	s := newSite(t, dbtest.Memory(t))
	listener, stop := s.serve()
	for _, tt := range []struct {
		name, request string
		status        int
		want          string
	}{
		{"an escape that is none", "GET /api/widget/%zz HTTP/1.1\r\nHost: relay\r\n\r\n", 400, "Bad Request"},
		{"no HTTP at all", "hello\r\n\r\n", 400, "Bad Request"},
		{"no Host", "GET /health HTTP/1.1\r\n\r\n", 400, "missing required Host header"},
		{"a long header", "GET /health HTTP/1.1\r\nHost: relay\r\nX: " + strings.Repeat("x", 40<<10) + "\r\n\r\n", 431, "Request Header Fields Too Large"},
		{"an unknown encoding", "POST /health HTTP/1.1\r\nHost: relay\r\nTransfer-Encoding: zip\r\n\r\n", 501, "Unsupported transfer encoding"},
		{"a right one", "GET /health HTTP/1.1\r\nHost: relay\r\nConnection: close\r\n\r\n", 200, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			conn, err := net.Dial("tcp", listener.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			if _, err := io.WriteString(conn, tt.request); err != nil {
				t.Fatal(err)
			}
			resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
			if err != nil {
				t.Fatal(err)
			}
			body, err := io.ReadAll(resp.Body)
			a := answer{resp.StatusCode, resp.Header, body}
			if err != nil || a.status != tt.status || a.header.Get("Content-Type") != "application/json" || !strings.Contains(a.text("error"), tt.want) {
				t.Errorf("answered %d %s %s, %v", a.status, a.header.Get("Content-Type"), a.body, err)
			}
		})
	}
	stop()
}
