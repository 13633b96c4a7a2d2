package server

import (
	"errors"
	"io"
	"net/http"
	"sync"
	"time"
)

// receivingRest is how long a stopping relay waits for the rest of a request's body:
// a silent client must not delay it.
const receivingRest = 2 * time.Second

// receiving tracks the request bodies that are being received.
type receiving struct {
	mu     sync.Mutex
	bodies map[*arriving]struct{}
	end    time.Time // the deadline of the bodies, zero unless relay stops
}

// notice wraps next and tracks the bodies of its requests. The request itself stays as
// it is: net/http looks at its body to decide whether to answer before all of it has come.
//
// A connection that brought a chunked body is closed after the answer: net/http hides
// whether there was a Content-Length beside it, and RFC 9112 (6.1) has such a connection
// closed, because a proxy may have seen another end of the body.
func (c *receiving) notice(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ContentLength == 0 {
			next.ServeHTTP(w, r)
			return
		}
		if len(r.TransferEncoding) > 0 {
			w.Header().Set("Connection", "close")
		}
		body := &arriving{ReadCloser: r.Body, w: w, all: c}
		defer body.leave()
		tracked := r.WithContext(r.Context()) // a copy
		tracked.Body = body
		next.ServeHTTP(w, tracked)
	})
}

// stop sets every body a deadline.
func (c *receiving) stop(rest time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.end = time.Now().Add(rest)
	for body := range c.bodies {
		body.due(c.end)
	}
}

// arriving is a body that is tracked while it is received.
type arriving struct {
	io.ReadCloser
	w       http.ResponseWriter
	all     *receiving
	noticed bool
}

// Read implements [io.Reader]. Its deadline comes after one that a patient
// reader has set just before.
func (a *arriving) Read(p []byte) (int, error) {
	a.enter()
	n, err := a.ReadCloser.Read(p)
	if err != nil && a.leave() && errors.Is(err, io.EOF) {
		a.due(time.Time{}) // or net/http, which listens on, would end the request's context
	}
	return n, err
}

// enter starts tracking the body.
func (a *arriving) enter() {
	a.all.mu.Lock()
	defer a.all.mu.Unlock()
	if !a.noticed {
		a.all.bodies[a], a.noticed = struct{}{}, true
	}
	if !a.all.end.IsZero() {
		a.due(a.all.end)
	}
}

// leave ends the tracking once the body is complete or not needed any more, and
// reports whether a stopping relay has set it a deadline.
func (a *arriving) leave() (shortened bool) {
	a.all.mu.Lock()
	defer a.all.mu.Unlock()
	shortened = a.noticed && !a.all.end.IsZero()
	delete(a.all.bodies, a)
	a.noticed = false
	return shortened
}

// due sets the body's deadline.
func (a *arriving) due(end time.Time) {
	_ = http.NewResponseController(a.w).SetReadDeadline(end) // or the connection is gone
}
