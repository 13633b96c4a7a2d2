package oauth

import (
	"errors"
	"net/http"
	"strings"

	"golang.org/x/oauth2"

	"github.com/relay-chat/relay/server/chat"
)

// Failure is why there is no token, for people.
type Failure struct {
	Problem, Fix string
	Details      string // the words of the provider, or of the mail server
}

func (f *Failure) Error() string {
	if f.Details == "" {
		return f.Problem
	}
	return f.Problem + ": " + f.Details
}

// maxDetails bounds what is kept of a provider's words.
const maxDetails = 300

// again is how to get a new refresh token.
const again = "sign in again in the console, under Settings → E-mail (MAIL_OAUTH_TOKEN)"

// Missing is what the settings lack for signing in at a server without a password, nil for
// nothing. variable has the server's address.
func Missing(o chat.MailOAuth, variable string, server *chat.MailHost) *Failure {
	missing := o.Missing()
	if missing == "" && !o.Trusts(server) {
		return &Failure{Problem: server.Host + " is no mail server of " + titleOf(o) + ", whose tokens open the mailbox",
			Fix: "correct " + variable + ", or MAIL_OAUTH"}
	}
	f := &Failure{Problem: missing + " is missing, which relay needs to sign in without a password", Fix: "set " + missing}
	switch missing {
	case "":
		return nil
	case "MAIL_OAUTH":
		f.Problem = "The address of the mail server has a name and no password"
		f.Fix = "add the password in " + variable + ", or choose in the console, under Settings → E-mail, how relay signs in without one (MAIL_OAUTH)"
	case "MAIL_OAUTH_TOKEN":
		f.Problem = "Nobody has signed in for relay at " + titleOf(o)
		f.Fix = "sign in in the console, under Settings → E-mail (MAIL_OAUTH_TOKEN)"
	}
	return f
}

func titleOf(o chat.MailOAuth) string {
	p, _ := chat.ParseMailProvider(o.Provider) // which was checked when it was set
	return p.Title()
}

// errUnusable is for what cannot be sent to a mail server.
var errUnusable = errors.New("what it answers is no token")

// explain says why a provider hands out nothing. secrets are what its words must not show.
func explain(o chat.MailOAuth, err error, secrets ...string) *Failure {
	title := titleOf(o)
	var refused *oauth2.RetrieveError
	if !errors.As(err, &refused) {
		return &Failure{Problem: title + " cannot be asked for a token", Details: clean(err.Error(), secrets),
			Fix: "check this machine's network; relay tries again"}
	}
	f := &Failure{Details: clean(strings.Trim(refused.ErrorCode+": "+refused.ErrorDescription, ": "), secrets)}
	switch refused.ErrorCode {
	case "":
		f.Problem, f.Fix = title+" answers a request for a token with "+http.StatusText(refused.Response.StatusCode), "relay tries again"
		if refused.Response.StatusCode/100 != 5 && refused.Response.StatusCode != http.StatusTooManyRequests {
			f.Fix = "check MAIL_OAUTH"
		}
	case "invalid_grant":
		f.Problem, f.Fix = title+" does not let relay sign in any more: the consent was ended, or has expired", again
	case "invalid_client", "unauthorized_client":
		f.Problem = title + " does not accept the client ID and the client secret"
		f.Fix = "check MAIL_OAUTH_CLIENT and MAIL_OAUTH_SECRET; a secret may have expired, and is the value, not the secret's id"
	case "temporarily_unavailable", "server_error":
		f.Problem, f.Fix = title+" has no token for relay at the moment", "relay tries again"
	default:
		f.Problem, f.Fix = title+" refuses a token", again
	}
	return f
}

// clean makes a provider's words one short line without secrets.
func clean(text string, secrets []string) string {
	for _, secret := range secrets {
		if secret != "" {
			text = strings.ReplaceAll(text, secret, "…")
		}
	}
	return chat.Clip(chat.OneLine(text), maxDetails)
}
