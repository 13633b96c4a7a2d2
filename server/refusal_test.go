package server_test

import (
	"testing"

	"github.com/relay-chat/relay/db/dbtest"
)

// Refusals of the admin API name the fields that are wrong; those of the widget do not.
func TestRefusalsNameFields(t *testing.T) {
	s := newSite(t, dbtest.Memory(t))
	check := func(a answer, fields object) {
		t.Helper()
		got, _ := a.get("fields").(map[string]any)
		for name, problem := range fields {
			if got[name] != problem || len(got) != len(fields) {
				t.Errorf("%s: want %q", a.body, fields)
			}
		}
		if len(fields) == 0 && a.get("field") != nil {
			t.Errorf("%s names a field", a.body)
		}
	}
	settings := s.call("PATCH", "/api/admin/settings", secretKey, object{"aiMaxAnswers": 0, "primaryColor": "red", "preChatForm": object{"fields": []object{{"name": "a", "type": "text", "label": 5}}}})
	check(settings, object{"aiMaxAnswers": "must be a number from 1 to 1000", "primaryColor": "must be a colour like #3b5bdb", "preChatForm": settings.get("fields.preChatForm")})
	if settings.text("field") != "aiMaxAnswers" || settings.get("fields.preChatForm") == nil {
		t.Errorf("%s", settings.body)
	}
	check(s.call("POST", "/api/admin/invitations", secretKey, object{"role": "operator", "email": "x"}), object{"email": "must be an e-mail address, like ada@example.com"})
	check(s.call("PUT", "/api/admin/saved-answers/a%20b", secretKey, object{"content": "x"}), object{"name": "the name of a saved answer must be 1 to 32 small letters and digits, with - or _ between them, and begin with a letter"})
	check(s.call("GET", "/api/admin/sessions/none", secretKey, nil), nil)
	check(s.call("POST", "/api/widget/init", publicKey, object{}), nil)
}
