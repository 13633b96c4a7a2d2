package telegram_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/relay-chat/relay/bridges/bridgetest"
	"github.com/relay-chat/relay/bridges/telegram/telegramtest"
	"github.com/relay-chat/relay/server/chat"
)

// picky is a server that understands no markup, and says so in its words.
type picky struct {
	http.RoundTripper
	says string
}

func (p picky) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	if strings.Contains(string(body), "HTML") {
		return refused(400, p.says, "").RoundTrip(r)
	}
	r.Body = io.NopCloser(strings.NewReader(string(body)))
	return p.RoundTripper.RoundTrip(r)
}

// Markup that is not understood costs the markup, not the message, whatever
// Telegram calls it.
func TestMarkupIsGivenUp(t *testing.T) {
	for _, says := range []string{"Bad Request: can't parse entities: Unsupported start tag", "Bad Request: entities too long", "Bad Request"} {
		t.Run(says, func(t *testing.T) { markupIsGivenUp(t, says) })
	}
}

func markupIsGivenUp(t *testing.T, says string) {
	f := telegramtest.NewInBubble(t)
	b, log := makeBridge(t, f, func(c *config) { c.Transport = picky{f.Transport(), says} })
	th := open(t, b, "Grace", "")
	first := bridgetest.Must(t, b, th, chat.Op{Kind: chat.OpPost, Text: "1 < 2", From: "Ada"})
	if got := shown(f.Threads()[0]); got != "Ada:\n1 < 2" {
		t.Error(got)
	}
	bridgetest.Must(t, b, th, chat.Op{Kind: chat.OpEdit, Remote: first, Text: "<b>", From: "Ada"})
	bridgetest.Must(t, b, th, chat.Op{Kind: chat.OpPost, Text: "2 > 1", File: bridgetest.File("a.txt", "text/plain", "a")})
	if got := shown(f.Threads()[0]); got != "Ada:\n<b>|2 > 1" {
		t.Error(got)
	}
	bridgetest.Clean(t, f, log)
}
