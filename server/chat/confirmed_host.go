package chat

import (
	"net"
	"net/url"
	"strings"
)

// SettingConfirmedHost is stored with the settings, but is none of the admin API's: only
// the engine's ConfirmAIHost sets it.
const SettingConfirmedHost = "aiConfirmedHost"

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

// AIHostConfirmed reports whether an address is at the private host that was confirmed.
func (s *Settings) AIHostConfirmed(address string) bool {
	return s.confirmedHost != "" && s.confirmedHost == HostOf(address)
}
