package chat

import "strings"

// The states of e-mail, see [MailStatus].
const (
	MailOff     = "off"
	MailRunning = "running"
	MailFailing = "failing"
)

// MailStatus is how e-mail is doing.
type MailStatus struct {
	State     string `json:"state"`
	LastError string `json:"lastError,omitempty"`
	Fix       string `json:"fix,omitempty"`
	Since     Time   `json:"since,omitzero"` // since when it fails
	Queue     int    `json:"queue"`          // answers that wait to be read or to go out
	// Mailbox is how reading the answers is doing.
	Mailbox MailboxStatus `json:"mailbox"`
	// Consent is about signing in without a password, for who administers relay.
	Consent *MailConsentState `json:"consent,omitempty"`
}

// MailConsentState is whether somebody can be asked to let relay use a mailbox.
type MailConsentState struct {
	RedirectURL string `json:"redirectUrl,omitempty"` // where the provider has to lead back to
	Problem     string `json:"problem,omitempty"`     // why nobody can be asked
}

// MailConsent is what came of asking somebody to let relay use a mailbox.
type MailConsent struct {
	OK    bool   `json:"ok"`
	Error string `json:"error,omitempty"`
	Fix   string `json:"fix,omitempty"`
	Token string `json:"-"` // the refresh token
}

// longestRefusal bounds a provider's words.
const longestRefusal = 300

// ConsentRefused is the answer of somebody who did not agree, with the provider's words.
func ConsentRefused(o MailOAuth, code, description string) MailConsent {
	p, _ := ParseMailProvider(o.Provider) // which was checked when it was set
	words := Clip(OneLine(strings.Trim(code+": "+description, ": ")), longestRefusal)
	return MailConsent{Error: strings.TrimSuffix(p.Title()+" does not let relay in: "+words, ": "),
		Fix: "agree to all that is asked; an organisation may want its administrator to agree"}
}

// MailboxStatus is how the mailbox is doing, and what arrived there since it is read.
type MailboxStatus struct {
	State      string         `json:"state"`
	LastError  string         `json:"lastError,omitempty"`
	Fix        string         `json:"fix,omitempty"`
	Since      Time           `json:"since,omitzero"` // since when it fails
	Counts     map[string]int `json:"counts"`
	Unreadable []UnreadMail   `json:"unreadable"` // the newest first
}

// UnreadMail is an e-mail that relay could not read. It stays in the mailbox.
type UnreadMail struct {
	From    string `json:"from,omitempty"`
	Subject string `json:"subject,omitempty"`
	Date    Time   `json:"date,omitzero"`
	Why     string `json:"why"`
}

// MailRoundTrip is what became of an e-mail that relay sent to itself.
type MailRoundTrip struct {
	Sent    bool   `json:"sent"`    // the server took it
	Arrived bool   `json:"arrived"` // it is in the mailbox, and its name was found
	To      string `json:"to"`
	Error   string `json:"error,omitempty"`
	Fix     string `json:"fix,omitempty"`
	// DurationMs is how long both took.
	DurationMs int64 `json:"durationMs"`
}

// MailTest is how the server took an e-mail that was sent as a test.
type MailTest struct {
	OK         bool   `json:"ok"`
	Error      string `json:"error,omitempty"`
	Fix        string `json:"fix,omitempty"`
	DurationMs int64  `json:"durationMs"`
	// Findings are what the DNS says of the sender's domain.
	Findings []Finding `json:"findings"`
}
