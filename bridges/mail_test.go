package bridges_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/relay-chat/relay/bridges"
	"github.com/relay-chat/relay/bridges/mail/mailtest"
	"github.com/relay-chat/relay/db/dbtest"
	"github.com/relay-chat/relay/server/chat"
)

// TestExamineMail: doctor and the start say what e-mail lacks, and how to mend it.
func TestExamineMail(t *testing.T) {
	post := mailtest.New(t)
	wrong := strings.Replace(post.URL(), "p%40ss", "wrong", 1)
	for _, tt := range []struct {
		name, server, from, base string
		warns                    string // at the start
		failures                 int
		says                     string
	}{
		{"nothing", "", "", "", "", 0, "not set up"},
		{"no sender", post.URL(), "", "https://chat.example.com", "MAIL_FROM is missing", 1, "set MAIL_FROM"},
		{"no server", "", "chat@shop.example", "https://chat.example.com", "SMTP_URL is missing", 1, "set SMTP_URL"},
		{"no address", post.URL(), "chat@shop.example", "", "PUBLIC_URL is missing", 1, "set PUBLIC_URL"},
		{"all", post.URL(), "Shop <chat@shop.example>", "https://chat.example.com", "", 0, "add a TXT record to _dmarc.shop.example"},
		{"a server", post.URL(), "Shop <chat@shop.example>", "https://chat.example.com", "", 0, "127.0.0.1 accepts relay"},
		{"no password", "smtp://relay@" + post.Addr, "chat@shop.example", "https://chat.example.com", "how relay signs in without one (MAIL_OAUTH)", 1, "add the password in SMTP_URL, or choose"},
		{"a wrong password", wrong, "chat@shop.example", "https://chat.example.com", "", 1, "does not accept the name and the password"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := chat.SettingsOf(bridges.Settings(), map[string]chat.Raw{"smtpUrl": chat.MustJSON(tt.server), "mailFrom": chat.MustJSON(tt.from)}, nil)
			if got := bridges.MailHalfSetUp(s, tt.base); !strings.HasSuffix(got, tt.warns) || (got == "") != (tt.warns == "") {
				t.Errorf("the start warns %q", got)
			}
			var report bytes.Buffer
			if n := bridges.Report(&report, []bridges.Checkup{bridges.ExamineMail(t.Context(), s, bridges.MailTokens(nil), tt.base, mailtest.Zone{})}); n != tt.failures || !strings.Contains(report.String(), tt.says) {
				t.Errorf("%d failures:\n%s", n, &report)
			}
			if strings.Contains(report.String(), "wrong:") || strings.Contains(report.String(), "word%25") {
				t.Errorf("it shows the password:\n%s", &report)
			}
		})
	}
	if len(post.Letters()) != 0 {
		t.Error("doctor sent something")
	}
}

// TestExamineMailWithoutPassword: doctor signs in with a token at both servers, and says whose turn it
// is when there is none.
func TestExamineMailWithoutPassword(t *testing.T) {
	const name = "chat@shop.example"
	p, post, box := mailtest.NewProvider(t), mailtest.New(t), mailtest.NewMailbox(t)
	accepts := func(who, access string) bool { return who == name && p.Valid(access) }
	post.Accept(accepts)
	box.Accept(accepts, mailtest.XOAUTH2)
	s := chat.SettingsOf(bridges.Settings(), map[string]chat.Raw{"smtpUrl": chat.MustJSON(post.URLOf(name)), "imapUrl": chat.MustJSON(box.URLOf(name)), "mailFrom": chat.MustJSON(name),
		"mailOauth": chat.MustJSON(p.TokenURL), "mailOauthClient": chat.MustJSON(mailtest.Client), "mailOauthSecret": chat.MustJSON(mailtest.ClientSecret), "mailOauthToken": chat.MustJSON(p.Refresh())}, nil)
	examine := func(failures int, says ...string) {
		t.Helper()
		var report bytes.Buffer
		n := bridges.Report(&report, []bridges.Checkup{bridges.ExamineMail(t.Context(), s, bridges.MailTokens(dbtest.Memory(t)), "https://chat.example.com", mailtest.Zone{})})
		for _, want := range says {
			if !strings.Contains(report.String(), want) {
				t.Errorf("it does not say %q", want)
			}
		}
		if n != failures || strings.Contains(report.String(), "refresh-") || strings.Contains(report.String(), mailtest.ClientSecret) {
			t.Errorf("%d failures:\n%s", n, &report)
		}
	}
	if problem := bridges.MailHalfSetUp(s, "https://chat.example.com"); problem != "" {
		t.Errorf("the start warns %s", problem)
	}
	examine(0, "127.0.0.1 accepts relay", "INBOX at 127.0.0.1 opens")
	p.Revoke()
	examine(2, "the consent was ended", "Fix: sign in again in the console, under Settings → E-mail (MAIL_OAUTH_TOKEN)")
	s = s.With(map[string]json.RawMessage{"smtpUrl": chat.MustJSON(post.URL()), "mailOauthToken": chat.MustJSON("")})
	if problem := bridges.MailHalfSetUp(s, "https://chat.example.com"); !strings.Contains(problem, "answers are not read. Nobody has signed in for relay at 127.0.0.1") {
		t.Errorf("the start warns %s", problem)
	}
}
