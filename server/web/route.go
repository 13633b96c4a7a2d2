package web

import (
	"net/http"
	"slices"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/limits"
)

// Route is one line of the route table: a method and a path, the rules for its
// requests, and the handler. Without a method it handles every request that no line
// above handles, below its path.
type Route struct {
	Method, Path string
	Rules
	Action Action
}

// On makes a route.
func On(method, path string, rules Rules, action Action) Route {
	return Route{Method: method, Path: path, Rules: rules, Action: action}
}

// Rules apply to a request before its action, in this order.
type Rules struct {
	CORS     CORS           // for pages of other origins; nil allows none
	Filtered bool           // by the User-Agent filter
	Page     bool           // opened by browsers: GET includes HEAD, any address is accepted
	QueryKey bool           // the key may be in the query
	Access   Access         // nil admits everybody
	Reach    Reach          // of people of some sites; nil refuses them
	Scopes   chat.KeyScopes // of which an API key needs one; without any no key may
	Rate     *limits.Rate   // of requests of one address; nil for none
	Body     int64          // the largest body; 0 where the action itself limits it
}

// Access identifies the author of a request by its key, or rejects it.
type Access func(w http.ResponseWriter, r *http.Request, key string) (chat.Author, error)

// CORS lets pages of other origins read the answer, and reports whether the request
// was a preflight, which it has answered.
type CORS func(w http.ResponseWriter, r *http.Request) (preflight bool)

// Reach decides whether a person of some sites may make a request: what is of other sites is
// not found, like what never was. Without one, a route is for those of all sites.
type Reach func(r *http.Request, by chat.Author) error

// Audience is a part of the route table: the routes below a prefix, and the rules for
// the requests there that no route handles.
type Audience struct {
	Prefix    string
	Unmatched Rules
	Routes    []Route
}

// Methods are those that a route accepts: on pages, GET includes HEAD.
func (rt *Route) Methods() []string {
	if rt.Page && rt.Method == http.MethodGet {
		return []string{http.MethodGet, http.MethodHead}
	}
	return []string{rt.Method}
}

// Within opens a route to people of some sites.
func (r Rules) Within(to Reach) Rules {
	r.Reach = to
	return r
}

// OwnSites is the reach of routes whose actions keep to the sites of who asks.
func OwnSites(*http.Request, chat.Author) error { return nil }

// Reachable applies a route's reach.
func (r Rules) Reachable(req *http.Request, by chat.Author) error {
	switch {
	case by.Sites == nil:
		return nil
	case r.Reach == nil:
		return ErrAllSites
	}
	return r.Reach(req, by)
}

// ErrAllSites refuses to people of some sites what concerns all of them.
var ErrAllSites = &Error{Status: http.StatusForbidden, Text: "Only people of all sites may do this"}

// Needs opens a route to API keys with one of the scopes. What the others are for stays
// closed to them.
func (r Rules) Needs(scopes ...chat.KeyScope) Rules {
	r.Scopes = scopes
	return r
}

// NoKeys says of a route that no API key may use it, whatever its scopes: it is about how
// people and the secret key get in, or answers secrets.
func (r Rules) NoKeys() Rules {
	r.Scopes = chat.KeyScopes{}
	return r
}

// Opened applies a route's scopes to the author's API key, and returns the author as the scope
// makes it: whoever only reads and answers is an operator.
func (r Rules) Opened(by chat.Author) (chat.Author, error) {
	switch {
	case by.Key == nil:
		return by, nil
	case len(r.Scopes) == 0:
		return by, errNoKeys
	case !r.Scopes.Meets(by.Key.Scopes):
		return by, chat.LacksScope(r.Scopes...)
	}
	if !slices.ContainsFunc(r.Scopes, func(s chat.KeyScope) bool { return !s.ForOperators() && by.Key.Scopes.Has(s) }) {
		by.Role = chat.RoleOperator
	}
	return by, nil
}

// errNoKeys refuses to every API key what is for people and the secret key.
var errNoKeys = &Error{Status: http.StatusForbidden, Text: "No API key may do this. Sign in at the console, or use the secret key"}

// Administrator admits those who may change settings, people and keys.
func Administrator(admits Access) Access {
	return func(w http.ResponseWriter, r *http.Request, key string) (chat.Author, error) {
		by, err := admits(w, r, key)
		if err == nil && by.Role != chat.RoleAdministrator {
			err = ErrAdministrators
		}
		return by, err
	}
}

// Lasting refuses to the secret key before what would outlive it.
func Lasting(admits Access) Access {
	return func(w http.ResponseWriter, r *http.Request, key string) (chat.Author, error) {
		by, err := admits(w, r, key)
		if err == nil && by.Replaced {
			err = errReplaced
		}
		return by, err
	}
}

// errReplaced refuses to the secret key before what would outlive it.
var errReplaced = &Error{Status: http.StatusForbidden, Text: "This secret key was replaced. Use the new one"}
