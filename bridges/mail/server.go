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

	"github.com/relay-chat/relay/bridges/mail/oauth"
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

// host is the server that takes the letters, and how relay signs in there.
type host struct {
	chat.MailHost
	oauth.SignIn
	base string // relay's own address, which names it to the server
}

// serverOf reads the settings that name the server, which were checked when they were set.
func serverOf(settings *chat.MailSettings, tokens *oauth.Tokens, base string) (*host, *Failure) {
	server, err := chat.ParseMailServer(settings.Server)
	if err != nil {
		return nil, &Failure{Problem: "SMTP_URL " + err.Error(), Fix: "correct SMTP_URL", about: aboutServer}
	}
	return &host{server, oauth.SignIn{Tokens: tokens, With: settings.OAuth}, base}, nil
}

// noAddress: links in e-mails need relay's own address.
var noAddress = &Failure{Problem: "E-mails need relay's own address for their links", Fix: "set PUBLIC_URL and restart relay", about: aboutServer}

// maxDetails bounds what is kept of a server's words.
const maxDetails = 300

func words(err error) string { return chat.Clip(chat.OneLine(err.Error()), maxDetails) }

// newClient makes a client, for a server without a password with an access token. STARTTLS is
// required but on this machine.
func (h *host) newClient(access string) (*gomail.Client, error) {
	options := []gomail.Option{gomail.WithPort(h.Port), gomail.WithTimeout(patience), gomail.WithoutNoop(),
		gomail.WithTLSConfig(&tls.Config{ServerName: h.Host, MinVersion: tls.VersionTLS12})}
	switch {
	case h.TLS:
		options = append(options, gomail.WithSSL())
	case h.Local():
		options = append(options, gomail.WithTLSPolicy(gomail.NoTLS))
	default:
		options = append(options, gomail.WithTLSPolicy(gomail.TLSMandatory))
	}
	if h.Name != "" {
		way, secret := gomail.SMTPAuthAutoDiscover, h.Password
		switch {
		case h.OAuth():
			way, secret = gomail.SMTPAuthXOAUTH2, access
		case h.Local() && !h.TLS:
			way = gomail.SMTPAuthPlainNoEnc
		}
		options = append(options, gomail.WithSMTPAuth(way), gomail.WithUsername(h.Name), gomail.WithPassword(secret))
	}
	if u, err := url.Parse(h.base); err == nil && u.Hostname() != "" {
		options = append(options, gomail.WithHELO(u.Hostname()))
	}
	return gomail.NewClient(h.Host, options...)
}

// dial opens a line to the server, signed in.
func (h *host) dial(ctx context.Context) (client *gomail.Client, line *smtp.Client, _ *Failure) {
	connect := func(access string) (err error) {
		if client, err = h.newClient(access); err == nil {
			line, err = client.DialToSMTPClientWithContext(ctx)
		}
		return err
	}
	var err error
	if h.OAuth() {
		if missing := oauth.Missing(h.With, "SMTP_URL", &h.MailHost); missing != nil {
			return nil, nil, tokenFailure(missing)
		}
		err = h.Use(ctx, connect, isRefused)
	} else {
		err = connect("")
	}
	if err != nil {
		return nil, nil, h.dialFailure(err)
	}
	return client, line, nil
}

// transmit gives a letter to the server.
func (h *host) transmit(ctx context.Context, letter *gomail.Msg) *Failure {
	client, line, failed := h.dial(ctx)
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
func Check(ctx context.Context, settings chat.MailSettings, tokens *oauth.Tokens, base string) (name string, _ *Failure) {
	server, failed := serverOf(&settings, tokens, base)
	if failed != nil {
		return "", failed
	}
	client, line, failed := server.dial(ctx)
	if failed == nil {
		_ = client.CloseWithSMTPClient(line) // nothing depends on the goodbye
	}
	return server.Host, failed
}

// isRefused reports whether the server does not accept who signs in.
func isRefused(err error) bool {
	var answer *textproto.Error
	return errors.As(err, &answer) && answer.Code/100 == 5
}

// tokenFailure is about the token of every letter.
func tokenFailure(f *oauth.Failure) *Failure {
	return &Failure{Problem: f.Problem, Fix: f.Fix, Details: f.Details, about: aboutServer}
}

// dialFailure explains why there is no line to the server.
func (h *host) dialFailure(err error) *Failure {
	name := h.Address()
	var token *oauth.Failure
	if errors.As(err, &token) {
		return tokenFailure(token)
	}
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
	case errors.Is(err, gomail.ErrXOauth2AuthNotSupported), h.OAuth() && strings.Contains(text, "does not support SMTP AUTH"):
		f.Problem = "The mail server " + name + " does not offer XOAUTH2, by which relay signs in without a password"
		f.Fix = "add the password in SMTP_URL, or use another server"
	case h.OAuth() && isRefused(err):
		f.Problem = "The mail server " + name + " does not let relay send for this mailbox"
		f.Fix = "see that relay signed in as this mailbox (SMTP_URL); in Microsoft 365 an administrator has to switch on Authenticated SMTP for it, under Users → Active users → Mail → Manage email apps"
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
