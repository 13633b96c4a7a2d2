package signon_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/relay-chat/relay/bridges/signon"
	"github.com/relay-chat/relay/bridges/signon/signontest"
	"github.com/relay-chat/relay/server/chat"
)

// TestExamine: each thing that keeps people out is found before they come, and said with what to do.
func TestExamine(t *testing.T) {
	settled := chat.SignOnPlace{Redirect: "https://chat.example.com/console/sign-on/return", Settled: true}
	nobody := httptest.NewServer(http.NotFoundHandler())
	nobody.Close()
	for name, test := range map[string]struct {
		provider func(*signontest.Provider)
		settings func(*chat.SignOn)
		at       chat.SignOnPlace
		want     string // a finding: level, subject, and how its text and fix begin
	}{
		"all is well":       {at: settled, want: "ok redirect address register https://chat.example.com/console/sign-on/return at the provider, exactly so"},
		"not set up":        {settings: func(o *chat.SignOn) { *o = chat.SignOn{} }, at: settled, want: "ok settings not set up"},
		"no rule":           {settings: func(o *chat.SignOn) { o.Domains = nil }, at: settled, want: "fail settings Single sign-on lacks who may sign in"},
		"away":              {provider: func(p *signontest.Provider) { p.Leave(true) }, at: settled, want: "fail provider Example cannot be reached / check the issuer"},
		"nobody is there":   {settings: func(o *chat.SignOn) { o.Issuer = nobody.URL }, at: settled, want: "fail provider Example cannot be reached / check the issuer"},
		"another issuer":    {settings: func(o *chat.SignOn) { o.Issuer += "/" }, at: settled, want: "fail provider The provider names another issuer than the settings do / set the issuer exactly"},
		"no public address": {at: chat.SignOnPlace{Redirect: "http://localhost:3000/x"}, want: "warn redirect address it is http://localhost:3000/x here, and changes with the address by which somebody opens the console / set PUBLIC_URL"},
		"another client":    {settings: func(o *chat.SignOn) { o.Client = "other" }, at: settled, want: "warn sign-in page the provider refuses how relay asks: 400 Bad Request / register https://chat.example.com/console/sign-on/return there as a redirect address of the client other"},
		"refused scopes": {provider: func(p *signontest.Provider) {
			p.Set(func(p *signontest.Provider) { p.Answer = func(q url.Values) { q.Set("error", "invalid_scope") } })
		},
			at: settled, want: "warn sign-in page the provider refuses how relay asks: invalid_scope"},
		"wrong secret":     {settings: func(o *chat.SignOn) { o.Secret = "other" }, at: settled, want: "fail client Example does not accept relay's client ID and client secret / have an administrator correct them"},
		"no key":           {provider: func(p *signontest.Provider) { p.Set(func(p *signontest.Provider) { p.Keyless = true }) }, at: settled, want: "fail keys the provider's keys cannot be read / check that relay reaches"},
		"a slow clock":     {provider: func(p *signontest.Provider) { p.Set(func(p *signontest.Provider) { p.Ahead = 2 * time.Minute }) }, at: settled, want: "warn clock this machine's is"},
		"a clock ahead":    {provider: func(p *signontest.Provider) { p.Set(func(p *signontest.Provider) { p.Ahead = -time.Hour }) }, at: settled, want: "fail clock this machine's is"},
		"a clock as there": {at: settled, want: "ok clock it agrees with the provider's"},
	} {
		t.Run(name, func(t *testing.T) {
			p := signontest.New(t)
			o := chat.SignOn{Issuer: p.URL, Client: signontest.Client, Secret: signontest.Secret, Name: "Example", Domains: []string{"example.com"}}
			if test.settings != nil {
				test.settings(&o)
			}
			if test.provider != nil {
				test.provider(p)
			}
			found, _ := signon.New().Examine(t.Context(), &o, test.at)
			said := ""
			for _, f := range found {
				said += string(f.Level) + " " + f.Subject + " " + f.Text
				if f.Fix != "" {
					said += " / " + f.Fix
				}
				said += "\n"
			}
			if !strings.Contains("\n"+said, "\n"+test.want) {
				t.Errorf("it lacks %q:\n%s", test.want, said)
			}
			if fails := strings.Contains(test.want, "fail "); chat.Failed(found) != fails {
				if name != "another client" { // its secret is another's, too
					t.Errorf("it finds\n%s", said)
				}
			}
			if strings.Contains(said, signontest.Secret) {
				t.Error("it says the secret")
			}
		})
	}
}
