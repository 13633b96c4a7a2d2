package chat

import "strings"

// Role is what a person may do.
type Role string

// Administrators may do everything. Operators answer: they change no settings, people or
// keys, and delete nothing for good.
const (
	RoleAdministrator Role = "administrator"
	RoleOperator      Role = "operator"
)

// Valid reports whether the role exists.
func (r Role) Valid() bool { return r == RoleAdministrator || r == RoleOperator }

// Person answers visitors, or administers relay.
type Person struct {
	ID        string `json:"id" db:"id"`
	Name      string `json:"name" db:"name"`
	Email     string `json:"email,omitempty" db:"email"` // in small letters
	Role      Role   `json:"role" db:"role"`
	Password  string `json:"-" db:"password"` // its hash, "" for none
	Face      string `json:"-" db:"face"`     // changes with the picture, "" for none
	CreatedAt Time   `json:"createdAt" db:"created_at"`
	// Sites are those whose visitors the person answers.
	Sites SiteSet `json:"sites,omitzero" db:"sites"`

	Preferences JSON[Preferences] `json:"-" db:"preferences"`
	// PlatformNames is what the person is called on platforms.
	PlatformNames []PlatformName `json:"platformNames" db:"-"`
}

// PlatformName is what a person is called on a platform: by the platform's id, or by a user
// name with or without @.
type PlatformName struct {
	Bridge string `json:"bridge" db:"bridge"`
	Name   string `json:"name" db:"name"`
}

// ErrPersonNotFound means that there is no such person in the team.
var ErrPersonNotFound = &Error{Kind: NotFound, Text: "Person not found"}

// Face is a person's picture.
type Face struct {
	MimeType string `db:"mime_type"`
	Data     []byte `db:"data"`
}

// NameKey is what names are compared by: without case and double spaces. No two people
// share it.
func NameKey(name string) string { return strings.ToLower(strings.Join(strings.Fields(name), " ")) }

// Preferences are somebody's own settings.
type Preferences struct {
	// Notify is everything, mine (also what nobody was given yet) or nothing.
	Notify string `json:"notify"`
	Sound  bool   `json:"sound"`
	// PushContent: notifications show what the visitor wrote.
	PushContent bool `json:"pushContent"`
	// Mail is when the person gets e-mails about visitors, MailSites where it is something else
	// at a site, by the site's public id.
	Mail      MailWish            `json:"mail,omitzero"`
	MailSites map[string]MailWish `json:"mailSites,omitempty"`
	DailyAt   string              `json:"dailyAt,omitempty"` // a time like 08:00, which is also that of ""
	// Views are the lists of conversations that the person has saved, in their order.
	Views []SavedView `json:"views,omitempty"`
	// FirstSteps: the steps of a new relay are hidden, or done; "" shows what is left of them.
	FirstSteps string `json:"firstSteps,omitempty"`
	// Language is that of the console, "" for the browser's.
	Language string `json:"language,omitempty"`
}

// Values of Preferences.FirstSteps.
const (
	FirstStepsHidden = "hidden"
	FirstStepsDone   = "done"
)

// Values of Preferences.Notify.
const (
	NotifyEverything = "everything"
	NotifyMine       = "mine"
	NotifyNothing    = "nothing"
)

// Wants reports whether a person is notified of a session.
func (p *Preferences) Wants(person string, s *Session) bool {
	return (p.Notify == NotifyEverything || p.Notify == NotifyMine) && p.Concerns(person, s)
}

// Concerns reports whether a session is everybody's or the person's, or the person wants to know
// of all.
func (p *Preferences) Concerns(person string, s *Session) bool {
	return p.Notify == NotifyEverything || s.Assignee == "" || s.Assignee == person
}
