package signon

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"golang.org/x/oauth2"

	"github.com/relay-chat/relay/server/chat"
)

// How far the clocks may be apart: tokens of some providers work for a few minutes only.
const (
	skewNoticed = time.Minute
	skewBreaks  = 5 * time.Minute
)

// Examine checks all that relay can find out before anybody signs in, and reports whether the
// provider can be asked again about who is signed in. It signs nobody in.
func (c *Client) Examine(ctx context.Context, o *chat.SignOn, at chat.SignOnPlace) (found []chat.Finding, renews bool) {
	if o.Issuer == "" && o.Client == "" {
		return []chat.Finding{chat.Fine("settings", "not set up; people sign in with passwords and passkeys")}, false
	}
	if missing := o.Missing(); missing != "" {
		return []chat.Finding{chat.Bad("settings", "Single sign-on lacks "+missing, "set it"), placeFinding(at)}, false
	}
	d, err := c.discover(ctx, o, true)
	if err != nil {
		return []chat.Finding{failureFinding("provider", err), placeFinding(at)}, false
	}
	found = []chat.Finding{chat.Fine("provider", o.Issuer+" answers, and names itself so"), placeFinding(at)}
	add := func(f chat.Finding, some bool) {
		if some {
			found = append(found, f)
		}
	}
	add(c.keysFinding(ctx, d), true)
	add(c.askFinding(ctx, o, d, at.Redirect))
	add(c.clientFinding(ctx, o, d, at.Redirect))
	add(c.clockFinding(ctx, o))
	return found, d.offline(o)
}

func failureFinding(subject string, err error) chat.Finding {
	var failure *chat.SignOnFailure
	if !errors.As(err, &failure) {
		return chat.Bad(subject, err.Error(), "try again")
	}
	f := chat.Bad(subject, failure.Problem, failure.Fix)
	f.Details = failure.Cause
	return f
}

func placeFinding(at chat.SignOnPlace) chat.Finding {
	f := chat.Fine("redirect address", "register "+at.Redirect+" at the provider, exactly so")
	if !at.Settled {
		f.Level, f.Text = chat.FindingWarn, "it is "+at.Redirect+" here, and changes with the address by which somebody opens the console"
		f.Fix = "set PUBLIC_URL to the console's address, without a path, and register that at the provider"
	}
	return f
}

func (c *Client) get(ctx context.Context, address string) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	return c.http.Do(r)
}

// keysFinding looks for the keys that verify ID tokens.
func (c *Client) keysFinding(ctx context.Context, d *discovered) chat.Finding {
	var set struct{ Keys []json.RawMessage }
	answer, err := c.get(ctx, d.extra.JWKS)
	if err == nil {
		defer answer.Body.Close()
		err = json.NewDecoder(answer.Body).Decode(&set)
		if err == nil && (answer.StatusCode != http.StatusOK || len(set.Keys) == 0) {
			err = fmt.Errorf("%s with %s", answer.Status, chat.Count(len(set.Keys), "key"))
		}
	}
	if err != nil {
		f := chat.Bad("keys", "the provider's keys cannot be read", "check that relay reaches "+d.extra.JWKS+", and that the provider has a signing key")
		f.Details = shorten(err)
		return f
	}
	return chat.Fine("keys", chat.Count(len(set.Keys), "key")+" to verify with")
}

// askFinding begins to sign in, as a browser would, and reports a refusal: most providers know a
// wrong client or redirect address at once.
func (c *Client) askFinding(ctx context.Context, o *chat.SignOn, d *discovered, redirect string) (f chat.Finding, some bool) {
	page, err := c.Ask(ctx, o, redirect, chat.NewToken(), chat.NewToken(), oauth2.GenerateVerifier())
	if err != nil {
		return failureFinding("sign-in page", err), true
	}
	answer, err := c.get(ctx, page)
	if err != nil {
		f = chat.Finding{Subject: "sign-in page", Level: chat.FindingWarn, Text: "relay cannot open it; people's browsers may", Details: shorten(err),
			Fix: "check that your team reaches " + d.provider.Endpoint().AuthURL}
		return f, true
	}
	answer.Body.Close()
	reason := ""
	if back, err := url.Parse(answer.Header.Get("Location")); err == nil && strings.HasPrefix(back.String(), redirect) {
		reason = back.Query().Get("error")
	}
	if reason == "" && answer.StatusCode >= 400 && answer.StatusCode < 500 {
		reason = answer.Status
	}
	if reason == "" {
		return f, false
	}
	return chat.Finding{Subject: "sign-in page", Level: chat.FindingWarn, Text: "the provider refuses how relay asks: " + chat.Clip(chat.OneLine(reason), 100),
		Fix: "register " + redirect + " there as a redirect address of the client " + o.Client + ", and check the client ID and the scopes"}, true
}

// clientFinding asks whether the provider knows the client, by redeeming a code and revoking a token
// that were never given. Some look at the code first: nothing follows from another answer.
func (c *Client) clientFinding(ctx context.Context, o *chat.SignOn, d *discovered, redirect string) (f chat.Finding, some bool) {
	asking, config := context.WithValue(ctx, oauth2.HTTPClient, c.http), d.config(o, redirect)
	_, err := config.Exchange(asking, chat.NewToken(), oauth2.VerifierOption(oauth2.GenerateVerifier()))
	if !refusesClient(err) && d.extra.Revocation != "" {
		err = c.revokeNothing(ctx, config, d.extra.Revocation)
	}
	if !refusesClient(err) {
		return f, false
	}
	return failureFinding("client", explain(o, err)), true
}

func refusesClient(err error) bool {
	var answer *oauth2.RetrieveError
	return errors.As(err, &answer) && (answer.ErrorCode == "invalid_client" || answer.ErrorCode == "unauthorized_client")
}

// revokeNothing revokes a token that nobody has (RFC 7009).
func (c *Client) revokeNothing(ctx context.Context, config *oauth2.Config, address string) error {
	form := url.Values{"token": {chat.NewToken()}, "token_type_hint": {"refresh_token"}}
	basic := config.Endpoint.AuthStyle == oauth2.AuthStyleInHeader
	if !basic {
		form.Set("client_id", config.ClientID)
		form.Set("client_secret", config.ClientSecret)
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, address, strings.NewReader(form.Encode()))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if basic {
		r.SetBasicAuth(url.QueryEscape(config.ClientID), url.QueryEscape(config.ClientSecret))
	}
	answer, err := c.http.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	var refusal struct{ Error string }
	if answer.StatusCode == http.StatusOK || json.NewDecoder(answer.Body).Decode(&refusal) != nil {
		return nil
	}
	return &oauth2.RetrieveError{Response: answer, ErrorCode: refusal.Error}
}

// clockFinding compares relay's clock with the provider's.
func (c *Client) clockFinding(ctx context.Context, o *chat.SignOn) (f chat.Finding, some bool) {
	answer, err := c.get(ctx, strings.TrimSuffix(o.Issuer, "/")+"/.well-known/openid-configuration")
	if err != nil {
		return f, false
	}
	answer.Body.Close()
	there, err := http.ParseTime(answer.Header.Get("Date"))
	if err != nil {
		return f, false
	}
	return skewFinding(time.Until(there)), true
}

// skewFinding is about clocks that are so far apart: more than 0 when the provider's is ahead.
func skewFinding(apart time.Duration) chat.Finding {
	if apart.Abs() < skewNoticed {
		return chat.Fine("clock", "it agrees with the provider's")
	}
	side := "behind"
	if apart < 0 {
		side = "ahead of"
	}
	f := chat.Bad("clock", fmt.Sprintf("this machine's is %s %s the provider's", apart.Abs().Round(time.Second), side),
		"set this machine's clock, for example by systemd-timesyncd: tokens of the provider count as expired, or not valid yet")
	if apart.Abs() < skewBreaks {
		f.Level = chat.FindingWarn
	}
	return f
}
