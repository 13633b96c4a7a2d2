package mailbox

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"strings"

	"github.com/relay-chat/relay/bridges/mail/oauth"
	"github.com/relay-chat/relay/server/chat"
)

// Failure is why a mailbox cannot be read, for people: in the form of a token's.
type Failure = oauth.Failure

// maxDetails bounds what is kept of a server's words.
const maxDetails = 300

// explain says why a mailbox cannot be read.
func explain(box *chat.Mailbox, err error) *Failure {
	f := &Failure{Problem: "The mailbox at " + box.Address() + " cannot be read",
		Fix:     "check the host and the port in IMAP_URL, and this machine's network",
		Details: chat.Clip(chat.OneLine(err.Error()), maxDetails)}
	var token *oauth.Failure
	var login *loginError
	var folder *folderError
	var unknown x509.UnknownAuthorityError
	var other x509.HostnameError
	var invalid x509.CertificateInvalidError
	var notTLS tls.RecordHeaderError
	switch {
	case errors.As(err, &token):
		return token
	case errors.Is(err, errNoOAuth):
		f.Problem, f.Details = "The mail server "+box.Address()+" does not offer XOAUTH2, by which relay signs in without a password", ""
		f.Fix = "add the password in IMAP_URL, or use another server"
	case errors.As(err, &login) && box.OAuth():
		f.Problem = "The mail server " + box.Address() + " does not let relay into this mailbox"
		f.Fix = "see that relay signed in as this mailbox (IMAP_URL); in Microsoft 365 an administrator has to switch on IMAP for it, under Users → Active users → Mail → Manage email apps"
	case errors.As(err, &login):
		f.Problem = "The mail server " + box.Address() + " does not accept the name and the password"
		f.Fix = "check both in IMAP_URL; Gmail, Outlook and others want a password made for the app"
	case errors.As(err, &folder):
		f.Problem = "The mailbox has no folder " + folder.folder
		f.Fix = "correct the folder behind the server in IMAP_URL, or leave it out for INBOX"
	case errors.As(err, &unknown), errors.As(err, &other), errors.As(err, &invalid):
		f.Problem = "The mail server " + box.Address() + " has no certificate that is valid for its name"
		f.Fix = "write the name that is in the certificate into IMAP_URL, or renew the certificate"
	case errors.As(err, &notTLS):
		f.Problem = "The mail server " + box.Address() + " does not speak TLS at this port"
		f.Fix = "use imap:// with the port for STARTTLS, 143 as a rule, in IMAP_URL"
	case strings.Contains(err.Error(), "STARTTLS"):
		f.Problem = "The mail server " + box.Address() + " does not offer STARTTLS"
		f.Fix = "use imaps:// with port 993 in IMAP_URL, or another server: relay sends no password over an open line"
	}
	return f
}
