package server_test

import (
	"testing"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/config"
)

// TestBotsOpenNoThreads: what a bot does on the site opens no thread until it writes, unless
// the list is switched off.
func TestBotsOpenNoThreads(t *testing.T) {
	for _, on := range []bool{true, false} {
		s := newBridgeSite(t, withKey, func(c *config.Config) { c.UAFilterBots = on })
		relayed := func(id string) (events int64) {
			err := s.store.ReadOne(t.Context(), func(rd chat.Reader) error {
				session, err := rd.Session(id)
				events = session.Rev
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			return events
		}
		for id, agent := range map[string]string{"bot": "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)", "person": "Mozilla/5.0 (X11; Linux x86_64; rv:141.0) Gecko/20100101 Firefox/141.0"} {
			session := object{"id": id, "visitorId": "v_" + id, "metadata": object{"userAgent": agent}}
			s.must("POST", "/api/sessions", backendKey, session)
			s.must("POST", "/api/custom-events", backendKey, object{"event": object{"name": "viewed"}, "session": object{"id": id, "visitorId": "v_" + id}})
			s.must("POST", "/api/events", backendKey, object{"type": "identity_update", "session": object{"id": id, "visitorId": "v_" + id, "identity": object{"name": "G"}}})
			s.must("POST", "/api/disconnect", backendKey, object{"session": object{"id": id, "visitorId": "v_" + id}})
			if quiet := on && id == "bot"; relayed(id) == 0 != quiet {
				t.Errorf("list on %t, %s: %d events are relayed", on, id, relayed(id))
			}
			s.must("POST", "/api/messages", backendKey, object{"message": object{"id": "m_" + id, "sessionId": id, "content": "Hello", "sender": "visitor"}, "session": object{"id": id, "visitorId": "v_" + id}})
			if relayed(id) == 0 {
				t.Errorf("list on %t, %s: the message is not relayed", on, id)
			}
		}
	}
}
