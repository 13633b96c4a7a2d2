package guard

import (
	"context"
	"encoding/binary"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"testing"
)

// special are addresses in every form in which somebody has tried to slip them in.
var special = []string{
	"127.0.0.1", "127.1.2.3", "::1", "::ffff:127.0.0.1", "::127.0.0.1", "0.0.0.0", "::", "169.254.169.254", "::ffff:169.254.169.254", "fe80::1",
	"64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe", "2002:7f00:1::", "100.100.100.200", "192.0.0.192", "fd00:ec2::254", "10.0.0.1", "172.16.0.1", "192.168.1.1",
	"100.64.0.1", "168.63.129.16", "224.0.0.1", "255.255.255.255", "ff02::1", "fc00::1",
}

// resolver answers every name with one address after the other, the last for ever.
type resolver struct {
	net.PacketConn
	mu      sync.Mutex
	answers []netip.Addr
}

// resolve replaces the machine's resolver for the time of a test.
func resolve(t *testing.T, addresses ...string) {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r := &resolver{PacketConn: conn}
	for _, a := range addresses {
		r.answers = append(r.answers, netip.MustParseAddr(a))
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		r.serve()
	}()
	old := net.DefaultResolver
	net.DefaultResolver = &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "udp", conn.LocalAddr().String())
	}}
	t.Cleanup(func() {
		net.DefaultResolver = old
		conn.Close()
		<-ended
	})
}

func (r *resolver) serve() {
	buf := make([]byte, 1500)
	for {
		n, from, err := r.ReadFrom(buf)
		if err != nil {
			return
		}
		_, _ = r.WriteTo(r.answer(buf[:n]), from)
	}
}

// answer is RFC 1035 as far as it is needed: the question, and one address if it
// asks for its family.
func (r *resolver) answer(query []byte) []byte {
	r.mu.Lock()
	defer r.mu.Unlock()
	end := 12
	for query[end] != 0 {
		end += int(query[end]) + 1
	}
	end += 5
	addr, asked := r.answers[0], binary.BigEndian.Uint16(query[end-4:])
	out := append([]byte{query[0], query[1], 0x81, 0x80, 0, 1, 0, 0, 0, 0, 0, 0}, query[12:end]...)
	if addr.Is4() != (asked == 1) {
		return out
	}
	if len(r.answers) > 1 {
		r.answers = r.answers[1:]
	}
	out[7] = 1
	out = append(out, 0xc0, 12, byte(asked>>8), byte(asked), 0, 1, 0, 0, 0, 0)
	return append(binary.BigEndian.AppendUint16(out, uint16(addr.BitLen()/8)), addr.AsSlice()...)
}

// TestDiallerRefuses: no form of a special address, written or resolved, by redirect
// or by a name that changes between two looks, gets a connection.
func TestDiallerRefuses(t *testing.T) {
	reached := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("a request arrived") }))
	defer reached.Close()
	here, err := url.Parse(reached.URL)
	if err != nil {
		t.Fatal(err)
	}
	get := func(host string) error {
		client := &http.Client{Transport: NewTransport(nil)}
		defer client.CloseIdleConnections()
		resp, err := client.Get("http://" + net.JoinHostPort(host, here.Port()) + "/")
		if err == nil {
			resp.Body.Close()
		}
		return err
	}
	for _, ip := range special {
		if err := get(ip); !errors.As(err, new(Forbidden)) {
			t.Errorf("%s: %v", ip, err)
		}
		if _, err := Refuse("http://"+net.JoinHostPort(ip, "80")+"/", nil); err == nil {
			t.Errorf("%s may be set", ip)
		}
	}
	for _, name := range []string{"2130706433", "0177.0.0.1", "0x7f.1", "127.1", "[::1%25lo]", "localhost"} {
		if err := get(strings.Trim(name, "[]")); err == nil {
			t.Errorf("%s was reached", name)
		}
	}
	for _, ip := range special {
		t.Run("a name of "+ip, func(t *testing.T) {
			resolve(t, ip)
			if err := get("rebound.example"); !errors.As(err, new(Forbidden)) && !unresolved(err) {
				t.Errorf("%v", err)
			}
		})
	}
	t.Run("a name that changes", func(t *testing.T) {
		resolve(t, "203.0.113.7", "127.0.0.1")
		if addrs, err := net.DefaultResolver.LookupNetIP(t.Context(), "ip4", "rebound.example"); err != nil || addrs[0].String() != "203.0.113.7" {
			t.Fatalf("the first look finds %v, %v", addrs, err)
		}
		if err := get("rebound.example"); !errors.As(err, new(Forbidden)) {
			t.Errorf("the second look: %v", err)
		}
	})
	t.Run("a redirect", func(t *testing.T) {
		trap := httptest.NewServer(http.RedirectHandler(reached.URL, http.StatusFound))
		defer trap.Close()
		at, err := netip.ParseAddrPort(strings.TrimPrefix(trap.URL, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		loose, strict := NewTransport([]netip.Prefix{netip.PrefixFrom(at.Addr(), 32)}), NewTransport(nil)
		client := &http.Client{Transport: &hop{first: loose, then: strict}}
		defer client.CloseIdleConnections()
		if _, err := client.Get(trap.URL); !errors.As(err, new(Forbidden)) {
			t.Errorf("%v", err)
		}
	})
}

// hop lets only the first request of a chain out by a looser transport.
type hop struct {
	first, then http.RoundTripper
	went        bool
}

func (h *hop) RoundTrip(r *http.Request) (*http.Response, error) {
	if h.went {
		return h.then.RoundTrip(r)
	}
	h.went = true
	return h.first.RoundTrip(r)
}

// unresolved reports whether the resolver itself did not pass an address on.
func unresolved(err error) bool { return errors.As(err, new(*net.DNSError)) }
