package mail_test

import (
	"strings"
	"testing"

	"github.com/relay-chat/relay/bridges/mail"
	"github.com/relay-chat/relay/bridges/mail/mailtest"
	"github.com/relay-chat/relay/server/chat"
)

// TestRecords: each missing line is named, with the name where it belongs.
func TestRecords(t *testing.T) {
	whole := map[string][]string{"shop.example": {"google-site-verification=x", "v=spf1 include:spf.mail.example -all"},
		"fm1._domainkey.shop.example": {"v=DKIM1; k=rsa; ", "p=MIGf"}, "_dmarc.shop.example": {"v=DMARC1; p=reject"}}
	below := map[string][]string{"chat.shop.example": {"V=SPF1 -all"}, "s1._domainkey.chat.shop.example": {"p=x"}, "_dmarc.shop.example": {"v=DMARC1; p=none"}}
	for _, tt := range []struct {
		name, from string
		zone       mailtest.Zone
		want       string // the levels
		says       []string
	}{
		{"all is there", "chat@shop.example", mailtest.Zone{Texts: whole, MX: "in.mail.example."}, "ok ok ok ok", []string{"at in.mail.example", "fm1._domainkey.shop.example"}},
		{"a domain below", "shop@chat.shop.example", mailtest.Zone{Texts: below, MX: "in.mail.example."}, "ok ok ok ok", nil},
		{"nothing", "chat@shop.example", mailtest.Zone{}, "warn warn warn warn",
			[]string{"takes no e-mails", "add a TXT record to shop.example", "below _domainkey.shop.example", "add a TXT record to _dmarc.shop.example"}},
		{"no e-mails on purpose", "chat@shop.example", mailtest.Zone{Texts: whole, MX: "."}, "warn ok ok ok", nil},
		{"two of SPF", "chat@shop.example", mailtest.Zone{Texts: map[string][]string{"shop.example": {"v=spf1 a", "v=spf1 b"}}, MX: "x."}, "ok warn warn warn", []string{"join them"}},
		{"no DNS", "chat@shop.example", mailtest.Zone{Away: true}, "warn warn warn warn", []string{"the DNS gives no answer"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var levels, text []string
			for _, f := range mail.Records(t.Context(), tt.zone, tt.from) {
				levels = append(levels, string(f.Level))
				text = append(text, f.Text+" | "+f.Fix)
				if (f.Level == chat.FindingOK) != (f.Fix == "") {
					t.Errorf("%+v", f)
				}
			}
			if got := strings.Join(levels, " "); got != tt.want {
				t.Errorf("%s, want %s: %q", got, tt.want, text)
			}
			for _, want := range tt.says {
				if !strings.Contains(strings.Join(text, "\n"), want) {
					t.Errorf("%q is not in %q", want, text)
				}
			}
		})
	}
}
