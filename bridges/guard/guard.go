// Package guard keeps relay's requests to addresses that others choose away from
// private and special networks. It imports nothing of relay.
package guard

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"syscall"
	"time"

	"code.dny.dev/ssrf"
)

// Limits of a connection.
const (
	timeout      = 10 * time.Second
	maxHeader    = 64 << 10
	connsPerHost = 8
)

// Forbidden is the error of an address that relay does not connect to: why not.
type Forbidden string

func (f Forbidden) Error() string { return string(f) }

// never are addresses that nothing of use has: link-local ones, where clouds serve
// their metadata, and other metadata addresses of Alibaba, Oracle and Azure, then
// by IPv6 of Amazon, Google, Oracle, Scaleway, Linode and Alibaba.
var never = prefixes("169.254.0.0/16", "fe80::/10", "100.100.100.200/32", "192.0.0.192/32", "168.63.129.16/32",
	"fd00:ec2::/32", "fd20:ce::254/128", "fd00:c1::a9fe:a9fe/128", "fd00:42::42/128", "fd00:a9fe:a9fe::1/128", "fd00:100::100:200/128",
	"0.0.0.0/8", "224.0.0.0/4", "240.0.0.0/4", "ff00::/8", "::/128")

// Private are the private networks that only a trusted or allowed address may be in.
var Private = prefixes("127.0.0.0/8", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "::1/128", "fc00::/7")

func prefixes(list ...string) []netip.Prefix {
	out := make([]netip.Prefix, len(list))
	for i, p := range list {
		out[i] = netip.MustParsePrefix(p)
	}
	return out
}

// NewTransport returns a transport that checks every address right before it is
// dialled, so that DNS rebinding has no effect. It uses no proxy and reaches
// special networks only if allowed.
func NewTransport(allowed []netip.Prefix) *http.Transport {
	dialer := &net.Dialer{Timeout: timeout, Control: control(allowed)}
	return &http.Transport{DialContext: dialer.DialContext, MaxConnsPerHost: connsPerHost, MaxIdleConnsPerHost: connsPerHost,
		IdleConnTimeout: time.Minute, TLSHandshakeTimeout: timeout, DisableCompression: true, ForceAttemptHTTP2: true,
		MaxResponseHeaderBytes: maxHeader}
}

// Refuse returns why an address can never be reached, as far as it alone
// shows: names are resolved and checked when they are dialled. private is the
// address that could be allowed, invalid when none could.
func Refuse(address string, allowed []netip.Prefix) (private netip.Addr, err error) {
	u, err := url.Parse(address)
	if err != nil {
		return netip.Addr{}, nil // the caller rejects what is no URL
	}
	host := strings.ToLower(strings.TrimSuffix(u.Hostname(), "."))
	list := []string{host}
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		list = []string{"127.0.0.1", "::1"}
	}
	for _, literal := range list {
		ip, parseErr := netip.ParseAddr(literal)
		if parseErr != nil {
			return netip.Addr{}, nil
		}
		if private, err = refuse(ip, allowed); err == nil {
			return netip.Addr{}, nil
		}
	}
	return private, err
}

// refuse checks one address with the dialler's guard.
func refuse(ip netip.Addr, allowed []netip.Prefix) (private netip.Addr, err error) {
	ip = ip.Unmap().WithZone("")
	network := "tcp6"
	if ip.Is4() {
		network = "tcp4"
	}
	err = control(allowed)(network, netip.AddrPortFrom(ip, 443).String(), nil)
	if err != nil && !isNever(ip) {
		private = ip
	}
	return private, err
}

func isNever(ip netip.Addr) bool {
	return slices.ContainsFunc(never, func(p netip.Prefix) bool { return p.Contains(ip) })
}

// control returns a dialler's hook that rejects forbidden addresses.
func control(allowed []netip.Prefix) func(network, address string, c syscall.RawConn) error {
	v4, v6 := split(allowed)
	guard := ssrf.New(ssrf.WithAnyPort(), ssrf.WithAllowedV4Prefixes(v4...), ssrf.WithAllowedV6Prefixes(v6...))
	return func(network, address string, c syscall.RawConn) error {
		ipport, err := netip.ParseAddrPort(address)
		if err != nil {
			return err
		}
		ip := ipport.Addr().Unmap().WithZone("")
		if isNever(ip) {
			return Forbidden("relay never connects to " + ip.String())
		}
		if err := guard.Safe(network, address, c); err != nil {
			return Forbidden(ip.String() + " is in a network that WEBHOOK_ALLOW_CIDRS does not allow")
		}
		return nil
	}
}

func split(list []netip.Prefix) (v4, v6 []netip.Prefix) {
	for _, p := range list {
		if p.Addr().Is4() {
			v4 = append(v4, p)
		} else {
			v6 = append(v6, p)
		}
	}
	return v4, v6
}
