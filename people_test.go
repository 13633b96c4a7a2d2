package main

import (
	"strings"
	"testing"

	"github.com/relay-chat/relay/db"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/team"
)

// TestTwoStepOff: the command line helps who has lost the phone, and says so in the audit list.
func TestTwoStepOff(t *testing.T) {
	t.Chdir(t.TempDir())
	database, err := db.Open(t.Context(), "sqlite://relay.db", db.Options{})
	if err != nil {
		t.Fatal(err)
	}
	all := team.New(database, nil, nil, nil)
	p, err := all.People.Add(t.Context(), chat.Person{Name: "Ada", Email: "ada@example.com", Role: chat.RoleAdministrator, Password: "x"})
	if err == nil {
		err = all.TwoSteps.Begin(t.Context(), p.ID, "JBSWY3DPEHPK3PXP")
	}
	if err == nil {
		err = all.TwoSteps.Confirm(t.Context(), &chat.TwoStep{Person: p.ID, Secret: "JBSWY3DPEHPK3PXP"}, 1, []string{"a", "b"}, "")
	}
	if err != nil {
		t.Fatal(err)
	}
	database.Close()
	for _, tt := range []struct {
		who, want string
		code      int
	}{
		{"mia@example.com", "there is no such person", 1},
		{"Ada@example.com", "Ada signs in with the password alone now.", 0},
		{"ada", "Two-step sign-in is not on", 1},
	} {
		code, stdout, stderr := runCommand(t, nil, "people", "two-step-off", tt.who)
		if code != tt.code || !strings.Contains(stdout+stderr, tt.want) {
			t.Errorf("%s: %d\n%s%s", tt.who, code, stdout, stderr)
		}
	}
	if database, err = db.Open(t.Context(), "sqlite://relay.db", db.Options{}); err != nil {
		t.Fatal(err)
	}
	defer database.Close()
	list, err := team.New(database, nil, nil, nil).Audit.List(t.Context(), chat.AuditQuery{Limit: 10})
	if err != nil || len(list) != 1 || list[0].Action != chat.AuditTwoStepOff || list[0].Target != "Ada" {
		t.Errorf("the audit list is %+v, %v", list, err)
	}
}
