package oauth_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"

	"golang.org/x/oauth2"

	"github.com/relay-chat/relay/bridges/mail/mailtest"
	"github.com/relay-chat/relay/bridges/mail/oauth"
	"github.com/relay-chat/relay/db"
	"github.com/relay-chat/relay/db/dbtest"
	"github.com/relay-chat/relay/server/chat"
)

// at returns tokens whose every provider is the test's.
func at(p *mailtest.Provider, store chat.Store) *oauth.Tokens {
	return oauth.New(oauth.Options{Store: store, Endpoint: func(chat.MailProvider) oauth2.Endpoint {
		return oauth2.Endpoint{AuthURL: p.AuthURL, TokenURL: p.TokenURL}
	}})
}

// settings sign in at Microsoft with a refresh token.
func settings(refresh string) chat.MailOAuth {
	return chat.MailOAuth{Provider: "microsoft", Client: mailtest.Client, Secret: mailtest.ClientSecret, Token: refresh}
}

// access returns a token that mail servers accept.
func access(t *testing.T, p *mailtest.Provider, tokens *oauth.Tokens, o chat.MailOAuth) string {
	t.Helper()
	token, err := tokens.Access(t.Context(), o)
	if err != nil || !p.Valid(token) {
		t.Fatalf("the token is %q: %v", token, err)
	}
	return token
}

// TestAccess: a token is kept until it is about to expire or is refused, and fetched once for all.
func TestAccess(t *testing.T) {
	p := mailtest.NewProvider(t)
	tokens, o := at(p, nil), settings(p.Refresh())
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() { access(t, p, tokens, o) })
	}
	all.Wait()
	first := access(t, p, tokens, o)
	if n := len(p.Asked()); n != 1 {
		t.Errorf("it was asked %d times", n)
	}
	tokens.Refused("another")
	if access(t, p, tokens, o) != first {
		t.Error("a foreign token ends this one")
	}
	tokens.Refused(first)
	if access(t, p, tokens, o) == first {
		t.Error("a refused token is used again")
	}
	p.Behave(mailtest.Rules{Life: 30})
	other := settings(p.Refresh())
	if short := access(t, p, tokens, other); access(t, p, tokens, other) == short {
		t.Error("a token is used that is about to expire")
	}
}

// TestSuccessors: the refresh token that a provider hands out is the one to use, after a restart
// and at other nodes, until somebody configures another one.
func TestSuccessors(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		p := mailtest.NewProvider(t)
		p.Behave(mailtest.Rules{Rotate: true})
		o, node, other := settings(p.Refresh()), at(p, d), at(p, d)
		access(t, p, node, o)
		access(t, p, other, o)
		access(t, p, at(p, d), o) // as after a restart
		used := map[string]bool{}
		for _, form := range p.Asked() {
			used[form.Get("refresh_token")] = true
		}
		if len(used) != 3 {
			t.Errorf("the refresh tokens were %v", used)
		}
		p.Revoke()
		configured := settings(p.Refresh())
		access(t, p, at(p, d), configured)
		if asked := p.Asked(); len(asked) != 4 || asked[3].Get("refresh_token") != configured.Token {
			t.Errorf("it was asked %v", asked[3:])
		}
	})
}

// TestSuccessorOfAnotherNode: a refresh token that another node has used up meanwhile is no reason
// to ask people to sign in again.
func TestSuccessorOfAnotherNode(t *testing.T) {
	p := mailtest.NewProvider(t)
	p.Behave(mailtest.Rules{Rotate: true})
	d := dbtest.Memory(t)
	o, node, other := settings(p.Refresh()), at(p, d), at(p, d)
	access(t, p, node, o)
	between := make(chan struct{})
	reads := &slowStore{Store: d, read: func() { close(between); access(t, p, other, o) }}
	access(t, p, at(p, reads), o)
	<-between
}

// slowStore does something after the first read.
type slowStore struct {
	chat.Store
	once sync.Once
	read func()
}

func (s *slowStore) ReadOne(ctx context.Context, read func(chat.Reader) error) error {
	err := s.Store.ReadOne(ctx, read)
	s.once.Do(s.read)
	return err
}

// TestClients: a client proves who it is in the way that its provider wants.
func TestClients(t *testing.T) {
	p := mailtest.NewProvider(t)
	for name, tt := range map[string]struct {
		rules  mailtest.Rules
		change func(*chat.MailOAuth)
	}{
		"a secret":                  {mailtest.Rules{}, func(*chat.MailOAuth) {}},
		"none":                      {mailtest.Rules{Public: true}, func(o *chat.MailOAuth) { o.Secret = "" }},
		"of another, in the header": {mailtest.Rules{Header: true}, func(o *chat.MailOAuth) { o.Provider = p.TokenURL }},
		"of another, in the body":   {mailtest.Rules{}, func(o *chat.MailOAuth) { o.Provider = p.TokenURL }},
		"of another, none":          {mailtest.Rules{Public: true}, func(o *chat.MailOAuth) { o.Provider, o.Secret = p.TokenURL, "" }},
	} {
		t.Run(name, func(t *testing.T) {
			p.Behave(tt.rules)
			o := settings(p.Refresh())
			tt.change(&o)
			access(t, p, oauth.New(oauth.Options{Endpoint: func(of chat.MailProvider) oauth2.Endpoint {
				if of.Name == "" {
					return oauth.EndpointOf(of)
				}
				return oauth2.Endpoint{TokenURL: p.TokenURL}
			}}), o)
		})
	}
}

// TestFailures: what a provider does instead of handing out a token is said with what to do, and
// without secrets.
func TestFailures(t *testing.T) {
	away := httptest.NewServer(nil)
	away.Close()
	const hidden = "refresh-token-that-nobody-sees"
	answers := func(status int, kind, body string) *mailtest.Provider {
		p := mailtest.NewProvider(t)
		p.Behave(mailtest.Rules{Answer: func(w http.ResponseWriter, form url.Values) {
			w.Header().Set("Content-Type", kind)
			w.Header().Set("Location", "https://elsewhere.example/")
			w.WriteHeader(status)
			fmt.Fprint(w, strings.NewReplacer("$R", form.Get("refresh_token"), "$S", form.Get("client_secret")).Replace(body))
		}})
		return p
	}
	for name, tt := range map[string]struct {
		p            *mailtest.Provider
		problem, fix string
	}{
		"away":             {&mailtest.Provider{TokenURL: away.URL}, "Microsoft cannot be asked for a token", "relay tries again"},
		"busy":             {answers(503, "text/html", "<h1>$R"), "Service Unavailable", "relay tries again"},
		"no token there":   {answers(404, "text/html", "<h1>$R"), "Not Found", "check MAIL_OAUTH"},
		"a redirect":       {answers(302, "text/html", ""), "Found", "check MAIL_OAUTH"},
		"a page":           {answers(200, "text/html", "<h1>$R $S"), "cannot be asked", "relay tries again"},
		"nothing":          {answers(200, "application/json", "{}"), "cannot be asked", "relay tries again"},
		"two lines":        {answers(200, "application/json", `{"access_token":"a\r\nb"}`), "what it answers is no token", "relay tries again"},
		"a control sign":   {answers(200, "application/json", `{"access_token":"a\u0001auth=b"}`), "what it answers is no token", "relay tries again"},
		"a long one":       {answers(200, "application/json", `{"access_token":"`+strings.Repeat("a", 9000)+`"}`), "what it answers is no token", "relay tries again"},
		"an ended consent": {answers(400, "application/json", `{"error":"invalid_grant","error_description":"AADSTS70008: $R with $S expired"}`), "the consent was ended, or has expired: invalid_grant: AADSTS70008", "sign in again in the console"},
		"a wrong secret":   {answers(401, "application/json", `{"error":"invalid_client","error_description":"AADSTS7000215: $S"}`), "does not accept the client ID and the client secret", "check MAIL_OAUTH_CLIENT and MAIL_OAUTH_SECRET"},
		"something new":    {answers(400, "application/json", `{"error":"interaction_required"}`), "Microsoft refuses a token: interaction_required", "sign in again"},
	} {
		t.Run(name, func(t *testing.T) {
			token, err := at(tt.p, nil).Access(t.Context(), settings(hidden))
			var f *oauth.Failure
			if token != "" || !errors.As(err, &f) || !strings.Contains(f.Error(), tt.problem) || !strings.Contains(f.Fix, tt.fix) {
				t.Fatalf("it ends with %q, %v", token, err)
			}
			if text := f.Error() + f.Fix; strings.Contains(text, hidden) || strings.Contains(text, mailtest.ClientSecret) || strings.Contains(text, "\n") {
				t.Errorf("it says %s", text)
			}
		})
	}
}

// TestWaitersLeave: who does not wait any longer gets nothing, and takes nothing from the others.
func TestWaitersLeave(t *testing.T) {
	p := mailtest.NewProvider(t)
	o, asked, answer := settings(p.Refresh()), make(chan struct{}), make(chan struct{})
	p.Behave(mailtest.Rules{Answer: func(w http.ResponseWriter, _ url.Values) {
		close(asked)
		<-answer
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"access_token":"late"}`)
	}})
	tokens := at(p, nil)
	ctx, leave := context.WithCancel(t.Context())
	left := make(chan error)
	go func() { _, err := tokens.Access(ctx, o); left <- err }()
	<-asked
	leave()
	if err := <-left; !errors.Is(err, context.Canceled) {
		t.Errorf("who left gets %v", err)
	}
	close(answer)
	if token, err := tokens.Access(t.Context(), o); token != "late" || err != nil {
		t.Errorf("who waits gets %q, %v", token, err)
	}
}

// TestConsent: the provider is asked for what relay needs, and the answer is redeemed once, by who
// asked.
func TestConsent(t *testing.T) {
	const back = "https://chat.shop.example/console/consent"
	for provider, want := range map[string]url.Values{
		"google":                 {"scope": {"https://mail.google.com/"}, "access_type": {"offline"}, "prompt": {"consent"}},
		"microsoft":              {"scope": {"https://outlook.office.com/IMAP.AccessAsUser.All https://outlook.office.com/SMTP.Send offline_access"}},
		"microsoft:shop.example": {"scope": {"https://outlook.office.com/IMAP.AccessAsUser.All https://outlook.office.com/SMTP.Send offline_access"}},
	} {
		p := mailtest.NewProvider(t)
		o := settings("")
		o.Provider = provider
		tokens := at(p, nil)
		address, verifier, err := tokens.Ask(o, oauth.Consent{Redirect: back, State: "a state of at least 22 signs", Hint: "chat+ö@shop.example"})
		if err != nil {
			t.Fatal(err)
		}
		client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
		answer, err := client.Get(address)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		asked, _ := url.Parse(address)
		for name := range want {
			if asked.Query().Get(name) != want.Get(name) {
				t.Errorf("%s: the %s is %q", provider, name, asked.Query().Get(name))
			}
		}
		if asked.Query().Get("login_hint") != "chat+ö@shop.example" || strings.Contains(address, verifier) || strings.Contains(address, "s3cret") {
			t.Errorf("%s is asked at %s", provider, address)
		}
		led, err := answer.Location()
		if err != nil || !strings.HasPrefix(led.String(), back+"?") || led.Query().Get("state") != "a state of at least 22 signs" {
			t.Fatalf("it leads to %v, %v", led, err)
		}
		code := led.Query().Get("code")
		refresh, err := tokens.Redeem(t.Context(), o, back, code, verifier)
		if err != nil {
			t.Fatal(err)
		}
		o.Token = refresh
		access(t, p, tokens, o)
		var f *oauth.Failure
		if _, err := tokens.Redeem(t.Context(), o, back, code, verifier); !errors.As(err, &f) || strings.Contains(f.Error(), code) || f.Fix != "sign in again" {
			t.Errorf("a code that was redeemed ends with %v", err)
		}
	}
}

// TestConsentIsBound: a code is worth nothing without the verifier, or at another address.
func TestConsentIsBound(t *testing.T) {
	const back = "https://chat.shop.example/back"
	p := mailtest.NewProvider(t)
	tokens, o := at(p, nil), settings("")
	code := func() (code, verifier string) {
		address, verifier, err := tokens.Ask(o, oauth.Consent{Redirect: back, State: "a state of at least 22 signs"})
		if err != nil {
			t.Fatal(err)
		}
		client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
		answer, err := client.Get(address)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		led, _ := answer.Location()
		return led.Query().Get("code"), verifier
	}
	first, verifier := code()
	if _, err := tokens.Redeem(t.Context(), o, back, first, strings.Repeat("v", 43)); err == nil {
		t.Error("another verifier redeems it")
	}
	second, verifier2 := code()
	if _, err := tokens.Redeem(t.Context(), o, back+"/elsewhere", second, verifier2); err == nil {
		t.Error("another address redeems it")
	}
	if verifier == verifier2 {
		t.Error("two questions have one verifier")
	}
	p.Behave(mailtest.Rules{Answer: func(w http.ResponseWriter, _ url.Values) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"access_token":"a"}`)
	}})
	if _, err := tokens.Redeem(t.Context(), o, back, "code", verifier); err == nil || !strings.Contains(err.Error(), "no refresh token") {
		t.Errorf("without a refresh token it ends with %v", err)
	}
	o.Provider = "https://id.example/token"
	if _, _, err := oauth.New(oauth.Options{}).Ask(o, oauth.Consent{}); err == nil || !strings.Contains(err.Error(), "no sign-in page") {
		t.Errorf("another provider's page: %v", err)
	}
}
