package telegram_test

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/relay-chat/relay/bridges/bridgetest"
	"github.com/relay-chat/relay/bridges/telegram/telegramtest"
	"github.com/relay-chat/relay/server/chat"
)

func TestFetch(t *testing.T) {
	f := telegramtest.NewInBubble(t)
	b, log := makeBridge(t, f)
	th := open(t, b, "Grace", "").Ref
	f.Attach(th, "Ada", "offer.pdf", "application/pdf", []byte("%PDF-1.7"), "the offer")
	file, err := b.Fetch(t.Context(), "AgAD1")
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(file)
	file.Close()
	if err != nil || string(data) != "%PDF-1.7" {
		t.Errorf("fetched %q, %v", data, err)
	}
	f.Enlarge(21 << 20)
	for _, ref := range []string{"AgAD1", "unknown"} {
		if _, err := b.Fetch(t.Context(), ref); !errors.Is(err, chat.ErrPermanent) || !strings.Contains(err.Error(), "20 MB") {
			t.Errorf("%s: %v", ref, err)
		}
	}
	bridgetest.Clean(t, f, log)
}

// Files that cannot be had say so without the token, which is in their
// address.
func TestFetchFailures(t *testing.T) {
	path := func(p string) string { return `{"ok":true,"result":{"file_id":"a","file_path":` + jsonOf(p) + `}}` }
	var misconfigured *chat.Misconfigured
	for name, c := range map[string]struct {
		answer answers
		ok     func(error) bool
	}{
		"a path on the server's disk": {answers{Status: 200, Body: path("/var/lib/telegram/7000000001:AAcanary/file")}, func(err error) bool { return errors.As(err, &misconfigured) && errors.Is(err, chat.ErrPermanent) }},
		"no path":                     {answers{Status: 200, Body: path("")}, func(err error) bool { return errors.Is(err, chat.ErrPermanent) }},
		"an outage":                   {answers{Err: io.ErrUnexpectedEOF}, func(err error) bool { return !errors.Is(err, chat.ErrPermanent) }},
		"429":                         {refused(429, "Too Many Requests: retry after 3", `{"retry_after":3}`), func(err error) bool { return !errors.Is(err, chat.ErrPermanent) }},
		"401":                         {refused(401, "Unauthorized", ""), func(err error) bool { return errors.As(err, &misconfigured) }},
	} {
		_, err := bridgeTo(t, c.answer).Fetch(t.Context(), "a")
		if err == nil || !c.ok(err) || strings.Contains(err.Error(), "AAcanary") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
