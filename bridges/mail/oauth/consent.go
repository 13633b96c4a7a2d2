package oauth

import (
	"context"
	"errors"

	"golang.org/x/oauth2"

	"github.com/relay-chat/relay/server/chat"
)

// Consent is what somebody is asked at the provider, and comes back from there.
type Consent struct {
	Redirect string // where the provider leads back to
	State    string // names the question
	Hint     string // the mailbox, "" if it is unknown
}

// Ask returns where the provider asks for the consent, and what relay needs to redeem it.
func (t *Tokens) Ask(o chat.MailOAuth, c Consent) (url, verifier string, err error) {
	config, p, err := t.configOf(o)
	if err != nil {
		return "", "", err
	}
	if config.Endpoint.AuthURL == "" {
		return "", "", &Failure{Problem: "relay knows no sign-in page of this provider", Fix: "get a refresh token there, and set MAIL_OAUTH_TOKEN"}
	}
	verifier = oauth2.GenerateVerifier()
	config.RedirectURL, config.Scopes = c.Redirect, scopesOf(p)
	options := []oauth2.AuthCodeOption{oauth2.S256ChallengeOption(verifier)}
	if p.Name == chat.MailGoogle {
		options = append(options, oauth2.AccessTypeOffline, oauth2.ApprovalForce) // no refresh token without them
	}
	if c.Hint != "" {
		options = append(options, oauth2.SetAuthURLParam("login_hint", c.Hint))
	}
	return config.AuthCodeURL(c.State, options...), verifier, nil
}

// Redeem returns the refresh token of a consent.
func (t *Tokens) Redeem(ctx context.Context, o chat.MailOAuth, redirect, code, verifier string) (string, error) {
	config, p, err := t.configOf(o)
	if err != nil {
		return "", err
	}
	config.RedirectURL = redirect
	token, err := usable(config.Exchange(t.with(ctx), code, oauth2.VerifierOption(verifier)))
	var refused *oauth2.RetrieveError
	switch {
	case errors.As(err, &refused) && refused.ErrorCode == "invalid_grant":
		f := explain(o, err, o.Secret, code, verifier)
		f.Problem, f.Fix = p.Title()+" does not accept the consent any more", "sign in again"
		return "", f
	case err != nil:
		return "", explain(o, err, o.Secret, code, verifier)
	case token.RefreshToken == "":
		return "", &Failure{Problem: p.Title() + " gave relay no refresh token", Fix: "remove relay's access in the account's settings at " + p.Title() + ", and sign in again"}
	}
	return token.RefreshToken, nil
}
