package mail

import (
	"context"
	"errors"
	"strings"

	gomail "github.com/wneessen/go-mail"

	"github.com/relay-chat/relay/bridges/mail/oauth"
	"github.com/relay-chat/relay/server/chat"
)

// CodeLetter is an e-mail with a code that proves an address.
type CodeLetter struct {
	To, Code string
	Name     string // who has the chat
	Language string
	Thread   string // by which answers are known, for nobody is to read them
	Answered bool   // the mailbox is read to which they come
}

// SendCode sends a code that proves an address, at once. Errors say nothing of the code.
func SendCode(ctx context.Context, settings chat.MailSettings, tokens *oauth.Tokens, base string, l *CodeLetter) error {
	server, from, failed := atOnce(settings, tokens, base, l.Name)
	if failed != nil {
		return failed
	}
	words := languages()[knownLanguage(l.Language)]
	fill := strings.NewReplacer("{name}", l.Name, "{code}", l.Code).Replace
	m := newLetter(from, l.To, chat.OneLine(fill(words.CodeSubject)), letterID("code\n"+l.Thread, l.Thread, hostOf(base)))
	if reply := chat.MailReply(settings.Reply, from.Address, l.Thread); l.Answered && reply != "" {
		m.SetGenHeader("Reply-To", "<"+reply+">")
	}
	m.SetBodyString(gomail.TypeTextPlain, fill(words.Code)+"\n\n"+fill(words.CodeUse)+"\n"+fill(words.Stranger)+"\n")
	switch failed := server.transmit(ctx, m); {
	case failed == nil:
		return nil
	case strings.Contains(failed.Error()+failed.Details, l.Code):
		return errCode
	default:
		return failed
	}
}

// errCode is said instead of an answer that repeats what it was given.
var errCode = errors.New("the mail server does not take it")
