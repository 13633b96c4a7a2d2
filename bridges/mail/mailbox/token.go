package mailbox

import (
	"encoding/json"
	"errors"
	"strings"

	"github.com/emersion/go-imap/v2"
	"github.com/emersion/go-imap/v2/imapclient"
	"github.com/emersion/go-sasl"

	"github.com/relay-chat/relay/server/chat"
)

// xoauth2 is the name of the sign-in that Google and Microsoft have made before OAUTHBEARER
// (RFC 7628), and that more servers offer.
const xoauth2 = "XOAUTH2"

// errNoOAuth: the server offers no sign-in with a token.
var errNoOAuth = errors.New("the server offers neither XOAUTH2 nor OAUTHBEARER")

// authenticate signs in with an access token, by the way that the server offers.
func authenticate(client *imapclient.Client, box *chat.Mailbox, access string) error {
	switch caps := client.Caps(); {
	case caps.Has(imap.AuthCap(xoauth2)):
		return client.Authenticate(&tokenClient{box.Name, access})
	case caps.Has(imap.AuthCap(sasl.OAuthBearer)):
		name := strings.NewReplacer("=", "=3D", ",", "=2C").Replace(box.Name) // RFC 5801, 4
		return client.Authenticate(sasl.NewOAuthBearerClient(&sasl.OAuthBearerOptions{Username: name, Token: access, Host: box.Host, Port: box.Port}))
	}
	return errNoOAuth
}

// tokenClient signs in by XOAUTH2, which go-sasl does not have.
type tokenClient struct{ name, access string }

var _ sasl.Client = (*tokenClient)(nil)

// Start implements [sasl.Client].
func (c *tokenClient) Start() (way string, first []byte, err error) {
	return xoauth2, []byte("user=" + c.name + "\x01auth=Bearer " + c.access + "\x01\x01"), nil
}

// Next implements [sasl.Client]: the server asks nothing more unless it refuses. The line ends then.
func (c *tokenClient) Next(challenge []byte) ([]byte, error) {
	var says struct{ Status string }
	_ = json.Unmarshal(challenge, &says) // without it nothing is known but that it refuses
	return nil, &tokenError{says.Status}
}

// tokenError means that the server does not accept an access token.
type tokenError struct{ status string }

func (e *tokenError) Error() string { return "the server refuses the token: " + e.status }
