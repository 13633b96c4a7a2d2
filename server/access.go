package server

import (
	"net/http"

	"github.com/relay-chat/relay/server/web"
)

// streamCORS lets pages of the allowed origins read the stream of bridge mode.
// Without a list no origin is allowed: on a developer's machine, any website could read
// the stream otherwise.
func (s *backendAPI) streamCORS(w http.ResponseWriter, r *http.Request) (preflight bool) {
	origin := r.Header.Get("Origin")
	if len(s.Config.AllowedOrigins) == 0 || origin == "" || !s.OriginAllowed(r) {
		return false
	}
	w.Header().Set("Vary", "Origin")
	w.Header().Set("Access-Control-Allow-Origin", origin)
	return web.AnswerPreflight(w, r, "GET", "Authorization, X-API-Key, Last-Event-ID")
}
