package oauth

import (
	"net/url"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/oauthex"
	"golang.org/x/oauth2"

	"github.com/relay-chat/relay/server/chat"
)

// MaxQuery bounds what a program asks for, which waits in a cookie while somebody signs in.
const MaxQuery = 2400

// challengeLength is that of a SHA-256 in base64 (RFC 7636, 4.2).
const challengeLength = 43

// Request is what a program asks somebody for (RFC 6749, 4.1.1).
type Request struct {
	Client    *chat.OAuthClient
	Redirect  string
	State     string
	Challenge string
	Resource  string
	Scopes    chat.KeyScopes
}

// once returns a parameter that may be there once at most.
func once(values url.Values, name string) (string, *Refusal) {
	if len(values[name]) > 1 {
		return "", refuse(InvalidRequest, name+" must be there once")
	}
	return values.Get(name), nil
}

// ClientOf returns the program that a request names.
func ClientOf(values url.Values) (string, *Refusal) {
	id, refused := once(values, "client_id")
	if refused == nil && id == "" {
		refused = refuse(InvalidRequest, "client_id is missing")
	}
	return id, refused
}

// Begin finds where a request leads back to. Without such an address, which the program has
// registered, nobody may be led anywhere: the refusal is for the person.
func Begin(query url.Values, c *chat.OAuthClient) (*Request, *Refusal) {
	address, refused := once(query, "redirect_uri")
	if refused != nil {
		return nil, refused
	}
	if address == "" && len(c.Redirects) == 1 {
		address = c.Redirects[0]
	}
	if !matches(c.Redirects, address) {
		return nil, refuse(InvalidRequest, "redirect_uri is none that the program has registered")
	}
	state, refused := once(query, "state")
	return &Request{Client: c, Redirect: address, State: state}, refused
}

// Read reads what is asked for. resource is the one for which relay gives tokens. The refusal is
// for the program.
func (q *Request) Read(query url.Values, resource string) *Refusal {
	values := map[string]string{}
	for _, name := range []string{"response_type", "code_challenge", "code_challenge_method", "resource", "scope"} {
		value, refused := once(query, name)
		if refused != nil {
			return refused
		}
		values[name] = value
	}
	q.Challenge = values["code_challenge"]
	switch {
	case values["response_type"] != "code":
		return refuse(UnsupportedAnswer, "response_type must be code")
	case values["code_challenge_method"] != "S256" || len(q.Challenge) != challengeLength || strings.ContainsFunc(q.Challenge, notOfBase64):
		return refuse(InvalidRequest, "code_challenge must be there, with the code_challenge_method S256")
	case !IsResource(values["resource"], resource):
		return refuse(InvalidTarget, "resource must be "+resource)
	}
	q.Resource = resource
	var refused *Refusal
	q.Scopes, refused = ScopesOf(values["scope"])
	if q.Scopes == nil && refused == nil {
		q.Scopes = chat.AllScopes
	}
	return refused
}

func notOfBase64(r rune) bool {
	return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_')
}

// IsResource reports whether a program means relay's resource, or names none (RFC 8707).
func IsResource(asked, resource string) bool {
	return asked == "" || oauthex.MatchesResource([]string{asked}, resource)
}

// ScopesOf returns the scopes that a program names, nil for none. Those that relay does not know
// change nothing.
func ScopesOf(text string) (chat.KeyScopes, *Refusal) {
	names := strings.Fields(text)
	if len(names) == 0 {
		return nil, nil
	}
	scopes := slices.DeleteFunc(slices.Clone(chat.AllScopes), func(s chat.KeyScope) bool { return !slices.Contains(names, string(s)) })
	if len(scopes) == 0 {
		return nil, refuse(InvalidScope, "scope must name some of "+chat.AllScopes.String())
	}
	return scopes, nil
}

// Answer is the address to which the person is led back with a code (RFC 6749, 4.1.2; RFC 9207).
func (q *Request) Answer(issuer, code string) string { return q.back(issuer, "code", code) }

// Refuse is the address to which the person is led back without one.
func (q *Request) Refuse(issuer string, r *Refusal) string {
	return q.back(issuer, "error", r.Code, "error_description", r.Text)
}

func (q *Request) back(issuer string, values ...string) string {
	u, err := url.Parse(q.Redirect)
	if err != nil { // which it was not when it was registered
		return issuer
	}
	query := u.Query()
	for i := 0; i < len(values); i += 2 {
		query.Set(values[i], values[i+1])
	}
	query.Set("iss", issuer)
	if q.State != "" {
		query.Set("state", q.State)
	}
	u.RawQuery = query.Encode()
	return u.String()
}

// Proves reports whether a verifier is what a challenge was made of (RFC 7636, 4.6).
func Proves(verifier, challenge string) bool {
	const shortest, longest = 43, 128
	return len(verifier) >= shortest && len(verifier) <= longest && chat.SameSecret(oauth2.S256ChallengeFromVerifier(verifier), challenge)
}

// OnThisMachine reports whether the program runs where the browser does.
func (q *Request) OnThisMachine() bool { return !strings.HasPrefix(q.Redirect, "https://") }
