package server_test

import (
	"testing"
)

// TestBackendStats: a backend reads how much was written and answered.
func TestBackendStats(t *testing.T) {
	s := newBridgeSite(t, withKey)
	s.must("POST", "/api/sessions", backendKey, object{"id": "s1", "visitorId": "v1"})
	s.must("POST", "/api/messages", backendKey, object{"message": object{"id": "m1", "sessionId": "s1", "content": "Hello", "sender": "visitor"}, "session": reduced})
	s.operatorWrites("s1", "tg:1:1", "Hi")
	a := s.must("GET", "/api/stats?period=30d", backendKey, nil)
	if a.get("sessions") != 1.0 || a.get("visitorMessages") != 1.0 || a.get("operatorMessages") != 1.0 || a.get("answered") != 1.0 {
		t.Errorf("the numbers are %s", a.body)
	}
	s.refused(s.call("GET", "/api/stats?period=1y", backendKey, nil), 400, "period must be")
	s.refused(s.call("GET", "/api/stats", "wrong", nil), 401, "")
}
