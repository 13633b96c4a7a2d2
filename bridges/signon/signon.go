// Package signon asks OpenID Connect providers who somebody is. It trusts nothing of what comes
// back through the browser before the provider has confirmed it. It imports package chat.
package signon

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"github.com/relay-chat/relay/bridges/guard"
	"github.com/relay-chat/relay/server/chat"
)

// Limits of what a provider answers, and how long relay remembers how it works.
const (
	timeout   = 5 * time.Second
	maxAnswer = 1 << 20
	freshFor  = 30 * time.Second // who presses the button while it is away reads that here, not there
	awayFor   = 5 * time.Second
)

// algorithms are those of public keys: with HS256 whoever knows the client's secret, and with
// none anybody, could be everybody.
var algorithms = []string{oidc.RS256, oidc.RS384, oidc.RS512, oidc.ES256, oidc.ES384, oidc.ES512, oidc.PS256, oidc.PS384, oidc.PS512, oidc.EdDSA}

// Client asks providers.
type Client struct {
	http *http.Client

	mu    sync.Mutex
	known map[string]*discovered // by issuer; there is one at a time
}

// discovered is how a provider works, or why relay does not know.
type discovered struct {
	provider *oidc.Provider
	extra    extra
	failure  error
	at       time.Time
}

// extra is what the library does not read of a provider's description.
type extra struct {
	Scopes      []string `json:"scopes_supported"`
	AuthMethods []string `json:"token_endpoint_auth_methods_supported"`
	NamesIssuer bool     `json:"authorization_response_iss_parameter_supported"`
	JWKS        string   `json:"jwks_uri"`
	Revocation  string   `json:"revocation_endpoint"`
}

// New makes a client. Providers are where an administrator of all sites says: in a private network,
// too, but not where a cloud serves its metadata.
func New() *Client {
	transport := limited{guard.NewTransport(guard.Private)}
	return &Client{known: map[string]*discovered{}, http: &http.Client{Transport: transport, Timeout: timeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
}

// limited bounds the answers that the libraries read whole.
type limited struct{ http.RoundTripper }

func (l limited) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := l.RoundTripper.RoundTrip(r)
	if err == nil {
		answer.Body = http.MaxBytesReader(nil, answer.Body, maxAnswer)
	}
	return answer, err
}

// discover returns how the issuer of the settings works. Nobody waits for another one who asks.
func (c *Client) discover(ctx context.Context, o *chat.SignOn, anew bool) (*discovered, error) {
	c.mu.Lock()
	d := c.known[o.Issuer]
	c.mu.Unlock()
	if d != nil && !anew && time.Since(d.at) < freshFor && (d.failure == nil || time.Since(d.at) < awayFor) {
		return d, d.failure
	}
	d = c.ask(ctx, o)
	if ctx.Err() == nil {
		c.mu.Lock()
		c.known = map[string]*discovered{o.Issuer: d}
		c.mu.Unlock()
	}
	return d, d.failure
}

func (c *Client) ask(ctx context.Context, o *chat.SignOn) *discovered {
	d := &discovered{at: time.Now()}
	var err error
	if d.provider, err = oidc.NewProvider(oidc.ClientContext(ctx, c.http), o.Issuer); err == nil {
		err = d.provider.Claims(&d.extra)
	}
	if err != nil {
		d.failure = explainDiscovery(o, err)
		return d
	}
	at := d.provider.Endpoint()
	for _, address := range []string{at.AuthURL, at.TokenURL, d.extra.JWKS} {
		if !strings.HasPrefix(address, "https://") && !strings.HasPrefix(o.Issuer, "http://") {
			d.failure = &chat.SignOnFailure{Problem: o.Title() + " names an address without https", Fix: "correct the provider"}
		}
	}
	return d
}

// explainDiscovery says why relay does not know how a provider works.
func explainDiscovery(o *chat.SignOn, err error) error {
	var other *oidc.IssuerMismatchError
	if errors.As(err, &other) {
		return &chat.SignOnFailure{Problem: "The provider names another issuer than the settings do", Cause: err.Error(),
			Fix: "set the issuer exactly as the provider does, with or without the last /; one for all tenants does not work"}
	}
	return &chat.SignOnFailure{Problem: o.Title() + " cannot be reached", Away: true, Cause: shorten(err),
		Fix: "check the issuer, and that relay reaches " + strings.TrimSuffix(o.Issuer, "/") + "/.well-known/openid-configuration"}
}

// offline reports whether the provider hands out what asks it again.
func (d *discovered) offline(o *chat.SignOn) bool {
	for _, scope := range d.extra.Scopes {
		if scope == oidc.ScopeOfflineAccess {
			return true
		}
	}
	return o.Issuer == google
}

// google has a way of its own to ask for a refresh token.
const google = "https://accounts.google.com"

func (d *discovered) config(o *chat.SignOn, redirect string) *oauth2.Config {
	config := &oauth2.Config{ClientID: o.Client, ClientSecret: o.Secret, Endpoint: d.provider.Endpoint(), RedirectURL: redirect,
		Scopes: append([]string{oidc.ScopeOpenID, "email", "profile"}, o.Scopes...)}
	if d.offline(o) && o.Issuer != google {
		config.Scopes = append(config.Scopes, oidc.ScopeOfflineAccess)
	}
	config.Endpoint.AuthStyle = oauth2.AuthStyleInHeader
	basic := len(d.extra.AuthMethods) == 0
	for _, method := range d.extra.AuthMethods {
		basic = basic || method == "client_secret_basic"
	}
	if o.Secret == "" || !basic {
		config.Endpoint.AuthStyle = oauth2.AuthStyleInParams
	}
	return config
}

// Ask returns the provider's page, where somebody signs in.
func (c *Client) Ask(ctx context.Context, o *chat.SignOn, redirect, state, nonce, verifier string) (string, error) {
	d, err := c.discover(ctx, o, false)
	if err != nil {
		return "", err
	}
	options := []oauth2.AuthCodeOption{oidc.Nonce(nonce), oauth2.S256ChallengeOption(verifier)}
	if o.Issuer == google {
		options = append(options, oauth2.AccessTypeOffline, oauth2.ApprovalForce)
	}
	return d.config(o, redirect).AuthCodeURL(state, options...), nil
}

// Redeem returns who has signed in, and for how long the provider vouches.
func (c *Client) Redeem(ctx context.Context, o *chat.SignOn, a *chat.SignOnAnswer) (*chat.Identity, *chat.SignOnGrant, error) {
	d, err := c.discover(ctx, o, false)
	if err != nil {
		return nil, nil, err
	}
	if a.Issuer != o.Issuer && (a.Issuer != "" || d.extra.NamesIssuer) {
		return nil, nil, refused(o, "the answer names another issuer, or none")
	}
	ctx = oidc.ClientContext(ctx, c.http)
	token, err := d.config(o, a.Redirect).Exchange(ctx, a.Code, oauth2.VerifierOption(a.Verifier))
	if err != nil {
		return nil, nil, explain(o, err)
	}
	return c.identify(ctx, o, d, token, a.Nonce)
}

// Renew asks the provider again about somebody who is signed in.
func (c *Client) Renew(ctx context.Context, o *chat.SignOn, g *chat.SignOnGrant) (*chat.Identity, *chat.SignOnGrant, error) {
	d, err := c.discover(ctx, o, false)
	if err != nil {
		return nil, nil, err
	}
	ctx = oidc.ClientContext(ctx, c.http)
	token, err := d.config(o, "").TokenSource(ctx, &oauth2.Token{RefreshToken: g.Refresh}).Token()
	if err != nil {
		return nil, nil, explain(o, err)
	}
	who, next, err := c.identify(ctx, o, d, token, "")
	if err == nil && who.Subject != g.Subject {
		return nil, nil, refused(o, "it answers for somebody else")
	}
	return who, next, err
}
