package chat

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"
)

// SignOn is how people sign in at a provider of their own (OpenID Connect).
type SignOn struct {
	Issuer, Client string
	Secret         string // "" for a public client
	Name           string // on the button
	Only           bool   // passwords and passkeys do not sign in
	Domains        []string
	Groups         []SignOnGroup
	GroupsClaim    string
	Scopes         []string // beside those that relay needs
}

// SignOnGroup is what the members of a group at the provider may do.
type SignOnGroup struct {
	Group string   `json:"group"`
	Role  Role     `json:"role"`
	Sites []string `json:"sites"` // public ids, none for all
}

// Identity is somebody as a provider describes them. Issuer and Subject are who it is; all else
// may change.
type Identity struct {
	Issuer, Subject string
	Email           string
	Verified        bool // the provider vouches for the address
	Name            string
	Groups          []string
}

// SignOnGrant is for how long a provider vouches for a sign-in, and what asks it again.
type SignOnGrant struct {
	SignIn  string `db:"sign_in"`
	Issuer  string `db:"issuer"`
	Subject string `db:"subject"`
	Refresh string `db:"refresh"` // a secret; "" for none
	Until   Time   `db:"until"`
	RenewAt Time   `db:"renew_at"`
}

// SignOnAnswer is what a provider sends a browser back with, and what relay knows of the question.
type SignOnAnswer struct {
	Code, Issuer              string // Issuer is the parameter of RFC 9207
	Redirect, Nonce, Verifier string
}

// SignOnFailure is why nobody can sign in, for people. Cause is for the log.
type SignOnFailure struct {
	Problem, Fix string
	Away         bool // the provider could not be asked
	Ended        bool // the provider vouches no longer
	Cause        string
}

func (f *SignOnFailure) Error() string {
	if f.Cause == "" {
		return f.Problem
	}
	return f.Problem + ": " + f.Cause
}

// SignOnTest is what came of asking a provider how it works. Error and Fix are of the first finding
// that is a failure.
type SignOnTest struct {
	OK          bool      `json:"ok"`
	Error       string    `json:"error,omitempty"`
	Fix         string    `json:"fix,omitempty"`
	Issuer      string    `json:"issuer,omitempty"`
	RedirectURL string    `json:"redirectUrl"`
	Renews      bool      `json:"renews"`
	Findings    []Finding `json:"findings"`
}

// SignOnPlace is where a provider leads people back to. Settled is false when that depends on the
// address by which somebody opens the console.
type SignOnPlace struct {
	Redirect string
	Settled  bool
}

// SignOn returns the settings of single sign-on. The secret of the environment goes to no issuer
// that somebody chose elsewhere.
func (s *Settings) SignOn() SignOn {
	o := SignOn{Issuer: s.Text("oidcIssuer"), Client: s.Text("oidcClient"), Secret: s.Text("oidcSecret"), Name: s.Text("oidcName"),
		Only: s.Bool("oidcOnly"), GroupsClaim: s.Text("oidcGroupsClaim"), Scopes: strings.Fields(s.Text("oidcScopes"))}
	s.decode("oidcDomains", &o.Domains)
	s.decode("oidcGroups", &o.Groups)
	if s.Source("oidcSecret") == FromEnvironment && s.Source("oidcIssuer") != FromEnvironment {
		o.Secret = ""
	}
	return o
}

// Missing is what single sign-on lacks, "" for nothing. Without a rule it would let in everybody
// whom the provider knows.
func (o *SignOn) Missing() string {
	switch {
	case o.Issuer == "":
		return "the issuer (OIDC_ISSUER)"
	case o.Client == "":
		return "the client ID (OIDC_CLIENT)"
	case len(o.Domains) == 0 && len(o.Groups) == 0:
		return "who may sign in: e-mail domains or groups (OIDC_DOMAINS, OIDC_GROUPS)"
	}
	return ""
}

// Ready reports whether people can sign in with it.
func (o *SignOn) Ready() bool { return o.Missing() == "" }

// Title is the provider's name for people.
func (o *SignOn) Title() string {
	if o.Name != "" {
		return o.Name
	}
	return "single sign-on"
}

// Why a provider's people are not let in.
var (
	ErrSignOnDomain   = Errorf(Forbidden, "Your e-mail address is not one of those that may sign in here")
	ErrSignOnVerified = Errorf(Forbidden, "Your provider does not say that your e-mail address is verified, which signing in here needs")
	ErrSignOnGroup    = Errorf(Forbidden, "You are in none of the groups that may sign in here")
)

// Admit returns the rule for somebody, nil if no group has one; or why that person is not let in.
// The first group of the list wins.
func (o *SignOn) Admit(who *Identity) (*SignOnGroup, error) {
	if len(o.Domains) > 0 {
		_, domain, _ := strings.Cut(who.Email, "@")
		switch {
		case !slices.ContainsFunc(o.Domains, func(d string) bool { return strings.EqualFold(d, domain) }):
			return nil, ErrSignOnDomain
		case !who.Verified:
			return nil, ErrSignOnVerified
		}
	}
	for i := range o.Groups {
		if slices.Contains(who.Groups, o.Groups[i].Group) {
			return &o.Groups[i], nil
		}
	}
	if len(o.Groups) > 0 || len(o.Domains) == 0 {
		return nil, ErrSignOnGroup
	}
	return nil, nil
}

const errIssuer checkError = "must be an address that begins with https://, without a name, a query and a # (http:// on this machine alone)"

// issuer accepts an address in plain http on this machine alone, where nobody reads the line.
func issuer(text string) error {
	u, err := url.Parse(text)
	if err != nil || !IsBaseURL(text) {
		return errIssuer
	}
	host := MailHost{Host: u.Hostname()}
	if u.Scheme != "https" && !host.Local() {
		return errIssuer
	}
	return nil
}

// Bounds of the lists of who may sign in.
const (
	maxSignOnRules = 100
	maxSignOnName  = 200
)

var isDomain = Pattern(`[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)+`)

func signOnDomains(value json.RawMessage) error {
	const must = `a list of domains like ["example.com"]`
	if err := shape[[]string](must)(value); err != nil {
		return err
	}
	var list []string
	bad := func(d string) bool { return len(d) > maxSignOnName || !isDomain(d) }
	if json.Unmarshal(value, &list) != nil || list == nil || len(list) > maxSignOnRules || slices.ContainsFunc(list, bad) {
		return checkError("must be at most 100 domains in small letters, like example.com")
	}
	return nil
}

func signOnGroups(value json.RawMessage) error {
	if err := shape[[]SignOnGroup](`a list of groups like [{"group":"support","role":"operator"}]`)(value); err != nil {
		return err
	}
	var list []SignOnGroup
	if json.Unmarshal(value, &list) != nil || list == nil || len(list) > maxSignOnRules {
		return checkError("must be a list of at most 100 groups")
	}
	for _, g := range list {
		switch {
		case g.Group == "" || len(g.Group) > maxSignOnName:
			return checkError("[].group must be 1 to 200 characters")
		case !g.Role.Valid():
			return checkError("[].role must be administrator or operator")
		case g.Sites != nil && len(g.Sites) == 0 || len(g.Sites) > maxSignOnRules:
			return checkError("[].sites must name one site or more, or be left out for all")
		}
	}
	return nil
}

// keepSignOnSecret takes the client's secret back when a change names another issuer, which must
// not get it, unless the change has a new one.
func (s *Settings) keepSignOnSecret(changes map[string]Raw) {
	if s.textAfter(changes, "oidcIssuer") != s.Text("oidcIssuer") {
		takeBack(changes, "oidcSecret")
	}
}

// OpensConsole reports whether a setting decides who can sign in. No key of a program changes it:
// it would let in whom it likes.
func OpensConsole(name string) bool { return strings.HasPrefix(name, "oidc") || name == "requireTotp" }
