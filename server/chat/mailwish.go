package chat

import (
	"errors"
	"strconv"
	"time"
)

// When somebody of the team gets an e-mail about visitors.
const (
	MailNever      = "never"
	MailNow        = "now"        // about every message that is not answered or read within [MemberMailDelay]
	MailUnanswered = "unanswered" // once nobody has answered for some minutes
	MailDaily      = "daily"      // once a day, about who waits
)

// MemberMailDelay is how long somebody has to answer before the team gets e-mails.
const MemberMailDelay = time.Minute

// Bounds and defaults of the wishes.
const (
	maxMailMinutes     = 24 * 60
	defaultMailMinutes = 15
	defaultDailyAt     = "08:00"
)

// SettingMailWishes is the stored sign, among the settings, that somebody of the team wants
// e-mails about visitors: without it nothing is written for them.
const SettingMailWishes = "mailWishes"

// MailWish is when somebody of the team gets e-mails.
type MailWish struct {
	When    string `json:"when"`
	Minutes int    `json:"minutes,omitempty"` // of waiting, with MailUnanswered
}

// Check rejects unknown values, and completes the others.
func (w *MailWish) Check() error {
	switch {
	case w.When != MailNever && w.When != MailNow && w.When != MailUnanswered && w.When != MailDaily:
		return errors.New("when must be never, now, unanswered or daily")
	case w.When != MailUnanswered:
		w.Minutes = 0
	case w.Minutes == 0:
		w.Minutes = defaultMailMinutes
	case w.Minutes < 0 || w.Minutes > maxMailMinutes:
		return errors.New("minutes must be from 1 to " + strconv.Itoa(maxMailMinutes))
	}
	return nil
}

// Wait is how long a visitor waits before the e-mail.
func (w MailWish) Wait() time.Duration { return time.Duration(w.Minutes) * time.Minute }

// eventful reports whether messages of visitors lead to e-mails.
func (w MailWish) eventful() bool { return w.When == MailNow || w.When == MailUnanswered }

// MailOf returns when a person gets e-mails about a site's visitors.
func (p *Preferences) MailOf(site string) MailWish {
	if of, own := p.MailSites[SiteName(site)]; own {
		return of
	}
	return p.Mail
}

// WantsMails reports whether messages of visitors of any site lead to e-mails to the person.
func (p *Preferences) WantsMails() bool {
	for _, of := range p.MailSites {
		if of.eventful() {
			return true
		}
	}
	return p.Mail.eventful()
}

// DailyTime is when the daily e-mail is due, in minutes since midnight.
func (p *Preferences) DailyTime() (minutes int, ok bool) {
	text := p.DailyAt
	if text == "" {
		text = defaultDailyAt
	}
	at, err := time.Parse("15:04", text)
	return at.Hour()*60 + at.Minute(), err == nil
}

// MailWished reports whether somebody of the team wants e-mails about visitors' messages.
func (s *Settings) MailWished() bool { return s.mailWished }
