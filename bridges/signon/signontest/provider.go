// Package signontest is an OpenID Connect provider for tests, which may lie in every way that a
// client has to notice.
package signontest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
)

// The client that the provider knows.
const (
	Client = "relay"
	Secret = "example-client-secret"
)

// Provider is a provider on this machine.
type Provider struct {
	URL string
	key *ecdsa.PrivateKey

	mu      sync.Mutex
	codes   map[string]url.Values // what was asked, by code
	refresh map[string]bool
	away    bool

	// Claims are what it says of who signs in.
	Claims map[string]any
	// Lie changes the claims of an ID token, Sign signs them in another way, Answer changes what
	// leads back. They may be nil.
	Lie    func(claims map[string]any)
	Sign   func(payload []byte) string
	Answer func(back url.Values)
	// Life is how long its tokens work, NamesIssuer whether it announces RFC 9207.
	Life        time.Duration
	NamesIssuer bool
	// Keyless leaves its list of keys empty.
	Keyless bool
	// Ahead is how far its clock is ahead of this machine's.
	Ahead time.Duration
	// Asked is called before a token is given, while others may be asked for, too.
	Asked func()
}

// New starts a provider.
func New(t testing.TB) *Provider {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	p := &Provider{key: key, codes: map[string]url.Values{}, refresh: map[string]bool{}, Life: time.Hour, Claims: map[string]any{}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/openid-configuration", p.describe)
	mux.HandleFunc("GET /keys", p.keys)
	mux.HandleFunc("GET /authorize", p.authorize)
	mux.HandleFunc("POST /token", p.token)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.wait(r)
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.away {
			http.Error(w, "away", http.StatusBadGateway)
			return
		}
		w.Header().Set("Date", time.Now().Add(p.Ahead).UTC().Format(http.TimeFormat))
		mux.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	p.URL = server.URL
	return p
}

func (p *Provider) wait(r *http.Request) {
	p.mu.Lock()
	asked := p.Asked
	p.mu.Unlock()
	if asked != nil && r.URL.Path == "/token" {
		asked()
	}
}

// Set changes the provider while it runs.
func (p *Provider) Set(change func(*Provider)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	change(p)
}

// Leave makes it answer nothing, or answer again.
func (p *Provider) Leave(away bool) { p.Set(func(p *Provider) { p.away = away }) }

// End ends everybody's account: no refresh token works any more.
func (p *Provider) End() { p.Set(func(p *Provider) { p.refresh = map[string]bool{} }) }

func send(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v)
}

func (p *Provider) describe(w http.ResponseWriter, _ *http.Request) {
	send(w, http.StatusOK, map[string]any{"issuer": p.URL, "authorization_endpoint": p.URL + "/authorize", "token_endpoint": p.URL + "/token", "jwks_uri": p.URL + "/keys",
		"scopes_supported": []string{"openid", "offline_access"}, "id_token_signing_alg_values_supported": []string{"ES256", "HS256", "none"},
		"authorization_response_iss_parameter_supported": p.NamesIssuer})
}

func (p *Provider) keys(w http.ResponseWriter, _ *http.Request) {
	if p.Keyless {
		send(w, http.StatusOK, jose.JSONWebKeySet{Keys: []jose.JSONWebKey{}})
		return
	}
	send(w, http.StatusOK, jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: p.key.Public(), KeyID: "k", Algorithm: "ES256", Use: "sig"}}})
}

// authorize signs in whoever comes.
func (p *Provider) authorize(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	if q.Get("client_id") != Client || q.Get("code_challenge_method") != "S256" || q.Get("state") == "" || q.Get("nonce") == "" {
		http.Error(w, "wrong request", http.StatusBadRequest)
		return
	}
	code := rand.Text()
	p.codes[code] = q
	back := url.Values{"code": {code}, "state": {q.Get("state")}}
	if p.NamesIssuer {
		back.Set("iss", p.URL)
	}
	if p.Answer != nil {
		p.Answer(back)
	}
	http.Redirect(w, r, q.Get("redirect_uri")+"?"+back.Encode(), http.StatusSeeOther)
}

func (p *Provider) token(w http.ResponseWriter, r *http.Request) {
	id, secret, _ := r.BasicAuth()
	if id != Client || secret != Secret {
		send(w, http.StatusUnauthorized, map[string]string{"error": "invalid_client"})
		return
	}
	asked, known := p.codes[r.PostFormValue("code")]
	delete(p.codes, r.PostFormValue("code"))
	challenge := sha256.Sum256([]byte(r.PostFormValue("code_verifier")))
	right := known && asked.Get("code_challenge") == base64.RawURLEncoding.EncodeToString(challenge[:]) && asked.Get("redirect_uri") == r.PostFormValue("redirect_uri")
	if token := r.PostFormValue("refresh_token"); token != "" {
		right = p.refresh[token]
		delete(p.refresh, token)
	}
	if !right {
		send(w, http.StatusBadRequest, map[string]string{"error": "invalid_grant"})
		return
	}
	access, refresh := rand.Text(), rand.Text()
	p.refresh[refresh] = true
	send(w, http.StatusOK, map[string]any{"access_token": access, "token_type": "Bearer", "expires_in": int(p.Life.Seconds()), "refresh_token": refresh,
		"id_token": p.idToken(asked.Get("nonce"), access)})
}

func (p *Provider) idToken(nonce, access string) string {
	hash := sha256.Sum256([]byte(access))
	claims := map[string]any{"iss": p.URL, "aud": Client, "sub": "1", "nonce": nonce, "iat": time.Now().Unix(), "exp": time.Now().Add(p.Life).Unix(),
		"at_hash": base64.RawURLEncoding.EncodeToString(hash[:16])}
	for name, value := range p.Claims {
		claims[name] = value
	}
	if p.Lie != nil {
		p.Lie(claims)
	}
	payload, _ := json.Marshal(claims)
	if p.Sign != nil {
		return p.Sign(payload)
	}
	return SignWith(jose.ES256, p.key, payload)
}

// SignWith signs with any key, under the name of the provider's.
func SignWith(algorithm jose.SignatureAlgorithm, key any, payload []byte) string {
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: algorithm, Key: jose.JSONWebKey{Key: key, KeyID: "k"}}, nil)
	if err != nil {
		return ""
	}
	signed, err := signer.Sign(payload)
	if err != nil {
		return ""
	}
	text, _ := signed.CompactSerialize()
	return text
}

// Unsigned is a token with the algorithm none.
func Unsigned(payload []byte) string {
	return base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"none","kid":"k"}`)) + "." + base64.RawURLEncoding.EncodeToString(payload) + "."
}
