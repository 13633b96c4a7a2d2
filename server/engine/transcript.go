package engine

import (
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

var (
	errNoMail       = chat.Errorf(chat.Conflict, "E-mail is not set up for this website: set smtpUrl and mailFrom first")
	errNoAddress    = chat.Errorf(chat.Conflict, "The visitor's e-mail address is not known")
	errNoTranscript = chat.Errorf(chat.Conflict, "Nothing was said in this conversation yet")
)

// AskTranscript asks for an e-mail to the visitor with all that was said, and returns what becomes
// of it: [chat.MailedWaiting] if it goes out, [chat.MailedAsked] if the address is asked for its
// owner's consent instead, and otherwise why nothing does.
func (m *mails) AskTranscript(ctx context.Context, by chat.Author, sessionID string, keys MailKeys) (outcome string, err error) {
	err = m.relay.change(ctx, by, sessionID, func(c *change) (err error) {
		l := &Letter{To: c.session.Email(), keys: keys}
		switch {
		case m.relay.backend || !c.settings.Mail().On():
			return errNoMail
		case c.session.Blocked:
			return chat.ErrBlocked
		case l.To == "":
			return errNoAddress
		case !c.session.Started():
			return errNoTranscript
		}
		outcome, err = c.askTranscript(l)
		return err
	})
	return outcome, err
}

func (c *change) askTranscript(l *Letter) (outcome string, err error) {
	row, err := c.transcriptRow(l.keys)
	if err != nil || row.SentOn(chat.DayOf(c.at)) >= transcriptsADay {
		return chat.MailedLimit, err
	}
	outcome, _, err = c.transcriptFor(l)
	if err != nil || outcome != chat.MailedWaiting && outcome != chat.MailedAsked {
		return outcome, err
	}
	if err := c.CountMail(row.Site, row.Key, chat.DayOf(c.at), 1); err != nil {
		return "", err
	}
	return outcome, c.emitFact(chat.EventTranscriptMail, struct{}{})
}

// transcriptFor decides what an address gets whose owner may not have confirmed it: then nothing
// but the e-mail that asks for that, with the team's last answer in it.
func (c *change) transcriptFor(l *Letter) (outcome string, answer []chat.Message, err error) {
	address, err := c.mailAddress(l, "")
	if err != nil {
		return "", nil, err
	}
	given, err := c.mailAddress(l, c.session.GivenBy())
	switch {
	case err != nil:
		return "", nil, err
	case address.State == chat.MailStopped:
		return chat.MailedStopped, nil, nil
	case address.State == chat.MailRefused:
		return chat.MailedRefused, nil, nil
	case given.State == chat.MailConfirmed:
		return chat.MailedWaiting, nil, nil
	case given.State == chat.MailAsked:
		return chat.MailedUnconfirmed, nil, nil
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
	letter, err := m.claimBy(ctx, sessionID, func(c *change) (*Letter, error) { return c.claimTranscript(asked, keys) })
	if err != nil || letter == nil || !letter.Whole {
		return letter, err
	}
	letter.Messages, letter.Cut, err = m.allSaid(ctx, sessionID)
	return letter, err
}

func (c *change) claimTranscript(asked chat.Time, keys MailKeys) (*Letter, error) {
	s := c.session
	letter := &Letter{To: s.Email(), keys: keys, earlier: s.MailedSeq, asked: asked}
	row, err := c.transcriptRow(keys)
	if err != nil || row.ChangedAt >= asked || letter.To == "" || s.Blocked {
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
	letter.Messages, letter.Whole = answer, !letter.Asks
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
func (m *mails) allSaid(ctx context.Context, sessionID string) (list []chat.Message, left bool, err error) {
	err = m.relay.store.Read(ctx, func(rd chat.Reader) (err error) {
		list, err = rd.Messages(chat.MessageQuery{SessionID: sessionID, Public: true, Limit: maxTranscript + 1})
		return err
	})
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

func (c *change) transcriptRow(keys MailKeys) (chat.MailAddress, error) {
	return c.MailAddress(c.session.Site, keys("", aboutTranscripts+c.session.ID))
}

// noteTranscript stores when the newest one was asked for that was taken up.
func (c *change) noteTranscript(keys MailKeys, asked chat.Time) error {
	return c.SetMailState(c.session.Site, keys("", aboutTranscripts+c.session.ID), chat.MailUnknown, asked)
}
