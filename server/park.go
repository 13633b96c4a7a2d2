package server

import (
	"context"
	"net"
	"net/http"
)

// Streams wait for hours, and net/http keeps several buffers, a request and two
// goroutines with the stack of whatever they once did for each. So an open
// stream is parked: it leaves net/http with its connection. Where that is not
// possible it stays.

// closeDelimited makes the answer one that can go on outside net/http: without
// chunks, until the connection is closed. It reports whether it could.
func closeDelimited(w http.ResponseWriter, r *http.Request) bool {
	_, ok := w.(http.Hijacker)
	if ok = ok && r.ProtoMajor == 1; ok {
		w.Header().Set("Transfer-Encoding", "identity") // net/http's word for it; it is not sent
	}
	return ok
}

// park takes a stream that has begun over from net/http and lets follow carry
// it on, if that is possible. The end of the hub ends it; s.parked waits for it.
func (s *Server) park(out *sse, follow func(ctx context.Context), leave func()) bool {
	if !out.parkable {
		return false
	}
	s.parked.Add(2) // both goroutines, before net/http loses sight of the connection
	conn, _, err := out.rc.Hijack()
	if err != nil {
		s.parked.Add(-2)
		return false
	}
	out.w, out.rc, out.conn = nil, nil, conn
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		defer s.parked.Done()
		defer leave()
		defer conn.Close()
		follow(ctx)
	}()
	go func() {
		defer s.parked.Done()
		defer cancel()
		drain(conn)
	}()
	return true
}

// drain returns when the client hangs up, or the connection is closed. What
// clients send on a stream nobody wants to know.
func drain(conn net.Conn) {
	var scrap [64]byte
	for {
		if _, err := conn.Read(scrap[:]); err != nil {
			return
		}
	}
}
