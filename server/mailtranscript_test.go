package server_test

import (
	"strings"
	"testing"

	"github.com/relay-chat/relay/bridges/mail/mailtest"
	"github.com/relay-chat/relay/db"
	"github.com/relay-chat/relay/db/dbtest"
	"github.com/relay-chat/relay/server/config"
)

// TestTranscriptByMail: a visitor is asked to confirm the address before the transcript goes there,
// and told so in words; the team sends it by the same rule.
func TestTranscriptByMail(t *testing.T) {
	dbtest.EachLasting(t, func(t *testing.T, d *db.DB) {
		post := mailtest.New(t)
		s := newSite(t, d, mails(post), func(c *config.Config) { c.PublicURL = mailBase })
		v := s.bound("ana", "")
		const path = "/api/widget/transcript"
		ask := func(language string) (outcome, text string) {
			t.Helper()
			a := s.must("POST", path, publicKey, object{"sessionId": v.id, "language": language}, "X-Session-Token", v.token)
			return a.text("outcome"), a.text("text")
		}
		s.refused(s.call("POST", path, publicKey, object{"sessionId": v.id}, "X-Session-Token", v.token), 409, "address is not known")
		s.must("POST", "/api/widget/identify", publicKey, object{"sessionId": v.id, "identity": object{"email": "ana@customer.example"}}, "X-Session-Token", v.token)
		s.refused(s.call("POST", path, publicKey, object{"sessionId": v.id}, "X-Session-Token", v.token), 409, "Nothing was said")
		s.writes(v, "Where is my order?")
		s.refused(s.call("POST", path, publicKey, object{"sessionId": v.id}, "X-Session-Token", "wrong"), 404, "Session not found")
		s.refused(s.call("POST", path, publicKey, object{"sessionId": v.id, "language": strings.Repeat("x", 36)}, "X-Session-Token", v.token), 400, "language")
		admin := "/api/admin/sessions/" + v.id
		s.must("POST", admin+"/messages", secretKey, object{"content": "On its way"})
		if outcome, text := ask("de"); outcome != "unconfirmed" || !strings.HasPrefix(text, "Bitte bestätigen Sie zuerst") {
			t.Errorf("at first %s: %s", outcome, text)
		}
		eventually(t, "the letter that asks", func() bool { return len(post.Letters()) == 1 })
		first := post.Letters()[0]
		if strings.Contains(first.Text, "Where is") {
			t.Errorf("a stranger reads %s", first.Text)
		}
		link := strings.TrimPrefix(strings.Trim(first.Header.Get("List-Unsubscribe"), "<>"), mailBase)
		s.must("POST", link+"/confirm", "", nil)
		if outcome, text := ask(""); outcome != "waiting" || text != "The transcript is on its way to your e-mail address." {
			t.Errorf("then %s: %s", outcome, text)
		}
		eventually(t, "the transcript", func() bool { return len(post.Letters()) == 2 })
		if text := post.Letters()[1].Text; !strings.Contains(text, "Where is my order?") || !strings.Contains(text, "On its way") {
			t.Errorf("it says %s", text)
		}
		if a := s.must("POST", admin+"/transcript", secretKey, nil); a.text("outcome") != "waiting" || a.get("text") != nil {
			t.Errorf("the team gets %s", a.body)
		}
		eventually(t, "the team's", func() bool { return len(post.Letters()) == 3 })
		s.must("POST", admin+"/transcript", secretKey, nil)
		if a := s.must("POST", admin+"/transcript", secretKey, nil); a.text("outcome") != "limit" {
			t.Errorf("once more %s", a.body)
		}
		eventually(t, "word of it", func() bool {
			return strings.Contains(string(s.must("GET", admin+"/messages", secretKey, nil).body), "The transcript was sent by e-mail to ana@customer.example.")
		})
		if list := string(s.must("GET", "/api/admin/audit", secretKey, nil).body); !strings.Contains(list, "as a transcript by e-mail") {
			t.Errorf("the audit list has %s", list)
		}
		if a := s.must("GET", "/api/widget/config", publicKey, nil); a.get("mailTranscript") != true {
			t.Errorf("the widget's config is %s", a.body)
		}
	})
}

// TestTranscriptNeedsAnAddress: without relay's own address no link in an e-mail would work, so the
// transcript is neither offered nor promised.
func TestTranscriptNeedsAnAddress(t *testing.T) {
	s := newSite(t, dbtest.Memory(t), mails(mailtest.New(t)))
	v := s.bound("ana", "")
	if a := s.must("GET", "/api/widget/config", publicKey, nil); a.get("mailTranscript") != false {
		t.Errorf("the widget's config is %s", a.body)
	}
	s.must("POST", "/api/widget/identify", publicKey, object{"sessionId": v.id, "identity": object{"email": "ana@customer.example"}}, "X-Session-Token", v.token)
	s.writes(v, "Where is my order?")
	s.refused(s.call("POST", "/api/widget/transcript", publicKey, object{"sessionId": v.id}, "X-Session-Token", v.token), 409, "does not send e-mails")
	s.refused(s.call("POST", "/api/admin/sessions/"+v.id+"/transcript", secretKey, nil), 409, "PUBLIC_URL")
}
