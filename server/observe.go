package server

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"strconv"
	"time"
)

// requestIDHeader names a request in its answer and in the log.
const requestIDHeader = "X-Request-Id"

// maxRequestID bounds the ids that proxies give.
const maxRequestID = 64

// requestID returns the id that a trusted proxy gave a request, or a new one.
func (s *clients) requestID(r *http.Request) string {
	if given := r.Header.Get(requestIDHeader); given != "" && isRequestID(given) && s.trusted(remoteAddr(r)) {
		return given
	}
	return strconv.FormatUint(rand.Uint64()|1<<63, 16)
}

// isRequestID reports whether an id can stand in a log line as it is.
func isRequestID(id string) bool {
	for _, c := range []byte(id) {
		if (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && c != '-' && c != '_' && c != '.' {
			return false
		}
	}
	return len(id) <= maxRequestID
}

// observed reports when an answer begins, and its status.
type observed struct {
	http.ResponseWriter
	s     *Server
	route *route
	begun time.Time
	wrote bool
}

// observe wraps the answer to a routed request, if anything observes it.
func (s *Server) observe(w http.ResponseWriter, rt *route) http.ResponseWriter {
	if s.answered == nil && !s.log.Enabled(context.Background(), slog.LevelDebug) {
		return w
	}
	return &observed{ResponseWriter: w, s: s, route: rt, begun: time.Now()}
}

// WriteHeader implements [http.ResponseWriter].
func (o *observed) WriteHeader(status int) {
	if !o.wrote {
		o.wrote = true
		o.note(status)
	}
	o.ResponseWriter.WriteHeader(status)
}

// Write implements [http.ResponseWriter].
func (o *observed) Write(b []byte) (int, error) {
	if !o.wrote {
		o.WriteHeader(http.StatusOK)
	}
	return o.ResponseWriter.Write(b)
}

// Unwrap is for [http.ResponseController].
func (o *observed) Unwrap() http.ResponseWriter { return o.ResponseWriter }

// note reports the answer. Requests without a route are reported without a method:
// clients may invent any.
func (o *observed) note(status int) {
	method, path, took := o.route.method, o.route.path, time.Since(o.begun)
	if method == "" {
		method, path = "other", "unmatched"
	}
	if o.s.answered != nil {
		o.s.answered(method, path, status, took)
	}
	o.s.log.Debug("answered", "request", o.Header().Get(requestIDHeader), "method", method, "route", path, "status", status, "took", took)
}
