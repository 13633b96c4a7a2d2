package mailtest

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// The client that the provider knows.
const (
	Client       = "relay-client"
	ClientSecret = "s3cret/with=signs%"
)

// Provider hands out tokens as RFC 6749 and RFC 7636 ask, checks what it is sent, and fails as it is
// told.
type Provider struct {
	AuthURL, TokenURL string
	t                 testing.TB

	mu      sync.Mutex
	rules   Rules
	codes   map[string]consent
	refresh map[string]bool
	access  map[string]bool
	made    int
	asked   []url.Values
}

// Rules are how a provider behaves.
type Rules struct {
	Public bool // the client has no secret
	Header bool // the secret must be in the header
	Rotate bool // each refresh has a successor, and ends its token
	Life   int  // seconds of an access token, an hour if it is 0
	Deny   string
	// Answer is sent instead of a token.
	Answer func(w http.ResponseWriter, form url.Values)
}

// consent is what a code stands for.
type consent struct{ challenge, redirect string }

// NewProvider starts a provider that ends with the test.
func NewProvider(t testing.TB) *Provider {
	p := &Provider{t: t, codes: map[string]consent{}, refresh: map[string]bool{}, access: map[string]bool{}}
	routes := http.NewServeMux()
	routes.HandleFunc("GET /authorize", p.authorize)
	routes.HandleFunc("POST /token", p.token)
	server := httptest.NewServer(routes)
	t.Cleanup(server.Close)
	p.AuthURL, p.TokenURL = server.URL+"/authorize", server.URL+"/token"
	return p
}

// Behave sets how the provider behaves from now on.
func (p *Provider) Behave(r Rules) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.rules = r
}

// Refresh returns a new refresh token.
func (p *Provider) Refresh() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.newRefresh()
}

// Revoke ends all refresh tokens.
func (p *Provider) Revoke() {
	p.mu.Lock()
	defer p.mu.Unlock()
	clear(p.refresh)
}

// Expire ends all access tokens.
func (p *Provider) Expire() {
	p.mu.Lock()
	defer p.mu.Unlock()
	clear(p.access)
}

// Valid reports whether an access token is good for a mail server.
func (p *Provider) Valid(access string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.access[access]
}

// Asked returns what the token endpoint was asked so far.
func (p *Provider) Asked() []url.Values {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.asked)
}

func (p *Provider) next(kind string) string {
	p.made++
	return kind + "-" + strconv.Itoa(p.made) + "/" + strings.Repeat("x", 40)
}

func (p *Provider) newRefresh() string {
	refresh := p.next("refresh")
	p.refresh[refresh] = true
	return refresh
}

// authorize is the page on which somebody agrees, at once.
func (p *Provider) authorize(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	q := r.URL.Query()
	for name, want := range map[string]string{"response_type": "code", "client_id": Client, "code_challenge_method": "S256"} {
		if q.Get(name) != want {
			p.t.Errorf("the page is asked for the %s %q, want %q", name, q.Get(name), want)
		}
	}
	if len(q.Get("code_challenge")) != 43 || len(q.Get("state")) < 22 || q.Get("scope") == "" || q.Get("client_secret") != "" {
		p.t.Errorf("the page is asked for %s", r.URL.RawQuery)
	}
	back, err := url.Parse(q.Get("redirect_uri"))
	if err != nil || back.Host == "" {
		p.t.Errorf("the page leads back to %q", q.Get("redirect_uri"))
		return
	}
	answer := url.Values{"state": {q.Get("state")}}
	if p.rules.Deny != "" {
		answer.Set("error", p.rules.Deny)
		answer.Set("error_description", "The person said no.")
	} else {
		code := p.next("code")
		p.codes[code] = consent{q.Get("code_challenge"), q.Get("redirect_uri")}
		answer.Set("code", code)
	}
	back.RawQuery = answer.Encode()
	http.Redirect(w, r, back.String(), http.StatusFound)
}

func (p *Provider) token(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := r.ParseForm(); err != nil || r.Header.Get("Content-Type") != "application/x-www-form-urlencoded" || r.URL.RawQuery != "" {
		p.t.Errorf("a request for a token: %v, %s, %s", err, r.Header.Get("Content-Type"), r.URL.RawQuery)
	}
	p.asked = append(p.asked, r.PostForm)
	if p.rules.Answer != nil {
		p.rules.Answer(w, r.PostForm)
		return
	}
	if !p.knows(r) {
		p.fail(w, http.StatusUnauthorized, "invalid_client", "The client is unknown")
		return
	}
	switch grant := r.PostForm.Get("grant_type"); grant {
	case "refresh_token":
		p.grantRefresh(w, r.PostForm.Get("refresh_token"))
	case "authorization_code":
		p.grantCode(w, r.PostForm)
	default:
		p.t.Errorf("a request for a token by %q", grant)
		p.fail(w, http.StatusBadRequest, "unsupported_grant_type", "")
	}
}

// knows reports whether the client proves who it is, in the one way that it has to.
func (p *Provider) knows(r *http.Request) bool {
	name, secret, header := r.BasicAuth()
	if header {
		name, _ = url.QueryUnescape(name)
		secret, _ = url.QueryUnescape(secret)
	} else {
		name, secret = r.PostForm.Get("client_id"), r.PostForm.Get("client_secret")
	}
	want := ClientSecret
	if p.rules.Public {
		want = ""
	}
	return name == Client && secret == want && header == p.rules.Header
}

func (p *Provider) grantRefresh(w http.ResponseWriter, refresh string) {
	if !p.refresh[refresh] {
		p.fail(w, http.StatusBadRequest, "invalid_grant", "Token has been expired or revoked: "+refresh)
		return
	}
	next := ""
	if p.rules.Rotate {
		delete(p.refresh, refresh)
		next = p.newRefresh()
	}
	p.give(w, next)
}

// grantCode redeems a code once, for who asked for it (RFC 7636, 4.6).
func (p *Provider) grantCode(w http.ResponseWriter, form url.Values) {
	code := form.Get("code")
	given, known := p.codes[code]
	delete(p.codes, code)
	sum := sha256.Sum256([]byte(form.Get("code_verifier")))
	if !known || base64.RawURLEncoding.EncodeToString(sum[:]) != given.challenge || form.Get("redirect_uri") != given.redirect {
		p.fail(w, http.StatusBadRequest, "invalid_grant", "The code "+code+" is wrong")
		return
	}
	p.give(w, p.newRefresh())
}

func (p *Provider) give(w http.ResponseWriter, refresh string) {
	access, life := p.next("access"), p.rules.Life
	p.access[access] = true
	if life == 0 {
		life = 3600
	}
	answer := map[string]any{"access_token": access, "token_type": "Bearer", "expires_in": life}
	if refresh != "" {
		answer["refresh_token"] = refresh
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(answer)
}

func (p *Provider) fail(w http.ResponseWriter, status int, code, description string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]string{"error": code, "error_description": description})
}
