package server_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/emersion/go-smtp"

	"github.com/relay-chat/relay/bridges/mail/mailtest"
	"github.com/relay-chat/relay/db"
	"github.com/relay-chat/relay/db/dbtest"
	"github.com/relay-chat/relay/server"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/config"
)

// mails lets a relay send e-mails to a server.
func mails(server *mailtest.Server) func(*config.Config) {
	return func(c *config.Config) {
		if c.Settings == nil {
			c.Settings = map[string]chat.Raw{}
		}
		c.Settings["smtpUrl"], c.Settings["mailFrom"] = chat.MustJSON(server.URL()), chat.Raw(`"Shop <chat@shop.example>"`)
	}
}

// TestLettersPage: the link in an e-mail continues the conversation, confirms the address on a
// click, and ends the e-mails by one click of the mail program; looking at it does nothing.
func TestLettersPage(t *testing.T) {
	dbtest.EachLasting(t, func(t *testing.T, d *db.DB) {
		post := mailtest.New(t)
		s := newSite(t, d, mails(post))
		v := s.bound("ana", "")
		s.writes(v, "Where is my order?")
		s.must("POST", "/api/widget/identify", publicKey, object{"sessionId": v.id, "identity": object{"email": "ana@customer.example"}}, "X-Session-Token", v.token)
		answer := func(text string) {
			s.must("POST", "/api/admin/sessions/"+v.id+"/messages", secretKey, object{"content": text})
		}
		// due makes what waits to be read due, unless the e-mail before is just being stored.
		due := func() {
			if err := s.Outbox.RetryNow(t.Context(), chat.MailSink); err != nil {
				t.Fatal(err)
			}
			s.Outbox.Wake(chat.MailSink, v.id, chat.Now())
		}
		arrived := func(n int) mailtest.Letter {
			t.Helper()
			eventually(t, "letter", func() bool { due(); return len(post.Letters()) >= n })
			return post.Letters()[n-1]
		}
		answer("On its way")
		link := strings.Trim(arrived(1).Header.Get("List-Unsubscribe"), "<>")
		path := strings.TrimPrefix(link, mailBase)
		if path == link {
			t.Fatalf("the link is %s", link)
		}

		page := s.must("GET", path, "", nil)
		for _, want := range []string{`data-letter="` + strings.TrimPrefix(path, "/mail/") + `"`, `data-chat="/chat/main"`, `data-link="` + v.id + "."} {
			if !strings.Contains(string(page.body), want) {
				t.Errorf("the page has no %s: %s", want, page.body)
			}
		}
		if got := s.mailState("ana@customer.example", v.id); got != chat.MailAsked {
			t.Errorf("looking at the page made the address %s", got)
		}
		_, rest, _ := strings.Cut(string(page.body), `data-link="`)
		resume, _, _ := strings.Cut(rest, `"`)
		device := s.must("POST", "/api/widget/resume", publicKey, object{"link": resume})
		if device.text("sessionId") != v.id || device.text("sessionToken") == "" {
			t.Errorf("the other device gets %s", device.body)
		}
		s.must("POST", path+"/confirm", "", nil)
		answer("There it is")
		if second := arrived(2); !strings.Contains(second.Text, "There it is") {
			t.Errorf("the second one says %s", second.Text)
		}

		forged := path[:len(path)-2] + "xx"
		s.refused(s.call("POST", forged, "", nil), 404, "not complete")
		s.refused(s.call("POST", forged+"/confirm", "", nil), 404, "not complete")
		if a := s.call("GET", forged, "", nil); a.status != 404 {
			t.Errorf("a forged link's page answers %d", a.status)
		}
		oneClick := s.call("POST", path, "", url.Values{"List-Unsubscribe": {"One-Click"}}.Encode(), "Content-Type", "application/x-www-form-urlencoded")
		if oneClick.status != 200 {
			t.Errorf("one click answers %d %s", oneClick.status, oneClick.body)
		}
		s.must("POST", path+"/confirm", "", nil) // does not begin them anew
		if got := s.mailState("ana@customer.example", ""); got != chat.MailStopped {
			t.Errorf("the address is %s", got)
		}
		answer("One more")
		eventually(t, "word", func() bool {
			due()
			return strings.Contains(string(s.must("GET", "/api/admin/sessions/"+v.id+"/messages", secretKey, nil).body), "wants no e-mails about this chat")
		})
		if n := len(post.Letters()); n != 2 {
			t.Errorf("%d letters", n)
		}

		s.must("DELETE", "/api/admin/sessions/"+v.id, secretKey, nil)
		ended := s.call("GET", path, "", nil)
		if ended.status != 404 || !strings.Contains(string(ended.body), "data-letter=") {
			t.Errorf("after the erasure the page answers %d", ended.status)
		}
		if got := s.mailState("ana@customer.example", ""); got != chat.MailStopped {
			t.Errorf("after the erasure the address is %s", got)
		}
	})
}

// mailState is what is known of an address, in itself or as a browser gave it.
func (s *site) mailState(address, about string) chat.MailState {
	s.t.Helper()
	var a chat.MailAddress
	key := server.MailLinksBy(s.ring, "").Key(address, about)
	err := s.Store.Read(s.t.Context(), func(r chat.Reader) (err error) {
		a, err = r.MailAddress("", key)
		return err
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return a.State
}

// TestInvitationsByMail: a link goes out with a secret of its own; what became of it is listed.
func TestInvitationsByMail(t *testing.T) {
	dbtest.EachLasting(t, func(t *testing.T, d *db.DB) {
		post := mailtest.New(t)
		s := newSite(t, d, mails(post))
		const path = "/api/admin/invitations"
		secretOf := func(text string) string {
			t.Helper()
			_, rest, found := strings.Cut(text, "/console/invitation#")
			if !found {
				t.Fatalf("there is no link in %s", text)
			}
			secret, _, _ := strings.Cut(rest, "\n")
			return secret
		}
		works := func(secret string) bool {
			return s.call("POST", "/console/invitation/check", "", object{"token": secret}).status == 200
		}
		state := func(id string) (mailed, reason string) {
			for _, one := range s.must("GET", path, secretKey, nil).get("invitations").([]any) {
				if one := one.(map[string]any); one["id"] == id {
					mailed, _ = one["mailed"].(string)
					reason, _ = one["mailReason"].(string)
				}
			}
			return mailed, reason
		}
		sent := func(n int) mailtest.Letter {
			t.Helper()
			eventually(t, "letter", func() bool { return len(post.Letters()) == n })
			return post.Letters()[n-1]
		}
		link := s.must("POST", path, secretKey, object{"email": "mia@shop.example", "role": "operator"})
		s.must("POST", path+"/"+link.text("id")+"/mail", secretKey, nil)
		letter := sent(1)
		mailedSecret := secretOf(letter.Text)
		if letter.To != "mia@shop.example" || !works(mailedSecret) || works(secretOf(link.text("url")+"\n")) {
			t.Errorf("to %s: %s", letter.To, letter.Text)
		}
		eventually(t, "sent", func() bool { mailed, _ := state(link.text("id")); return mailed == "sent" })

		post.Fail(mailtest.Faults{To: &smtp.SMTPError{Code: 550, EnhancedCode: smtp.EnhancedCode{5, 1, 1}, Message: "No such user"}})
		s.must("POST", path+"/"+link.text("id")+"/mail", secretKey, nil)
		eventually(t, "refused", func() bool {
			mailed, reason := state(link.text("id"))
			return mailed == "refused" && strings.Contains(reason, "No such user")
		})
		post.Fail(mailtest.Faults{})

		open := s.must("POST", path, secretKey, object{"role": "operator"})
		s.refused(s.call("POST", path+"/"+open.text("id")+"/mail", secretKey, nil), 409, "no e-mail address")
		s.refused(s.call("POST", path+"/none/mail", secretKey, nil), 404, "does not work any more")

		person := s.must("POST", "/api/admin/people", secretKey, object{"name": "Ben", "email": "ben@shop.example", "role": "operator", "password": "correct horse battery"})
		reset := s.must("POST", "/api/admin/people/"+person.text("id")+"/reset", secretKey, nil)
		s.must("POST", path+"/"+reset.text("id")+"/mail", secretKey, nil)
		if letter := sent(2); letter.To != "ben@shop.example" || subjectOf(letter) != "A new password for relay" || !works(secretOf(letter.Text)) {
			t.Errorf("%s to %s: %s", subjectOf(letter), letter.To, letter.Text)
		}
	})
}

func subjectOf(l mailtest.Letter) string { return l.Header.Get("Subject") }

// TestMailAsksContact: while nobody is there a visitor is asked for an address, at once and as long
// as there is no answer, if answers can go there.
func TestMailAsksContact(t *testing.T) {
	for _, on := range []bool{true, false} {
		var changes []func(*config.Config)
		if on {
			changes = append(changes, mails(mailtest.New(t)))
		}
		s := newSite(t, dbtest.Memory(t), changes...)
		id := s.open("v")
		if s.asks("v") != on {
			t.Errorf("with e-mail %v it asks %v who has said nothing", on, !on)
		}
		s.say(id, "hello")
		if s.asks("v") != on {
			t.Errorf("with e-mail %v it asks %v", on, !on)
		}
		s.operators(true)
		if s.asks("v") {
			t.Error("it asks although somebody is there")
		}
		s.operators(false)
		s.must("POST", "/api/widget/identify", publicKey, object{"sessionId": id, "identity": object{"email": "ana@customer.example"}})
		if s.asks("v") {
			t.Error("it asks whom it knows")
		}
	}
}

// TestMailSettings: what is wrong is said beside the field, and a test says how the server
// answered.
func TestMailSettings(t *testing.T) {
	s := newSite(t, dbtest.Memory(t))
	for name, list := range map[string]map[string]string{
		"smtpUrl": {"mail.example.com": "must begin with smtp://", "https://mail.example.com": "must begin with smtp://", "smtp://:p@host": "must have a name before the password", "smtp://na%0dme@host": "must have a name without control characters",
			"smtp://na me:p@host": "must be an address like smtps://", "smtp://host:99999": "must have a port from 1 to 65535", "smtp://host/path": "must begin with smtp://"},
		"imapUrl": {"imaps://host": "must have the mailbox's name, and its password unless relay signs in without one"},
		"mailOauth": {"yahoo": "must be google, microsoft", "microsoft:": "must be google", "microsoft:a/b": "must be google", "http://id.example/token": "must be google",
			"https://user:p@id.example/token": "must be google", "https://id.example/token?a=b": "must be google"},
		"mailOauthClient": {"a b": "must be an id without spaces"}, "mailOauthSecret": {"a\nb": "must be a secret without spaces"}, "mailOauthToken": {"ö": "must be a refresh token"},
		"mailFrom": {"Shop": "must be an e-mail address", "Shop <shop>": "must be an e-mail address", "a@b.example, c@d.example": "must be an e-mail address",
			"Shop\r\nBcc: x@y.example <a@b.example>": "must be an e-mail address"},
	} {
		for value, want := range list {
			s.refused(s.call("PATCH", "/api/admin/settings", secretKey, object{name: value}), 400, name+" "+want)
		}
	}
	s.refused(s.call("POST", "/api/admin/mail/test", secretKey, object{"to": "me@shop.example"}), 409, "no mail server yet")
	if a := s.must("GET", "/api/admin/mail", secretKey, nil); a.text("state") != "off" {
		t.Errorf("without a server: %s", a.body)
	}
	post := mailtest.New(t)
	a := s.must("PATCH", "/api/admin/settings", secretKey, object{"smtpUrl": post.URL(), "mailFrom": "Shop <chat@shop.example>"})
	if strings.Contains(string(a.body), "p%40ss") {
		t.Error("the password is shown")
	}
	s.refused(s.call("POST", "/api/admin/mail/test", secretKey, object{"to": "me@shop.example, you@shop.example"}), 400, "to must be an e-mail address")
	if a := s.must("POST", "/api/admin/mail/test", secretKey, object{"to": "me@shop.example"}); a.get("ok") != true {
		t.Errorf("the test ends with %s", a.body)
	}
	if list := post.Letters(); len(list) != 1 || list[0].To != "me@shop.example" || list[0].Header.Get("From") != `"Shop" <chat@shop.example>` {
		t.Errorf("it sent %+v", list)
	}
	s.must("PATCH", "/api/admin/settings", secretKey, object{"smtpUrl": strings.Replace(post.URL(), "p%40ss", "wrong", 1)})
	if a := s.must("POST", "/api/admin/mail/test", secretKey, object{"to": "me@shop.example"}); a.get("ok") != false ||
		!strings.Contains(a.text("error"), "does not accept the name and the password") || !strings.Contains(a.text("fix"), "Settings → E-mail") {
		t.Errorf("the wrong password ends with %s", a.body)
	}
}
