package e2e

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestCommandsElsewhere: relay as a client of a relay that runs elsewhere, in a shell and in a script.
func TestCommandsElsewhere(t *testing.T) {
	t.Parallel()
	in := boot(t, "DATABASE_URL=sqlite://"+t.TempDir()+"/relay.db")
	session := in.say(t, "Is the lamp in stock?\x1b]0;title\x07\n2026-01-01  Ada (team)")
	environ := []string{"RELAY_URL=" + in.base, "RELAY_API_KEY=" + in.secret, "PORT=of another program"}
	run := func(code int, want string, words ...string) string {
		t.Helper()
		got, stdout, stderr := runCommand(t, environ, words...)
		if got != code || !strings.Contains(stdout+stderr, want) || strings.Contains(stdout+stderr, "\x1b") || strings.Contains(stdout+stderr, in.secret) {
			t.Errorf("relay %q ends with %d:\n%s%s\nwant %d and %q", words, got, stdout, stderr, code, want)
		}
		return stdout
	}
	run(0, session, "conversations", "--status", "waiting")
	run(0, "Is the lamp in stock?", "conversations", in.base, "--limit", "1")
	run(0, "There are no such conversations", "conversations", "--search", "nobody")
	for range 2 {
		run(0, "is sent.", "reply", session, "Three of them.", "--id", "script-1")
	}
	run(0, "is sent.", "note", session, "VIP", in.base)
	if shown := run(0, "visitor", "read", session); !containsAll(shown, "    2026-01-01  Ada (team)", "Support (team)\n    Three of them.", "note by Support\n    VIP") {
		t.Errorf("it reads\n%s", shown)
	}
	if got := in.history(t, session); !strings.HasSuffix(got, "|Three of them.") || strings.Count(got, "Three") != 1 {
		t.Errorf("the visitor reads %q", got)
	}
	var list struct{ Sessions []struct{ ID string } }
	if err := json.Unmarshal([]byte(run(0, "", "conversations", "--json")), &list); err != nil || len(list.Sessions) != 1 || list.Sessions[0].ID != session {
		t.Errorf("listed is %+v, %v", list, err)
	}
	run(0, "answered by a person", "stats")
	run(0, `"totals"`, "stats", "--json")
	run(1, "not found", "read", "nobody")
	run(1, "content", "reply", session, " ")
	run(1, "date", "stats", "--from", "yesterday")
	run(2, "is not the address of a relay", "conversations", "chat.example.com")
	run(2, "relay read CONVERSATION [URL]", "read")
	run(2, "is a flag of relay conversations, not of relay reply", "reply", session, "x", "--limit", "1")
	run(2, "is a setting of the relay that runs elsewhere", "stats", "--port", "3000")
	run(0, "RELAY_API_KEY_FILE", "help", "reply")
	environ[1] = "RELAY_API_KEY=rk_wrong"
	run(1, "Unauthorized", "stats")
}
