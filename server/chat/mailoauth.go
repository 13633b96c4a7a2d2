package chat

import (
	"net/url"
	"slices"
	"strings"
)

// MailOAuth is how relay signs in at mail servers whose address has a name and no password:
// with access tokens, which a refresh token is good for (RFC 6749).
type MailOAuth struct {
	Provider string // see [ParseMailProvider]
	Client   string
	Secret   string // "" for a public client
	Token    string // the refresh token
}

// MailOAuth returns the settings of signing in without a password. What the environment keeps
// secret goes to no token endpoint that somebody chose elsewhere.
func (s *Settings) MailOAuth() MailOAuth {
	o := MailOAuth{s.Text("mailOauth"), s.Text("mailOauthClient"), s.Text("mailOauthSecret"), s.Text("mailOauthToken")}
	if !isOtherProvider(o.Provider) {
		return o // whose tokens go to its own servers, see Trusts
	}
	chosen := s.Source("mailOauth") != FromEnvironment
	if chosen && s.Source("mailOauthSecret") == FromEnvironment {
		o.Secret = ""
	}
	for _, name := range tokenServers {
		host := hostOf(s.Text(name))
		chosen = chosen || host.OAuth() && s.Source(name) != FromEnvironment
	}
	if chosen && s.Source("mailOauthToken") == FromEnvironment {
		o.Token = ""
	}
	return o
}

// tokenServers are the settings of the servers that get tokens.
var tokenServers = []string{"smtpUrl", "imapUrl"}

// hostOf reads either of their values, which was checked when it was set.
func hostOf(text string) MailHost {
	if host, err := ParseMailServer(text); err == nil {
		return host
	}
	box, _ := ParseMailbox(text) // "" is none
	return box.MailHost
}

// ownDomains are those of the mail servers that may get the tokens of a provider: they open the
// whole mailbox.
var ownDomains = map[string][]string{
	MailGoogle:    {"gmail.com", "googlemail.com", "google.com"},
	MailMicrosoft: {"office365.com", "outlook.com", "office.com", "office365.us", "outlook.cn"},
}

// Trusts reports whether a mail server may get the provider's tokens: its own ones, and what is on
// this machine. Whose servers another provider's are is not known, see keepMailSecrets.
func (o *MailOAuth) Trusts(m *MailHost) bool {
	p, err := ParseMailProvider(o.Provider)
	if err != nil || p.Endpoint != "" || m.Local() {
		return err == nil
	}
	host := "." + strings.TrimSuffix(strings.ToLower(m.Host), ".")
	return slices.ContainsFunc(ownDomains[p.Name], func(domain string) bool { return strings.HasSuffix(host, "."+domain) })
}

// isOtherProvider reports whether a provider is named by its token endpoint, which can be anybody's.
func isOtherProvider(text string) bool {
	p, err := ParseMailProvider(text)
	return err == nil && p.Endpoint != ""
}

// keepMailSecrets takes back the client's secret and the refresh token when a change names another
// token endpoint, or another server for its tokens, and not both anew: who may change settings
// must not read secrets by that.
func (s *Settings) keepMailSecrets(changes map[string]Raw) {
	provider := s.textAfter(changes, "mailOauth")
	elsewhere := provider != s.Text("mailOauth")
	for _, name := range tokenServers {
		next := hostOf(s.textAfter(changes, name))
		elsewhere = elsewhere || next.OAuth() && next.Host != hostOf(s.Text(name)).Host
	}
	if elsewhere && isOtherProvider(provider) {
		takeBack(changes, "mailOauthSecret", "mailOauthToken")
	}
}

// Missing is the variable of what signing in lacks, "" for nothing.
func (o *MailOAuth) Missing() string {
	switch {
	case o.Provider == "":
		return "MAIL_OAUTH"
	case o.Client == "":
		return "MAIL_OAUTH_CLIENT"
	case o.Token == "":
		return "MAIL_OAUTH_TOKEN"
	}
	return ""
}

// The providers that relay knows by name.
const (
	MailGoogle    = "google"
	MailMicrosoft = "microsoft"
)

// MailProvider is who hands out the tokens.
type MailProvider struct {
	Name     string // MailGoogle, MailMicrosoft, or "" for another
	Tenant   string // at Microsoft, "" for any
	Endpoint string // another's, where tokens are
}

// Title is the provider's name for people.
func (p *MailProvider) Title() string {
	switch p.Name {
	case MailGoogle:
		return "Google"
	case MailMicrosoft:
		return "Microsoft"
	}
	if u, err := url.Parse(p.Endpoint); err == nil {
		return u.Host
	}
	return ""
}

var isTenant = Pattern(`[A-Za-z0-9][A-Za-z0-9.-]{0,99}`)

const errMailProvider checkError = "must be google, microsoft, microsoft:TENANT, or the https:// address of another provider's token endpoint"

// ParseMailProvider reads a provider. An address may be plain http on this machine alone, where
// nobody reads the line.
func ParseMailProvider(text string) (p MailProvider, err error) {
	name, tenant, found := strings.Cut(text, ":")
	switch {
	case text == MailGoogle, text == MailMicrosoft:
		return MailProvider{Name: text}, nil
	case found && name == MailMicrosoft && isTenant(tenant):
		return MailProvider{Name: MailMicrosoft, Tenant: tenant}, nil
	}
	if !IsBaseURL(text) {
		return p, errMailProvider
	}
	u, err := url.Parse(text)
	if err != nil {
		return p, errMailProvider
	}
	host := MailHost{Host: u.Hostname()}
	if u.Scheme != "https" && !host.Local() {
		return p, errMailProvider
	}
	return MailProvider{Endpoint: text}, nil
}

// longestMailToken is more than any provider's token has.
const longestMailToken = 8000

// IsMailToken reports whether a text may be a token: a word on the line of a mail server.
func IsMailToken(text string) bool {
	for _, c := range []byte(text) {
		if c <= ' ' || c > '~' {
			return false
		}
	}
	return text != "" && len(text) <= longestMailToken
}

func mailToken(v string) error {
	if !IsMailToken(v) {
		return errForm
	}
	return nil
}

// OAuth reports whether relay signs in there with a token instead of a password.
func (m *MailHost) OAuth() bool { return m.Name != "" && m.Password == "" }
