package chat

import (
	"context"
	"net"
	"net/url"
	"strings"
)

// settingConfirmedHost is stored with the settings, but is none of the admin API's: only
// [Relay.ConfirmAIHost] sets it.
const settingConfirmedHost = "aiConfirmedHost"

// HostOf returns the host and port that an address leads to, "" if it is none.
func HostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" {
		return ""
	}
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	if port == "" {
		return ""
	}
	return net.JoinHostPort(strings.ToLower(strings.TrimSuffix(u.Hostname(), ".")), port)
}

// ConfirmAIHost lets the AI be at this host and port in a private network, and at no other
// one. The caller has made sure that an administrator wants it.
func (r *Relay) ConfirmAIHost(ctx context.Context, host string) error {
	r.patching.Lock()
	defer r.patching.Unlock()
	return r.patch(ctx, map[string]Raw{settingConfirmedHost: MustJSON(host)})
}

// AIHostConfirmed reports whether an address is at the private host that was confirmed.
func (s *Settings) AIHostConfirmed(address string) bool {
	return s.confirmedHost != "" && s.confirmedHost == HostOf(address)
}
