package server_test

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/zitadel/oidc/v3/example/server/storage"
	"github.com/zitadel/oidc/v3/pkg/oidc"
	"github.com/zitadel/oidc/v3/pkg/op"

	"github.com/relay-chat/relay/db"
	"github.com/relay-chat/relay/db/dbtest"
)

// foreign is an OpenID provider that nobody here wrote: zitadel's, with its store in memory.
type foreign struct {
	*storage.Storage
	url    string
	user   storage.User
	groups []string
	// asserted puts the claims into the ID token; else they are at the userinfo endpoint alone.
	asserted bool
	life     time.Duration // of an ID token
	asked    atomic.Int32  // how often userinfo was asked for
}

func newForeign(t *testing.T, redirect string) *foreign {
	t.Helper()
	f := &foreign{life: time.Hour, user: storage.User{ID: "grace-1", Username: "grace", Password: "hopper", FirstName: "Grace", LastName: "Hopper",
		Email: "Grace@example.com", EmailVerified: true}}
	f.Storage = storage.NewStorageWithClients(f, map[string]*storage.Client{"relay": storage.WebClient("relay", "secret", redirect)})
	mux := http.NewServeMux()
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	f.url = server.URL
	config := &op.Config{CryptoKeyId: "k", CodeMethodS256: true, GrantTypeRefreshToken: true}
	provider, err := op.NewProvider(config, f, op.StaticIssuer(f.url), op.WithAllowInsecure(), op.WithLogger(slog.New(slog.DiscardHandler)))
	if err != nil {
		t.Fatal(err)
	}
	mux.Handle("/", provider)
	mux.HandleFunc("POST /login/username", func(w http.ResponseWriter, r *http.Request) {
		id := r.FormValue("authRequestID")
		if err := f.CheckUsernamePassword(r.PostFormValue("username"), r.PostFormValue("password"), id); err != nil {
			http.Error(w, err.Error(), http.StatusForbidden)
			return
		}
		http.Redirect(w, r, op.AuthCallbackURL(provider)(op.ContextWithIssuer(r.Context(), f.url), id), http.StatusFound)
	})
	return f
}

func (f *foreign) GetUserByID(id string) *storage.User {
	if id != f.user.ID {
		return nil
	}
	return &f.user
}

func (f *foreign) GetUserByUsername(name string) *storage.User {
	if name != f.user.Username {
		return nil
	}
	return &f.user
}

func (f *foreign) ExampleClientID() string { return storage.ServiceUserID }

// foreignClient changes two answers of the store's client.
type foreignClient struct {
	op.Client
	*foreign
}

func (c foreignClient) IDTokenLifetime() time.Duration       { return c.life }
func (c foreignClient) IDTokenUserinfoClaimsAssertion() bool { return c.asserted }

func (f *foreign) GetClientByClientID(ctx context.Context, id string) (op.Client, error) {
	client, err := f.Storage.GetClientByClientID(ctx, id)
	return foreignClient{client, f}, err
}

func (f *foreign) SetUserinfoFromRequest(ctx context.Context, info *oidc.UserInfo, r op.IDTokenRequest, scopes []string) error {
	if f.asserted && f.groups != nil {
		info.AppendClaims("groups", f.groups)
	}
	return f.Storage.SetUserinfoFromRequest(ctx, info, r, scopes)
}

func (f *foreign) SetUserinfoFromToken(ctx context.Context, info *oidc.UserInfo, token, subject, origin string) error {
	f.asked.Add(1)
	if f.groups != nil {
		info.AppendClaims("groups", f.groups)
	}
	return f.Storage.SetUserinfoFromToken(ctx, info, token, subject, origin)
}

// signOnAt is a relay whose team signs in at a foreign provider.
func signOnAt(t *testing.T, d *db.DB, patch object) (*signOn, *foreign) {
	t.Helper()
	s := &signOn{site: newSite(t, d)}
	f := newForeign(t, s.url+"/console/sign-on/return")
	settings := object{"oidcIssuer": f.url, "oidcClient": "relay", "oidcSecret": "secret", "oidcDomains": []string{"example.com"}}
	for name, value := range patch {
		settings[name] = value
	}
	s.must("PATCH", "/api/admin/settings", secretKey, settings)
	return s, f
}

// through presses the button, signs in on the provider's page and returns where that leads back
// to, with the cookie of who began.
func (s *signOn) through(password string) (cookie, back string) {
	s.t.Helper()
	begun := s.visit("/console/sign-on", "")
	for _, c := range begun.Cookies() {
		cookie = c.Name + "=" + c.Value
	}
	jar, _ := cookiejar.New(nil)
	client := &http.Client{Jar: jar, CheckRedirect: func(r *http.Request, _ []*http.Request) error {
		if strings.HasPrefix(r.URL.String(), s.url) {
			back = r.URL.RequestURI()
			return http.ErrUseLastResponse
		}
		return nil
	}}
	page, err := client.Get(begun.Header.Get("Location"))
	if err != nil {
		s.t.Fatal(err)
	}
	page.Body.Close()
	form := url.Values{"username": {"grace"}, "password": {password}, "authRequestID": {page.Request.URL.Query().Get("authRequestID")}}
	answer, err := client.PostForm(page.Request.URL.Scheme+"://"+page.Request.URL.Host+"/login/username", form)
	if err != nil {
		s.t.Fatal(err)
	}
	answer.Body.Close()
	return cookie, back
}

func (s *signOn) throughTo(password string) answer {
	s.t.Helper()
	cookie, back := s.through(password)
	if back == "" {
		return answer{status: http.StatusUnauthorized}
	}
	return s.me(signedBy(s.visit(back, cookie)))
}

// TestSignOnForeign: a provider that nobody here wrote signs people in. What its ID token lacks
// comes from its userinfo, which is not asked for what the token has.
func TestSignOnForeign(t *testing.T) {
	groups := object{"oidcGroups": []object{{"group": "admins", "role": "administrator"}, {"group": "team", "role": "operator"}}}
	for name, test := range map[string]struct {
		patch    object
		asserted bool
		groups   []string
		role     string // "" if relay refuses
		asked    int32
	}{
		"address of userinfo":               {nil, false, nil, "operator", 1},
		"address of the token":              {nil, true, nil, "operator", 0},
		"groups of userinfo":                {groups, false, []string{"all", "admins"}, "administrator", 1},
		"groups of the token":               {groups, true, []string{"team"}, "operator", 0},
		"groups that are not admitted":      {groups, false, []string{"all"}, "", 1},
		"groups that the provider lacks":    {groups, true, nil, "", 1},
		"a domain that may not sign in":     {object{"oidcDomains": []string{"example.org"}}, false, nil, "", 1},
		"another name of the claim, absent": {object{"oidcGroups": groups["oidcGroups"], "oidcGroupsClaim": "roles"}, true, []string{"team"}, "", 1},
	} {
		t.Run(name, func(t *testing.T) {
			s, f := signOnAt(t, dbtest.Memory(t), test.patch)
			f.asserted, f.groups = test.asserted, test.groups
			me := s.throughTo("hopper")
			if test.role == "" && me.status != 401 || test.role != "" && (me.text("role") != test.role || me.text("email") != "grace@example.com" || me.text("name") != "Grace Hopper") {
				t.Errorf("it is %d %s\n%s", me.status, me.body, s.logs)
			}
			if asked := f.asked.Load(); asked != test.asked {
				t.Errorf("userinfo was asked %d times", asked)
			}
		})
	}
}

// TestSignOnForeignEnds: relay asks such a provider again, and notices who is ended there.
func TestSignOnForeignEnds(t *testing.T) {
	s, f := signOnAt(t, dbtest.Memory(t), nil)
	f.life = 4 * time.Second // it writes whole seconds: 3 to 4
	cookie, back := s.through("hopper")
	in := signedBy(s.visit(back, cookie))
	renew := func() {
		t.Helper()
		time.Sleep(2100 * time.Millisecond) // more than half of a token's life
		if err := s.server.RenewDue(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	renew()
	renew()
	if s.me(in).status != 200 {
		t.Fatalf("it was not renewed\n%s", s.logs)
	}
	if err := f.TerminateSession(t.Context(), f.user.ID, "relay"); err != nil {
		t.Fatal(err)
	}
	renew()
	if s.me(in).status != 401 {
		t.Error("who is ended there is signed in here")
	}
}

// TestSignOnForeignRefuses: its own refusals reach people as sentences.
func TestSignOnForeignRefuses(t *testing.T) {
	s, f := signOnAt(t, dbtest.Memory(t), nil)
	if me := s.throughTo("wrong"); me.status != 401 {
		t.Errorf("a wrong password answers %d", me.status)
	}
	if a := s.must("POST", "/api/admin/sign-on/test", secretKey, nil); a.get("ok") != true || a.get("renews") != true {
		t.Errorf("the test says %s", a.body)
	}
	s.must("PATCH", "/api/admin/settings", secretKey, object{"oidcSecret": "another"})
	if a := s.must("POST", "/api/admin/sign-on/test", secretKey, nil); a.get("ok") != false || !strings.Contains(a.text("error"), "does not accept relay's client ID and client secret") {
		t.Errorf("with a wrong secret the test says %s", a.body)
	}
	s.must("PATCH", "/api/admin/settings", secretKey, object{"oidcSecret": "secret"})
	f.user.EmailVerified = false
	if me := s.throughTo("hopper"); me.status != 401 {
		t.Error("an address that is not verified signs in")
	}
	f.user.EmailVerified = true
	s.must("PATCH", "/api/admin/settings", secretKey, object{"oidcSecret": "another"})
	cookie, back := s.through("hopper")
	a := s.call("GET", back, "", nil, "Cookie", cookie)
	if a.status != 403 || !strings.Contains(string(a.body), "does not accept relay&#39;s client ID and client secret") {
		t.Errorf("a wrong secret answers %d %s", a.status, a.body)
	}
	s.must("PATCH", "/api/admin/settings", secretKey, object{"oidcIssuer": f.url + "/", "oidcSecret": "secret"})
	if a := s.must("POST", "/api/admin/sign-on/test", secretKey, nil); !strings.Contains(a.text("error"), "another issuer") {
		t.Errorf("another issuer says %s", a.body)
	}
}
