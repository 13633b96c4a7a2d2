package engine

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/relay-chat/relay/server/chat"
)

// dailyLate is how long after its time a daily e-mail still goes out: relay may have been down.
const dailyLate = 4 * time.Hour

// dailyRest is how long before its time the latest one went out at least: somebody may choose
// another time.
const dailyRest = 12 * time.Hour

// metaDailyMails is when each person's latest daily e-mail was asked for.
const metaDailyMails = "daily_mails"

// askDailyMails asks for the daily e-mails that are due.
func (m *mails) askDailyMails(ctx context.Context, now chat.Time) error {
	if m.relay.backend || !m.relay.Sites().Mail() {
		return nil
	}
	var due []chat.DailyMail
	err := m.relay.store.Read(ctx, func(rd chat.Reader) (err error) {
		due, _, err = m.dailyDue(rd, now)
		return err
	})
	if err != nil || len(due) == 0 {
		return err
	}
	return m.relay.transact(ctx, chat.Author{Source: chat.SourceRelay}, lockSystemSession, func(c *change) error {
		due, asked, err := m.dailyDue(c, now)
		for i := 0; i < len(due) && err == nil; i++ {
			asked[due[i].Person] = now
			err = c.emitFact(chat.EventDailyMail, due[i])
		}
		if err != nil {
			return err
		}
		return c.PutMeta(metaDailyMails, string(chat.MustJSON(asked)))
	})
}

// dailyDue lists the daily e-mails that are due, and when each person got the latest.
func (m *mails) dailyDue(rd chat.Reader, now chat.Time) (due []chat.DailyMail, asked map[string]chat.Time, err error) {
	stored, err := rd.Meta(metaDailyMails)
	if err != nil {
		return nil, nil, err
	}
	before := map[string]chat.Time{}
	_ = json.Unmarshal([]byte(cmp.Or(stored, "{}")), &before) // nothing was asked for then
	people, err := rd.People()
	asked = map[string]chat.Time{}
	for i := range people {
		p := &people[i]
		if last, known := before[p.ID]; known {
			asked[p.ID] = last
		}
		if of := m.dailySites(p); len(of) > 0 && dailyIsDue(&p.Preferences.V, m.relay.Settings().TimeZone(), asked[p.ID], now) {
			due = append(due, chat.DailyMail{Person: p.ID, Site: of[0], Since: now.Add(-24 * time.Hour)})
		}
	}
	return due, asked, err
}

// dailySites are the sites that a person's daily e-mail is about.
func (m *mails) dailySites(p *chat.Person) (of chat.SiteSet) {
	if chat.CleanAddress(p.Email) == "" {
		return nil
	}
	sites := m.relay.Sites()
	for _, site := range sites.In(p.Sites) {
		if p.Preferences.V.MailOf(site.ID).When == chat.MailDaily && sites.Settings(site.ID).Mail().On() {
			of = append(of, site.ID)
		}
	}
	return of
}

// dailyIsDue reports whether a daily e-mail is due, in a time zone, that was sent last at a time.
func dailyIsDue(p *chat.Preferences, zone *time.Location, last, now chat.Time) bool {
	minutes, ok := p.DailyTime()
	at := now.Std().In(zone)
	due := time.Date(at.Year(), at.Month(), at.Day(), 0, minutes, 0, 0, zone)
	if due.After(at) {
		due = time.Date(at.Year(), at.Month(), at.Day()-1, 0, minutes, 0, 0, zone)
	}
	return ok && at.Sub(due) < dailyLate && due.Sub(last.Std()) > dailyRest
}

// Limits of a daily e-mail.
const (
	maxDailyWaiting = 30
	MaxDailyActive  = 100
)

// DailyLetter is somebody's daily e-mail.
type DailyLetter struct {
	To      string
	Waiting []chat.Session // of them, who has waited longest first
	More    bool           // more wait
	Active  int            // conversations with news since then, at most [MaxDailyActive]
}

// DailyLetter returns somebody's daily e-mail; nil if there is nothing to tell, or it is not
// wanted any more.
func (m *mails) DailyLetter(ctx context.Context, asks chat.DailyMail) (letter *DailyLetter, err error) {
	err = m.relay.store.Read(ctx, func(rd chat.Reader) error {
		p, err := rd.Person(asks.Person)
		if errors.Is(err, chat.ErrPersonNotFound) {
			return nil
		}
		of := m.dailySites(&p)
		if err != nil || len(of) == 0 {
			return err
		}
		letter, err = dailyLetter(rd, &p, of, asks.Since)
		return err
	})
	return letter, err
}

func dailyLetter(rd chat.Reader, p *chat.Person, of chat.SiteSet, since chat.Time) (*DailyLetter, error) {
	letter := &DailyLetter{To: chat.CleanAddress(p.Email)}
	waiting, err := rd.Sessions(chat.SessionQuery{Waiting: true, Sites: of, Limit: MaxDailyActive})
	if err != nil {
		return nil, err
	}
	for i := range waiting {
		if !p.Preferences.V.Concerns(p.ID, &waiting[i]) {
			continue
		}
		if letter.More = len(letter.Waiting) == maxDailyWaiting; letter.More {
			break
		}
		letter.Waiting = append(letter.Waiting, waiting[i])
	}
	recent, err := rd.Sessions(chat.SessionQuery{Sites: of, Limit: MaxDailyActive})
	for i := range recent {
		if recent[i].LastActivity >= since && p.Preferences.V.Concerns(p.ID, &recent[i]) {
			letter.Active++
		}
	}
	if err != nil || len(letter.Waiting) == 0 && letter.Active == 0 {
		return nil, err
	}
	return letter, nil
}
