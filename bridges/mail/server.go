package mail

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net/textproto"
	"net/url"
	"strings"
	"sync"
	"time"

	gomail "github.com/wneessen/go-mail"
	"github.com/wneessen/go-mail/smtp"

	"github.com/relay-chat/relay/server/chat"
)

// patience is for each step of a conversation with the server.
const patience = 30 * time.Second

// What a failure is about.
type about int

const (
	aboutServer  about = iota // it fails for every letter
	aboutAddress              // the server does not take letters for it
	aboutLetter               // the server does not want this one
	aboutUnknown              // it may be on its way
)

// Failure is why a letter is not on its way, or may not be, for people.
type Failure struct {
	Problem, Fix string
	Details      string // the server's words
	about        about
	final        bool // trying again makes no sense
}

func (f *Failure) Error() string {
	if f.Details == "" {
		return f.Problem
	}
	return f.Problem + ": " + f.Details
}

// later is the outcome of a letter that is to be sent once more.
const later = ""

// outcome is what became of a letter: f is nil if it was taken.
func (f *Failure) outcome() string {
	switch {
	case f == nil:
		return chat.MailedSent
	case f.about == aboutUnknown:
		return chat.MailedUnknown
	case f.final && f.about != aboutServer:
		return chat.MailedRefused
	}
	return later
}

// serverOf reads the setting that names the server, which was checked when it was set.
func serverOf(setting string) (chat.MailHost, *Failure) {
	server, err := chat.ParseMailServer(setting)
	if err != nil {
		return server, &Failure{Problem: "SMTP_URL " + err.Error(), Fix: "correct SMTP_URL", about: aboutServer}
	}
	return server, nil
}

// noAddress: links in e-mails need relay's own address.
var noAddress = &Failure{Problem: "E-mails need relay's own address for their links", Fix: "set PUBLIC_URL and restart relay", about: aboutServer}

// maxDetails bounds what is kept of a server's words.
const maxDetails = 300

func words(err error) string { return chat.Clip(chat.OneLine(err.Error()), maxDetails) }

// newClient makes a client. STARTTLS is required but on this machine; base names relay to the
// server.
func newClient(server chat.MailHost, base string) (*gomail.Client, error) {
	options := []gomail.Option{gomail.WithPort(server.Port), gomail.WithTimeout(patience), gomail.WithoutNoop(),
		gomail.WithTLSConfig(&tls.Config{ServerName: server.Host, MinVersion: tls.VersionTLS12})}
	switch {
	case server.TLS:
		options = append(options, gomail.WithSSL())
	case server.Local():
		options = append(options, gomail.WithTLSPolicy(gomail.NoTLS))
	default:
		options = append(options, gomail.WithTLSPolicy(gomail.TLSMandatory))
	}
	if server.Name != "" {
		way := gomail.SMTPAuthAutoDiscover
		if server.Local() && !server.TLS {
			way = gomail.SMTPAuthPlainNoEnc
		}
		options = append(options, gomail.WithSMTPAuth(way), gomail.WithUsername(server.Name), gomail.WithPassword(server.Password))
	}
	if u, err := url.Parse(base); err == nil && u.Hostname() != "" {
		options = append(options, gomail.WithHELO(u.Hostname()))
	}
	return gomail.NewClient(server.Host, options...)
}

// dial opens a line to the server, signed in.
func dial(ctx context.Context, server chat.MailHost, base string) (*gomail.Client, *smtp.Client, *Failure) {
	client, err := newClient(server, base)
	if err != nil {
		return nil, nil, dialFailure(server, err)
	}
	line, err := client.DialToSMTPClientWithContext(ctx)
	if err != nil {
		return nil, nil, dialFailure(server, err)
	}
	return client, line, nil
}

// transmit gives a letter to the server.
func transmit(ctx context.Context, server chat.MailHost, base string, letter *gomail.Msg) *Failure {
	client, line, failed := dial(ctx, server, base)
	if failed != nil {
		return failed
	}
	defer client.CloseWithSMTPClient(line) // the letter is out, or it is not
	err := client.SendWithSMTPClient(line, letter)
	if err == nil || letter.IsDelivered() {
		return nil
	}
	return sendFailure(err)
}

// Check connects and signs in, and sends nothing. It returns who accepts relay.
func Check(ctx context.Context, setting, base string) (host string, _ *Failure) {
	server, failed := serverOf(setting)
	if failed != nil {
		return "", failed
	}
	client, line, failed := dial(ctx, server, base)
	if failed == nil {
		_ = client.CloseWithSMTPClient(line) // nothing depends on the goodbye
	}
	return server.Host, failed
}

// dialFailure explains why there is no line to the server.
func dialFailure(server chat.MailHost, err error) *Failure {
	name := server.Address()
	f := &Failure{Problem: "The mail server " + name + " cannot be reached",
		Fix:     "check the host and the port in SMTP_URL, and this machine's network; many providers close port 25, so use 587 or 465",
		Details: words(err), about: aboutServer}
	var answer *textproto.Error
	var unknown x509.UnknownAuthorityError
	var other x509.HostnameError
	var invalid x509.CertificateInvalidError
	var notTLS tls.RecordHeaderError
	switch text := err.Error(); {
	case errors.As(err, &unknown), errors.As(err, &other), errors.As(err, &invalid):
		f.Problem = "The mail server " + name + " has no certificate that is valid for its name"
		f.Fix = "write the name that is in the certificate into SMTP_URL, or renew the certificate"
	case errors.As(err, &notTLS):
		f.Problem = "The mail server " + name + " does not speak TLS at this port"
		f.Fix = "use smtp:// with the port for STARTTLS, 587 as a rule, in SMTP_URL"
	case strings.Contains(text, "STARTTLS"):
		f.Problem = "The mail server " + name + " does not offer STARTTLS"
		f.Fix = "use smtps:// with port 465 in SMTP_URL, or another server: relay sends no password over an open line"
	case errors.As(err, &answer) && answer.Code/100 == 5, strings.Contains(text, "AUTH"), strings.Contains(text, "auth"):
		f.Problem = "The mail server " + name + " does not accept the name and the password"
		f.Fix = "check both in SMTP_URL; Gmail, Outlook and others want a password made for the app"
	}
	return f
}

// sendFailure explains why the server did not take a letter.
func sendFailure(err error) *Failure {
	f := &Failure{Problem: "The mail server did not take the e-mail", Fix: "relay tries again", Details: words(err), about: aboutLetter}
	var failed *gomail.SendError
	if !errors.As(err, &failed) {
		return f
	}
	code := failed.ErrorCode()
	f.final = code/100 == 5
	switch failed.Reason {
	case gomail.ErrSMTPMailFrom:
		f.Problem, f.Fix = "The mail server does not let relay send from this address", "set MAIL_FROM to an address that this account may send from"
		f.about = aboutServer
	case gomail.ErrSMTPRcptTo:
		f.Problem, f.Fix = "The mail server does not take e-mails for this address", "ask the visitor for another address"
		f.about = aboutAddress
	case gomail.ErrSMTPDataClose:
		if code == 0 {
			f.Problem, f.Fix = "The line broke before the mail server had answered", "nothing: the e-mail may have been sent, so relay does not send it again"
			f.about = aboutUnknown
		}
	case gomail.ErrConnCheck:
		f.Problem, f.about = "The mail server has closed the line", aboutServer
	}
	return f
}

// Health is how the server is doing.
type Health struct {
	mu    sync.Mutex
	since chat.Time
	last  Failure
	times int // failed in a row
}

// note notes how a letter, or a test, ended: an answer about one letter shows that the server
// works.
func (h *Health) note(f *Failure) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if f == nil || f.about == aboutAddress || f.about == aboutLetter {
		h.since, h.last, h.times = 0, Failure{}, 0
		return
	}
	if h.since == 0 {
		h.since = chat.Now()
	}
	h.last = *f
	h.times++
}

// pause is how long to leave a failing server alone.
func (h *Health) pause() time.Duration {
	h.mu.Lock()
	defer h.mu.Unlock()
	return chat.Backoff(15*time.Second, 10*time.Minute)(h.times)
}

// Failing returns since when the server fails and why, 0 while it works.
func (h *Health) Failing() (since chat.Time, why Failure) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.since, h.last
}
