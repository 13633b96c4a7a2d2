package chat

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
)

// Explanation describes a platform's problem for people, with a fix.
// Details is the technical error, "" where the problem
// includes it.
type Explanation struct {
	Problem, Fix, Details string
}

// Explain explains an error of a platform's call. platform is its
// name as people write it.
func Explain(platform string, err error) Explanation {
	var misconfigured *Misconfigured
	if errors.As(err, &misconfigured) {
		return Explanation{Problem: misconfigured.Problem, Fix: misconfigured.Fix}
	}
	e := Explanation{Details: withoutKinds(err.Error())}
	var wait *RetryAfter
	switch {
	case errors.Is(err, ErrStorageFull), errors.Is(err, ErrAway):
		e.Problem = "relay cannot use its database"
		e.Fix = "relay doctor looks at the database; relay keeps retrying"
	case errors.As(err, &wait):
		e.Problem = platform + " asked relay to slow down"
		e.Fix = "nothing: relay waits for as long as it was asked to"
	case unreachable(err):
		e.Problem = platform + " cannot be reached"
		e.Fix = lookAtNetwork(platform) + "; relay keeps retrying"
	case errors.Is(err, ErrPermanent):
		e.Problem = platform + " refused what relay asked for"
		e.Fix = "test the bridge: that looks at its token, rights and channel"
	default:
		e.Problem = platform + " does not answer as it should"
		e.Fix = "relay keeps retrying; if this lasts, look at " + platform + "'s status page, and " + lookAtNetwork(platform)
	}
	return e
}

func lookAtNetwork(platform string) string {
	return "check this machine's network, firewall and DNS, and " + strings.ToUpper(platform) + "_API_URL if it is set"
}

// unreachable reports whether err is a network error: an answer, whatever it says, is none.
func unreachable(err error) bool {
	var network net.Error
	if errors.As(err, &network) {
		return true
	}
	for _, cut := range []error{context.DeadlineExceeded, io.EOF, io.ErrUnexpectedEOF} {
		if errors.Is(err, cut) {
			return true
		}
	}
	return false
}
