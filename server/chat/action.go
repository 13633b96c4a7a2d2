package chat

import (
	"encoding/json"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// Bounds of actions.
const (
	MaxActions       = 20  // of one site
	MaxAllActions    = 500 // of all sites
	maxActionAbout   = 500
	maxActionURL     = 2000
	maxActionSchema  = 8 << 10
	maxActionSecret  = 4000
	maxActionPointer = 200
)

// Action is an HTTP request that the owner of a site has declared, and that the AI may ask for.
type Action struct {
	ID   string `json:"id" db:"id"`
	Site string `json:"-" db:"site"`
	// Name is what the model and people call it, like order_status.
	Name string `json:"name" db:"name"`
	// About says what it does, and when it helps.
	About  string `json:"about" db:"about"`
	Method string `json:"method" db:"method"`
	// URL is the address of a tool, or it may have parameters in its path, in braces. Those that are not there stand in the query of a
	// GET or DELETE, and in the JSON body of the others.
	URL string `json:"url" db:"url"`
	// Parameters is the JSON Schema of all of them.
	Parameters Raw `json:"parameters" db:"parameters"`
	// Identity is the parameter that gets the id of the visitor's verified identity, "" for none. The
	// model never sees or gives it.
	Identity string `json:"identity" db:"identity"`
	// Owner is the path of the field in the answer that must be that id, "" for none: otherwise the AI
	// gets nothing of the answer.
	Owner string `json:"owner" db:"owner"`
	// ByEmail: that id is an e-mail address, which the visitor proves by a code.
	ByEmail bool `json:"byEmail" db:"by_email"`
	// Verified: it is only for visitors with a verified identity.
	Verified bool `json:"verified" db:"verified"`
	// Changes: it changes something, and waits until a person says yes.
	Changes bool `json:"changes" db:"changes"`
	// Repeats: its server does only once what comes again with the same Idempotency-Key.
	Repeats bool `json:"repeats" db:"repeats"`
	// Header is the name of the header that carries Secret.
	Header    string `json:"header" db:"header"`
	Secret    string `json:"-" db:"secret"`
	MadeBy    string `json:"madeBy" db:"made_by"`
	CreatedAt Time   `json:"createdAt" db:"created_at"`
	ChangedAt Time   `json:"changedAt" db:"changed_at"`
	PausedAt  Time   `json:"pausedAt,omitzero" db:"paused_at"`
}

// ErrActionNotFound means that there is none with this id.
var ErrActionNotFound = &Error{Kind: NotFound, Text: "Action not found"}

var (
	actionName   = regexp.MustCompile(`^[a-z][a-z0-9_]{0,39}$`)
	headerName   = regexp.MustCompile(`^[A-Za-z0-9-]{1,60}$`)
	actionPath   = regexp.MustCompile(`^[A-Za-z0-9_-]{1,60}(\.[A-Za-z0-9_-]{1,60})*$`)
	parameter    = regexp.MustCompile(`\{([A-Za-z0-9_-]{1,60})\}`)
	secretInURL  = regexp.MustCompile(`(?i)(?:^|[&;])[^=&]*(?:key|token|secret|passw|auth|signature)[^=&]*=`)
	takenHeaders = []string{"Host", "Content-Type", "Content-Length", "Accept", "Connection", "Idempotency-Key", "User-Agent", "Transfer-Encoding"}
)

// ActionMethods are the methods that an action may have.
var ActionMethods = []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, MethodMCP}

// MethodMCP is the method of an action that is a tool of a server of the Model Context Protocol. The
// tool's name is the fragment of the address.
const MethodMCP = "MCP"

// ToolAt is where the server of a tool is, and what that calls the tool.
func (a *Action) ToolAt() (endpoint, tool string) {
	endpoint, _, _ = strings.Cut(a.URL, "#")
	if u, err := url.Parse(a.URL); err == nil {
		tool = u.Fragment
	}
	return endpoint, tool
}

// Check tidies an action's fields and reports the first that is wrong. Whether its address may be
// connected to and its parameters are a JSON Schema are other questions.
func (a *Action) Check() error {
	a.Name, a.About, a.URL = strings.TrimSpace(a.Name), OneLine(a.About), strings.TrimSpace(a.URL)
	a.Identity, a.Owner, a.Header = strings.TrimSpace(a.Identity), strings.TrimSpace(a.Owner), strings.TrimSpace(a.Header)
	if a.Method == "" {
		a.Method = http.MethodGet
	}
	for _, check := range []func() error{a.checkNames, a.checkURL, a.checkParameters, a.CheckSecret, a.checkWhose} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

func (a *Action) checkNames() error {
	switch {
	case !actionName.MatchString(a.Name):
		return ErrorAt(Invalid, "name", "name must be at most 40 small letters, digits and _, like order_status")
	case a.About == "" || utf8.RuneCountInString(a.About) > maxActionAbout:
		return ErrorAt(Invalid, "about", "about must be 1 to 500 characters: what it does, and when it helps")
	case !slices.Contains(ActionMethods, a.Method):
		return ErrorAt(Invalid, "method", "method must be "+strings.Join(ActionMethods, ", "))
	}
	return nil
}

func (a *Action) checkURL() error {
	u, err := url.Parse(a.URL)
	switch {
	case err != nil, u.Scheme != "http" && u.Scheme != "https", u.Hostname() == "", u.Fragment != "" && a.Method != MethodMCP, strings.ContainsFunc(a.URL, notPrintable):
		return ErrorAt(Invalid, "url", "url must be an address like https://shop.example/api/orders/{order}")
	case len(a.URL) > maxActionURL:
		return ErrorAt(Invalid, "url", "url must be at most 2000 characters")
	case a.Method == MethodMCP && (u.Fragment == "" || strings.ContainsAny(a.URL, "{}")):
		return ErrorAt(Invalid, "url", "url must be the address of the server and the name of its tool, like https://shop.example/mcp#refund")
	case u.User != nil, secretInURL.MatchString(u.RawQuery):
		return ErrorAt(Invalid, "url", "url must not have a key or password in it: give it as secret, which relay sends in a header")
	case strings.ContainsAny(u.Host, "{}"), strings.ContainsAny(u.RawQuery, "{}"), strings.ContainsAny(parameter.ReplaceAllString(u.Path, ""), "{}"):
		return ErrorAt(Invalid, "url", "url may have parameters like {order} in its path only")
	}
	return nil
}

// InPath are the parameters in the path of the address.
func (a *Action) InPath() (names []string) {
	for _, found := range parameter.FindAllStringSubmatch(a.URL, -1) {
		names = append(names, found[1])
	}
	return names
}

// PathWith is the address with its parameters replaced.
func (a *Action) PathWith(value func(name string) string) string {
	return parameter.ReplaceAllStringFunc(a.URL, func(found string) string { return value(found[1 : len(found)-1]) })
}

func (a *Action) checkParameters() error {
	var object map[string]json.RawMessage
	if len(a.Parameters) > maxActionSchema || json.Unmarshal(a.Parameters, &object) != nil || object == nil {
		return ErrorAt(Invalid, "parameters", "parameters must be a JSON Schema of an object, at most 8 KB")
	}
	return nil
}

// CheckSecret checks the secret and its header, which is Authorization unless it is named.
func (a *Action) CheckSecret() error {
	if a.Header == "" {
		a.Header = "Authorization"
	}
	a.Header = http.CanonicalHeaderKey(a.Header)
	switch {
	case !headerName.MatchString(a.Header) || slices.Contains(takenHeaders, a.Header):
		return ErrorAt(Invalid, "header", "header must be the name of the header for the secret, like Authorization or X-Api-Key")
	case len(a.Secret) > maxActionSecret || strings.ContainsFunc(a.Secret, func(r rune) bool { return r < ' ' || r > '~' }):
		return ErrorAt(Invalid, "secret", "secret must be what the header says, like Bearer abc, in at most 4000 letters, digits and signs")
	}
	return nil
}

// checkWhose checks what keeps the data of one visitor from another one.
func (a *Action) checkWhose() error {
	switch {
	case a.Identity != "" && !parameter.MatchString("{"+a.Identity+"}"):
		return ErrorAt(Invalid, "identity", "identity must be the name of the parameter that gets the visitor's verified id, or empty")
	case a.Owner != "" && (len(a.Owner) > maxActionPointer || !actionPath.MatchString(a.Owner)):
		return ErrorAt(Invalid, "owner", "owner must be the path of a field in the answer, like customer.id, or empty")
	case a.Method != http.MethodGet && a.Method != http.MethodPost && a.Method != MethodMCP && !a.Changes:
		return ErrorAt(Invalid, "changes", "changes must be true: a "+a.Method+" changes something, and a person has to say yes")
	case a.Changes && a.Owner != "":
		return ErrorAt(Invalid, "owner", "owner is for actions that only read: a change is done before its answer can be checked. Use identity")
	}
	if a.ByEmail && a.Identity == "" && a.Owner == "" {
		return ErrorAt(Invalid, "byEmail", "byEmail needs identity or owner: the parameter or the field that is the e-mail address")
	}
	a.Verified = a.Verified || a.Identity != "" || a.Owner != ""
	if a.Verified && !a.Changes && a.Identity == "" && a.Owner == "" {
		return ErrorAt(Invalid, "identity", "identity or owner is required: they keep one visitor's data from another one")
	}
	return nil
}

// Works reports whether the AI may ask for it.
func (a *Action) Works() bool { return a.PausedAt == 0 }

// Pause pauses or resumes it.
func (a *Action) Pause(paused bool) {
	switch {
	case !paused:
		a.PausedAt = 0
	case a.PausedAt == 0:
		a.PausedAt = Now()
	}
}

// Operation is one of an OpenAPI document, as an action that could be declared.
type Operation struct {
	Name    string `json:"name"`
	About   string `json:"about"`
	Method  string `json:"method"`
	Path    string `json:"path"`
	URL     string `json:"url"`
	Changes bool   `json:"changes"`
	// Parameters is the JSON Schema of all of them.
	Parameters Raw `json:"parameters"`
	// Header is the one in which the server wants its secret.
	Header string `json:"header"`
	// Why it cannot be an action, "" if it can.
	Why string `json:"why,omitempty"`
}

// Operations are those of a document.
type Operations struct {
	Title      string      `json:"title"`
	Operations []Operation `json:"operations"`
	// More counts those that are not listed.
	More int `json:"more,omitempty"`
}
