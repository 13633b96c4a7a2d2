package team

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/relay-chat/relay/server/chat"
)

// metaKeyPreferences are the preferences of who uses the secret key and has no account.
const metaKeyPreferences = "key_preferences"

// defaultPreferences are those of who has chosen nothing.
var defaultPreferences = chat.Preferences{Notify: chat.NotifyEverything, Sound: true}

// Languages are those of the console, English first.
var Languages = []string{"en", "de", "fr", "es", "pt", "ja"}

// checkPreferences rejects unknown values.
func checkPreferences(p *chat.Preferences) error {
	switch p.Notify {
	case chat.NotifyEverything, chat.NotifyMine, chat.NotifyNothing:
		if err := chat.CleanViews(p.Views); err != nil {
			return err
		}
		if !slices.Contains([]string{"", chat.FirstStepsHidden, chat.FirstStepsDone}, p.FirstSteps) {
			return chat.ErrorAt(chat.Invalid, "preferences.firstSteps", "preferences.firstSteps must be hidden, done or empty")
		}
		if p.Language != "" && !slices.Contains(Languages, p.Language) {
			return chat.ErrorAt(chat.Invalid, "preferences.language", "preferences.language must be one of "+strings.Join(Languages, ", ")+", or empty for the browser's")
		}
		return checkMails(p)
	}
	return chat.Errorf(chat.Invalid, "preferences.notify must be everything, mine or nothing")
}

// checkMails rejects unknown values of when somebody gets e-mails. What is like never, or like
// at the other sites, is left out.
func checkMails(p *chat.Preferences) error {
	minutes, ok := p.DailyTime()
	if !ok {
		return chat.ErrorAt(chat.Invalid, "preferences.dailyAt", "preferences.dailyAt must be a time like 08:00")
	}
	if p.DailyAt != "" {
		p.DailyAt = fmt.Sprintf("%02d:%02d", minutes/60, minutes%60)
	}
	if p.Mail != (chat.MailWish{}) {
		if err := p.Mail.Check(); err != nil {
			return chat.ErrorAt(chat.Invalid, "preferences.mail", "preferences.mail."+err.Error())
		}
	}
	if p.Mail.When == chat.MailNever {
		p.Mail = chat.MailWish{}
	}
	for site, of := range p.MailSites {
		if err := of.Check(); err != nil {
			return chat.ErrorAt(chat.Invalid, "preferences.mailSites", "preferences.mailSites."+site+"."+err.Error())
		}
		p.MailSites[site] = of
	}
	return nil
}

// noteWishes stores the sign that somebody wants e-mails about visitors' messages, or takes it
// away.
func noteWishes(tx Tx) error {
	people, err := tx.People()
	if err != nil {
		return err
	}
	if slices.ContainsFunc(people, func(p chat.Person) bool { return p.Preferences.V.WantsMails() }) {
		return tx.PutSetting(chat.SettingMailWishes, chat.Raw("true"))
	}
	return tx.DeleteSetting(chat.SettingMailWishes)
}

// WishesOf returns a person's preferences and sites or, for anybody else, what the secret key
// has.
func WishesOf(rd Reader, person string) (chat.Preferences, chat.SiteSet, error) {
	p, err := rd.Person(person)
	if !errors.Is(err, chat.ErrPersonNotFound) {
		return p.Preferences.V, p.Sites, err
	}
	chosen, err := keyPreferences(rd)
	return chosen, nil, err
}

func keyPreferences(rd Reader) (chat.Preferences, error) {
	text, err := rd.Meta(metaKeyPreferences)
	chosen := defaultPreferences
	if err == nil && text != "" {
		err = json.Unmarshal([]byte(text), &chosen)
	}
	return chosen, err
}

// PreferencesOf returns the preferences of a person, or of who uses the secret key with "".
func (t *People) PreferencesOf(ctx context.Context, person string) (p chat.Preferences, err error) {
	err = t.store.ReadOne(ctx, func(rd Reader) error {
		p, _, err = WishesOf(rd, person)
		return err
	})
	return p, err
}

// KeyPreferences returns the preferences of who uses the secret key.
func (t *People) KeyPreferences(ctx context.Context) (p chat.Preferences, err error) {
	err = t.store.ReadOne(ctx, func(rd Reader) error {
		p, err = keyPreferences(rd)
		return err
	})
	return p, err
}

// ChangeKeyPreferences changes the preferences of who uses the secret key.
func (t *People) ChangeKeyPreferences(ctx context.Context, change func(*chat.Preferences)) (p chat.Preferences, err error) {
	err = t.store.Apply(ctx, func(tx Tx) error {
		if p, err = keyPreferences(tx); err != nil {
			return err
		}
		change(&p)
		if err := checkPreferences(&p); err != nil {
			return err
		}
		text, err := json.Marshal(p)
		if err == nil {
			err = tx.PutMeta(metaKeyPreferences, string(text))
		}
		return err
	})
	return p, err
}
