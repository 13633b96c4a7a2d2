package server_test

import (
	"bufio"
	"io"
	"strings"
	"testing"
)

// signIn signs an operator in at the console and returns the cookie.
func (s *site) signIn(name string) (cookie string) {
	s.t.Helper()
	form := s.call("POST", "/console/login", "", "name="+name+"&key="+secretKey, "Content-Type", "application/x-www-form-urlencoded")
	cookie, _, _ = strings.Cut(form.header.Get("Set-Cookie"), ";")
	if cookie == "" {
		s.t.Fatalf("%s cannot sign in: %d", name, form.status)
	}
	return cookie
}

// seat opens the console of an operator and returns its stream.
func (s *site) seat(cookie string) io.Reader {
	s.t.Helper()
	body := s.body("/api/admin/stream", "", "Cookie", cookie)
	lines := bufio.NewScanner(body)
	if _, err := readFrame(lines); err != nil {
		s.t.Fatal(err)
	}
	return body
}

func (s *site) presence() answer {
	s.t.Helper()
	return s.must("GET", "/api/admin/operator/status", secretKey, nil)
}

// Operators who have the console open are there, each once, until they sign out.
func TestPresenceAtTheConsole(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		mia, tom := s.signIn("Mia"), s.signIn("Tom")
		if p := s.presence(); p.get("online") != false || p.get("mode") != "automatic" || strings.Contains(string(p.body), "Mia") {
			t.Errorf("before anybody opened the console: %s", p.body)
		}
		first := s.seat(mia)
		s.seat(mia)
		s.seat(tom)
		want := `"operators":[{"name":"Mia","active":true},{"name":"Tom","active":true}]`
		if p := s.presence(); p.get("online") != true || !strings.Contains(string(p.body), want) {
			t.Errorf("with two operators: %s, want %s", p.body, want)
		}
		s.call("POST", "/console/logout", "", nil, "Cookie", mia)
		if _, err := io.ReadAll(first); err != nil {
			t.Errorf("the stream of who signed out is not closed: %v", err)
		}
		if p := s.presence(); p.get("online") != true || strings.Contains(string(p.body), "Mia") {
			t.Errorf("after Mia signed out: %s", p.body)
		}
		s.call("POST", "/console/logout", "", nil, "Cookie", tom)
		if p := s.presence(); p.get("online") != false {
			t.Errorf("after all signed out: %s", p.body)
		}
	})
}

// An operator who switched to online and signs out takes that along; what a
// program set stays.
func TestSwitchEndsWithTheSignIn(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		mia := s.signIn("Mia")
		s.seat(mia)
		s.must("POST", "/api/admin/operator/status", "", object{"online": true}, "Cookie", mia)
		if p := s.presence(); p.get("mode") != "online" || p.get("until") == nil {
			t.Errorf("switched to online: %s", p.body)
		}
		s.call("POST", "/console/logout", "", nil, "Cookie", mia)
		if p := s.presence(); p.get("mode") != "automatic" || p.get("online") != false {
			t.Errorf("signed out: %s", p.body)
		}
		mia = s.signIn("Mia")
		s.must("POST", "/api/admin/operator/status", secretKey, object{"online": true})
		s.call("POST", "/console/logout", "", nil, "Cookie", mia)
		if p := s.presence(); p.get("mode") != "online" || p.get("until") != nil {
			t.Errorf("what a program set does not stay: %s", p.body)
		}
		s.must("POST", "/api/admin/operator/status", secretKey, object{"online": nil})
		if p := s.presence(); p.get("mode") != "automatic" {
			t.Errorf("null is not automatic: %s", p.body)
		}
	})
}

func TestPresenceRefuses(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		mia := s.signIn("Mia")
		s.refused(s.call("POST", "/api/admin/operator/status", secretKey, object{"online": "yes"}), 400, "online must be")
		for _, ago := range []any{-1, 90_000, "soon"} {
			s.refused(s.call("POST", "/api/admin/operator/activity", "", object{"ago": ago}, "Cookie", mia), 400, "ago must be")
		}
		s.must("POST", "/api/admin/operator/activity", "", object{"ago": 3}, "Cookie", mia)
		if p := s.presence(); p.get("online") != false {
			t.Errorf("online without an open console: %s", p.body)
		}
	})
}
