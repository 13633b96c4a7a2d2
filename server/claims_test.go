package server_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"testing"

	"github.com/relay-chat/relay/server/config"
)

// boundSession is a session that is bound to its token.
type boundSession struct{ id, token string }

// bound opens a session with a token, in the browser of an earlier token unless that is empty.
func (s *site) bound(visitorID, earlier string) boundSession {
	s.t.Helper()
	in := object{"visitorId": visitorID, "useSessionToken": true}
	if earlier != "" {
		in["sessionToken"], in["newSession"] = earlier, true
	}
	a := s.must("POST", "/api/widget/init", publicKey, in)
	return boundSession{a.text("sessionId"), a.text("sessionToken")}
}

func identitySecret(c *config.Config) { c.IdentitySecret = "identity-secret" }

// userHash proves an identity's id under [identitySecret].
func userHash(id string) string {
	mac := hmac.New(sha256.New, []byte("identity-secret"))
	mac.Write([]byte(id))
	return hex.EncodeToString(mac.Sum(nil))
}

// says lets a visitor say who it is.
func (s *site) says(v boundSession, identity object) {
	s.t.Helper()
	s.must("POST", "/api/widget/identify", publicKey, object{"sessionId": v.id, "identity": identity}, "X-Session-Token", v.token)
	s.must("POST", "/api/widget/messages", publicKey, object{"sessionId": v.id, "content": "hello"}, "X-Session-Token", v.token)
}

// claims returns the ids that are found for a visitor, and which of them are merely claimed.
func (s *site) claims(who string) (proved, claimed []string) {
	s.t.Helper()
	for _, c := range s.must("GET", "/api/admin/visitors?visitor="+who, secretKey, nil).get("conversations").([]any) {
		c := c.(map[string]any)
		if id := c["id"].(string); c["claimed"] == true {
			claimed = append(claimed, id)
		} else {
			proved = append(proved, id)
		}
	}
	slices.Sort(proved)
	slices.Sort(claimed)
	return proved, claimed
}

func sorted(sessions ...boundSession) (ids []string) {
	for _, v := range sessions {
		ids = append(ids, v.id)
	}
	slices.Sort(ids)
	return ids
}

// TestClaimedVisitor: what anybody can say of himself selects nobody's data, neither by the
// visitor's id nor by an e-mail address, until a person chooses.
func TestClaimedVisitor(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		victim := s.bound("customer", "")
		s.says(victim, object{"email": "victim@shop.example"})
		later := s.bound("customer", victim.token) // in the same browser
		mallory := s.bound("customer", "")
		s.says(mallory, object{"email": "mallory@evil.test"})

		expect := func(who string, proved, claimed []string) {
			t.Helper()
			if p, c := s.claims(who); !slices.Equal(p, proved) || !slices.Equal(c, claimed) {
				t.Fatalf("%s: proved %v, claimed %v; want %v and %v", who, p, c, proved, claimed)
			}
		}
		expect("mallory@evil.test", sorted(mallory), nil) // which is nobody else
		expect("victim@shop.example", sorted(victim, later), nil)
		expect("customer", nil, sorted(victim, later, mallory))
		expect(victim.id, sorted(victim, later), nil)

		s.says(mallory, object{"email": "Victim@shop.example"})
		expect("victim@shop.example", nil, sorted(victim, later, mallory))
		for _, call := range []string{"GET /api/admin/visitors/export", "DELETE /api/admin/visitors"} {
			var method, path string
			_, _ = fmt.Sscan(call, &method, &path)
			s.refused(s.call(method, path+"?visitor=victim@shop.example", secretKey, nil), 409, "choose conversations")
			s.refused(s.call(method, path+"?visitor=victim@shop.example&conversation="+s.open("other"), secretKey, nil), 400, "is not among those found")
		}
		archive := unzip(t, s.must("GET", "/api/admin/visitors/export?visitor=victim@shop.example&conversation="+victim.id, secretKey, nil).body)
		if archive["sessions/"+victim.id+"/session.json"] == "" || archive["sessions/"+mallory.id+"/session.json"] != "" {
			t.Errorf("the export has %d files, not those of the chosen conversation alone", len(archive))
		}

		s.must("POST", "/api/widget/identify", publicKey, object{"sessionId": victim.id, "identity": object{"id": "4711"}, "userHash": userHash("4711")}, "X-Session-Token", victim.token)
		s.says(mallory, object{"id": "4711"})
		phone := s.bound("phone", "")
		s.must("POST", "/api/widget/identify", publicKey, object{"sessionId": phone.id, "identity": object{"id": "4711"}, "userHash": userHash("4711")}, "X-Session-Token", phone.token)
		s.must("POST", "/api/widget/messages", publicKey, object{"sessionId": phone.id, "content": "from my phone"}, "X-Session-Token", phone.token)
		expect("4711", sorted(victim, later, phone), sorted(mallory))
		if a := s.must("DELETE", "/api/admin/visitors?visitor=4711", secretKey, nil); a.get("conversations") != 3.0 {
			t.Errorf("erased: %s", a.body)
		}
		expect("customer", sorted(mallory), nil)
	}, identitySecret)
}

// TestClaimedWithoutToken: without tokens the visitor's id is what joins, and a session
// with a token is not joined by it.
func TestClaimedWithoutToken(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		one := boundSession{id: s.open("v")}
		two := boundSession{id: s.must("POST", "/api/widget/init", publicKey, object{"visitorId": "v", "newSession": true}).text("sessionId")}
		mallory := s.bound("v", "")
		s.says(mallory, object{"name": "Mallory"})
		if proved, claimed := s.claims("v"); !slices.Equal(proved, sorted(one, two)) || !slices.Equal(claimed, sorted(mallory)) {
			t.Errorf("proved %v, claimed %v", proved, claimed)
		}
		if a := s.must("DELETE", "/api/admin/visitors?visitor=v", secretKey, nil); a.get("conversations") != 2.0 {
			t.Errorf("erased: %s", a.body)
		}
		s.must("GET", "/api/admin/sessions/"+mallory.id, secretKey, nil)
	})
}

// TestSharedBrowser: who was verified as somebody else in the same browser is not joined, nor is what
// nobody was verified for there, as on the contact's page.
func TestSharedBrowser(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		mother := s.bound("v", "")
		daughter, guest := s.bound("v", mother.token), s.bound("v", mother.token)
		s.must("POST", "/api/widget/messages", publicKey, object{"sessionId": guest.id, "content": "hello"}, "X-Session-Token", guest.token)
		for id, v := range map[string]boundSession{"mother": mother, "daughter": daughter} {
			s.must("POST", "/api/widget/identify", publicKey, object{"sessionId": v.id, "identity": object{"id": id}, "userHash": userHash(id)}, "X-Session-Token", v.token)
			s.must("POST", "/api/widget/messages", publicKey, object{"sessionId": v.id, "content": "hello"}, "X-Session-Token", v.token)
		}
		if proved, claimed := s.claims("mother"); !slices.Equal(proved, sorted(mother)) || !slices.Equal(claimed, sorted(daughter, guest)) {
			t.Errorf("proved %v, claimed %v", proved, claimed)
		}
		for _, v := range []boundSession{mother, daughter, guest} {
			if a := s.must("GET", "/api/admin/sessions/"+v.id+"/contact", secretKey, nil); len(a.get("conversations").([]any)) != 1 {
				t.Errorf("the contact has %s", a.body)
			}
		}
	}, identitySecret)
}
