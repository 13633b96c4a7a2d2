package oauth

import (
	"net"
	"net/url"
	"slices"
	"strings"

	"github.com/relay-chat/relay/server/chat"
)

// maxRedirect is how long an address may be to which a program is led back.
const maxRedirect = 500

// ownParameters are those that relay adds to a redirect address.
var ownParameters = []string{"code", "state", "iss", "error", "error_description"}

// editors are the schemes of programs that many people have and that no domain stands in.
var editors = []string{"cursor", "vscode", "vscode-insiders", "windsurf", "zed"}

// isOwnScheme reports whether the system hands addresses of a scheme to an installed program: one
// named by a domain in reverse (RFC 8252, 7.1), or an editor's. Of others, such as javascript,
// browsers make something else. What another program catches by the same scheme is of no use to
// it without the verifier.
func isOwnScheme(scheme string) bool {
	return strings.Contains(scheme, ".") || slices.Contains(editors, scheme)
}

// checkRedirect refuses addresses to which relay leads nobody: only https, and what leads to a
// program on the person's own machine, by http (RFC 8252, 7.3) or a scheme of its own.
func checkRedirect(address string) *Refusal {
	u, err := url.Parse(address)
	switch {
	case err != nil || len(address) > maxRedirect || strings.ContainsFunc(address, unsafe) || u.String() != address:
		return refuse(InvalidRedirect, "redirect_uris must be plain addresses of at most 500 characters")
	case isOwnScheme(u.Scheme) && u.Host == "" && !strings.HasPrefix(u.Path, "/"), !isOwnScheme(u.Scheme) && u.Hostname() == "",
		strings.ContainsFunc(u.Host, notOfHost) || u.User != nil || u.Opaque != "" || strings.Contains(address, "#"):
		return refuse(InvalidRedirect, "redirect_uris must have a host, and neither a name before it nor a #")
	case u.Scheme != "https" && !(u.Scheme == "http" && isLoopback(u.Hostname())) && !isOwnScheme(u.Scheme):
		return refuse(InvalidRedirect, "redirect_uris must begin with https://, lead to 127.0.0.1, [::1] or localhost, or have a program's own scheme like com.example.app:/")
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
