package config

import (
	"cmp"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/relay-chat/relay/server/chat"
)

// loopback is where a proxy on the same machine finds relay.
const loopback = "127.0.0.1"

// OnlyLocal reports whether relay takes connections from its own machine only: when
// browsers come by https, the unencrypted port is for the proxy, unless HOST or a proxy on
// another machine requires more. Bridge mode is different: backends on other machines
// use its port directly.
func (c *Config) OnlyLocal() bool {
	return c.Host == "" && c.Mode != chat.ModeBridge && strings.HasPrefix(c.PublicURL, "https://") && !c.proxyElsewhere()
}

// ListenHost returns the host to listen on, "" for all addresses.
func (c *Config) ListenHost() string {
	if c.OnlyLocal() {
		return loopback
	}
	return c.Host
}

// OpenForNobody reports whether the unencrypted port is open on all addresses, although
// the proxy can only be on this machine.
func (c *Config) OpenForNobody() bool {
	ip, err := netip.ParseAddr(c.Host)
	return err == nil && ip.IsUnspecified() && strings.HasPrefix(c.PublicURL, "https://") && c.Mode != chat.ModeBridge && !c.proxyElsewhere()
}

// proxyElsewhere reports whether a proxy on another machine is trusted.
func (c *Config) proxyElsewhere() bool {
	return slices.ContainsFunc(c.TrustedProxies, func(p netip.Prefix) bool { return !p.Addr().Unmap().IsLoopback() })
}

// PagesURL returns the public address of the console and relay's other pages; "" without one.
// They need a host name of their own, so a PUBLIC_URL with a path is the widget's and the API's only.
func (c *Config) PagesURL() string {
	if u, err := url.Parse(c.PublicURL); err != nil || cmp.Or(u.Path, "/") != "/" {
		return ""
	}
	return c.PublicURL
}
