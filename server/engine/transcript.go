package engine

import (
	"cmp"
	"context"
	"slices"
	"strconv"

	"github.com/relay-chat/relay/server/chat"
)

// Limits of transcripts by e-mail.
const (
	transcriptsADay   = 3 // of one conversation
	maxTranscript     = 1000
	maxTranscriptText = 300 << 10 // bytes of all messages
)

// aboutTranscripts is about those of a conversation: how many a day, and when the newest one that
// was taken up was asked for.
const aboutTranscripts = "transcripts\n"

// aboutAskedFor counts the e-mails that ask for the owner's consent because of a transcript.
const aboutAskedFor = "transcript asks\n"

var (
	errNoMail          = chat.Errorf(chat.Conflict, "E-mail is not set up for this website: set smtpUrl and mailFrom first")
	errNoAddressOfOurs = chat.Errorf(chat.Conflict, "E-mails need relay's own address for their links: set PUBLIC_URL first")
	errMailsNothing    = chat.Errorf(chat.Conflict, "This website does not send e-mails")
	errMailBlocked     = chat.Errorf(chat.Forbidden, "This visitor is blocked. Unblock them first")
	errNoAddress       = chat.Errorf(chat.Conflict, "The visitor's e-mail address is not known")
	errNoTranscript    = chat.Errorf(chat.Conflict, "Nothing was said in this conversation yet")
)

// AskTranscript asks for an e-mail to the visitor with all that was said, and returns what becomes
// of it: [chat.MailedWaiting] if it goes out, [chat.MailedAsked] if the address is asked for its
// owner's consent instead, and otherwise why nothing does.
func (m *mails) AskTranscript(ctx context.Context, by chat.Author, sessionID string, keys MailKeys) (outcome string, err error) {
	err = m.relay.change(ctx, by, sessionID, func(c *change) (err error) {
		l := &Letter{To: c.session.Email(), keys: keys}
		visitor := by.Sender == chat.SenderVisitor
		switch on := m.relay.sendsMail(c.session.Site); {
		case !on && visitor:
			return errMailsNothing
		case !on && c.settings.Mail().On():
			return errNoAddressOfOurs
		case !on:
			return errNoMail
		case c.session.Blocked && visitor:
			return chat.ErrBlocked
		case c.session.Blocked:
			return errMailBlocked
		case l.To == "":
			return errNoAddress
		}
		if said, _, err := c.allSaid(); err != nil || len(said) == 0 {
			return cmp.Or(err, errNoTranscript)
		}
		if outcome, err = c.askTranscript(l); err == nil && visitor {
			outcome, err = c.toldVisitor(l, outcome)
		}
		return err
	})
	return outcome, err
}

// askTranscript counts what goes out. While the address is asked for its owner's consent, asking
// again changes nothing.
func (c *change) askTranscript(l *Letter) (outcome string, err error) {
	outcome, _, err = c.transcriptFor(l)
	about, most := aboutTranscripts, int64(transcriptsADay)
	switch {
	case err != nil:
		return "", err
	case outcome == chat.MailedAsked:
		about, most = aboutAskedFor, 1
	case outcome != chat.MailedWaiting:
		return outcome, nil
	}
	row, err := c.transcriptRow(l.keys, about)
	if err != nil {
		return "", err
	}
	if row.SentOn(chat.DayOf(c.at)) >= most {
		if outcome == chat.MailedWaiting {
			outcome = chat.MailedLimit
		}
		return outcome, nil
	}
	if err := c.CountMail(row.Site, row.Key, chat.DayOf(c.at), 1); err != nil {
		return "", err
	}
	return outcome, c.emitFact(chat.EventTranscriptMail, struct{}{})
}

// toldVisitor keeps from whoever has not confirmed the address whether its owner stopped e-mails,
// or whether they arrive: it may be somebody else's.
func (c *change) toldVisitor(l *Letter, outcome string) (string, error) {
	if outcome == chat.MailedWaiting || outcome == chat.MailedLimit {
		return outcome, nil
	}
	given, err := c.mailAddress(l, c.session.GivenBy())
	if err != nil || given.State == chat.MailConfirmed {
		return outcome, err
	}
	return chat.MailedUnconfirmed, nil
}

// transcriptFor decides what an address gets whose owner may not have confirmed it: then nothing
// but the e-mail that asks for that, with the team's last answer in it.
func (c *change) transcriptFor(l *Letter) (outcome string, answer []chat.Message, err error) {
	_, given, outcome, err := c.standing(l)
	switch {
	case err != nil || outcome != "":
		return outcome, nil, err
	case given.State == chat.MailConfirmed:
		return chat.MailedWaiting, nil, nil
	}
	answer, err = lastAnswer(c, c.session.ID)
	if err != nil || len(answer) == 0 {
		return chat.MailedUnconfirmed, nil, err
	}
	return chat.MailedAsked, answer, nil
}

// lastAnswer finds the team's last message among the newest ones.
func lastAnswer(rd chat.ConversationReader, sessionID string) ([]chat.Message, error) {
	list, err := rd.Messages(chat.MessageQuery{SessionID: sessionID, Public: true, Limit: maxLookedThrough})
	for _, m := range slices.Backward(list) {
		if m.Sender != chat.SenderVisitor && m.DeletedAt == 0 {
			return []chat.Message{m}, err
		}
	}
	return nil, err
}

// ClaimTranscript takes up the e-mail with all that was said that was asked for at a time, or the
// one that asks for its owner's consent; nil if there is none to send any more.
func (m *mails) ClaimTranscript(ctx context.Context, sessionID string, asked chat.Time, keys MailKeys) (*Letter, error) {
	return m.claimBy(ctx, sessionID, func(c *change) (*Letter, error) { return c.claimTranscript(asked, keys) })
}

func (c *change) claimTranscript(asked chat.Time, keys MailKeys) (*Letter, error) {
	s := c.session
	letter := &Letter{To: s.Email(), keys: keys, earlier: s.MailedSeq, asked: asked}
	row, err := c.transcriptRow(keys, aboutTranscripts)
	if err != nil || row.ChangedAt >= asked || letter.To == "" || s.Blocked {
		return nil, err
	}
	said, cut, err := c.allSaid()
	if err != nil || len(said) == 0 {
		return nil, err
	}
	outcome, answer, err := c.transcriptFor(letter)
	if err == nil && (outcome == chat.MailedWaiting || outcome == chat.MailedAsked) {
		outcome, err = c.admitMail(letter)
	}
	if err == nil {
		err = c.noteTranscript(keys, asked)
	}
	if err != nil {
		return nil, err
	}
	if outcome != "" {
		return nil, c.endMailing(letter.To, outcome, "")
	}
	c.beginMailing()
	letter.Messages = answer
	if !letter.Asks {
		letter.Messages, letter.Cut, letter.Whole = said, cut, true
	}
	s.MailedSeq = max(s.MailedSeq, letter.Messages[len(letter.Messages)-1].Seq) // it is not sent again as unread
	return letter, c.addressed(letter)
}

// About is what no other e-mail is about: its newest message, or when it was asked for.
func (l *Letter) About() string {
	if l.Whole {
		return l.Session.ID + "\n" + strconv.FormatInt(int64(l.asked), 10)
	}
	return l.Messages[len(l.Messages)-1].ID
}

// allSaid lists the messages of a conversation, oldest first; of a long one the newest.
func (c *change) allSaid() (list []chat.Message, left bool, err error) {
	list, err = c.Messages(chat.MessageQuery{SessionID: c.session.ID, Public: true, Limit: maxTranscript + 1})
	from, size := len(list), 0
	for from > 0 && len(list)-from < maxTranscript {
		size += len(list[from-1].Content)
		if size > maxTranscriptText {
			break
		}
		from--
	}
	said := slices.DeleteFunc(list[from:], func(m chat.Message) bool { return m.DeletedAt != 0 || m.Internal })
	return said, from > 0, err
}

func (c *change) transcriptRow(keys MailKeys, about string) (chat.MailAddress, error) {
	return c.MailAddress(c.session.Site, keys("", about+c.session.ID))
}

// noteTranscript stores when the newest one was asked for that was taken up.
func (c *change) noteTranscript(keys MailKeys, asked chat.Time) error {
	return c.SetMailState(c.session.Site, keys("", aboutTranscripts+c.session.ID), chat.MailUnknown, asked)
}
