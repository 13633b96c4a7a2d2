package oauth

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"sync"
	"time"

	"golang.org/x/oauth2"
	"golang.org/x/sync/singleflight"

	"github.com/relay-chat/relay/server/chat"
)

// early is how long before its end a token is not used any more.
const early = time.Minute

// metaSuccessor is where the refresh token is stored that a provider gave for the configured one.
const metaSuccessor = "mail_oauth"

// Options are the parts of Tokens.
type Options struct {
	// Store keeps successors of refresh tokens; nil keeps none.
	Store chat.Store
	// Client and Endpoint are the usual ones if they are nil.
	Client   *http.Client
	Endpoint func(chat.MailProvider) oauth2.Endpoint
}

// Tokens hands out access tokens, and keeps them in memory.
type Tokens struct {
	opts   Options
	flight singleflight.Group

	mu    sync.Mutex
	of    chat.MailOAuth // whose token it is
	token *oauth2.Token
}

// New returns the tokens, of which none is fetched yet.
func New(o Options) *Tokens {
	if o.Client == nil {
		o.Client = newClient()
	}
	if o.Endpoint == nil {
		o.Endpoint = EndpointOf
	}
	return &Tokens{opts: o}
}

// Access returns an access token. One is fetched for all who wait for it. An error is a Failure, or
// that of ctx.
func (t *Tokens) Access(ctx context.Context, o chat.MailOAuth) (string, error) {
	if access := t.held(o); access != "" {
		return access, nil
	}
	fetched := t.flight.DoChan(chat.Hash(string(chat.MustJSON(o))), func() (any, error) {
		if access := t.held(o); access != "" { // it came meanwhile
			return access, nil
		}
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), timeout)
		defer cancel()
		return t.fetch(ctx, o)
	})
	select {
	case <-ctx.Done():
		return "", ctx.Err()
	case r := <-fetched:
		access, _ := r.Val.(string)
		return access, r.Err
	}
}

// Refused forgets an access token that a mail server does not accept.
func (t *Tokens) Refused(access string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.token != nil && t.token.AccessToken == access {
		t.token = nil
	}
}

// held returns the token in memory, "" if it is about to expire.
func (t *Tokens) held(o chat.MailOAuth) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.token == nil || t.of != o || !t.token.Expiry.IsZero() && time.Until(t.token.Expiry) < early {
		return ""
	}
	return t.token.AccessToken
}

// fetch gets an access token for the refresh token. If the provider does not know it, another node
// may have got its successor meanwhile.
func (t *Tokens) fetch(ctx context.Context, o chat.MailOAuth) (string, error) {
	refresh, err := t.current(ctx, o)
	if err != nil {
		return "", &Failure{Problem: "relay cannot read the refresh token from its database", Fix: "relay tries again"}
	}
	token, err := t.refresh(ctx, o, refresh)
	if isUnknown(err) {
		if newer, failed := t.current(ctx, o); failed == nil && newer != refresh {
			refresh = newer
			token, err = t.refresh(ctx, o, refresh)
		}
	}
	var failed *Failure
	switch {
	case errors.As(err, &failed):
		return "", failed
	case err != nil:
		return "", explain(o, err, o.Secret, o.Token, refresh)
	}
	t.mu.Lock()
	t.of, t.token = o, token
	t.mu.Unlock()
	if token.RefreshToken != refresh {
		t.succeed(ctx, o, token.RefreshToken)
	}
	return token.AccessToken, nil
}

func (t *Tokens) refresh(ctx context.Context, o chat.MailOAuth, refresh string) (*oauth2.Token, error) {
	config, _, err := t.configOf(o)
	if err != nil {
		return nil, err
	}
	return usable(config.TokenSource(t.with(ctx), &oauth2.Token{RefreshToken: refresh}).Token())
}

// isUnknown reports whether a provider does not accept a refresh token.
func isUnknown(err error) bool {
	var refused *oauth2.RetrieveError
	return errors.As(err, &refused) && refused.ErrorCode == "invalid_grant"
}

// usable rejects tokens that would be something else than a word on a line of a mail server.
func usable(token *oauth2.Token, err error) (*oauth2.Token, error) {
	if err == nil && (!chat.IsMailToken(token.AccessToken) || token.RefreshToken != "" && !chat.IsMailToken(token.RefreshToken)) {
		err = errUnusable
	}
	return token, err
}

// successor is the refresh token that followed a configured one.
type successor struct {
	Of    string `json:"of"` // the hash of the configured one, which wins once it is another
	Token string `json:"token"`
}

// current returns the refresh token to use: the configured one, or its successor.
func (t *Tokens) current(ctx context.Context, o chat.MailOAuth) (string, error) {
	if t.opts.Store == nil {
		return o.Token, nil
	}
	stored := ""
	err := t.opts.Store.ReadOne(ctx, func(rd chat.Reader) (err error) {
		stored, err = rd.Meta(metaSuccessor)
		return err
	})
	if err != nil {
		return "", err
	}
	var s successor
	if stored != "" && (json.Unmarshal([]byte(stored), &s) != nil || s.Of != chat.Hash(o.Token)) {
		t.put(ctx, "") // of a token that is configured no more
		return o.Token, nil
	}
	return cmp.Or(s.Token, o.Token), nil
}

// succeed stores a successor, in plain text like the settings' secrets. The token before goes on to
// be good for a while at the providers that give one, so that a lost one costs nothing.
func (t *Tokens) succeed(ctx context.Context, o chat.MailOAuth, refresh string) {
	if t.opts.Store != nil && refresh != "" {
		t.put(ctx, string(chat.MustJSON(successor{chat.Hash(o.Token), refresh})))
	}
}

func (t *Tokens) put(ctx context.Context, text string) {
	_ = t.opts.Store.Apply(ctx, func(tx chat.Tx) error { return tx.PutMeta(metaSuccessor, text) }) // see succeed
}
