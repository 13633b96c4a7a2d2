package passkey

import (
	"errors"
	"net/netip"
	"net/url"
	"strings"
)

// Site is who asks for passkeys: browsers offer one on the site that it was made for only.
type Site struct {
	Host   string // the relying party's id
	Origin string // of the page, as browsers write it
}

// Errors of sites.
var (
	ErrInsecure = errors.New("passkeys need https, or localhost")
	ErrAddress  = errors.New("passkeys need a host name in place of an IP address")
)

// SiteOf returns the site at an address, or why browsers allow no passkeys there.
func SiteOf(address string) (Site, error) {
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" {
		return Site{}, ErrInsecure
	}
	host, port := strings.ToLower(u.Hostname()), u.Port()
	_, notAddress := netip.ParseAddr(host)
	switch local := host == "localhost" || strings.HasSuffix(host, ".localhost"); {
	case u.Scheme != "https" && (u.Scheme != "http" || !local):
		return Site{}, ErrInsecure
	case notAddress == nil:
		return Site{}, ErrAddress
	}
	origin := u.Scheme + "://" + host
	if port != "" && port != map[string]string{"https": "443", "http": "80"}[u.Scheme] {
		origin += ":" + port
	}
	return Site{Host: host, Origin: origin}, nil
}
