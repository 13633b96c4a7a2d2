package server

import (
	"cmp"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"strings"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/web"
)

// handle makes the handler of a route: the only place that writes JSON.
func (s *Server) handle(rt web.Route) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header()[web.RequestIDHeader] = []string{s.RequestID(r)}
		w = s.observe(w, &rt)
		if rt.CORS != nil && rt.CORS(w, r) {
			return
		}
		v, err := s.perform(rt, w, r)
		switch {
		case err != nil:
			s.writeError(w, r, err)
		case v != web.Written{}:
			web.WriteJSON(w, http.StatusOK, v)
		}
	}
}

// perform applies the rules of a route and runs its action.
func (s *Server) perform(rt web.Route, w http.ResponseWriter, r *http.Request) (_ any, err error) {
	if rt.Filtered && r.Method != http.MethodOptions && s.Config.BlocksAgent(r.UserAgent()) {
		return nil, web.ErrForbidden
	}
	if !rt.Page && !cleanAddress(r) {
		return nil, web.BadRequest("The address must be UTF-8 text without NUL characters")
	}
	var by chat.Author
	if rt.Access != nil {
		if by, err = rt.Access(w, r, web.RequestKey(r, rt.QueryKey)); err != nil {
			return nil, err
		}
		if by, err = rt.Opened(by); err != nil {
			return nil, err
		}
		if err = rt.Reachable(r, by); err != nil {
			return nil, err
		}
	}
	if rt.Rate != nil {
		if err := s.Limited(w, r, rt.Rate, s.Address(r)); err != nil {
			return nil, err
		}
	}
	if rt.Body > 0 {
		r.Body = web.LimitedBody(r, rt.Body)
	}
	return rt.Action(w, r, by)
}

// cleanAddress reports whether the ids and values in a request's address are
// text that every database stores.
func cleanAddress(r *http.Request) bool {
	if !web.IsText(r.URL.Path) {
		return false
	}
	if !strings.Contains(r.URL.RawQuery, "%") {
		return web.IsText(r.URL.RawQuery)
	}
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return false
	}
	for _, values := range query {
		if !web.IsText(values[0]) {
			return false
		}
	}
	return true
}

// statusClientGone is for the log of a proxy: nobody reads the answer.
const statusClientGone = 499

// writeError answers an error as {"error": text}. An error that is not meant for the
// caller is logged here, once, and answered as an internal error.
func (s *Server) writeError(w http.ResponseWriter, r *http.Request, err error) {
	status, text := http.StatusInternalServerError, "Internal server error"
	var he *web.Error
	var ce *chat.Error
	switch {
	case errors.As(err, &he):
		status, text = he.Status, he.Text
		for name, values := range he.Header {
			w.Header()[name] = values
		}
	case errors.As(err, &ce):
		status, text = cmp.Or(web.Statuses[ce.Kind], status), ce.Text
		if ce.Kind == chat.StorageFull {
			w.Header().Set("Retry-After", "10")
			what := "the disk does not take what is written: it is full, a quota is, or it fails"
			if errors.Is(err, chat.ErrNoRoom) {
				what = "files are refused, messages are stored"
			}
			s.logOutage(&s.full, what, w, r, err)
		}
	case errors.Is(err, chat.ErrAway):
		status, text = http.StatusServiceUnavailable, "The database cannot be reached"
		w.Header().Set("Retry-After", "5")
		s.logOutage(&s.away, "request failed", w, r, err)
	case r.Context().Err() != nil:
		status, text = statusClientGone, "The request was cut off"
	default:
		s.log.Error("request failed", "request", w.Header().Get(web.RequestIDHeader), "method", r.Method, "path", r.URL.Path, slog.Any("err", err))
	}
	web.WriteJSON(w, status, web.RefusalOf(r, status, text, ce))
}

// logOutage logs failures that every request has at the moment, once a minute.
func (s *Server) logOutage(failed *chat.LogThrottle, text string, w http.ResponseWriter, r *http.Request, err error) {
	if n := failed.Allow(); n > 0 {
		s.log.Error(text, "request", w.Header().Get(web.RequestIDHeader), "method", r.Method, "path", r.URL.Path, slog.Any("err", err), "count", n)
	}
}
