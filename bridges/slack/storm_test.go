package slack_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/relay-chat/relay/bridges/bridgetest"
	"github.com/relay-chat/relay/bridges/slack/slacktest"
	"github.com/relay-chat/relay/server/chat"
)

// received returns what operators said in a session.
func (h *harness) received(sessionID string) (list []string) {
	for _, m := range h.Messages(sessionID) {
		if m.Sender == chat.SenderOperator {
			list = append(list, m.Content)
		}
	}
	return list
}

// Sessions write and send files while Slack fails in every way and is away for
// ten minutes: nothing is lost, order is kept, and nothing is there twice,
// because uncertain messages are looked up.
func TestStorm(t *testing.T) {
	if testing.Short() {
		t.Skip("a thousand messages take a while under the race detector")
	}
	const visitors, messages = 40, 25
	withHarness(t, func(t *testing.T, h *harness) {
		storm := bridgetest.Storm{Seed: 7, RateLimited: 0.05, Server: 0.05, AnswerLost: 0.05, RetryAfter: 3 * time.Second}
		h.InStorm(h.Platform, storm, visitors, messages, 20*time.Second, func(session string, n, m int) {
			text := fmt.Sprintf("<%d.%d>", n, m)
			if m%10 == 3 {
				h.SayWithFile(session, text, "note.txt", "of "+text)
			} else {
				h.Say(session, text)
			}
		})
		if n := len(h.Threads()); n != visitors || h.Mirror.Ambiguous() == 0 {
			t.Errorf("%d threads, %d ambiguous sends", n, h.Mirror.Ambiguous())
		}
		for _, th := range h.Threads() {
			var all strings.Builder
			files := 0
			for _, m := range th.Messages {
				all.WriteString(m.Text + "\n")
				if m.Filename == "note.txt" {
					files++
				}
			}
			_, rest, _ := strings.Cut(all.String(), "<")
			visitor, _, _ := strings.Cut(rest, ".")
			for m := range messages {
				word := fmt.Sprintf("<%s.%d>", visitor, m)
				if n := strings.Count(all.String(), word); n != 1 {
					t.Errorf("%s is there %d times", word, n)
				}
				if m > 0 && strings.Index(all.String(), word) < strings.Index(all.String(), fmt.Sprintf("<%s.%d>", visitor, m-1)) {
					t.Errorf("%s comes too early", word)
				}
			}
			if files != 3 {
				t.Errorf("visitor %s sent 3 files, %d are there", visitor, files)
			}
		}
		t.Logf("%d ambiguous sends, %d calls, %d of them were too early", h.Mirror.Ambiguous(), len(h.Requests("")), h.Limited())
	})
}

// 200 visitors write at once: all of it arrives, and Slack hardly ever has to
// say no.
func TestCrowd(t *testing.T) {
	if testing.Short() {
		t.Skip("200 sessions take a while under the race detector")
	}
	const visitors = 200
	withHarness(t, func(t *testing.T, h *harness) {
		begun := time.Now()
		for n := range visitors {
			session := h.Visit(fmt.Sprint("visitor", n))
			h.Say(session, fmt.Sprintf("<%d.0>", n))
			h.Say(session, fmt.Sprintf("<%d.1>", n))
		}
		h.Settle()
		for _, th := range h.Threads() {
			if n := strings.Count(jsonOf(th.Messages), `.0\u003e`); n != 1 {
				t.Errorf("%s has %d first messages", th.Ref, n)
			}
		}
		t.Logf("400 messages of 200 visitors took %s, %d of %d calls were too early", time.Since(begun), h.Limited(), len(h.Requests("")))
		if len(h.Threads()) != visitors || h.Limited() > 0 {
			t.Errorf("%d threads, %d messages came too early", len(h.Threads()), h.Limited())
		}
	})
}

// A misconfiguration is reported with its fix, nothing is lost meanwhile, and
// once it is fixed everything arrives.
func TestMended(t *testing.T) {
	for name, c := range map[string]struct {
		breaks, mends func(f *slacktest.Platform)
		fix           string
	}{
		"archived":      {func(f *slacktest.Platform) { f.Archive(true) }, func(f *slacktest.Platform) { f.Archive(false) }, "unarchive"},
		"not invited":   {(*slacktest.Platform).Leave, (*slacktest.Platform).Invite, "/invite"},
		"revoked":       {(*slacktest.Platform).Revoke, (*slacktest.Platform).Restore, "xoxb-"},
		"missing scope": {func(f *slacktest.Platform) { f.Grant("channels:history") }, func(f *slacktest.Platform) { f.Grant(slacktest.SeedScopes...) }, "install the app anew"},
	} {
		t.Run(name, func(t *testing.T) {
			withHarness(t, func(t *testing.T, h *harness) {
				h.Grant(slacktest.SeedScopes...)
				time.Sleep(time.Hour) // the bridge may have asked before
				session := h.Visit("ann")
				h.Say(session, "before")
				h.Settle()
				th := h.Threads()[0].Ref
				time.Sleep(time.Hour)
				c.breaks(h.Platform)
				h.Say(session, "meanwhile")
				time.Sleep(time.Hour)
				var wrong *chat.Misconfigured
				if err := h.Mirror.Trouble(); !errors.As(err, &wrong) || !strings.Contains(wrong.Fix, c.fix) || h.Undelivered() != 1 {
					t.Errorf("the trouble is %v, %d wait", err, h.Undelivered())
				}
				c.mends(h.Platform)
				h.Settle()
				if got := shown(h.Platform, th); strings.Count(got, "meanwhile") != 1 || len(h.Threads()) != 1 || h.Mirror.Trouble() != nil {
					t.Errorf("the thread shows %q, the trouble is %v", got, h.Mirror.Trouble())
				}
			})
		})
	}
}
