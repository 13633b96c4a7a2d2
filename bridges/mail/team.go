package mail

import (
	"cmp"
	"context"
	"encoding/json"
	"net/mail"
	"strings"

	gomail "github.com/wneessen/go-mail"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
)

// errand is an e-mail that an event asks for, to somebody of the team.
type errand struct {
	// letter writes it, at the moment when it is sent; nil if there is no reason any more.
	letter func(ctx context.Context, from *mail.Address) (*gomail.Msg, error)
	// ended stores what became of it.
	ended func(ctx context.Context, outcome, reason string) error
	site  string // whose sender it has
}

// errandOf returns the errand of an event; ok is false for the others, which are for visitors.
func (s *Sink) errandOf(d *chat.Delivery) (e errand, ok bool, err error) {
	switch d.Event.Type {
	case chat.EventTeamMail:
		e, err = s.teamErrand(d)
	case chat.EventDailyMail:
		e, err = s.dailyErrand(d)
	case chat.EventInvitationMail:
		e, err = s.invitationErrand(d)
	case chat.EventMailReply:
		e, err = s.replyErrand(d)
	default:
		return e, false, nil
	}
	return e, true, err
}

// run sends an e-mail to the team. One that may have been sent before relay ended is not sent
// again.
func (s *Sink) run(ctx context.Context, e errand, again bool) error {
	ended := func(outcome, reason string) error {
		return s.store(ctx, func(ctx context.Context) error { return e.ended(ctx, outcome, reason) }, nil)
	}
	if again {
		return ended(chat.MailedUnknown, "")
	}
	from, err := mail.ParseAddress(s.opts.Engine.SettingsOf(e.site).Mail().From)
	if err != nil { // switched off meanwhile
		return nil
	}
	if s.pace.Wait(ctx) != nil {
		return &chat.RetryAfter{After: shortest, Scope: chat.ScopeLane, Cause: errPace}
	}
	server, failed := s.server()
	if failed == nil {
		letter, err := e.letter(ctx, from)
		if err != nil || letter == nil {
			return err
		}
		failed = server.transmit(ctx, letter)
	}
	s.opts.Health.note(failed)
	switch outcome := failed.outcome(); outcome {
	case later:
		return s.retry(failed)
	case chat.MailedRefused:
		return ended(outcome, failed.Details)
	default:
		return ended(outcome, "")
	}
}

// composeToTeam writes an e-mail to somebody of the team. Its id is the delivery's, so that it never
// has two.
func (s *Sink) composeToTeam(d *chat.Delivery, from *mail.Address, to, subject, text string) *gomail.Msg {
	thread := ""
	if d.Event.Type == chat.EventTeamMail {
		thread = s.opts.Threads.Member(d.SessionID, chat.CleanAddress(to))
	}
	m := newLetter(from, to, chat.OneLine(subject), letterID("team\n"+d.ID(), thread, hostOf(s.opts.Base)))
	if reply := chat.MailReply(s.opts.Engine.SettingsOf(d.Site).Mail().Reply, from.Address, thread); thread != "" && reply != "" && s.answerable() {
		m.SetGenHeader("Reply-To", "<"+reply+">")
	}
	m.SetBodyString(gomail.TypeTextPlain, text)
	return m
}

// teamErrand tells that a visitor waits, and what the visitor wrote.
func (s *Sink) teamErrand(d *chat.Delivery) (e errand, err error) {
	var asks chat.TeamMail
	if err := json.Unmarshal(d.Event.Payload, &asks); err != nil {
		return e, err
	}
	e.site = d.Site
	e.ended = func(ctx context.Context, outcome, reason string) error {
		return s.opts.Engine.TeamLetterEnded(ctx, d.SessionID, asks, outcome, reason)
	}
	e.letter = func(ctx context.Context, from *mail.Address) (*gomail.Msg, error) {
		l, err := s.opts.Engine.TeamLetter(ctx, &d.Event, asks)
		if err != nil || l == nil {
			return nil, err
		}
		title := s.opts.Engine.Title(&l.Session)
		letter := s.composeToTeam(d, from, l.To, subjectToTeam(l, title), s.waitingText(l, title, asks.Person != ""))
		if l.Now || l.Woke {
			inOneThread(letter, &l.Session, hostOf(s.opts.Base))
		}
		return letter, nil
	}
	return e, nil
}

// subjectToTeam is the same for all e-mails about new messages of a visitor.
func subjectToTeam(l *engine.TeamLetter, title string) string {
	switch {
	case l.Now:
		return "Message from " + title
	case l.Woke:
		return "No longer snoozed: " + title
	}
	return "Not answered: " + title
}

// inOneThread lets mail programs show all e-mails about a conversation together.
func inOneThread(letter *gomail.Msg, session *chat.Session, host string) {
	letter.SetGenHeader(gomail.HeaderReferences, "<"+letterID("team\n"+session.ID, "", host)+">")
}

// waitingText is what a visitor wrote, and where to answer; chosen is for who chose such e-mails.
func (s *Sink) waitingText(l *engine.TeamLetter, title string, chosen bool) string {
	var b strings.Builder
	b.WriteString(chat.OneLine(title) + "\n")
	switch {
	case l.Woke:
		b.WriteString("The snooze has ended, and the visitor waits for an answer.\n")
	case !l.Now:
		b.WriteString(l.Minutes + "\n")
	}
	b.WriteString("\n")
	for _, m := range l.Messages {
		b.WriteString("> " + strings.ReplaceAll(m.Content, "\n", "\n> ") + "\n")
		for _, f := range m.Attachments.V {
			b.WriteString("> [" + f.Filename + "]\n")
		}
		b.WriteString("\n")
	}
	if s.answerable() {
		b.WriteString("Answer this e-mail: what you write goes to the visitor. A first line like !note or !close works as in a channel.\n\n")
	}
	b.WriteString("Answer here:\n" + s.consoleLink(&l.Session) + "\n")
	if chosen {
		b.WriteString("\n" + s.choice())
	}
	return b.String()
}

// choice says where somebody of the team chooses e-mails.
func (s *Sink) choice() string {
	return "When you get e-mails is up to you:\n" + s.opts.Base + "/console#/account\n"
}

// consoleLink is where a conversation is in the console.
func (s *Sink) consoleLink(session *chat.Session) string {
	return s.opts.Base + "/console#/sessions/" + session.ID
}

// answerable reports whether answers to e-mails are read.
func (s *Sink) answerable() bool { return s.opts.Engine.Settings().Mailbox().On() }

// replyErrand tells somebody of the team what became of an e-mail.
func (s *Sink) replyErrand(d *chat.Delivery) (e errand, err error) {
	var reply chat.MailReplied
	if err := json.Unmarshal(d.Event.Payload, &reply); err != nil {
		return e, err
	}
	e.site = d.Site
	e.ended = func(context.Context, string, string) error { return nil } // whoever gets none asks
	e.letter = func(_ context.Context, from *mail.Address) (*gomail.Msg, error) {
		m := s.composeToTeam(d, from, reply.To, subjectAfter(&chat.ReceivedMail{Subject: reply.Subject}, "Your e-mail to relay"), reply.Content+"\n")
		m.SetGenHeader("Auto-Submitted", "auto-replied")
		if reply.InReplyTo != "" {
			m.SetGenHeader(gomail.HeaderInReplyTo, reply.InReplyTo)
			m.SetGenHeader(gomail.HeaderReferences, reply.InReplyTo)
		}
		return m, nil
	}
	return e, nil
}

// invitationErrand sends a link with which somebody joins the team, or sets a new password.
func (s *Sink) invitationErrand(d *chat.Delivery) (e errand, err error) {
	var asks chat.InvitationMail
	if err := json.Unmarshal(d.Event.Payload, &asks); err != nil {
		return e, err
	}
	e.ended = func(ctx context.Context, outcome, reason string) error {
		return s.opts.Engine.InvitationMailed(ctx, asks.ID, outcome, reason)
	}
	e.letter = func(ctx context.Context, from *mail.Address) (*gomail.Msg, error) {
		i, err := s.opts.Engine.RenewInvitation(ctx, asks.ID)
		if err != nil || i == nil {
			return nil, err
		}
		by, at := cmp.Or(i.InvitedBy, "An administrator"), s.opts.Base+"/console"
		subject, text := by+" invites you to answer visitors", by+" invites you to answer visitors' chats at "+at+".\n\nChoose a name and a password here:\n"
		if i.Person != "" {
			subject, text = "A new password for relay", "Choose a new password for "+at+" here:\n"
		}
		text += s.opts.Links.Invitation(i.Secret) + "\n\nThe link works once, until " + i.ExpiresAt.Std().Format("2 January 2006, 15:04 MST") + ". If you do not know what this is about, ignore this e-mail.\n"
		return s.composeToTeam(d, from, i.To, subject, text), nil
	}
	return e, nil
}
