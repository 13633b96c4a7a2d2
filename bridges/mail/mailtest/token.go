package mailtest

import (
	"strings"

	"github.com/emersion/go-imap/v2"
	"github.com/emersion/go-imap/v2/imapserver"
	"github.com/emersion/go-sasl"
)

// XOAUTH2 is how servers call the sign-in with an access token.
const XOAUTH2 = "XOAUTH2"

// Accepts decides who may sign in with an access token; nil lets nobody.
type Accepts func(name, access string) bool

// tokenServer is the server's side of XOAUTH2, as Google describes it: it says why it refuses, and
// fails after the client's next word.
type tokenServer struct {
	accepts Accepts
	refusal error
	refused bool
}

// Next implements [sasl.Server].
func (s *tokenServer) Next(response []byte) (challenge []byte, done bool, err error) {
	switch {
	case s.refused:
		return nil, false, s.refusal
	case response == nil:
		return []byte{}, false, nil
	}
	name, rest, _ := strings.Cut(strings.TrimPrefix(string(response), "user="), "\x01")
	access, end, _ := strings.Cut(strings.TrimPrefix(rest, "auth=Bearer "), "\x01")
	if end == "\x01" && s.accepts(name, access) {
		return nil, true, nil
	}
	s.refused = true
	return []byte(`{"status":"400","schemes":"Bearer","scope":"https://mail.google.com/"}`), false, nil
}

// ways are the sign-ins that a mailbox offers.
type ways struct {
	accepts Accepts
	names   []string
}

// boxSession is a session that also signs in with tokens.
type boxSession struct {
	imapserver.SessionIMAP4rev2
	ways ways
}

// AuthenticateMechanisms implements [imapserver.SessionSASL].
func (s *boxSession) AuthenticateMechanisms() []string { return s.ways.names }

// Authenticate implements [imapserver.SessionSASL].
func (s *boxSession) Authenticate(way string) (sasl.Server, error) {
	refusal := &imap.Error{Type: imap.StatusResponseTypeNo, Code: imap.ResponseCodeAuthenticationFailed, Text: "AUTHENTICATE failed."}
	enter := func(name, access string) bool {
		return s.ways.accepts(name, access) && s.Login(Name, Password) == nil
	}
	switch way {
	case XOAUTH2:
		return &tokenServer{accepts: enter, refusal: refusal}, nil
	case sasl.OAuthBearer:
		return sasl.NewOAuthBearerServer(func(o sasl.OAuthBearerOptions) *sasl.OAuthBearerError {
			if enter(strings.NewReplacer("=3D", "=", "=2C", ",").Replace(o.Username), o.Token) {
				return nil
			}
			return &sasl.OAuthBearerError{Status: "invalid_token", Schemes: "bearer"}
		}), nil
	}
	return sasl.NewPlainServer(func(_, name, password string) error { return s.Login(name, password) }), nil
}
