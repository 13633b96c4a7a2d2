// Package oauth is the part of OAuth 2.1 that needs no store and no HTTP: it reads what programs
// ask for and says how they are answered. What relay keeps of them is in server/team.
package oauth

import (
	"github.com/modelcontextprotocol/go-sdk/oauthex"

	"github.com/relay-chat/relay/server/chat"
)

// Where programs find what. The metadata's places are those of RFC 9728 and RFC 8414.
const (
	ResourcePath         = "/mcp"
	MetadataPath         = "/.well-known/"
	ResourceMetadataPath = MetadataPath + "oauth-protected-resource/mcp"
	ServerMetadataPath   = MetadataPath + "oauth-authorization-server"
	Path                 = "/oauth/"
	RegisterPath         = Path + "register"
	AuthorizePath        = Path + "authorize"
	TokenPath            = Path + "token"
	RevokePath           = Path + "revoke"
)

// Resource describes what the tokens open (RFC 9728). base is relay's address.
func Resource(base string) *oauthex.ProtectedResourceMetadata {
	return &oauthex.ProtectedResourceMetadata{Resource: base + ResourcePath, AuthorizationServers: []string{base}, ScopesSupported: scopeNames(chat.AllScopes),
		BearerMethodsSupported: []string{"header"}, ResourceName: "relay live chat", ResourceDocumentation: base + "/docs/assistants"}
}

// ServerMetadata is the library's, without the keys of signatures, of which there are none.
type ServerMetadata struct {
	oauthex.AuthServerMeta
	JWKSURI *string `json:"jwks_uri,omitempty"`
}

// Server describes who gives the tokens (RFC 8414).
func Server(base string) *ServerMetadata {
	public := []string{"none"}
	return &ServerMetadata{AuthServerMeta: oauthex.AuthServerMeta{Issuer: base,
		AuthorizationEndpoint: base + AuthorizePath, TokenEndpoint: base + TokenPath, RegistrationEndpoint: base + RegisterPath, RevocationEndpoint: base + RevokePath,
		ScopesSupported: scopeNames(chat.AllScopes), ResponseTypesSupported: []string{"code"}, ResponseModesSupported: []string{"query"},
		GrantTypesSupported: grantTypes(), CodeChallengeMethodsSupported: []string{"S256"},
		TokenEndpointAuthMethodsSupported: public, RevocationEndpointAuthMethodsSupported: public,
		ServiceDocumentation: base + "/docs/assistants", AuthorizationResponseIssParameterSupported: true, ClientIDMetadataDocumentSupported: true}}
}

// Challenge is the WWW-Authenticate of a request without a valid token (RFC 6750, 3; RFC 9728, 5.1).
func Challenge(base string, sent bool) string {
	challenge := `Bearer resource_metadata="` + base + ResourceMetadataPath + `"`
	if sent {
		challenge += `, error="invalid_token"`
	}
	return challenge
}

func scopeNames(scopes chat.KeyScopes) []string {
	names := make([]string, len(scopes))
	for i, s := range scopes {
		names[i] = string(s)
	}
	return names
}

func grantTypes() []string { return []string{"authorization_code", "refresh_token"} }
