package discord_test

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/relay-chat/relay/bridges/bridgetest"
	"github.com/relay-chat/relay/bridges/discord/discordtest"
	"github.com/relay-chat/relay/server/chat"
)

// After a restart threads and sessions find each other again.
func TestRecovery(t *testing.T) {
	long := strings.Repeat("é", 30) // too long for a name
	for name, forum := range map[string]bool{"text channel": false, "forum": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := discordtest.NewInBubble(t)
				f.Forum = forum
				before, _ := makeBridge(t, f)
				plain, odd, wide := open(t, before, "Ann", "session-1"), open(t, before, "Ben", "a b/c"), open(t, before, "Cleo", long)
				renamed, archived := open(t, before, "Dan", "session-4"), open(t, before, "Eve", "session-5")
				f.Rename(renamed.Ref, "VIP")
				f.CloseThread(archived.Ref)
				made := f.MakeThread("Mine · #session-1")

				b, log := makeBridge(t, f)
				for ref, want := range map[string]string{plain.Ref: "session-1", odd.Ref: "a b/c", wide.Ref: long, renamed.Ref: "session-4", archived.Ref: "session-5", made: "", "99999999": ""} {
					got, err := b.Owner(t.Context(), chat.Thread{Ref: ref})
					if got != want || (want == "") != errors.Is(err, chat.ErrThreadGone) {
						t.Errorf("thread %s is of %q (%v), want %q", ref, got, err, want)
					}
				}
				b, _ = makeBridge(t, f)
				for session, want := range map[string]string{"session-1": plain.Ref, "a b/c": odd.Ref, "session-5": archived.Ref, "session-9": "", long: ""} {
					th, err := b.Find(t.Context(), session)
					if th.Ref != want || (want == "") != errors.Is(err, chat.ErrThreadGone) {
						t.Errorf("session %s has %q (%v), want %q", session, th.Ref, err, want)
					}
					if want == archived.Ref && th.State != chat.ThreadClosed {
						t.Error("the archived thread counts as open")
					}
				}
				bridgetest.Clean(t, f, log)
			})
		})
	}
}

// Threads that the gateway lists at its start need no requests.
func TestRecoveryByGateway(t *testing.T) {
	listen(t, func(t *testing.T, l *listening) {
		l.Forget()
		l.Cut()
		bridgetest.Settled(60_000_000_000)
		asked := len(l.Requests("GET /guilds/*/threads/active"))
		th, err := l.bridge.Find(t.Context(), "session-1")
		if err != nil || th.Ref != l.thread.Ref || len(l.Requests("GET /guilds/*/threads/active")) != asked {
			t.Errorf("it is %+v (%v)", th, err)
		}
	})
}
