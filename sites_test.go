package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/relay-chat/relay/db"
)

// TestSiteCommands: sites are added, listed, closed, opened, given new keys and erased on the
// command line, and mistakes say what is right.
func TestSiteCommands(t *testing.T) {
	t.Chdir(t.TempDir())
	database, err := db.Open(t.Context(), "sqlite://relay.db", db.Options{})
	if err != nil {
		t.Fatal(err)
	}
	database.Close()
	environ := []string{"RELAY_PUBLIC_KEY=pk_first_1", "PORT=3999"}
	for _, tt := range []struct {
		line string
		code int
		want []string
	}{
		{"sites list", 0, []string{"main", "First site", "open", "pk_first_1"}},
		{"sites add Berlin https://berlin.example.com/", 0, []string{"id             berlin", "https://berlin.example.com", `<script async src="http://localhost:3999/widget.js" data-api-key="pk_`}},
		{"sites add berlin", 1, []string{"There is a site called “Berlin”"}},
		{"sites add Paris paris", 1, []string{"address must be the website's, like https://"}},
		{"sites show Berlin", 0, []string{"conversations  0"}},
		{"sites show rome", 1, []string{`there is no site "rome"; there is main, berlin`}},
		{"sites close berlin", 0, []string{"relay sites open berlin"}},
		{"sites list", 0, []string{"closed"}},
		{"sites open berlin", 0, []string{"Its chat is open."}},
		{"sites close main", 1, []string{"The first site cannot be archived"}},
		{"sites key berlin", 0, []string{"pk_", "the new key of Berlin"}},
		{"sites key main", 1, []string{"the public key is set by RELAY_PUBLIC_KEY"}},
		{"sites erase berlin", 1, []string{"Berlin with 0 conversations would be erased for good; nothing was erased yet. Add --yes"}},
		{"sites erase berlin --yes", 0, []string{"The chat of Berlin is closed for good."}},
		{"sites open berlin", 1, []string{"is being erased"}},
		{"sites list", 0, []string{"being erased"}},
		{"sites", 2, []string{"relay sites list"}},
	} {
		code, stdout, stderr := runCommand(t, environ, strings.Fields(tt.line)...)
		if code != tt.code || !containsAll(stdout+stderr, tt.want...) {
			t.Errorf("relay %s answers %d: %s%s", tt.line, code, stdout, stderr)
		}
	}
	if code, _, stderr := runCommand(t, []string{"RELAY_MODE=bridge"}, "sites", "list"); code != 1 || !strings.Contains(stderr, "bridge mode has no sites") {
		t.Errorf("in bridge mode it answers %d: %s", code, stderr)
	}
	_, stdout, _ := runCommand(t, environ, "sites", "list", "--json")
	var list []struct{ ID, PublicKey string }
	if err := json.Unmarshal([]byte(stdout), &list); err != nil || len(list) != 2 || list[1].ID != "berlin" {
		t.Errorf("as JSON the list is %s (%v)", stdout, err)
	}
}
