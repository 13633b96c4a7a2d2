package oauth

import (
	"net/url"
	"strings"
	"time"

	"github.com/relay-chat/relay/server/chat"
)

// TokenRequest is how a program asks for tokens (RFC 6749, 4.1.3 and 6).
type TokenRequest struct {
	Refreshes        bool
	Client, Resource string
	Code, Redirect   string
	Verifier         string
	Refresh          string
	Scopes           chat.KeyScopes
}

// ReadToken reads a form in which a program asks for tokens.
func ReadToken(form url.Values, resource string) (*TokenRequest, *Refusal) {
	values := map[string]string{}
	for _, name := range []string{"grant_type", "client_id", "resource", "code", "redirect_uri", "code_verifier", "refresh_token", "scope"} {
		value, refused := once(form, name)
		if refused != nil {
			return nil, refused
		}
		values[name] = value
	}
	out := &TokenRequest{Client: values["client_id"], Resource: resource, Code: values["code"], Redirect: values["redirect_uri"],
		Verifier: values["code_verifier"], Refresh: values["refresh_token"]}
	need := []string{"client_id"}
	switch values["grant_type"] {
	case "authorization_code":
		need = append(need, "code", "code_verifier")
	case "refresh_token":
		need, out.Refreshes = append(need, "refresh_token"), true
	default:
		return nil, refuse(UnsupportedGrant, "grant_type must be authorization_code or refresh_token")
	}
	for _, name := range need {
		if values[name] == "" {
			return nil, refuse(InvalidRequest, name+" is missing")
		}
	}
	if !IsResource(values["resource"], resource) {
		return nil, refuse(InvalidTarget, "resource must be "+resource)
	}
	var refused *Refusal
	out.Scopes, refused = ScopesOf(values["scope"])
	return out, refused
}

// TokenAnswer is what a program gets (RFC 6749, 5.1).
type TokenAnswer struct {
	Access  string `json:"access_token"`
	Type    string `json:"token_type"`
	Expires int    `json:"expires_in"`
	Refresh string `json:"refresh_token"`
	Scope   string `json:"scope"`
}

// Answer makes the answer with a connection's tokens.
func Answer(access, refresh string, scopes chat.KeyScopes, life time.Duration) *TokenAnswer {
	return &TokenAnswer{access, "Bearer", int(life / time.Second), refresh, strings.Join(scopeNames(scopes), " ")}
}
