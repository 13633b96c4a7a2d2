package server

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/relay-chat/relay/server/web"
)

// observed reports when an answer begins, and its status.
type observed struct {
	http.ResponseWriter
	s     *Server
	route *web.Route
	begun time.Time
	wrote bool
}

// observe wraps the answer to a routed request, if anything observes it.
func (s *Server) observe(w http.ResponseWriter, rt *web.Route) http.ResponseWriter {
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
	method, path, took := o.route.Method, o.route.Path, time.Since(o.begun)
	if method == "" {
		method, path = "other", "unmatched"
	}
	if o.s.answered != nil {
		o.s.answered(method, path, status, took)
	}
	o.s.log.Debug("answered", "request", o.Header().Get(web.RequestIDHeader), "method", method, "route", path, "status", status, "took", took)
}
