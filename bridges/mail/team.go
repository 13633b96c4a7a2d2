package mail

import (
	"context"
	"encoding/json"
	"net/mail"
	"strings"

	gomail "github.com/wneessen/go-mail"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
)

// toTeam sends the e-mail that a delivery's event asks for. One that may have been sent before
// relay ended is not sent again.
func (s *Sink) toTeam(ctx context.Context, d *chat.Delivery) error {
	var asks chat.TeamMail
	if err := json.Unmarshal(d.Event.Payload, &asks); err != nil {
		return err
	}
	ended := func(outcome, reason string) error {
		return s.store(ctx, func(ctx context.Context) error {
			return s.opts.Engine.TeamLetterEnded(ctx, d.SessionID, asks.To, outcome, reason)
		}, nil)
	}
	if d.Ambiguous() {
		return ended(chat.MailedUnknown, "")
	}
	letter, err := s.opts.Engine.TeamLetter(ctx, &d.Event, asks)
	if err != nil || letter == nil {
		return err
	}
	from, err := mail.ParseAddress(s.opts.Engine.SettingsOf(letter.Session.Site).Mail().From)
	if err != nil { // switched off meanwhile
		return nil
	}
	if s.pace.Wait(ctx) != nil {
		return &chat.RetryAfter{After: shortest, Scope: chat.ScopeLane, Cause: errPace}
	}
	server, failed := s.server()
	if failed == nil {
		failed = transmit(ctx, server, s.opts.Base, s.composeToTeam(letter, d, from))
	}
	s.opts.Health.note(failed)
	switch {
	case failed == nil:
		return ended(chat.MailedSent, "")
	case failed.about == aboutUnknown:
		return ended(chat.MailedUnknown, "")
	case failed.final && failed.about != aboutServer:
		return ended(chat.MailedRefused, failed.Details)
	}
	return s.later(failed)
}

// composeToTeam writes an e-mail to somebody of the team: what the visitor wrote, and where to
// answer. Its id is the delivery's, so that it never has two.
func (s *Sink) composeToTeam(l *engine.TeamLetter, d *chat.Delivery, from *mail.Address) *gomail.Msg {
	title := chat.OneLine(s.opts.Engine.Title(&l.Session))
	var b strings.Builder
	b.WriteString(title + "\n" + l.Minutes + "\n\n")
	for _, m := range l.Messages {
		b.WriteString("> " + strings.ReplaceAll(m.Content, "\n", "\n> ") + "\n")
		for _, f := range m.Attachments.V {
			b.WriteString("> [" + f.Filename + "]\n")
		}
		b.WriteString("\n")
	}
	b.WriteString("Answer here:\n" + s.opts.Base + "/console#/sessions/" + l.Session.ID + "\n")
	m := gomail.NewMsg(gomail.WithNoDefaultUserAgent())
	m.FromMailAddress(from)
	m.ToMailAddress(&mail.Address{Address: l.To})
	m.Subject("Not answered: " + title)
	m.SetDate()
	m.SetMessageIDWithValue(chat.Hash("team\n" + d.ID())[:32] + "@" + hostOf(s.opts.Base))
	m.SetGenHeader("Auto-Submitted", "auto-generated")
	m.SetBodyString(gomail.TypeTextPlain, b.String())
	return m
}
