package chat

import (
	"cmp"
	"encoding/json"
	"net/mail"
	"slices"
	"strings"
	"time"
)

// MailSink is the destination of what visitors have not read: it goes to them by e-mail.
const MailSink = "mail"

// MailDelay is how long a visitor has to read an answer in the chat.
const MailDelay = 5 * time.Minute

// The usual ports (RFC 8314, 3.3, and RFC 6409).
const (
	portTLS      = 465
	portStartTLS = 587
)

const (
	mailServerExample = "smtps://name:password@smtp.example.com:465"
	mailFromExample   = "Example Shop <chat@shop.example>"
	maxMailRate       = 6000 // a minute
)

// ParseMailServer reads the address of a server that takes relay's e-mails (RFC 5321): smtps://
// begins with TLS, smtp:// requires STARTTLS.
func ParseMailServer(text string) (MailHost, error) {
	host, u, err := mailHost(text, "smtps", "smtp", mailServerExample, portTLS, portStartTLS)
	if err == nil && u.Path != "" && u.Path != "/" {
		err = checkError("must begin with smtp:// or smtps:// and name a server, like " + mailServerExample)
	}
	return host, err
}

func mailFrom(v string) error {
	a, err := mail.ParseAddress(v)
	if err != nil || CleanAddress(a.Address) == "" {
		return checkError("must be an e-mail address, with or without a name before it, like " + mailFromExample)
	}
	return nil
}

// MailSettings are how the settings want e-mail.
type MailSettings struct {
	Server, From string
	Reply        string // see [MailReply]
	Rate         int    // e-mails a minute, at most
	OAuth        MailOAuth
}

// Mail returns the settings of e-mail.
func (s *Settings) Mail() MailSettings {
	return MailSettings{s.Text("smtpUrl"), s.Text("mailFrom"), s.Text("mailReplyTo"), int(s.Number("mailPerMinute")), s.MailOAuth()}
}

// On reports whether e-mails are sent.
func (m MailSettings) On() bool { return m.Server != "" && m.From != "" }

// Mail reports whether e-mails are sent for any site.
func (s *Sites) Mail() bool {
	return slices.ContainsFunc(s.All(), func(site Site) bool { return s.Settings(site.ID).Mail().On() })
}

// TeamMail is the payload of [EventTeamMail].
type TeamMail struct {
	To     string `json:"to,omitempty"`     // an address, or
	Person string `json:"person,omitempty"` // somebody's id
	Since  Time   `json:"since"`            // the visitor waits since then
	// From is the time of the first message that the e-mail is about, 0 for all since then.
	From Time `json:"from,omitempty"`
	Woke bool `json:"woke,omitempty"` // it tells of the end of a snooze
}

// DailyMail is the payload of [EventDailyMail].
type DailyMail struct {
	Person string `json:"person"`
	Site   string `json:"site,omitempty"` // whose sender it has
	Since  Time   `json:"since"`          // it is about what began since then, and who waits
}

// MailReplied is the payload of [EventMailReply].
type MailReplied struct {
	To        string `json:"to"`
	Subject   string `json:"subject"`   // of the e-mail that it answers
	InReplyTo string `json:"inReplyTo"` // its id
	Content   string `json:"content"`
}

// InvitationMail is the payload of [EventInvitationMail].
type InvitationMail struct {
	ID string `json:"id"` // of the invitation
}

// mailDestinations decides when an event that is for it goes out by e-mail.
func (t *Target) mailDestinations(e *Event, s *Session) []Destination {
	switch {
	case e.Type == EventTeamMail, e.Type == EventDailyMail, e.Type == EventInvitationMail, e.Type == EventMailReply, e.Type == EventTranscriptMail:
		return []Destination{{Dest: t.Name, Delay: e.Wait}}
	case s.Email() == "":
		return nil
	}
	return []Destination{{Dest: t.Name, Delay: t.Delay}}
}

// longestAddress is that of RFC 5321, 4.5.3.1.3, without its angle brackets.
const longestAddress = 254

// CleanAddress returns a bare e-mail address in small letters, in which no two spellings of
// one differ; "" if it is none.
func CleanAddress(text string) string {
	text = strings.ToLower(strings.TrimSpace(text))
	a, err := mail.ParseAddress(text)
	if err != nil || a.Name != "" || a.Address != text || len(text) > longestAddress {
		return ""
	}
	_, domain, _ := strings.Cut(text, "@")
	if strings.ContainsAny(text, "\"\\ \t\r\n<>,;:()[]") || !strings.Contains(domain, ".") || strings.Contains(domain, "..") {
		return "" // valid, but rare, and read differently by programs
	}
	return text
}

// Email is the visitor's e-mail address, "" if none is known. It may be anybody's: nothing
// proves it but the link in an e-mail.
func (s *Session) Email() string {
	email, _ := s.IdentityFacts()["email"].(string)
	return CleanAddress(email)
}

// GivenBy names who gave the visitor's address: the browser, or without a token the session.
func (s *Session) GivenBy() string { return cmp.Or(s.BrowserKey(), s.ID) }

// MailState is what is known of an e-mail address.
type MailState string

// An address is asked once, by an e-mail with the first answer in it.
const (
	MailUnknown   MailState = ""
	MailAsked     MailState = "asked"
	MailConfirmed MailState = "confirmed"
	MailStopped   MailState = "stopped" // its owner wants no more
	MailRefused   MailState = "refused" // its server does not know it
)

// MailAddress is what is known of an e-mail address at a site. It stays when the visitor is
// erased, so that who wants no more gets no more: Key does not show the address.
type MailAddress struct {
	Site      string    `db:"site"`
	Key       string    `db:"address"`
	State     MailState `db:"state"`
	ChangedAt Time      `db:"changed_at"`
	Day       int64     `db:"day"`  // of the latest e-mail, counted since 1970
	Sent      int64     `db:"sent"` // e-mails on that day
}

// DayOf is the number of a time's day (UTC).
func DayOf(at Time) int64 { return int64(at) / (24 * 60 * 60 * 1000) }

// SentOn is how many e-mails the address got on a day.
func (a *MailAddress) SentOn(day int64) int64 {
	if a.Day != day {
		return 0
	}
	return a.Sent
}

// What became of an e-mail.
const (
	MailedWaiting     = "waiting" // of an invitation
	MailedSent        = "sent"
	MailedTranscript  = "transcript"  // sent, with all that was said
	MailedAsked       = "asked"       // and the address is asked for its owner's consent
	MailedUnconfirmed = "unconfirmed" // not sent: the owner has not answered that
	MailedStopped     = "stopped"     // not sent: the owner wants no more
	MailedRefused     = "refused"     // by the server
	MailedLimit       = "limit"       // not sent: the address is asked too often
	MailedUnknown     = "unknown"     // relay, or the line, was interrupted
	MailedBounced     = "bounced"     // it came back
	MailedAnswered    = "answered"    // the visitor did
	MailedDoubtful    = "doubtful"    // somebody did, and there is something to look at
	MailedUnread      = "unread"      // an answer that relay could not read
)

// mailedWords tell operators what became of an e-mail to an address.
var mailedWords = map[string]string{
	MailedSent:        "Sent by e-mail to %.",
	MailedTranscript:  "The transcript was sent by e-mail to %.",
	MailedAsked:       "Sent by e-mail to %, with a link to confirm the address. Until then nothing else goes there.",
	MailedUnconfirmed: "Not sent by e-mail: % has not confirmed the address.",
	MailedStopped:     "Not sent by e-mail: % wants no e-mails about this chat.",
	MailedRefused:     "The e-mail to % was refused.",
	MailedLimit:       "Not sent by e-mail: % has been asked too often today.",
	MailedBounced:     "The e-mail to % came back.",
	MailedUnknown:     "It is not known whether the e-mail to % was sent: the connection broke, or relay ended. It is not sent again.",
}

// Mailed is the payload of [EventMailed].
type Mailed struct {
	At      Time   `json:"at"`
	Outcome string `json:"outcome"`
	To      string `json:"to"`
	Reason  string `json:"reason,omitempty"` // the server's words
	Mail    string `json:"mail,omitempty"`   // of an answer: where all of it is read, see [MailPath]
	// Content is what operators read of it.
	Content string `json:"content"`
}

// MailedTo is what operators are told of an e-mail.
func MailedTo(to, outcome, reason string, at Time) Mailed {
	content := strings.Replace(mailedWords[outcome], "%", to, 1)
	if reason != "" {
		content += " The server answered: " + reason
	}
	return Mailed{At: at, Outcome: outcome, To: to, Reason: reason, Content: content}
}

// mailTroubles are the outcomes that somebody has to know of.
var mailTroubles = map[string]bool{MailedRefused: true, MailedUnknown: true, MailedBounced: true, MailedDoubtful: true, MailedUnread: true}

// mailFailed reports whether an e-mail's outcome needs somebody's attention.
func mailFailed(e *Event) bool {
	var m Mailed
	return json.Unmarshal(e.Payload, &m) == nil && mailTroubles[m.Outcome]
}

// MailReader is the part of a [Reader] about e-mail addresses.
type MailReader interface {
	// MailAddress returns an unknown one when there is none.
	MailAddress(site, key string) (MailAddress, error)
	// ReceivedMail returns ErrMailNotFound when there is none.
	ReceivedMail(sessionID, id string) (ReceivedMail, error)
	// MailWithID finds an e-mail of any session by its id.
	MailWithID(id string) (ReceivedMail, error)
	// ReceivedMails lists the newest e-mails of a session, newest first.
	ReceivedMails(sessionID string, limit int) ([]ReceivedMail, error)
	// MailsOn counts the e-mails that an address got on a day, from all sites.
	MailsOn(key string, day int64) (int64, error)
}

// MailTx is the part of a [Tx] about e-mail addresses.
type MailTx interface {
	// SetMailState changes nothing else of an address, nor does CountMail, which counts n more
	// e-mails on a day, or fewer.
	SetMailState(site, key string, state MailState, at Time) error
	CountMail(site, key string, day, n int64) error
	PutReceivedMail(m *ReceivedMail) error
	// ForgetReceivedMail empties the e-mail that a message was made of, if it was made of one.
	ForgetReceivedMail(sessionID, messageID string) error
}
