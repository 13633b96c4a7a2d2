package chat_test

import (
	"errors"
	"fmt"
	"io"
	"net"
	"testing"
	"time"

	"github.com/relay-chat/relay/server/chat"
)

// People read a sentence; what programs say is kept apart from it.
func TestExplain(t *testing.T) {
	dial := &net.OpError{Op: "dial", Net: "tcp", Err: errors.New("connection refused")}
	for name, c := range map[string]struct {
		err     error
		problem string
		details bool
	}{
		"a human's": {fmt.Errorf("open: %w", &chat.Misconfigured{Problem: "no right", Fix: "give it"}), "no right", false},
		"network":   {fmt.Errorf("getMe: %w", dial), "Telegram cannot be reached", true},
		"cut off":   {fmt.Errorf("getMe: %w", io.ErrUnexpectedEOF), "Telegram cannot be reached", true},
		"ambiguous": {fmt.Errorf("sendMessage: %w", chat.ErrAmbiguous), "Telegram cannot be reached", true},
		"rate":      {&chat.RetryAfter{After: time.Second, Cause: errors.New("429")}, "Telegram asked relay to slow down", true},
		"refused":   {fmt.Errorf("x: %w", chat.ErrPermanent), "Telegram refused what relay asked for", true},
		"database":  {fmt.Errorf("store an update: %w", chat.ErrAway), "relay cannot use its database", true},
		"server":    {errors.New("sendMessage: 500 Internal Server Error"), "Telegram does not answer as it should", true},
	} {
		e := chat.Explain("Telegram", c.err)
		if e.Problem != c.problem || e.Fix == "" || (e.Details == c.err.Error()) != c.details || (e.Details == "") == c.details {
			t.Errorf("%s: %+v", name, e)
		}
	}
}
