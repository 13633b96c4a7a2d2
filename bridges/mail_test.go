package bridges_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/relay-chat/relay/bridges"
	"github.com/relay-chat/relay/bridges/mail/mailtest"
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
		{"a wrong password", wrong, "chat@shop.example", "https://chat.example.com", "", 1, "does not accept the name and the password"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := chat.SettingsOf(bridges.Settings(), map[string]chat.Raw{"smtpUrl": chat.MustJSON(tt.server), "mailFrom": chat.MustJSON(tt.from)}, nil)
			if got := bridges.MailHalfSetUp(s, tt.base); !strings.HasSuffix(got, tt.warns) || (got == "") != (tt.warns == "") {
				t.Errorf("the start warns %q", got)
			}
			var report bytes.Buffer
			if n := bridges.Report(&report, []bridges.Checkup{bridges.ExamineMail(t.Context(), s, tt.base, mailtest.Zone{})}); n != tt.failures || !strings.Contains(report.String(), tt.says) {
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
