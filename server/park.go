package server

import (
	"context"
	"net"
	"net/http"
)

// Streams wait for hours, and net/http keeps several buffers, a request and two
// goroutines with the stack of whatever they once did for each. So an open
// stream is parked: its connection is taken out of net/http. Where that is not
// possible, it stays there.

// closeDelimited makes the answer one that can be written outside net/http: without
// chunks, until the connection closes. It reports whether that is possible. A request
// with a body stays in net/http, which reads no more than asked.
func closeDelimited(w http.ResponseWriter, r *http.Request) bool {
	if wrapped, found := w.(*observed); found {
		w = wrapped.Unwrap()
	}
	_, ok := w.(http.Hijacker)
	if ok = ok && r.ProtoMajor == 1 && r.ContentLength == 0; ok {
		w.Header().Set("Transfer-Encoding", "identity") // tells net/http not to use chunks; it is not sent
	}
	return ok
}

// park takes a stream that has begun out of net/http and runs follow
// on it, if that is possible. It ends when the hub closes; s.parked waits for it.
func (s *streams) park(out *sse, follow func(ctx context.Context), leave func()) bool {
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
