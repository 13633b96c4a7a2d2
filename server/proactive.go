package server

import (
	"net/http"

	"github.com/relay-chat/relay/server/chat"
)

// proactiveAnswer is what a page needs to decide by itself which message it shows.
type proactiveAnswer struct {
	Online   bool                    `json:"online"`
	Messages []chat.ProactiveMessage `json:"messages"`
	Config   map[string]any          `json:"config"`
}

// proactive is asked by pages that carry data-proactive: the widget keeps the
// answer for minutes, and nothing is learned of who asks.
func (s *widgetAPI) proactive(_ http.ResponseWriter, _ *http.Request, _ chat.Author) (any, error) {
	settings := s.engine.Settings()
	return proactiveAnswer{s.engine.OperatorOnline(), settings.Proactive(), settings.WidgetConfig()}, nil
}

// close ends the conversation on the visitor's side.
func (s *widgetAPI) close(_ http.ResponseWriter, r *http.Request, by chat.Author, in inSession) (any, error) {
	return ok, s.engine.End(r.Context(), by, in.SessionID)
}
