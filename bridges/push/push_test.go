package push

import (
	"testing"

	"github.com/relay-chat/relay/server/chat"
)

// TestWanted: mine is what the person was given, and what nobody was.
func TestWanted(t *testing.T) {
	for _, tt := range []struct {
		wants, assignee string
		want            bool
	}{
		{chat.NotifyEverything, "grace", true}, {chat.NotifyEverything, "", true}, {chat.NotifyMine, "", true}, {chat.NotifyMine, "ada", true},
		{chat.NotifyMine, "grace", false}, {chat.NotifyNothing, "ada", false}, {chat.NotifyNothing, "", false},
	} {
		if got := (&chat.Preferences{Notify: tt.wants}).Wants("ada", &chat.Session{Assignee: tt.assignee}); got != tt.want {
			t.Errorf("%+v: %t", tt, got)
		}
	}
}
