package mail

import (
	"context"
	"encoding/json"
	"net/mail"
	"strconv"
	"strings"

	gomail "github.com/wneessen/go-mail"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
)

// dailyErrand tells somebody of the team who waits.
func (s *Sink) dailyErrand(d *chat.Delivery) (e errand, err error) {
	var asks chat.DailyMail
	if err := json.Unmarshal(d.Event.Payload, &asks); err != nil {
		return e, err
	}
	e.site = asks.Site
	e.ended = func(context.Context, string, string) error { return nil } // the next one comes tomorrow
	e.letter = func(ctx context.Context, from *mail.Address) (*gomail.Msg, error) {
		l, err := s.opts.Engine.DailyLetter(ctx, asks)
		if err != nil || l == nil {
			return nil, err
		}
		return s.composeToTeam(d, from, l.To, dailySubject(l), s.dailyText(l)), nil
	}
	return e, nil
}

func dailySubject(l *engine.DailyLetter) string {
	switch n := len(l.Waiting); {
	case l.More:
		return "More than " + strconv.Itoa(n) + " visitors wait for an answer"
	case n == 0:
		return "No visitor waits for an answer"
	case n == 1:
		return "1 visitor waits for an answer"
	default:
		return strconv.Itoa(n) + " visitors wait for an answer"
	}
}

// dailyText lists who waits, with links.
func (s *Sink) dailyText(l *engine.DailyLetter) string {
	var b strings.Builder
	b.WriteString(dailySubject(l) + ".\n")
	switch n := l.Active; {
	case n == 0:
	case n == 1:
		b.WriteString("There was something new in 1 conversation since yesterday.\n")
	case n == engine.MaxDailyActive:
		b.WriteString("There was something new in " + strconv.Itoa(n) + " conversations or more since yesterday.\n")
	default:
		b.WriteString("There was something new in " + strconv.Itoa(n) + " conversations since yesterday.\n")
	}
	now := chat.Now()
	for i := range l.Waiting {
		session := &l.Waiting[i]
		b.WriteString("\n" + chat.OneLine(s.opts.Engine.Title(session)) + "\n" + chat.UnansweredSince(session.WaitingSince, now).Content +
			"\n" + s.consoleLink(session) + "\n")
	}
	b.WriteString("\n" + s.choice())
	return b.String()
}
