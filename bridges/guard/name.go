package guard

import (
	"context"
	"net"
	"net/netip"
	"net/url"
	"time"
)

// nameTime bounds looking up a name that somebody waits for.
const nameTime = 2 * time.Second

// IsPrivateName reports whether the host of an address leads into a private network that
// is not allowed and could be.
func IsPrivateName(ctx context.Context, address string, allowed []netip.Prefix) bool {
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, nameTime)
	defer cancel()
	found, err := net.DefaultResolver.LookupNetIP(ctx, "ip", u.Hostname())
	if err != nil {
		return false
	}
	for _, ip := range found {
		if private, err := refuse(ip, allowed); err != nil && private.IsValid() {
			return true
		}
	}
	return false
}
