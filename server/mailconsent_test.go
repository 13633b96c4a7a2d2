package server_test

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/oauth2"

	"github.com/relay-chat/relay/bridges/mail/mailtest"
	"github.com/relay-chat/relay/bridges/mail/oauth"
	"github.com/relay-chat/relay/db"
	"github.com/relay-chat/relay/db/dbtest"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/config"
)

const (
	consentPath = "/api/admin/mail/consent"
	returnPath  = "/console/consent"
)

// consents is a relay whose mailbox is at a provider of the test, and somebody who may sign in there.
type consents struct {
	*site
	provider *mailtest.Provider
	post     *mailtest.Server
	cookie   string
}

// mailTokens lets the next relay of a test ask a provider.
func mailTokens(p *mailtest.Provider, store chat.Store) *oauth.Tokens {
	return oauth.New(oauth.Options{Store: store, Endpoint: func(chat.MailProvider) oauth2.Endpoint {
		return oauth2.Endpoint{AuthURL: p.AuthURL, TokenURL: p.TokenURL}
	}})
}

func newConsents(t *testing.T, d *db.DB, configure ...func(*config.Config)) *consents {
	t.Helper()
	c := &consents{provider: mailtest.NewProvider(t), post: mailtest.New(t)}
	c.site = newSiteAsking(t, d, c.provider, append(configure, func(cfg *config.Config) { cfg.PublicURL = mailBase })...)
	c.cookie = c.cookieOf("Ada", chat.RoleAdministrator)
	c.post.Accept(func(name, access string) bool { return name == "chat@shop.example" && c.provider.Valid(access) })
	c.must("PATCH", "/api/admin/settings", secretKey, object{"smtpUrl": c.post.URLOf("chat@shop.example"), "mailFrom": "chat@shop.example",
		"mailOauth": "google", "mailOauthClient": mailtest.Client, "mailOauthSecret": mailtest.ClientSecret})
	return c
}

// led asks for consent as somebody, and returns where the provider leads back to.
func (c *consents) led(cookie string) url.Values {
	c.t.Helper()
	page := c.must("POST", consentPath, "", nil, "Cookie", cookie).text("url")
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	answer, err := client.Get(page)
	if err != nil {
		c.t.Fatal(err)
	}
	answer.Body.Close()
	back, err := answer.Location()
	if err != nil || !strings.HasPrefix(back.String(), mailBase+returnPath+"?") {
		c.t.Fatalf("it leads to %v, %v", back, err)
	}
	return back.Query()
}

func (c *consents) redeem(q url.Values, cookie string) answer {
	return c.call("POST", consentPath+"/redeem", "", object{"state": q.Get("state"), "code": q.Get("code"), "error": q.Get("error"), "description": q.Get("error_description")}, "Cookie", cookie)
}

// TestConsent: who may change settings signs in at the provider by a click, and relay sends without
// a password from then on, after a restart, too.
func TestConsent(t *testing.T) {
	dbtest.EachLasting(t, func(t *testing.T, d *db.DB) {
		c := newConsents(t, d)
		test := func() answer {
			return c.must("POST", "/api/admin/mail/test", secretKey, object{"to": "me@shop.example"})
		}
		if a := test(); a.get("ok") != false || !strings.Contains(a.text("error"), "Nobody has signed in for relay at Google") || !strings.Contains(a.text("fix"), "under Settings → E-mail") {
			t.Errorf("before, the test ends with %s", a.body)
		}
		state := c.must("GET", "/api/admin/mail", secretKey, nil)
		if state.get("consent.redirectUrl") != mailBase+returnPath || state.get("consent.problem") != nil {
			t.Errorf("the state is %s", state.body)
		}
		q := c.led(c.cookie)
		page := c.must("GET", returnPath+"?"+q.Encode(), "", nil)
		if page.header.Get("Referrer-Policy") != "no-referrer" || page.header.Get("Cache-Control") != "no-store" || strings.Contains(string(page.body), q.Get("code")) {
			t.Errorf("the page has %v %s", page.header, page.body)
		}
		_, hash, _ := strings.Cut(page.header.Get("Refresh"), "0; url=/console#/mail/consent?")
		if handed, err := url.ParseQuery(hash); err != nil || handed.Get("code") != q.Get("code") || handed.Get("state") != q.Get("state") {
			t.Errorf("the page leads to %s", page.header.Get("Refresh"))
		}
		if a := c.redeem(q, c.cookie); a.get("ok") != true {
			t.Fatalf("it ends with %d %s", a.status, a.body)
		}
		if a := test(); a.get("ok") != true {
			t.Errorf("then, the test ends with %s", a.body)
		}
		settings := c.must("GET", "/api/admin/settings", secretKey, nil)
		if token := settings.text("mailOauthToken"); !strings.HasPrefix(token, "••••") || len(token) > 20 {
			t.Errorf("the token is shown as %q", token)
		}
		entries := string(c.must("GET", "/api/admin/audit?limit=100", secretKey, nil).body)
		if !strings.Contains(entries, "mailOauthToken") || strings.Contains(entries, "refresh-") {
			t.Errorf("the audit list has %s", entries)
		}
		for _, secret := range []string{q.Get("code"), q.Get("state"), "refresh-", "access-", mailtest.ClientSecret} {
			if strings.Contains(c.logs.String(), secret) {
				t.Errorf("the log has %s:\n%s", secret, c.logs)
			}
		}
		c.refused(c.redeem(q, c.cookie), 409, "was used already")
		again := newSiteAsking(t, d, c.provider, func(cfg *config.Config) { cfg.PublicURL = mailBase })
		if a := again.must("POST", "/api/admin/mail/test", secretKey, object{"to": "me@shop.example"}); a.get("ok") != true {
			t.Errorf("after a restart, the test ends with %s", a.body)
		}
	})
}

// TestConsentRefused: nobody else finishes what somebody has begun, and nothing is stored of what the
// provider refuses.
func TestConsentRefused(t *testing.T) {
	d := dbtest.Memory(t)
	c := newConsents(t, d)
	c.addSite("Shop Berlin", "id", "berlin")
	bea, olga := c.cookieOf("Bea", chat.RoleAdministrator), c.cookieOf("Olga", chat.RoleOperator)
	_, some := c.someOf("Sue", chat.RoleAdministrator, "berlin")
	for cookie, want := range map[string]string{olga: "Only administrators may do this", some: "Only people of all sites may do this"} {
		c.refused(c.call("POST", consentPath, "", nil, "Cookie", cookie), 403, want)
		c.refused(c.redeem(c.led(c.cookie), cookie), 403, want)
		if a := c.call("GET", "/api/admin/mail", "", nil, "Cookie", some); a.get("consent") != nil {
			t.Errorf("people of some sites see %s", a.body)
		}
	}
	c.refused(c.call("POST", consentPath, secretKey, nil), 409, "Sign in at the console first")
	q := c.led(c.cookie)
	c.refused(c.redeem(q, bea), 409, "begun in another browser")
	c.refused(c.redeem(q, c.cookieOf("Ada", chat.RoleAdministrator)), 409, "begun in another browser") // another sign-in of the same person
	c.refused(c.call("POST", consentPath+"/redeem", "", object{"code": q.Get("code")}, "Cookie", c.cookie), 400, "state is required")
	c.refused(c.redeem(url.Values{"state": {"guessed"}, "code": q["code"]}, c.cookie), 409, "was used already")
	if a := c.redeem(q, c.cookie); a.get("ok") != true {
		t.Errorf("who began it gets %s", a.body)
	}

	q = c.led(c.cookie)
	c.expireConsents(d)
	c.refused(c.redeem(q, c.cookie), 409, "longer than ten minutes")

	q = c.led(c.cookie)
	c.must("PATCH", "/api/admin/settings", secretKey, object{"mailOauth": "microsoft"})
	c.refused(c.redeem(q, c.cookie), 409, "has changed since")

	q = c.led(c.cookie)
	q.Set("code", "another")
	if a := c.redeem(q, c.cookie); a.get("ok") != false || !strings.Contains(a.text("error"), "Microsoft does not accept the consent any more") || a.text("fix") != "sign in again" {
		t.Errorf("a wrong code ends with %s", a.body)
	}
	c.provider.Behave(mailtest.Rules{Deny: "access_denied"})
	if a := c.redeem(c.led(c.cookie), c.cookie); a.get("ok") != false || a.text("error") != "Microsoft does not let relay in: access_denied: The person said no." {
		t.Errorf("a refusal ends with %s", a.body)
	}
	if a := c.redeem(url.Values{"state": {c.led(c.cookie).Get("state")}}, c.cookie); a.get("ok") != false || a.text("error") != "Microsoft does not let relay in" {
		t.Errorf("an empty answer ends with %s", a.body)
	}
	if a := c.call("GET", returnPath, "", nil); a.status != 400 {
		t.Errorf("without an answer the page is %d", a.status)
	}
	for range 30 { // more than wait at once
		c.led(c.cookie)
	}
	c.provider.Behave(mailtest.Rules{})
	if a := c.redeem(c.led(c.cookie), c.cookie); a.get("ok") != true {
		t.Errorf("the last one ends with %s", a.body)
	}
}

var untils = regexp.MustCompile(`"until":"[^"]*"`)

// expireConsents makes all that was asked too old.
func (c *consents) expireConsents(d *db.DB) {
	c.t.Helper()
	err := d.Apply(c.t.Context(), func(tx chat.Tx) error {
		stored, err := tx.Meta("mail_consents")
		if err != nil || !strings.Contains(stored, `"until":"`) {
			c.t.Errorf("it is stored as %s, %v", stored, err)
		}
		return tx.PutMeta("mail_consents", untils.ReplaceAllString(stored, `"until":"2020-01-01T00:00:00.000Z"`))
	})
	if err != nil {
		c.t.Fatal(err)
	}
}

// TestConsentImpossible: where a click cannot sign in, it is said what to do.
func TestConsentImpossible(t *testing.T) {
	t.Run("no address", func(t *testing.T) {
		c := newConsents(t, dbtest.Memory(t))
		s := newSiteAsking(t, dbtest.Memory(t), c.provider)
		if a := s.must("GET", "/api/admin/mail", secretKey, nil); !strings.Contains(a.get("consent.problem").(string), "set PUBLIC_URL") || a.get("consent.redirectUrl") != nil {
			t.Errorf("the state is %s", a.body)
		}
		s.refused(s.call("POST", consentPath, "", nil, "Cookie", s.cookieOf("Ada", chat.RoleAdministrator)), 409, "set PUBLIC_URL")
	})
	t.Run("the environment", func(t *testing.T) {
		c := newConsents(t, dbtest.Memory(t), func(cfg *config.Config) {
			cfg.Settings = map[string]chat.Raw{"mailOauthToken": chat.Raw(`"refresh-set"`)}
		})
		if a := c.must("GET", "/api/admin/mail", secretKey, nil); !strings.Contains(a.get("consent.problem").(string), "MAIL_OAUTH_TOKEN sets the refresh token") {
			t.Errorf("the state is %s", a.body)
		}
		c.refused(c.call("POST", consentPath, "", nil, "Cookie", c.cookie), 409, "MAIL_OAUTH_TOKEN sets")
	})
	t.Run("half set up", func(t *testing.T) {
		c := newConsents(t, dbtest.Memory(t))
		c.must("PATCH", "/api/admin/settings", secretKey, object{"mailOauthClient": nil})
		c.refused(c.call("POST", consentPath, "", nil, "Cookie", c.cookie), 409, "no client ID yet")
		c.must("PATCH", "/api/admin/settings", secretKey, object{"mailOauth": nil})
		c.refused(c.call("POST", consentPath, "", nil, "Cookie", c.cookie), 409, "no provider yet")
	})
}

// TestMailSecretsStay: who may change settings cannot have the secrets sent to an address of their own.
func TestMailSecretsStay(t *testing.T) {
	s := newSite(t, dbtest.Memory(t), func(c *config.Config) {
		c.Settings = map[string]chat.Raw{"mailOauthSecret": chat.Raw(`"of-the-environment"`)}
	})
	set := func(patch object) chat.MailOAuth {
		t.Helper()
		s.must("PATCH", "/api/admin/settings", secretKey, patch)
		return s.Settings().MailOAuth()
	}
	if o := set(object{"mailOauth": "microsoft", "mailOauthClient": "relay", "mailOauthToken": "token-1-of-many"}); o.Secret != "of-the-environment" || o.Token != "token-1-of-many" {
		t.Errorf("they are %+v", o)
	}
	if o := set(object{"mailOauth": "microsoft:shop.example"}); o.Token != "token-1-of-many" {
		t.Errorf("at another tenant they are %+v", o)
	}
	if o := set(object{"mailOauth": "https://evil.example/token"}); o.Secret != "" || o.Token != "" {
		t.Errorf("an endpoint that somebody chose gets %+v", o)
	}
	if o := set(object{"mailOauth": "https://id.example/token", "mailOauthSecret": "secret-2", "mailOauthToken": "token-2-of-many"}); o.Secret != "secret-2" || o.Token != "token-2-of-many" {
		t.Errorf("with new ones they are %+v", o)
	}
	if o := set(object{"mailOauth": "https://id.example/token", "mailOauthClient": "other"}); o.Token != "token-2-of-many" {
		t.Errorf("at the same endpoint they are %+v", o)
	}
	mask := s.must("GET", "/api/admin/settings", secretKey, nil).text("mailOauthToken")
	if o := set(object{"mailOauth": "https://evil.example/token", "mailOauthToken": mask}); o.Secret != "" || o.Token != "" {
		t.Errorf("with the mask the endpoint gets %+v", o)
	}
}
