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
		{chat.PushEverything, "grace", true}, {chat.PushEverything, "", true}, {chat.PushMine, "", true}, {chat.PushMine, "ada", true},
		{chat.PushMine, "grace", false}, {chat.PushNothing, "ada", false}, {chat.PushNothing, "", false},
	} {
		if got := wanted(&chat.PushDevice{Person: "ada", Wants: tt.wants}, &chat.Session{Assignee: tt.assignee}); got != tt.want {
			t.Errorf("%+v: %t", tt, got)
		}
	}
}
