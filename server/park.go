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
// chunks, until the connection is closed. It reports whether it could. A request
// with a body stays in net/http, which reads no more than it is asked to.
func closeDelimited(w http.ResponseWriter, r *http.Request) bool {
	if wrapped, is := w.(*observed); is {
		w = wrapped.Unwrap()
	}
	_, ok := w.(http.Hijacker)
	if ok = ok && r.ProtoMajor == 1 && r.ContentLength == 0; ok {
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
	conn, ahead, err := out.rc.Hijack()
	if err != nil {
		s.parked.Add(-2)
		return false
	}
	sent := ahead.Reader.Buffered() > 0
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
		if !sent {
			awaitInput(conn)
		}
	}()
	return true
}

// awaitInput returns when the client sends something or hangs up, or the
// connection is closed. Nothing may follow the request for a stream: reading on
// would let one connection keep a processor busy.
func awaitInput(conn net.Conn) {
	var scrap [1]byte
	_, _ = conn.Read(scrap[:])
}
