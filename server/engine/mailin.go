package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/relay-chat/relay/server/chat"
)

// Limits of the e-mails that become messages.
const (
	maxMailsAnHour = 30     // into one conversation; the others stay in the mailbox
	maxMailPieces  = 5      // messages that one e-mail becomes
	maxMailText    = 200000 // bytes that are kept of all its text
	maxMailName    = 100
)

// ErrTooManyMails refuses one more e-mail into a conversation.
var ErrTooManyMails = errors.New("more e-mails came for this conversation than relay takes in an hour")

// MailAnswer is an e-mail that is about to become messages of a visitor.
type MailAnswer struct {
	SessionID string
	// ID is made of Header, the e-mail's own id.
	ID, Header    string
	From          string // "" if that is no valid address
	Name, Subject string
	Forged        bool // the receiving server says that it is not from its sender
	Own, Whole    string
	Long          bool     // there is more text than was read
	Files         []string // uploads of the visitor
	LeftOut       []string // of it, in words
	Keys          MailKeys // of addresses
}

// Visitor is the author of an answer to an e-mail, by which a conversation was found.
func (a *MailAnswer) Visitor() chat.Author {
	return chat.Author{Sender: chat.SenderVisitor, Source: chat.SourceMail, AnySite: true, Session: a.SessionID}
}

// Received finds an e-mail that was taken before, by its ID.
func (m *mails) Received(ctx context.Context, id string) (received chat.ReceivedMail, err error) {
	err = m.relay.store.ReadOne(ctx, func(rd chat.Reader) (err error) {
		received, err = rd.MailWithID(id)
		return err
	})
	return received, err
}

// TakeAnswer makes messages of an e-mail, once. It refuses those of blocked visitors with
// ErrBlocked, those into conversations that are gone with ErrSessionNotFound, and more than
// relay takes with ErrTooManyMails.
func (m *mails) TakeAnswer(ctx context.Context, a *MailAnswer) error {
	return m.relay.change(ctx, a.Visitor(), a.SessionID, func(c *change) error { return c.takeAnswer(a) })
}

func (c *change) takeAnswer(a *MailAnswer) error {
	_, err := c.ReceivedMail(a.SessionID, a.ID)
	if err == nil || !errors.Is(err, chat.ErrMailNotFound) {
		return err // it came twice, or that is not known
	}
	received, err := c.mailsThisHour(a.SessionID)
	if err != nil {
		return err
	}
	if received == maxMailsAnHour {
		return ErrTooManyMails
	}
	said, unseen := []string{a.Own, a.Subject}, []string{a.Whole}
	if err := c.takeCodes(said, unseen); err != nil {
		return err
	}
	first, err := c.addAnswer(a, said[0])
	if err != nil {
		return err
	}
	whole := strings.ToValidUTF8(unseen[0][:min(len(unseen[0]), maxMailText)], "") // without half a letter at the end
	mail := chat.ReceivedMail{ID: a.ID, SessionID: a.SessionID, MessageID: first, At: c.at, From: a.From, Subject: said[1], Header: a.Header, Text: whole}
	if err := c.PutReceivedMail(&mail); err != nil {
		return err
	}
	if err := c.confirmByAnswer(a); err != nil {
		return err
	}
	return c.emitFact(chat.EventMailed, a.fact(c.at, c.session.Email(), received+1 == maxMailsAnHour))
}

// mailsThisHour counts the e-mails that came into a conversation within an hour, up to
// maxMailsAnHour.
func (c *change) mailsThisHour(sessionID string) (count int, err error) {
	list, err := c.ReceivedMails(sessionID, maxMailsAnHour)
	for _, m := range list {
		if c.at.Sub(m.At) < time.Hour {
			count++
		}
	}
	return count, err
}

// addAnswer adds the messages of an answer, which says own, and returns the first one's id.
func (c *change) addAnswer(a *MailAnswer, own string) (first string, err error) {
	pieces, more := pieces(own, MaxVisitorContent, maxMailPieces)
	a.Long = a.Long || more
	files := slices.Collect(slices.Chunk(a.Files, maxVisitorFiles))
	for len(pieces) < len(files) {
		pieces = append(pieces, "")
	}
	for i, text := range pieces {
		m := chat.Message{SessionID: a.SessionID, Content: text, Sender: chat.SenderVisitor, Timestamp: c.at, ClientID: fmt.Sprintf("email:%s:%d", a.ID, i),
			Attachments: chat.Of(chat.Attachments{})}
		var with []string
		if behind := i - (len(pieces) - len(files)); behind >= 0 {
			with = files[behind]
		}
		if err := c.add(&m, chat.NewID(), with); err != nil {
			return "", err
		}
		first = cmp.Or(first, m.ID)
	}
	return first, nil
}

// confirmByAnswer takes an answer from the address that relay wrote to for its owner's
// consent, as if the link in the e-mail had been opened.
func (c *change) confirmByAnswer(a *MailAnswer) error {
	if a.Forged || a.From == "" || a.From != c.session.Email() {
		return nil
	}
	given, err := c.MailAddress(c.session.Site, a.Keys(a.From, c.session.GivenBy()))
	if err != nil || given.State != chat.MailAsked {
		return err
	}
	return c.SetMailState(given.Site, given.Key, chat.MailConfirmed, c.at)
}

// fact is what operators read of an answer.
func (a *MailAnswer) fact(at chat.Time, known string, last bool) chat.Mailed {
	f := chat.Mailed{At: at, Outcome: chat.MailedAnswered, To: a.From, Mail: chat.MailPath(a.SessionID, a.ID)}
	lines := []string{"Answered by e-mail from " + cmp.Or(a.From, "an invalid address") + "."}
	doubt := func(text string) {
		f.Outcome = chat.MailedDoubtful
		lines = append(lines, text)
	}
	if known != "" && a.From != known {
		doubt("This is not the visitor's address, " + known + ".")
	}
	if a.Forged {
		doubt("The mail server says that somebody else sent it.")
	}
	if len(a.LeftOut) > 0 {
		doubt("Left out: " + strings.Join(a.LeftOut, ", ") + ".")
	}
	if a.Long {
		doubt("It is longer than what is shown here.")
	}
	if last {
		doubt(fmt.Sprintf("It is the %dth within an hour: further ones stay in the mailbox.", maxMailsAnHour))
	}
	f.Content = strings.Join(lines, " ")
	return f
}

// NewByMail opens a conversation with an e-mail that answers nothing, of a sender at a site.
// It refuses blocked ones with ErrBlocked.
func (m *mails) NewByMail(ctx context.Context, site string, a *MailAnswer) (chat.Session, error) {
	s := mailSession(site, a.From, a.Name, a.Keys)
	err := m.relay.store.Apply(ctx, func(tx chat.Tx) error {
		if err := browserBarred(tx, &s); err != nil {
			return err
		}
		return tx.CreateSession(&s)
	})
	return s, err
}

// mailVisitor begins the visitor's id of such a session.
const mailVisitor = "email:"

// mailSession is a new session of somebody who is known by an e-mail address.
func mailSession(site, email, name string, keys MailKeys) chat.Session {
	s := chat.Session{ID: chat.NewID(), Site: site, VisitorID: mailVisitor + keys(email, "visitor"), Status: chat.StatusOpen, CreatedAt: chat.Now(),
		TokenHash: chat.Hash(chat.NewToken())} // which nobody has: only links lead there
	s.Browser = chat.Hash("email\n" + keys(email, "browser"))
	s.LastActivity = s.CreatedAt
	identity := map[string]any{"email": email}
	if name = chat.OneLine(name); name != "" {
		identity["name"] = chat.Clip(name, maxMailName)
	}
	s.Identity = chat.MustJSON(identity)
	return s
}

// browserBarred returns ErrBlocked when a session of the same browser is blocked.
func browserBarred(rd chat.Reader, s *chat.Session) error {
	blocked, err := rd.SessionsOfBrowser(s.Browser, true, 1)
	if err == nil && len(blocked) > 0 {
		err = chat.ErrBlocked
	}
	return err
}

// Bounced stores that the server of an address sent an e-mail back, for good or for now. id is
// that of the e-mail that says so.
func (m *mails) Bounced(ctx context.Context, sessionID, id string, permanent bool, reason string, keys MailKeys) error {
	return m.onceInSession(ctx, sessionID, id, func(c *change) error {
		to := c.session.Email()
		if to == "" {
			return nil
		}
		if permanent {
			address, err := c.MailAddress(c.session.Site, keys(to, ""))
			if err != nil || address.State == chat.MailRefused || address.State == chat.MailStopped {
				return err
			}
			if err := c.SetMailState(address.Site, address.Key, chat.MailRefused, c.at); err != nil {
				return err
			}
		}
		return c.emitFact(chat.EventMailed, chat.MailedTo(to, chat.MailedBounced, reason, c.at))
	})
}

// MailUnread tells operators of an answer that could not be read. It is in the mailbox.
func (m *mails) MailUnread(ctx context.Context, sessionID, id, from, why string) error {
	return m.onceInSession(ctx, sessionID, id, func(c *change) error {
		content := "An e-mail from " + cmp.Or(from, "an invalid address") + " cannot be read: " + why + ". It is in the mailbox."
		return c.emitFact(chat.EventMailed, chat.Mailed{At: c.at, Outcome: chat.MailedUnread, To: from, Content: content})
	})
}

// MemberMailTaken notes that an e-mail of the team is done, and answers it unless reply is
// without content.
func (m *mails) MemberMailTaken(ctx context.Context, sessionID, id string, reply chat.MailReplied) error {
	return m.onceInSession(ctx, sessionID, id, func(c *change) error {
		if reply.Content == "" {
			return nil
		}
		return c.emitFact(chat.EventMailReply, reply)
	})
}

// onceInSession changes a session once for an e-mail, unless it was erased, or gets more of them than
// anybody would read.
func (m *mails) onceInSession(ctx context.Context, sessionID, id string, op func(*change) error) error {
	return m.inSession(ctx, sessionID, func(c *change) error {
		_, err := c.ReceivedMail(sessionID, id)
		if !errors.Is(err, chat.ErrMailNotFound) {
			return err
		}
		if received, err := c.mailsThisHour(sessionID); err != nil || received == maxMailsAnHour {
			return err
		}
		return errors.Join(c.PutReceivedMail(&chat.ReceivedMail{ID: id, SessionID: sessionID, At: c.at}), op(c))
	})
}

// pieces splits a text into parts of at most so many characters, at the ends of paragraphs,
// lines or words; more reports whether some of it is left.
func pieces(text string, most, count int) (parts []string, more bool) {
	for text = strings.TrimSpace(text); text != ""; text = strings.TrimLeftFunc(text, unicode.IsSpace) {
		if len(parts) == count {
			return parts, true
		}
		if utf8.RuneCountInString(text) <= most {
			return append(parts, text), false
		}
		end := 0
		for range most {
			_, size := utf8.DecodeRuneInString(text[end:])
			end += size
		}
		for _, at := range []string{"\n\n", "\n", " "} {
			if cut := strings.LastIndex(text[:end], at); cut > end/2 {
				end = cut
				break
			}
		}
		parts, text = append(parts, strings.TrimRightFunc(text[:end], unicode.IsSpace)), text[end:]
	}
	return parts, false
}
