package chat

import (
	"net"
	"net/url"
	"strconv"
	"strings"
	"unicode"
)

// The usual ports of mailboxes (RFC 8314).
const (
	portIMAPTLS      = 993
	portIMAPStartTLS = 143
)

const (
	mailboxExample   = "imaps://name:password@imap.example.com"
	mailReplyExample = "chat+*@shop.example"
)

// MailHost is a mail server, and who relay is there. A name without a password signs in as
// [MailOAuth] says.
type MailHost struct {
	Host           string
	Port           int
	TLS            bool // from the first byte; without it STARTTLS follows
	Name, Password string
}

// Local reports whether the server is this machine, where nobody reads the line.
func (m *MailHost) Local() bool {
	ip := net.ParseIP(m.Host)
	return m.Host == "localhost" || ip != nil && ip.IsLoopback()
}

// Address is the host with its port.
func (m *MailHost) Address() string { return net.JoinHostPort(m.Host, strconv.Itoa(m.Port)) }

// mailHost reads an address: with the scheme tls the line begins with TLS, with plain it
// requires STARTTLS.
func mailHost(text, tls, plain, example string, tlsPort, plainPort int) (m MailHost, u *url.URL, err error) {
	u, err = url.Parse(text)
	if err != nil {
		return m, nil, checkError("must be an address like " + example + "; in the name and the password, write @ as %40, / as %2F and % as %25")
	}
	m = MailHost{Host: u.Hostname(), Port: plainPort, TLS: u.Scheme == tls}
	if m.TLS {
		m.Port = tlsPort
	}
	if u.Scheme != plain && !m.TLS || m.Host == "" || u.RawQuery != "" || u.Fragment != "" {
		return m, nil, checkError("must begin with " + plain + ":// or " + tls + ":// and name a server, like " + example)
	}
	if port := u.Port(); port != "" {
		if m.Port, err = strconv.Atoi(port); err != nil || m.Port < 1 || m.Port > 65535 {
			return m, nil, checkError("must have a port from 1 to 65535")
		}
	}
	m.Name = u.User.Username()
	m.Password, _ = u.User.Password()
	switch {
	case m.Name == "" && m.Password != "":
		return m, nil, checkError("must have a name before the password, or neither, like " + example)
	case strings.ContainsFunc(m.Name, unicode.IsControl):
		return m, nil, checkError("must have a name without control characters, like " + example)
	}
	return m, u, nil
}

// Mailbox is where answers to relay's e-mails arrive (RFC 9051).
type Mailbox struct {
	MailHost
	Folder string
}

// ParseMailbox reads an address of a mailbox: imaps:// begins with TLS, imap:// requires
// STARTTLS, and the path is the folder.
func ParseMailbox(text string) (m Mailbox, err error) {
	host, u, err := mailHost(text, "imaps", "imap", mailboxExample, portIMAPTLS, portIMAPStartTLS)
	if err != nil {
		return m, err
	}
	if host.Name == "" {
		return m, checkError("must have the mailbox's name, and its password unless relay signs in without one, like " + mailboxExample)
	}
	m = Mailbox{host, strings.Trim(u.Path, "/")}
	if m.Folder == "" {
		m.Folder = "INBOX"
	}
	return m, nil
}

// mailReplyTo is an address with or without a place for the conversation's name.
func mailReplyTo(v string) error {
	local, _, _ := strings.Cut(v, "@")
	if strings.Count(v, "*") > 1 || strings.Contains(v, "*") && !strings.Contains(local, "*") ||
		CleanAddress(strings.Replace(v, "*", "x", 1)) == "" || v != strings.ToLower(v) {
		return checkError("must be an e-mail address in small letters, with a * before the @ where relay puts the conversation's name, like " + mailReplyExample)
	}
	return nil
}

// MailboxSettings are how the settings want the mailbox.
type MailboxSettings struct {
	Server string
	MoveTo string // the folder for what relay has taken, "" to leave it where it is
	Inbox  bool   // e-mails that answer nothing begin conversations
	OAuth  MailOAuth
}

// Mailbox returns the settings of the mailbox.
func (s *Settings) Mailbox() MailboxSettings {
	return MailboxSettings{s.Text("imapUrl"), s.Text("imapMoveTo"), s.Bool("mailInbox"), s.MailOAuth()}
}

// On reports whether answers are read.
func (m MailboxSettings) On() bool { return m.Server != "" }

// SourceMail is the source of what visitors and the team write by e-mail. It is another name
// than the sink's, for what the team writes goes to visitors by e-mail, too.
const SourceMail = "email"

// ReceivedMail is an e-mail that became a visitor's message.
type ReceivedMail struct {
	// ID is made of the e-mail's own, so that one that comes twice is known.
	ID        string `json:"id" db:"id"`
	SessionID string `json:"-" db:"session_id"`
	MessageID string `json:"messageId" db:"message_id"` // relay's, of the first message that it became
	At        Time   `json:"at" db:"at"`
	From      string `json:"from" db:"sender"`
	Subject   string `json:"subject,omitempty" db:"subject"`
	Header    string `json:"-" db:"header"`  // the e-mail's own id, for the answers' References
	Text      string `json:"text" db:"text"` // all of it, with what it quotes
}

// MailPath is where operators read all of an e-mail.
func MailPath(sessionID, id string) string {
	return "/api/admin/sessions/" + sessionID + "/mails/" + id
}

// ErrMailNotFound is returned for e-mails that relay did not take.
var ErrMailNotFound = &Error{Kind: NotFound, Text: "E-mail not found"}
