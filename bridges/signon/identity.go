package signon

import (
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"github.com/relay-chat/relay/server/chat"
)

// Bounds of what is taken from a provider. longest is how long it vouches at most: who is ended
// there is noticed within that time.
const (
	maxSubject = 255
	maxRefresh = 8000
	maxGroups  = 1000
	longest    = time.Hour
)

// claims are what a provider says of somebody.
type claims map[string]json.RawMessage

func (c claims) text(name string) (v string) {
	_ = json.Unmarshal(c[name], &v) // another type is no text
	return v
}

// truth reads what some providers write as a text.
func (c claims) truth(name string) bool {
	return slices.Contains([]string{"true", `"true"`, "1", `"1"`}, string(c[name]))
}

// list reads a list of texts, or a text alone. A name with dots may lead into objects.
func (c claims) list(name string) (list []string) {
	raw, found := c[name]
	if first, rest, dotted := strings.Cut(name, "."); !found && dotted {
		var inner claims
		if json.Unmarshal(c[first], &inner) == nil {
			return inner.list(rest)
		}
	}
	var alone string
	if json.Unmarshal(raw, &alone) == nil && alone != "" {
		return []string{alone}
	}
	if json.Unmarshal(raw, &list) != nil {
		return nil
	}
	return list[:min(len(list), maxGroups)]
}

// identify verifies what a provider answered. nonce is "" when it was asked again.
func (c *Client) identify(ctx context.Context, o *chat.SignOn, d *discovered, token *oauth2.Token, nonce string) (*chat.Identity, *chat.SignOnGrant, error) {
	said, subject, until, err := verify(ctx, o, d, token, nonce)
	if err != nil {
		return nil, nil, err
	}
	missing := said["email"] == nil || len(o.Groups) > 0 && said.list(o.GroupsClaim) == nil
	if missing && d.provider.UserInfoEndpoint() != "" {
		if subject, err = complete(ctx, o, d, token, said, subject); err != nil {
			return nil, nil, err
		}
	}
	if subject == "" || len(subject) > maxSubject {
		return nil, nil, refused(o, "it does not say who it is")
	}
	who := &chat.Identity{Issuer: o.Issuer, Subject: subject, Email: strings.ToLower(strings.TrimSpace(said.text("email"))),
		Verified: said.truth("email_verified") || microsoft(o.Issuer) && said.truth("xms_edov"),
		Name:     said.text("name"), Groups: said.list(o.GroupsClaim)}
	if who.Name == "" {
		who.Name = said.text("preferred_username")
	}
	return who, grant(who, token, until), nil
}

// microsoft reports whether xms_edov is the issuer's word for a verified address.
func microsoft(issuer string) bool {
	return strings.HasPrefix(issuer, "https://login.microsoftonline.com/")
}

// grant is how long a provider vouches: with what asks it again, until half of the time is over.
func grant(who *chat.Identity, token *oauth2.Token, until time.Time) *chat.SignOnGrant {
	g := &chat.SignOnGrant{Issuer: who.Issuer, Subject: who.Subject}
	if len(token.RefreshToken) <= maxRefresh {
		g.Refresh = token.RefreshToken
	}
	life := min(time.Until(until), longest)
	g.Until, g.RenewAt = chat.Now().Add(life), chat.Now().Add(life/2)
	return g
}

// verify checks the ID token. One is needed but for asking again, where many providers send none.
func verify(ctx context.Context, o *chat.SignOn, d *discovered, token *oauth2.Token, nonce string) (said claims, subject string, until time.Time, err error) {
	raw, _ := token.Extra("id_token").(string)
	if raw == "" {
		if nonce != "" {
			return nil, "", until, refused(o, "it sends no ID token")
		}
		return claims{}, "", token.Expiry, nil
	}
	id, err := d.provider.Verifier(&oidc.Config{ClientID: o.Client, SupportedSigningAlgs: algorithms}).Verify(ctx, raw)
	if err != nil {
		return nil, "", until, refused(o, shorten(err))
	}
	if err := id.Claims(&said); err != nil {
		return nil, "", until, refused(o, "its claims cannot be read")
	}
	azp := said.text("azp")
	switch {
	case nonce != "" && !chat.SameSecret(id.Nonce, nonce):
		return nil, "", until, refused(o, "the nonce is another one")
	case azp != "" && azp != o.Client, azp == "" && len(id.Audience) > 1:
		return nil, "", until, refused(o, "the ID token was made for another client (azp)")
	case id.AccessTokenHash != "" && id.VerifyAccessToken(token.AccessToken) != nil:
		return nil, "", until, refused(o, "the access token is another one (at_hash)")
	}
	return said, id.Subject, id.Expiry, nil
}

// complete adds what the provider says beside the ID token, about the same person.
func complete(ctx context.Context, o *chat.SignOn, d *discovered, token *oauth2.Token, said claims, subject string) (string, error) {
	info, err := d.provider.UserInfo(ctx, oauth2.StaticTokenSource(token))
	if err != nil {
		return "", &chat.SignOnFailure{Problem: o.Title() + " does not say who you are", Cause: shorten(err), Away: true, Fix: "try again"}
	}
	if subject != "" && info.Subject != subject {
		return "", refused(o, "it speaks of two people")
	}
	var more claims
	if err := info.Claims(&more); err != nil {
		return "", refused(o, "its claims cannot be read")
	}
	if said["email"] == nil { // an address and whether it is verified belong together
		delete(said, "email_verified")
		delete(said, "xms_edov")
	} else if more.text("email") != said.text("email") {
		delete(more, "email_verified")
		delete(more, "xms_edov")
	}
	for name, value := range more {
		if _, has := said[name]; !has {
			said[name] = value
		}
	}
	return info.Subject, nil
}

// refused is for an answer that is not trusted. cause is for the log.
func refused(o *chat.SignOn, cause string) error {
	return &chat.SignOnFailure{Problem: "relay does not trust what " + o.Title() + " answered", Fix: "press the button again; the log says what is wrong", Cause: cause, Ended: true}
}

// explain says why a provider hands out nothing.
func explain(o *chat.SignOn, err error) error {
	var answer *oauth2.RetrieveError
	if !errors.As(err, &answer) || answer.ErrorCode == "" || answer.Response != nil && answer.Response.StatusCode >= 500 {
		return &chat.SignOnFailure{Problem: o.Title() + " cannot be reached", Away: true, Cause: shorten(err), Fix: "try again in a moment"}
	}
	f := &chat.SignOnFailure{Problem: o.Title() + " does not let you in", Fix: "press the button again", Cause: chat.Clip(chat.OneLine(answer.ErrorCode), 100)}
	switch answer.ErrorCode {
	case "invalid_grant":
		f.Ended = true
	case "invalid_client", "unauthorized_client":
		f.Problem, f.Fix = o.Title()+" does not accept relay's client ID and client secret", "have an administrator correct them under Settings → Sign-in"
	}
	return f
}

// shorten is an error without addresses and bodies, which may have secrets.
func shorten(err error) string {
	var answer *oauth2.RetrieveError
	var request *url.Error
	switch {
	case errors.As(err, &answer):
		return "the answer to a request for a token has the status " + answer.Response.Status
	case errors.As(err, &request):
		return chat.Clip(chat.OneLine(request.Err.Error()), 200)
	}
	return chat.Clip(chat.OneLine(err.Error()), 200)
}
