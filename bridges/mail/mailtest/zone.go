package mailtest

import (
	"context"
	"net"
)

// Zone is a DNS: its texts by name, and its mail server; the empty one knows no domain.
type Zone struct {
	Texts map[string][]string
	MX    string
	Away  bool
}

func (z Zone) answer(found bool) error {
	switch {
	case z.Away:
		return &net.DNSError{Err: "server misbehaving", IsTemporary: true}
	case !found:
		return &net.DNSError{Err: "no such host", IsNotFound: true}
	}
	return nil
}

// LookupMX answers as [net.Resolver] does.
func (z Zone) LookupMX(context.Context, string) ([]*net.MX, error) {
	if err := z.answer(z.MX != ""); err != nil {
		return nil, err
	}
	return []*net.MX{{Host: z.MX}}, nil
}

// LookupTXT answers as [net.Resolver] does.
func (z Zone) LookupTXT(_ context.Context, name string) ([]string, error) {
	return z.Texts[name], z.answer(z.Texts[name] != nil)
}
