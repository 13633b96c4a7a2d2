package oauth

import (
	"cmp"
	"slices"
	"time"

	"github.com/modelcontextprotocol/go-sdk/oauthex"

	"github.com/relay-chat/relay/server/chat"
)

// maxRedirects is to how many addresses one program may be led back.
const maxRedirects = 5

// Registration is how a program registers itself (RFC 7591, 2). Fields that are not here change
// nothing; every program is a public one, whatever it asks for.
type Registration struct {
	Redirects     []string `json:"redirect_uris"`
	Name          string   `json:"client_name"`
	GrantTypes    []string `json:"grant_types"`
	ResponseTypes []string `json:"response_types"`
}

// Client is the program that registers.
func (r *Registration) Client() (*chat.OAuthClient, error) {
	if len(r.Redirects) == 0 || len(r.Redirects) > maxRedirects {
		return nil, refuse(InvalidRedirect, "redirect_uris must be one to five addresses")
	}
	for _, address := range r.Redirects {
		if refused := checkRedirect(address); refused != nil {
			return nil, refused
		}
	}
	c, refused := r.client()
	if refused != nil {
		return nil, refused
	}
	return c, nil
}

// client is the program at addresses that have been checked.
func (r *Registration) client() (*chat.OAuthClient, *Refusal) {
	switch {
	case r.GrantTypes != nil && !slices.Contains(r.GrantTypes, "authorization_code"):
		return nil, refuse(InvalidMetadata, "grant_types must have authorization_code")
	case r.ResponseTypes != nil && !slices.Contains(r.ResponseTypes, "code"):
		return nil, refuse(InvalidMetadata, "response_types must have code")
	}
	name := cmp.Or(chat.OneLine(r.Name), chat.RedirectHost(r.Redirects[0]))
	return &chat.OAuthClient{Name: name, Redirects: slices.Clone(r.Redirects)}, nil
}

// Registered answers a registration (RFC 7591, 3.2.1).
func Registered(c *chat.OAuthClient) *oauthex.ClientRegistrationResponse {
	return &oauthex.ClientRegistrationResponse{ClientID: c.ID, ClientIDIssuedAt: time.UnixMilli(int64(c.CreatedAt)),
		ClientRegistrationMetadata: oauthex.ClientRegistrationMetadata{RedirectURIs: c.Redirects, ClientName: c.Name, TokenEndpointAuthMethod: "none",
			GrantTypes: grantTypes(), ResponseTypes: []string{"code"}}}
}
