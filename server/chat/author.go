package chat

// Author is the caller of the service.
type Author struct {
	Sender Sender
	Source string // widget, api, console or a bridge's name
	Name   string // an operator's display name
	// Person is the id of the operator in the team, "" for one with the secret key and one
	// whom a platform knows under a name of its own.
	Person string
	Role   Role   // of an operator; "" is that of a platform
	SignIn string // at the console
	// Key is the API key of the request, nil without one.
	Key *APIKey
	// Hook is the incoming hook at whose address the request came, nil for others.
	Hook *IncomingHook
	// Replaced marks the secret key before, which works a few minutes longer, but not for
	// what would outlive it.
	Replaced bool
	// Sites are those whose conversations an operator may see.
	Sites   SiteSet
	Site    string // of a visitor: the one whose public key was sent
	AnySite bool   // a backend speaks for the visitors of all sites
	Token   string // a visitor's session token
	// Session is the one to which a signed e-mail address admits a visitor without a token.
	Session string
	// Agent: a program writes for the visitor, at the front door.
	Agent bool
	// TokenRequired denies visitors access to sessions without a token.
	TokenRequired bool
}

// OfRelay reports whether the author administers relay itself, with all its sites.
func (a Author) OfRelay() bool { return a.Role == RoleAdministrator && a.Sites == nil }

// Holds reports whether the author's key has a scope; whoever has none is not bound by any.
func (a Author) Holds(scope KeyScope) bool { return a.Key == nil || a.Key.Scopes.Has(scope) }

// OwnKey is the id of the author's API key, "" without one and for a personal token, whose person
// writes.
func (a Author) OwnKey() string {
	if a.Key == nil || a.Key.Person != "" {
		return ""
	}
	return a.Key.ID
}

// Manages reports whether the author administers all of the sites, like those of a person.
func (a Author) Manages(sites SiteSet) bool {
	return a.Role == RoleAdministrator && (a.Sites == nil || sites.Within(a.Sites))
}

// Authorise admits operators to the sessions of their sites, and visitors to their own
// session: one bound to a token requires that token, and a foreign session, as every one of
// another site, is reported as not found.
func (a Author) Authorise(s *Session) error {
	if a.Sender != SenderVisitor {
		if !a.Sites.Has(s.Site) {
			return ErrSessionNotFound
		}
		return nil
	}
	if s.Site != a.Site && !a.AnySite || s.TokenHash == "" && a.TokenRequired {
		return ErrSessionNotFound
	}
	if s.TokenHash != "" && s.ID != a.Session && !s.OpenedBy(a.Token) {
		return ErrSessionNotFound
	}
	if s.Blocked {
		return ErrBlocked
	}
	return nil
}
