package mail

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
)

// transcript sends what an event asks for: all that was said, or before that the e-mail that asks
// for its owner's consent.
func (s *Sink) transcript(ctx context.Context, d *chat.Delivery) error {
	if s.pace.Wait(ctx) != nil {
		return &chat.RetryAfter{After: shortest, Scope: chat.ScopeLane, Cause: errPace}
	}
	letter, err := s.opts.Engine.ClaimTranscript(ctx, d.SessionID, d.Event.At, s.opts.Links.Key)
	if err != nil || letter == nil {
		return err
	}
	return s.send(ctx, letter)
}

// subjectOf is the subject of a letter; a transcript answers nothing.
func subjectOf(l *engine.Letter, subject string) string {
	if l.Whole {
		return subject
	}
	return subjectAfter(l.Answered, subject)
}

// zoneOf is where the visitor is, as far as the browser said.
func zoneOf(s *chat.Session) *time.Location {
	zone, err := time.LoadLocation(s.Metadata.V.Timezone)
	if err != nil || s.Metadata.V.Timezone == "Local" {
		return time.UTC
	}
	return zone
}

// above stands above the messages: what a transcript is, and whether something is missing.
func (p *page) above() (lines []string) {
	if p.zone != nil {
		lines = append(lines, p.Copy)
	}
	if p.cut {
		lines = append(lines, p.LeftOut)
	}
	return lines
}

// headOf stands above a message of a transcript.
func (p *page) headOf(m *chat.Message, who string) string {
	if m.Sender == chat.SenderAI && !strings.Contains(who, p.AI) {
		who += " (" + p.AI + ")"
	}
	return chat.OneLine(who) + " · " + p.dateOf(m.Timestamp.Std().In(p.zone))
}

// dateOf is a time as people of the language write it.
func (p *page) dateOf(at time.Time) string {
	return strings.NewReplacer("{d}", strconv.Itoa(at.Day()), "{m}", strings.Fields(p.Months)[at.Month()-1], "{y}", strconv.Itoa(at.Year()),
		"{t}", at.Format("15:04 MST")).Replace(p.Date)
}

// TranscriptAnswer tells a visitor what becomes of a transcript, in a language or else the site's.
func TranscriptAnswer(language string, settings *chat.Settings, outcome string) string {
	words := languages()[knownLanguage(language, settings.Text("language"))]
	switch outcome {
	case chat.MailedWaiting:
		return words.Coming
	case chat.MailedAsked, chat.MailedUnconfirmed:
		return words.Confirm
	case chat.MailedLimit:
		return words.Enough
	}
	return words.NoMail
}
