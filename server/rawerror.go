package server

import (
	"bytes"
	"encoding/json"
	"net"
	"strconv"
)

// net/http rejects requests that it cannot parse before any handler runs, in plain
// text. Clients of an API expect JSON.

// rawErrors makes the connections of a listener answer such requests in JSON.
type rawErrors struct{ net.Listener }

// Accept implements [net.Listener].
func (l rawErrors) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if tcp, ok := conn.(*net.TCPConn); ok {
		return rawErrorConn{tcp}, err
	}
	return conn, err
}

// rawErrorConn replaces the answers that net/http writes without a handler.
type rawErrorConn struct{ *net.TCPConn }

// rawErrorHeader stands between the status and the text of such an answer.
var rawErrorHeader = []byte("\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n")

// Write implements [io.Writer].
func (c rawErrorConn) Write(b []byte) (int, error) {
	answer, ok := rawErrorInJSON(b)
	if !ok {
		return c.TCPConn.Write(b)
	}
	if _, err := c.TCPConn.Write(answer); err != nil {
		return 0, err
	}
	return len(b), nil
}

// rawErrorInJSON renders an answer of net/http's own: a status line, the header
// above and a text.
func rawErrorInJSON(b []byte) (answer []byte, ok bool) {
	line, _, _ := bytes.Cut(b, []byte("\r\n"))
	version, status, _ := bytes.Cut(line, []byte(" "))
	text, ok := bytes.CutPrefix(b[len(line):], rawErrorHeader)
	if !ok || !bytes.HasPrefix(version, []byte("HTTP/1.")) {
		return nil, false
	}
	code, _, _ := bytes.Cut(status, []byte(" "))
	body, _ := json.Marshal(map[string]string{"error": string(bytes.TrimPrefix(text, append(bytes.Clone(code), ' ')))})
	answer = append(append(answer, line...), "\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: "...)
	answer = append(strconv.AppendInt(answer, int64(len(body)), 10), "\r\n\r\n"...)
	return append(answer, body...), true
}
