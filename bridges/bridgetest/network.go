package bridgetest

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"sync"
	"testing"
)

// ErrRefused is a connection that is refused. A fake's handler panics with it;
// over a real network, where the connection has been accepted already, it is cut.
var ErrRefused error = &net.OpError{Op: "dial", Net: "tcp", Err: errors.New("connection refused")}

// Serve starts a fake's server until the test ends, when stop has ended what
// waits in the fake. It puts the server's address and the path into url.
func Serve(t testing.TB, h http.Handler, url *string, path string, stop func()) {
	server := httptest.NewUnstartedServer(h)
	*url = "http://" + server.Listener.Addr().String() + path // before a request of another process reads it
	server.Start()
	t.Cleanup(func() {
		stop()
		server.CloseClientConnections()
		server.Close()
	})
}

// OverNetwork serves a request that came over a network.
func OverNetwork(serve http.HandlerFunc, w http.ResponseWriter, r *http.Request) {
	defer func() {
		if cut := recover(); cut == ErrRefused {
			panic(http.ErrAbortHandler)
		} else if cut != nil {
			panic(cut)
		}
	}()
	serve(w, r)
}

type roundTrip func(*http.Request) (*http.Response, error)

func (t roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return t(r) }

// InProcess reaches a fake's handler without a network, in the caller's
// goroutine, for synctest.
func InProcess(serve http.HandlerFunc) http.RoundTripper {
	return roundTrip(func(r *http.Request) (resp *http.Response, err error) {
		if err := r.Context().Err(); err != nil {
			return nil, err
		}
		if r.Body == nil {
			r.Body = http.NoBody
		}
		defer func() {
			switch cut := recover(); cut {
			case nil:
				wroteRequest(r)
			case ErrRefused:
				resp, err = nil, ErrRefused
			case http.ErrAbortHandler:
				wroteRequest(r)
				resp, err = nil, io.ErrUnexpectedEOF
			default:
				panic(cut)
			}
		}()
		recorder := httptest.NewRecorder()
		serve(recorder, r)
		if err := r.Context().Err(); err != nil {
			return nil, err
		}
		return recorder.Result(), nil
	})
}

// wroteRequest reports to the client's trace that the request has left.
func wroteRequest(r *http.Request) {
	if trace := httptrace.ContextClientTrace(r.Context()); trace != nil && trace.WroteRequest != nil {
		trace.WroteRequest(httptrace.WroteRequestInfo{})
	}
}

// Dial connects to a fake's WebSocket handler without a network, for synctest.
// The handler runs in a goroutine of serving until the connection ends.
func Dial(serving *sync.WaitGroup, serve http.HandlerFunc) net.Conn {
	client, server := net.Pipe()
	serving.Go(func() {
		defer server.Close()
		in := bufio.NewReader(server)
		r, err := http.ReadRequest(in)
		if err != nil {
			return
		}
		serve(&hijackable{httptest.NewRecorder(), bufio.NewReadWriter(in, bufio.NewWriter(server)), server}, r)
	})
	return client
}

// hijackable hands over a connection that no server made.
type hijackable struct {
	http.ResponseWriter
	rw   *bufio.ReadWriter
	conn net.Conn
}

// Hijack implements [http.Hijacker].
func (h *hijackable) Hijack() (net.Conn, *bufio.ReadWriter, error) { return h.conn, h.rw, nil }
