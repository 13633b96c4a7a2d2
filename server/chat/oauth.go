package chat

import (
	"database/sql/driver"
	"fmt"
	"net/url"
	"strings"
)

// AccessTokenPrefix and RefreshTokenPrefix begin the tokens of connections.
const (
	AccessTokenPrefix  = "roa_"
	RefreshTokenPrefix = "ror_"
)

// Addresses are a list of addresses, none of which has a space in it.
type Addresses []string

// Value stores the addresses with spaces between them.
func (a Addresses) Value() (driver.Value, error) { return strings.Join(a, " "), nil }

// Scan reads what Value stored.
func (a *Addresses) Scan(src any) error {
	text, ok := src.(string)
	if !ok {
		return fmt.Errorf("cannot read addresses from %T", src)
	}
	*a = strings.Fields(text)
	return nil
}

// OAuthClient is a program that has registered itself (RFC 7591), or whose id is the address at which
// it says who it is. Nobody vouches for its name.
type OAuthClient struct {
	ID        string    `db:"id"`
	Name      string    `db:"name"`
	Redirects Addresses `db:"redirects"` // where it gets its codes
	CreatedAt Time      `db:"created_at"`
	GrantedAt Time      `db:"granted_at"` // when somebody last let it in, 0 for never
}

// OAuthCode is what somebody has allowed a program.
type OAuthCode struct {
	Hash      string    `db:"hash"` // of the code itself, which is stored nowhere
	Client    string    `db:"client"`
	Redirect  string    `db:"redirect"`
	Challenge string    `db:"challenge"` // S256 of the verifier (RFC 7636)
	Resource  string    `db:"resource"`  // the address for which it is (RFC 8707)
	Scopes    KeyScopes `db:"scopes"`
	Sites     SiteSet   `db:"sites"`
	Person    string    `db:"person"` // "" for who has signed in with the secret key
	SignIn    string    `db:"sign_in"`
	MadeBy    string    `db:"made_by"`
	Until     Time      `db:"until"`
	Key       string    `db:"api_key"` // the connection that it became, "" before
}

// The kinds of tokens.
const (
	TokenAccess  = "access"
	TokenRefresh = "refresh"
)

// OAuthToken is a token of a connection.
type OAuthToken struct {
	Hash    string    `db:"hash"` // of the token itself, which is stored nowhere
	Key     string    `db:"api_key"`
	Kind    string    `db:"kind"`
	Scopes  KeyScopes `db:"scopes"` // of the connection's, or fewer
	Until   Time      `db:"until"`
	SpentAt Time      `db:"spent_at"`
}

// Works reports whether a token was not used up and is not too old.
func (t *OAuthToken) Works(at Time) bool { return t.SpentAt == 0 && at < t.Until }

// ErrOAuthUnknown is returned for clients, codes and tokens that there are not.
var ErrOAuthUnknown = &Error{Kind: NotFound, Text: "Not found"}

// OAuthReader is the part of a [Reader] about programs that connect by themselves. What is not
// there is ErrOAuthUnknown.
type OAuthReader interface {
	OAuthClient(id string) (OAuthClient, error)
	CountOAuthClients() (int, error)
	OAuthCode(hash string) (OAuthCode, error)
	OAuthToken(hash string) (OAuthToken, error)
}

// OAuthTx is the part of a [Tx] about programs that connect by themselves.
type OAuthTx interface {
	PutOAuthClient(c *OAuthClient) error
	GrantedOAuthClient(id string, at Time) error
	// DropUnusedClient forgets the oldest client that registered before a time and that nobody
	// has let in, or returns ErrOAuthUnknown.
	DropUnusedClient(before Time) error
	PutOAuthCode(c *OAuthCode) error
	// RedeemedOAuthCode notes, once, what became of a code; the second time is ErrOAuthUnknown.
	RedeemedOAuthCode(hash, key string) error
	DeleteOAuthCode(hash string) error
	PutOAuthToken(t *OAuthToken) error
	// SpendOAuthToken uses a token up, once; the second time is ErrOAuthUnknown.
	SpendOAuthToken(hash string, at Time) error
	// ExtendAPIKey puts off when a connection expires.
	ExtendAPIKey(id string, until Time) error
	// DropOAuth forgets clients that registered before a time and have no connection, and
	// codes and tokens that ended before it.
	DropOAuth(unused, ended Time) error
}

// RedirectHost is where a program gets its codes, as people read it: its port says nothing where
// it is on one's own machine, and its scheme says most where that is its own.
func RedirectHost(address string) string {
	u, err := url.Parse(address)
	switch {
	case err != nil:
		return ""
	case u.Scheme == "http":
		return u.Hostname()
	case u.Scheme == "https":
		return u.Host
	}
	return u.Scheme + "://" + u.Host
}
