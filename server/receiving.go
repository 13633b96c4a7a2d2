package server

import (
	"errors"
	"io"
	"net/http"
	"sync"
	"time"
)

// receivingRest is how long relay still waits for the rest of a request's body
// once it stops: a silent client must not hold it up.
const receivingRest = 2 * time.Second

// receiving are the bodies that clients are sending.
type receiving struct {
	mu     sync.Mutex
	bodies map[*arriving]struct{}
	end    time.Time // when the rest of them has to be there, zero unless relay stops
}

// notice lets next answer requests and keeps an eye on their bodies.
func (c *receiving) notice(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ContentLength == 0 {
			next.ServeHTTP(w, r)
			return
		}
		body := &arriving{ReadCloser: r.Body, w: w, all: c}
		defer body.leave()
		r.Body = body
		next.ServeHTTP(w, r)
	})
}

// stop gives the rest of every body so much time.
func (c *receiving) stop(rest time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.end = time.Now().Add(rest)
	for body := range c.bodies {
		body.due(c.end)
	}
}

// arriving is a body that is noticed while it is being received.
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

// enter notes that the body is being received.
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

// leave notes that the body is there, or that nobody wants more of it, and
// reports whether the end of relay has set it a deadline.
func (a *arriving) leave() (hastened bool) {
	a.all.mu.Lock()
	defer a.all.mu.Unlock()
	hastened = a.noticed && !a.all.end.IsZero()
	delete(a.all.bodies, a)
	a.noticed = false
	return hastened
}

// due sets when the rest of the body has to be there.
func (a *arriving) due(end time.Time) {
	_ = http.NewResponseController(a.w).SetReadDeadline(end) // or the connection is gone
}
