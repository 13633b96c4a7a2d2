package oauth

import (
	"context"

	"github.com/relay-chat/relay/server/chat"
)

// SignIn signs in at mail servers with the tokens of some settings.
type SignIn struct {
	Tokens *Tokens
	With   chat.MailOAuth
}

// Use connects with an access token, and once more with a new one after an error that means that
// the server refuses it.
func (s SignIn) Use(ctx context.Context, connect func(access string) error, refused func(error) bool) error {
	access, err := s.Tokens.Access(ctx, s.With)
	if err != nil {
		return err
	}
	err = connect(access)
	if err == nil || !refused(err) {
		return err
	}
	s.Tokens.Refused(access)
	if access, err = s.Tokens.Access(ctx, s.With); err != nil {
		return err
	}
	return connect(access)
}
