package e2e

import (
	"strings"
	"testing"

	"github.com/relay-chat/relay/bridges/bridgetest"
)

// shown returns all texts on a platform.
func shown(p bridgetest.Platform) string {
	var lines []string
	for _, th := range p.Threads() {
		for _, m := range th.Messages {
			lines = append(lines, m.Text)
		}
	}
	return strings.Join(lines, "\n")
}

// continues waits until a deleted thread is followed by one that shows a
// text.
func continues(t *testing.T, p bridgetest.Platform, gone, text string) {
	t.Helper()
	eventually(t, "a new thread continues", func() bool {
		threads := p.Threads()
		return len(threads) == 1 && threads[0].Ref != gone && strings.Contains(shown(p), text)
	})
}

// unharmed checks that every request to a platform was valid, and that no relay
// revealed a token, all of which contain a canary.
func unharmed(t *testing.T, p bridgetest.Platform, relays ...*instance) {
	t.Helper()
	for _, v := range p.Violations() {
		t.Error(v)
	}
	for _, in := range relays {
		if strings.Contains(in.stderr.String()+in.stdout.String(), "canary") {
			t.Error("a token is in the log")
		}
	}
	t.Log(shown(p))
}
