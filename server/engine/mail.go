package engine

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/relay-chat/relay/server/chat"
)

// Limits of the e-mails to visitors.
const (
	maxMailed    = 50 // messages in one e-mail
	maxQuoted    = 4  // of what was said before them
	mailsADay    = 20 // to one address about one site
	asksADay     = 3  // to one address from all sites: it may be a stranger's
	readingPause = time.Minute
	linkRest     = 7 * 24 * time.Hour // a link that ends earlier is renewed by an e-mail
)

var (
	errReading  = errors.New("the visitor is in the chat")
	errMailedOf = errors.New("the address has got enough e-mails today")
)

// Letter is an e-mail to a visitor that is about to be sent.
type Letter struct {
	Session  chat.Session // with the link that works
	To       string
	Quoted   []chat.Message     // what was said before, oldest first
	Messages []chat.Message     // what the visitor has not read, oldest first
	Asks     bool               // for the owner's consent
	Answered *chat.ReceivedMail // the visitor's last e-mail, nil if there was none
	Whole    bool               // it is a transcript: Messages are all that was said
	Cut      bool               // of it, earlier messages are left out
	keys     MailKeys
	earlier  int64     // Session.MailedSeq before
	claimed  int64     // and since
	asked    chat.Time // when a transcript was asked for
}

// First reports whether the team began the conversation and the visitor has said nothing in it.
func (l *Letter) First() bool {
	visitors := func(m chat.Message) bool { return m.Sender == chat.SenderVisitor }
	return strings.HasPrefix(l.Session.VisitorID, mailVisitor) && l.Answered == nil &&
		!slices.ContainsFunc(l.Quoted, visitors) && !slices.ContainsFunc(l.Messages, visitors)
}

// MailKeys hides an e-mail address, see [chat.MailAddress]: as such, with "", or together with
// what else a row is about.
type MailKeys func(address, about string) string

// aboutAsks is about how often an address is asked. Other rows are about the browser that gave
// it: that somebody confirmed it there says nothing of others who type the same.
const aboutAsks = "asks"

// mails are the e-mails to visitors: each message goes out at most once. What is about to be
// sent is stored before, and what became of it behind; who finds the first without the second
// says that nobody knows, and sends nothing again.
type mails struct {
	relay    *Relay
	claiming sync.Mutex // one after the other: two may be for one address
}

// ClaimLetter takes up what the visitor has not read, if the message of a revision still is to
// be mailed; nil if nothing is.
func (m *mails) ClaimLetter(ctx context.Context, sessionID string, rev int64, keys MailKeys) (letter *Letter, err error) {
	return m.claimBy(ctx, sessionID, func(c *change) (*Letter, error) { return m.claim(c, rev, keys) })
}

// claimBy takes up an e-mail, behind what is said of one that was interrupted.
func (m *mails) claimBy(ctx context.Context, sessionID string, claim func(*change) (*Letter, error)) (letter *Letter, err error) {
	m.claiming.Lock()
	defer m.claiming.Unlock()
	for again := true; again && err == nil; {
		again = false
		err = m.inSession(ctx, sessionID, func(c *change) (err error) {
			if again = c.session.Mailing; again {
				return c.endMailing(c.session.Email(), chat.MailedUnknown, "")
			}
			letter, err = claim(c)
			return err
		})
	}
	return letter, err
}

// MailWaits reports whether the message of a revision may still have to go out by e-mail, now. It
// changes nothing, so that what was read meanwhile, or is being read, costs no turn.
func (m *mails) MailWaits(ctx context.Context, sessionID string, rev int64) (waits bool, err error) {
	err = m.relay.store.ReadOne(ctx, func(rd chat.Reader) error {
		s, err := rd.Session(sessionID)
		if errors.Is(err, chat.ErrSessionNotFound) {
			return nil
		}
		if err != nil || s.Mailing || rev <= s.MailedSeq {
			waits = s.Mailing
			return err
		}
		list, err := unreadByVisitor(rd, &s)
		waits = len(list) > 0
		return err
	})
	if waits && err == nil {
		err = m.untilGone(sessionID)
	}
	return waits, err
}

// untilGone makes an e-mail wait for as long as the visitor is in the chat.
func (m *mails) untilGone(sessionID string) error {
	if m.relay.VisitorOnline(sessionID) {
		return &chat.RetryAfter{After: readingPause, Scope: chat.ScopeLane, Cause: errReading}
	}
	return nil
}

// inSession changes a session, unless it was erased meanwhile.
func (m *mails) inSession(ctx context.Context, sessionID string, op func(*change) error) error {
	err := m.relay.change(ctx, chat.Author{Source: chat.SourceRelay}, sessionID, op)
	if errors.Is(err, chat.ErrSessionNotFound) {
		return nil
	}
	return err
}

// endMailing stores what became of an e-mail, or why none is sent.
func (c *change) endMailing(to, outcome, reason string) error {
	c.session.Mailing = false
	return c.emitFact(chat.EventMailed, chat.MailedTo(to, outcome, reason, c.at))
}

func (m *mails) claim(c *change, rev int64, keys MailKeys) (*Letter, error) {
	s, to := c.session, c.session.Email()
	if rev <= s.MailedSeq || to == "" || s.Blocked {
		return nil, nil
	}
	unread, err := unreadByVisitor(c, s)
	if err != nil || len(unread) == 0 {
		return nil, err
	}
	if err := m.untilGone(s.ID); err != nil {
		return nil, err
	}
	letter := &Letter{To: to, Messages: unread, keys: keys, earlier: s.MailedSeq}
	outcome, err := c.admitMail(letter)
	if err != nil {
		return nil, err
	}
	s.MailedSeq = unread[len(unread)-1].Seq
	if outcome != "" {
		return nil, c.endMailing(to, outcome, "")
	}
	c.beginMailing()
	if !letter.Asks {
		letter.Quoted, err = c.before(unread[0].Seq)
	}
	if err != nil {
		return nil, err
	}
	return letter, c.addressed(letter)
}

// beginMailing notes that an e-mail is on its way, with a link that works for long enough.
func (c *change) beginMailing() {
	s := c.session
	s.Mailing = true
	if s.TokenHash != "" && s.LinkUntil < c.at.Add(linkRest) {
		s.LinkUntil = c.at.Add(linkLife)
	}
}

// addressed completes a letter by the session, and by the visitor's last e-mail.
func (c *change) addressed(letter *Letter) error {
	letter.Session, letter.claimed = *c.session, c.session.MailedSeq
	received, err := c.ReceivedMails(c.session.ID, maxMailsAnHour)
	if i := slices.IndexFunc(received, func(m chat.ReceivedMail) bool { return m.MessageID != "" }); i >= 0 {
		letter.Answered = &received[i]
	}
	return err
}

// unreadByVisitor lists the messages of the team that the visitor has neither read nor got by
// e-mail, oldest first.
func unreadByVisitor(rd chat.ConversationReader, s *chat.Session) (list []chat.Message, err error) {
	for _, sender := range []chat.Sender{chat.SenderOperator, chat.SenderAI} {
		part, err := rd.UnreadMessages(s.ID, sender, s.MailedSeq, s.Rev, maxMailed)
		if err != nil {
			return nil, err
		}
		list = append(list, part...)
	}
	list = slices.DeleteFunc(list, func(m chat.Message) bool { return m.Internal })
	slices.SortFunc(list, func(a, b chat.Message) int { return cmp.Compare(a.Seq, b.Seq) })
	return list[:min(len(list), maxMailed)], nil
}

// before lists the last of what was said before a message, oldest first.
func (c *change) before(seq int64) ([]chat.Message, error) {
	list, err := c.Messages(chat.MessageQuery{SessionID: c.session.ID, Before: seq, Public: true, Limit: maxQuoted})
	return slices.DeleteFunc(list, func(m chat.Message) bool { return m.DeletedAt != 0 }), err
}

// admitMail counts an e-mail to its address, or returns why none may go there, or when one may.
// Nobody knows whose an address is that somebody typed: it gets one e-mail, and what strangers
// can fill that with is only what the team answered.
func (c *change) admitMail(l *Letter) (outcome string, err error) {
	address, given, outcome, err := c.standing(l)
	if err != nil || outcome != "" {
		return outcome, err
	}
	day := chat.DayOf(c.at)
	switch {
	case address.SentOn(day) >= mailsADay:
		return "", &chat.RetryAfter{After: chat.LongestWait, Scope: chat.ScopeLane, Cause: errMailedOf}
	case given.State == chat.MailConfirmed:
		return "", c.countMail(l, "", 1)
	}
	asked, err := c.MailsOn(l.keys(l.To, aboutAsks), day)
	if err != nil || asked >= asksADay {
		return chat.MailedLimit, err
	}
	l.Asks = true
	return "", errors.Join(c.countMail(l, "", 1), c.countMail(l, aboutAsks, 1), c.SetMailState(given.Site, given.Key, chat.MailAsked, c.at))
}

// standing is what is known of a letter's address, and of it as this browser gave it; outcome is
// why it gets nothing, "" if it may.
func (c *change) standing(l *Letter) (address, given chat.MailAddress, outcome string, err error) {
	if address, err = c.mailAddress(l, ""); err == nil {
		given, err = c.mailAddress(l, c.session.GivenBy())
	}
	switch {
	case address.State == chat.MailStopped:
		outcome = chat.MailedStopped
	case address.State == chat.MailRefused:
		outcome = chat.MailedRefused
	case given.State == chat.MailAsked:
		outcome = chat.MailedUnconfirmed
	}
	return address, given, outcome, err
}

func (c *change) mailAddress(l *Letter, about string) (chat.MailAddress, error) {
	return c.MailAddress(c.session.Site, l.keys(l.To, about))
}

func (c *change) countMail(l *Letter, about string, n int64) error {
	return c.CountMail(c.session.Site, l.keys(l.To, about), chat.DayOf(c.at), n)
}

// LetterSent stores that a letter is on its way, or that nobody knows whether it is.
func (m *mails) LetterSent(ctx context.Context, l *Letter, known bool) error {
	outcome := chat.MailedSent
	switch {
	case !known:
		outcome = chat.MailedUnknown
	case l.Asks:
		outcome = chat.MailedAsked
	case l.Whole:
		outcome = chat.MailedTranscript
	}
	return m.settle(ctx, l, func(c *change) error { return c.endMailing(l.To, outcome, "") })
}

// LetterRefused stores that the server does not take a letter, and if that is for its address,
// that nothing more goes there. reason is the server's.
func (m *mails) LetterRefused(ctx context.Context, l *Letter, address bool, reason string) error {
	return m.settle(ctx, l, func(c *change) (err error) {
		if address {
			err = c.SetMailState(c.session.Site, l.keys(l.To, ""), chat.MailRefused, c.at)
		} else {
			err = c.unask(l)
		}
		return errors.Join(err, c.endMailing(l.To, chat.MailedRefused, reason))
	})
}

// LetterPutOff undoes the claim of a letter that was surely not sent.
func (m *mails) LetterPutOff(ctx context.Context, l *Letter) error {
	return m.settle(ctx, l, func(c *change) error {
		c.session.Mailing, c.session.MailedSeq = false, l.earlier
		err := c.countMail(l, "", -1)
		if l.Asks {
			err = errors.Join(err, c.countMail(l, aboutAsks, -1), c.unask(l))
		}
		if l.asked != 0 {
			err = errors.Join(err, c.noteTranscript(l.keys, l.asked-1))
		}
		return err
	})
}

// unask lets an address be asked once more: the e-mail that did so never got there.
func (c *change) unask(l *Letter) error {
	given, err := c.mailAddress(l, c.session.GivenBy())
	if err != nil || !l.Asks || given.State != chat.MailAsked {
		return err
	}
	return c.SetMailState(given.Site, given.Key, chat.MailUnknown, c.at)
}

// settle changes what a letter is about, unless somebody else has said meanwhile what became
// of it.
func (m *mails) settle(ctx context.Context, l *Letter, op func(*change) error) error {
	return m.inSession(ctx, l.Session.ID, func(c *change) error {
		if !c.session.Mailing || c.session.MailedSeq != l.claimed {
			return nil
		}
		return op(c)
	})
}

// ConfirmMail notes, under the key of an address and the browser that gave it, that its owner
// opened the link in an e-mail.
func (m *mails) ConfirmMail(ctx context.Context, site, key string) error {
	return m.setState(ctx, site, key, chat.MailConfirmed)
}

// StopMail notes that the owner of an address wants no more e-mails about a site.
func (m *mails) StopMail(ctx context.Context, site, key string) error {
	return m.setState(ctx, site, key, chat.MailStopped)
}

func (m *mails) setState(ctx context.Context, site, key string, state chat.MailState) error {
	return m.relay.store.Apply(ctx, func(tx chat.Tx) error { return tx.SetMailState(site, key, state, chat.Now()) })
}

// withoutMail leaves e-mail out: a backend knows itself how it reaches its visitors.
func withoutMail(targets func(*chat.Settings) []chat.Target) func(*chat.Settings) []chat.Target {
	return func(s *chat.Settings) []chat.Target {
		return slices.DeleteFunc(targets(s), func(t chat.Target) bool { return t.Kind == chat.TargetMail })
	}
}
