package mail

import (
	"cmp"
	"context"
	"errors"
	"io"
	"log/slog"
	mailaddress "net/mail"
	"strings"
	"time"

	"golang.org/x/time/rate"

	"github.com/relay-chat/relay/bridges/apart"
	"github.com/relay-chat/relay/bridges/mail/incoming"
	"github.com/relay-chat/relay/bridges/mail/mailbox"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
)

// MetaTrial is the stored id of the last trial that has come back.
const MetaTrial = "mail trial"

// maxMail is the size of the largest e-mail that is read, in bytes: 25 MB of files grow by a
// third.
const maxMail = 50 << 20

// Threads finds and names what e-mails belong to, see [chat.MailThreads].
type Threads interface {
	Visitor(sessionID string) string
	Member(sessionID, address string) string
	Trial(id string) string
	Code(id string) string
	IsMember(thread chat.MailThread, address string) bool
	Find(text string) []chat.MailThread
}

// AnswersOptions are the parts of Answers.
type AnswersOptions struct {
	Engine  *engine.Engine
	Threads Threads
	Keys    engine.MailKeys
	Reader  []string // the command that reads an e-mail, see [incoming.Read]
	Tally   *Tally
	Log     *slog.Logger
}

// The conversations that e-mails begin: so many at once, and one a minute.
const begunAtOnce = 60

// Answers makes messages of the e-mails that arrive.
type Answers struct {
	AnswersOptions
	begin *rate.Limiter
}

// NewAnswers returns the answers to relay's e-mails.
func NewAnswers(o AnswersOptions) *Answers {
	return &Answers{o, rate.NewLimiter(rate.Every(time.Minute), begunAtOnce)}
}

// arrival is an e-mail that arrived.
type arrival struct {
	incoming.Head
	id   string // see [chat.ReceivedMail]
	mail *mailbox.Mail
}

// Take handles an e-mail that arrived: what belongs to a conversation becomes a message, or is
// counted. Its error is none of the e-mail: it is to be read again.
func (a *Answers) Take(ctx context.Context, m *mailbox.Mail) (mailbox.Verdict, error) {
	head, err := incoming.ReadHead(m.Head)
	if err != nil {
		a.unreadable(&arrival{Head: head}, "its header is damaged")
		return mailbox.Left, nil
	}
	mail := &arrival{head, chat.Hash(cmp.Or(head.ID, string(m.Head))), m}
	if mail.Kind == incoming.Bounce {
		return a.takeBounce(ctx, mail)
	}
	thread, found := a.threadOf(mail)
	switch {
	case thread.Code:
		a.Tally.count(CountOther)
		return mailbox.Taken, nil
	case found == foundSeveral:
		a.Tally.count(CountContradictory)
		return mailbox.Left, nil
	case found == foundNone && mail.Kind == incoming.Personal:
		return a.takeOther(ctx, mail)
	case found == foundNone:
		a.Tally.count(CountOther)
		return mailbox.Left, nil
	case thread.Trial != "":
		return mailbox.Taken, a.Engine.Store.Apply(ctx, func(tx chat.Tx) error { return tx.PutMeta(MetaTrial, thread.Trial) })
	case mail.Kind != incoming.Personal:
		a.Tally.count(string(mail.Kind))
		return mailbox.Taken, nil
	case thread.Member != "":
		return a.takeMember(ctx, mail, thread)
	}
	return a.takeVisitor(ctx, mail, thread.SessionID, false)
}

// found is how many conversations an e-mail names.
type found int

const (
	foundNone found = iota
	foundOne
	foundSeveral
)

// threadOf finds the conversation of an e-mail: by the address that it was sent to, and by the
// e-mails that it answers. They must not contradict each other. Whatever else it names, an answer to
// a code belongs to no conversation: it quotes the code.
func (a *Answers) threadOf(mail *arrival) (thread chat.MailThread, n found) {
	for _, text := range append(mail.Recipients, mail.References...) {
		for _, t := range a.Threads.Find(text) {
			if t.Code {
				return t, foundOne
			}
			if n != foundNone && (t.SessionID != thread.SessionID || t.Trial != thread.Trial) {
				return t, foundSeveral
			}
			if n == foundNone {
				thread, n = t, foundOne
			}
		}
	}
	return thread, n
}

// takeOther handles an e-mail that names no conversation: it goes on with an e-mail that came
// before from the same address, or begins a conversation, if the settings want that.
func (a *Answers) takeOther(ctx context.Context, mail *arrival) (mailbox.Verdict, error) {
	if mail.From == "" || mail.Forged {
		a.Tally.count(CountOther)
		return mailbox.Left, nil
	}
	for _, id := range mail.References {
		earlier, err := a.Engine.Received(ctx, chat.Hash(id))
		if err == nil && earlier.From == mail.From {
			return a.takeVisitor(ctx, mail, earlier.SessionID, false)
		}
		if err != nil && !errors.Is(err, chat.ErrMailNotFound) {
			return mailbox.Left, err
		}
	}
	if !a.Engine.Settings().Mailbox().Inbox {
		a.Tally.count(CountOther)
		return mailbox.Left, nil
	}
	if _, err := a.Engine.Received(ctx, mail.id); !errors.Is(err, chat.ErrMailNotFound) {
		return mailbox.Taken, err
	}
	if !a.begin.Allow() {
		a.Tally.count(CountTooMany)
		return mailbox.Left, nil
	}
	session, err := a.Engine.NewByMail(ctx, a.siteOf(mail), &engine.MailAnswer{From: mail.From, Name: mail.Name, Keys: a.Keys})
	if errors.Is(err, chat.ErrBlocked) {
		a.Tally.count(CountBlocked)
		return mailbox.Taken, nil
	}
	if err != nil {
		return mailbox.Left, err
	}
	return a.takeVisitor(ctx, mail, session.ID, true)
}

// siteOf is the site whose address an e-mail was sent to, the first one if it is none's.
func (a *Answers) siteOf(mail *arrival) string {
	sites := a.Engine.Sites()
	for _, site := range sites.All() {
		settings := sites.Settings(site.ID).Mail()
		own := []string{strings.Replace(strings.Replace(settings.Reply, "+*", "", 1), "*", "", 1), addressOf(settings.From)}
		for _, to := range mail.Recipients {
			if to == own[0] || to == own[1] {
				return site.ID
			}
		}
	}
	return ""
}

// addressOf is the address in a sender that may have a name, "" for none.
func addressOf(from string) string {
	a, err := mailaddress.ParseAddress(from)
	if err != nil {
		return ""
	}
	return chat.CleanAddress(a.Address)
}

// takeVisitor makes an e-mail a message of a visitor. The subject of one that begins a
// conversation is part of that.
func (a *Answers) takeVisitor(ctx context.Context, mail *arrival, sessionID string, fresh bool) (mailbox.Verdict, error) {
	answer := &engine.MailAnswer{SessionID: sessionID, ID: mail.id, Header: mail.ID, From: mail.From, Name: mail.Name, Subject: mail.Subject, Forged: mail.Forged, Keys: a.Keys}
	by := answer.Visitor()
	if taken, verdict, err := a.welcome(ctx, by, mail, sessionID); taken || err != nil {
		return verdict, err
	}
	body, err := a.read(ctx, mail, func(f incoming.File) error {
		id, why, err := a.keep(ctx, by, sessionID, f)
		if why != "" {
			answer.LeftOut = append(answer.LeftOut, f.Name+" ("+why+")")
		} else if err == nil {
			answer.Files = append(answer.Files, id)
		}
		return err
	})
	if err != nil {
		return a.unread(ctx, mail, sessionID, err)
	}
	answer.Own, answer.Whole, answer.Long = cmp.Or(body.Own, body.Whole), body.Whole, body.Long
	answer.LeftOut = append(answer.LeftOut, body.Dropped...)
	if fresh && mail.Subject != "" {
		answer.Own = strings.TrimSpace(mail.Subject + "\n\n" + answer.Own)
	}
	if answer.Own == "" && len(answer.Files) == 0 {
		return a.unread(ctx, mail, sessionID, emptyOf(body, answer.LeftOut))
	}
	return a.settle(a.Engine.TakeAnswer(ctx, answer))
}

// emptyOf says why there is nothing to show of an e-mail.
func emptyOf(body incoming.Body, leftOut []string) error {
	switch {
	case body.Encrypted:
		return errEncrypted
	case len(leftOut) > 0:
		return unreadError("it has nothing but " + strings.Join(leftOut, ", "))
	}
	return errEmpty
}

// welcome looks whether an e-mail was taken before, and whether its conversation is still
// there: before its files are stored.
func (a *Answers) welcome(ctx context.Context, by chat.Author, mail *arrival, sessionID string) (done bool, verdict mailbox.Verdict, err error) {
	err = a.Engine.Store.ReadOne(ctx, func(rd chat.Reader) error {
		s, err := rd.SessionHeader(sessionID)
		if err == nil {
			err = by.Authorise(&s)
		}
		if err == nil {
			_, err = rd.ReceivedMail(sessionID, mail.id)
		}
		return err
	})
	if errors.Is(err, chat.ErrMailNotFound) {
		return false, 0, nil
	}
	verdict, err = a.settle(err)
	return true, verdict, err
}

// settle is the verdict about an e-mail after an attempt to store it.
func (a *Answers) settle(err error) (mailbox.Verdict, error) {
	switch {
	case err == nil:
		a.Tally.count(CountTaken)
		return mailbox.Taken, nil
	case errors.Is(err, chat.ErrBlocked):
		a.Tally.count(CountBlocked)
		return mailbox.Taken, nil
	case errors.Is(err, chat.ErrSessionNotFound):
		a.Tally.count(CountGone)
		return mailbox.Left, nil
	case errors.Is(err, engine.ErrTooManyMails):
		a.Tally.count(CountTooMany)
		return mailbox.Left, nil
	}
	return mailbox.Left, err
}

// unreadError is why an e-mail cannot be read, as the end of a sentence.
type unreadError string

func (e unreadError) Error() string { return string(e) }

const (
	errEncrypted unreadError = "it is encrypted"
	errEmpty     unreadError = "it is empty"
	errTooLarge  unreadError = "it is larger than 50 MB"
)

// unreadable reports whether an error is the e-mail's: it will be the same the next time.
func unreadable(err error) bool {
	var why unreadError
	return errors.As(err, &why) || errors.Is(err, incoming.ErrDamaged) || errors.Is(err, apart.ErrTooMuch)
}

// read reads an e-mail in a process of its own, and hands over its files.
func (a *Answers) read(ctx context.Context, mail *arrival, take func(incoming.File) error) (body incoming.Body, err error) {
	if mail.mail.Size > maxMail {
		return body, errTooLarge
	}
	err = mail.mail.Whole(func(in io.Reader) (err error) {
		body, err = incoming.Open(ctx, a.Reader, in, take)
		return err
	})
	return body, err
}

// unread tells of an e-mail that cannot be read, unless that may be different the next time.
func (a *Answers) unread(ctx context.Context, mail *arrival, sessionID string, err error) (mailbox.Verdict, error) {
	if !unreadable(err) {
		return mailbox.Left, err
	}
	a.unreadable(mail, err.Error())
	return mailbox.Left, a.Engine.MailUnread(ctx, sessionID, mail.id, mail.From, err.Error())
}

func (a *Answers) unreadable(mail *arrival, why string) {
	a.Tally.unreadable(chat.UnreadMail{From: mail.From, Subject: mail.Subject, Date: dateOf(mail.Date), Why: why})
	a.Log.Warn("an e-mail stays in the mailbox: relay cannot read it", "subject", mail.Subject, "why", why)
}

// keep stores a file of an e-mail, or says why that is not accepted.
func (a *Answers) keep(ctx context.Context, by chat.Author, sessionID string, f incoming.File) (id, refused string, err error) {
	file, err := a.Engine.Upload(ctx, by, sessionID, f.Name, f)
	if why := refusal(err); why != "" {
		return "", why, nil
	}
	return file.ID, "", err
}

// refusal is why a file is not accepted, "" if that is not known.
func refusal(err error) string {
	var refused *chat.Error
	if !errors.As(err, &refused) {
		return ""
	}
	switch refused.Kind {
	case chat.Invalid, chat.Unsupported, chat.TooLarge, chat.Forbidden:
		return strings.ToLower(refused.Text[:1]) + refused.Text[1:]
	}
	return ""
}

// takeBounce notes that an e-mail came back.
func (a *Answers) takeBounce(ctx context.Context, mail *arrival) (mailbox.Verdict, error) {
	body, err := a.read(ctx, mail, func(f incoming.File) error {
		_, err := io.Copy(io.Discard, f)
		return err
	})
	if err != nil && !unreadable(err) {
		return mailbox.Left, err
	}
	if body.Report != nil {
		mail.References = append(mail.References, body.Report.References...)
	}
	thread, found := a.threadOf(mail)
	if found != foundOne {
		a.Tally.count(CountOther)
		return mailbox.Left, nil
	}
	a.Tally.count(string(incoming.Bounce))
	report := body.Report
	if report == nil {
		report = &incoming.Report{Failed: true, Reason: mail.Subject}
	}
	if !report.Failed || thread.Member != "" || thread.Code {
		return mailbox.Taken, nil
	}
	return mailbox.Taken, a.Engine.Bounced(ctx, thread.SessionID, mail.id, report.Permanent, report.Reason, a.Keys)
}
