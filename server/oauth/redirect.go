package oauth

import (
	"net"
	"net/url"
	"strings"

	"github.com/relay-chat/relay/server/chat"
)

// maxRedirect is how long an address may be to which a program is led back.
const maxRedirect = 500

// ownParameters are those that relay adds to a redirect address.
var ownParameters = []string{"code", "state", "iss", "error", "error_description"}

// checkRedirect refuses addresses to which relay leads nobody: only https, or http on the person's
// own machine (RFC 8252, 7.3).
func checkRedirect(address string) *Refusal {
	u, err := url.Parse(address)
	switch {
	case err != nil || len(address) > maxRedirect || strings.ContainsFunc(address, unsafe) || u.String() != address:
		return refuse(InvalidRedirect, "redirect_uris must be plain addresses of at most 500 characters")
	case u.Hostname() == "" || strings.ContainsFunc(u.Host, notOfHost) || u.User != nil || u.Opaque != "" || strings.Contains(address, "#"):
		return refuse(InvalidRedirect, "redirect_uris must have a host, and neither a name before it nor a #")
	case u.Scheme != "https" && !(u.Scheme == "http" && isLoopback(u.Hostname())):
		return refuse(InvalidRedirect, "redirect_uris must begin with https://, or lead to 127.0.0.1, [::1] or localhost")
	}
	query, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return refuse(InvalidRedirect, "redirect_uris must have a query that can be read")
	}
	for _, name := range ownParameters {
		if query.Has(name) {
			return refuse(InvalidRedirect, "redirect_uris must not have the parameter "+name)
		}
	}
	return nil
}

// unsafe reports whether browsers may read a character of an address in another way than relay.
func unsafe(r rune) bool { return r <= ' ' || r >= 0x7f || strings.ContainsRune(`\"<>^`+"`{|}", r) }

func notOfHost(r rune) bool {
	return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyz0123456789.-:[]", r)
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// matches reports whether an address is one that the program has registered: the same, but for
// the port on the person's own machine, which nobody knows before (RFC 8252, 7.3).
func matches(registered chat.Addresses, asked string) bool {
	for _, known := range registered {
		if known == asked || sameButPort(known, asked) {
			return true
		}
	}
	return false
}

func sameButPort(known, asked string) bool {
	a, err := url.Parse(known)
	if err != nil || a.Scheme != "http" || checkRedirect(asked) != nil {
		return false
	}
	b, _ := url.Parse(asked) // which has been checked
	if b.Scheme != "http" || a.Hostname() != b.Hostname() {
		return false
	}
	a.Host, b.Host = "", ""
	return a.String() == b.String()
}
