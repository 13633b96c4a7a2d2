package oauth

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"

	"github.com/relay-chat/relay/server/chat"
)

// MaxDocument bounds what a program says of itself at its address, and maxDocumented is to how
// many addresses it may be led back.
const (
	MaxDocument   = 16 << 10
	maxDocumented = 20
)

// IsDocument reports whether a client_id is the address of a document in which the program says who
// it is (OAuth Client ID Metadata Document, which the Model Context Protocol prefers to registering).
func IsDocument(id string) bool { return strings.HasPrefix(id, "https://") }

// CheckDocument refuses addresses at which no program can be: they have a path, and are written in
// the only way in which browsers and relay understand them.
func CheckDocument(id string) *Refusal {
	u, err := url.Parse(id)
	switch {
	case err != nil || len(id) > maxRedirect || strings.ContainsFunc(id, unsafe) || u.String() != id:
		return refuse(InvalidClient, "client_id must be a plain address of at most 500 characters")
	case u.Hostname() == "" || strings.ContainsFunc(u.Host, notOfHost) || u.User != nil || strings.Contains(id, "#"):
		return refuse(InvalidClient, "client_id must have a host, and neither a name before it nor a #")
	case strings.Trim(u.Path, "/") == "" || slices.ContainsFunc(strings.Split(u.Path, "/"), isDots):
		return refuse(InvalidClient, "client_id must have a path, without . and .. in it")
	}
	return nil
}

func isDots(segment string) bool { return segment == "." || segment == ".." }

// document is what a program says of itself.
type document struct {
	ID string `json:"client_id"`
	Registration
	AuthMethod string          `json:"token_endpoint_auth_method"`
	Secret     json.RawMessage `json:"client_secret"`
}

// ReadDocument returns the program that a document at an address describes. Addresses to which
// relay leads nobody count as if they were not there.
func ReadDocument(id string, data []byte) (*chat.OAuthClient, *Refusal) {
	var d document
	switch err := json.Unmarshal(data, &d); {
	case err != nil:
		return nil, refuse(InvalidClient, "what is at its client_id is no document of a program")
	case d.ID != id:
		return nil, refuse(InvalidClient, "the document at its client_id is about another client_id")
	case d.Secret != nil || d.AuthMethod != "" && d.AuthMethod != "none":
		return nil, refuse(InvalidClient, "the document at its client_id must have the token_endpoint_auth_method none, and no secret")
	case len(d.Redirects) > maxDocumented:
		return nil, refuse(InvalidClient, "the document at its client_id must have at most 20 redirect_uris")
	}
	d.Redirects = slices.DeleteFunc(d.Redirects, func(address string) bool { return checkRedirect(address) != nil })
	if len(d.Redirects) == 0 {
		return nil, refuse(InvalidClient, "the document at its client_id has no redirect_uris to which relay leads anybody")
	}
	c, refused := d.client()
	if refused != nil {
		return nil, refused
	}
	c.ID = id
	return c, nil
}
