package mail

import (
	"cmp"
	"context"
	"errors"
	"strings"

	gomail "github.com/wneessen/go-mail"

	"github.com/relay-chat/relay/bridges/mail/oauth"
	"github.com/relay-chat/relay/server/chat"
)

// SendCode sends a code that proves an address, at once. name is who has the chat. Errors say nothing of
// the code.
func SendCode(ctx context.Context, settings chat.MailSettings, tokens *oauth.Tokens, base, to, name, language, code string) error {
	server, failed := serverOf(&settings, tokens, base)
	if failed != nil {
		return failed
	}
	from, failed := sender(settings)
	if failed != nil {
		return failed
	}
	from.Name = cmp.Or(from.Name, name)
	words := languages()[knownLanguage(language)]
	fill := strings.NewReplacer("{name}", name, "{code}", code).Replace
	m := newLetter(from, to, chat.OneLine(fill(words.CodeSubject)), chat.NewToken()+"@"+hostOf(base))
	m.SetBodyString(gomail.TypeTextPlain, fill(words.Code)+"\n\n"+fill(words.CodeUse)+"\n"+fill(words.Stranger)+"\n")
	switch failed := server.transmit(ctx, m); {
	case failed == nil:
		return nil
	case strings.Contains(failed.Error()+failed.Details, code):
		return errCode
	default:
		return failed
	}
}

// errCode is said instead of an answer that repeats what it was given.
var errCode = errors.New("the mail server does not take it")
