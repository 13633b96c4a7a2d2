package engine

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/relay-chat/relay/server/chat"
)

// memberMails is the sink of the visitors' messages of which somebody of the team wants to know
// by e-mail, each delivered once there was time to answer.
type memberMails struct{ relay *Relay }

// MemberMails returns the sink that asks for e-mails to the team.
func (r *Relay) MemberMails() chat.Sink { return memberMails{r} }

func (memberMails) Name() string { return chat.MembersSink }

func (memberMails) Policy() chat.Policy {
	return chat.Policy{Parallel: 4, Batch: 50, Timeout: time.Minute, Attempts: 100, MaxAge: 24 * time.Hour,
		Backoff: chat.Backoff(time.Second, time.Minute)}
}

// Deliver asks for the e-mails about all that was said since the first of the messages. The session
// knows up to which revision that was done, so that it is done once.
func (m memberMails) Deliver(ctx context.Context, lane []chat.Delivery) (int, error) {
	first, newest := &lane[0].Event, &lane[len(lane)-1].Event
	err := m.relay.change(ctx, chat.Author{Source: chat.SourceRelay}, newest.SessionID, func(c *change) error {
		s := c.session
		if newest.Rev <= s.MemberMailRev || s.WaitingSince == 0 || s.Status != chat.StatusOpen || s.Blocked || !c.settings.Mail().On() {
			return nil
		}
		s.MemberMailRev = s.Rev // what was said meanwhile goes along
		return c.askMemberMails(first.At)
	})
	if err != nil && !errors.Is(err, chat.ErrSessionNotFound) { // erased meanwhile
		return 0, err
	}
	return len(lane), nil
}

// askMemberMails asks for the e-mails about a visitor's messages since a time. Who wants to know
// of visitors that nobody answers gets one for a wait that has begun with these messages.
func (c *change) askMemberMails(from chat.Time) error {
	s := c.session
	people, err := c.People()
	for i := 0; i < len(people) && err == nil; i++ {
		p := &people[i]
		asks := chat.TeamMail{Person: p.ID, Since: s.WaitingSince}
		switch wish := mailWish(p, s); {
		case wish.When == chat.MailNow:
			asks.From = from
			err = c.emitFact(chat.EventTeamMail, asks)
		case wish.When == chat.MailUnanswered && s.WaitingSince >= from:
			e := chat.NewEvent(chat.EventTeamMail, chat.SourceRelay, c.at, s.ID, asks)
			e.Wait = max(s.WaitingSince.Add(wish.Wait()).Sub(c.at), 0)
			err = c.emit(e)
		}
	}
	return err
}

// askWokenMails asks for the e-mails about the end of a snooze: at once, or when the visitor has
// waited as long as a person said, unless what the visitor wrote has asked for that already.
func (c *change) askWokenMails() error {
	if !c.settings.Mail().On() {
		return nil
	}
	s := c.session
	people, err := c.People()
	for i := 0; i < len(people) && err == nil; i++ {
		wish := mailWish(&people[i], s)
		e := chat.NewEvent(chat.EventTeamMail, chat.SourceRelay, c.at, s.ID, chat.TeamMail{Person: people[i].ID, Since: s.WaitingSince, Woke: true})
		switch due := s.WaitingSince.Add(wish.Wait()); {
		case wish.When == chat.MailUnanswered && (s.WaitingSince == c.at || due <= c.at):
			e.Wait = max(due.Sub(c.at), 0)
		case wish.When != chat.MailNow:
			continue
		}
		err = c.emit(e)
	}
	return err
}

// mailWish is when somebody of the team gets e-mails about a session: never about others'.
func mailWish(p *chat.Person, s *chat.Session) chat.MailWish {
	if !p.Sites.Has(s.Site) || !p.Preferences.V.Concerns(p.ID, s) || chat.CleanAddress(p.Email) == "" {
		return chat.MailWish{When: chat.MailNever}
	}
	return p.Preferences.V.MailOf(s.Site)
}

// stillWanted finds whom an e-mail to somebody of the team goes to; nil if the person does not
// want it any more, or somebody reads or has read what it is about.
func (m *mails) stillWanted(rd chat.Reader, s *chat.Session, asks chat.TeamMail) (*chat.Person, error) {
	p, err := rd.Person(asks.Person)
	if errors.Is(err, chat.ErrPersonNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	wants := []string{chat.MailUnanswered}
	switch {
	case asks.Woke:
		wants = append(wants, chat.MailNow)
	case asks.From != 0:
		wants = []string{chat.MailNow}
	}
	switch {
	case !slices.Contains(wants, mailWish(&p, s).When), s.Blocked, s.SnoozedUntil != 0,
		asks.From != 0 && (s.Unread == 0 || m.relay.Viewed(s.ID)):
		return nil, nil
	}
	return &p, nil
}
