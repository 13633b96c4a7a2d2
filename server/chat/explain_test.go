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
		"lost":      {fmt.Errorf("%w: sendMessage: %w", chat.ErrAmbiguous, dial), "Telegram cannot be reached", false},
		"5xx":       {fmt.Errorf("%w: chat.postMessage: the answer was HTTP 503", chat.ErrAmbiguous), "Telegram does not answer as it should", false},
		"rate":      {&chat.RetryAfter{After: time.Second, Cause: errors.New("429")}, "Telegram asked relay to slow down", true},
		"refused":   {fmt.Errorf("x: %w", chat.ErrPermanent), "Telegram refused what relay asked for", true},
		"database":  {fmt.Errorf("store an update: %w", chat.ErrAway), "relay cannot use its database", true},
		"server":    {errors.New("sendMessage: 500 Internal Server Error"), "Telegram does not answer as it should", true},
	} {
		e := chat.Explain("Telegram", c.err)
		kind := errors.Is(c.err, chat.ErrAmbiguous) // which is no word for people
		if e.Problem != c.problem || e.Fix == "" || (e.Details == c.err.Error()) != c.details || (e.Details == "") != (!c.details && !kind) {
			t.Errorf("%s: %+v", name, e)
		}
	}
}

// The kinds of failures are relay's own words: no text for people has them, wherever they
// stand and in whatever order.
func TestReasonOf(t *testing.T) {
	for text, want := range map[string]string{
		"permanent failure: later ones pass it: 400 Bad Request": "400 Bad Request",
		"later ones pass it: permanent failure: x":               "x",
		"ambiguous outcome: later ones pass it: y":               "y",
		"open a thread: ambiguous outcome: HTTP 503":             "open a thread: HTTP 503",
		"permanent failure: permanent failure: z":                "z",
		"relay stopped meanwhile: it was sent":                   "it was sent",
		"the file is too large":                                  "the file is too large",
		"":                                                       "",
	} {
		if got := chat.ReasonOf(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
