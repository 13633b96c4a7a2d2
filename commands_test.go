package main

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/relay-chat/relay/db"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/config"
	"github.com/relay-chat/relay/server/engine"
	"github.com/relay-chat/relay/server/team"
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
		{"sites add Rome rome.example", 1, []string{"address must be the website's"}},
		{"sites add Rome --id Rome", 1, []string{"id must be 1 to 40 small letters"}},
		{"sites add Rome --id berlin", 1, []string{"The site “Berlin” has the id berlin"}},
		{"sites add Rome --key pk_first_1", 1, []string{"the first site has this public key"}},
		{"sites add Rome --color red", 1, []string{"color must be a colour like #3b5bdb"}},
		{"sites add Rome --origin rome.example", 1, []string{"“rome.example” is none"}},
		{"sites list --color red", 2, []string{"--color is a flag of relay sites add, not of relay sites list"}},
		{"sites add Rome --id=roma --color=#AA0000 --origin https://a.example --origin https://b.example --key pk_chosen_1", 0,
			[]string{"id             roma", "https://a.example, https://b.example", `data-api-key="pk_chosen_1"`}},
		{"sites set roma name=Roma color= origins=https://c.example,https://d.example", 0, []string{"Roma", "https://c.example, https://d.example"}},
		{"sites set roma name=Berlin", 1, []string{"There is a site called “Berlin”"}},
		{"sites set roma id=x", 2, []string{`a site has no field "id"`, "relay sites settings"}},
		{"sites set roma Roma", 2, []string{`"Roma" is not NAME=VALUE`}},
		{"sites set main name=Vienna", 0, []string{"Vienna"}},
		{"sites set main origins=https://c.example", 1, []string{"ALLOWED_ORIGINS"}},
		{"sites settings roma", 0, []string{"welcomeMessage", `"Hi! How can we help?"`, "default"}},
		{"sites settings roma welcomeMessage=Ciao csatEnabled=true aiMaxAnswers=5", 0,
			[]string{`welcomeMessage is now "Ciao" (site)`, "csatEnabled is now true (site)", "aiMaxAnswers is now 5 (site)"}},
		{"sites settings all welcomeMessage=Hello", 0, []string{`welcomeMessage is now "Hello" (stored)`}},
		{"sites settings roma welcomeMessage=", 0, []string{`welcomeMessage is now "Hello" (stored)`}},
		{"sites settings roma theme=red", 1, []string{"theme must be one of"}},
		{"sites settings roma aiModel=x", 1, []string{"aiModel is relay's"}},
		{"sites settings roma colour=x", 1, []string{"unknown setting colour"}},
		{"sites settings roma theme=dark theme=light", 2, []string{"theme is given twice"}},
		{"sites settings rome", 1, []string{`there is no site "rome"`}},
		{"sites erase roma --name Berlin", 1, []string{`"Berlin" is not the site's name, "Roma"`}},
		{"sites erase roma --name roma", 0, []string{"The chat of Roma is closed for good."}},
		{"sites archive berlin", 0, []string{"relay sites reopen berlin"}},
		{"sites list", 0, []string{"archived"}},
		{"sites reopen berlin", 0, []string{"Its chat is open."}},
		{"sites archive main", 1, []string{"The first site cannot be archived"}},
		{"sites key berlin", 0, []string{"pk_", "the new key of Berlin"}},
		{"sites key main", 1, []string{"the public key is set by RELAY_PUBLIC_KEY"}},
		{"sites erase berlin", 1, []string{"Berlin with 0 conversations would be erased for good; nothing was erased yet. Add --yes"}},
		{"sites erase berlin --yes", 0, []string{"The chat of Berlin is closed for good."}},
		{"sites reopen berlin", 1, []string{"is being erased"}},
		{"sites list", 0, []string{"being erased"}},
		{"sites", 2, []string{"relay sites list"}},
	} {
		code, stdout, stderr := runCommand(t, environ, strings.Fields(tt.line)...)
		if code != tt.code || !containsAll(stdout+stderr, tt.want...) {
			t.Errorf("relay %s answers %d: %s%s", tt.line, code, stdout, stderr)
		}
	}
	if code, _, stderr := runCommand(t, []string{"RELAY_MODE=bridge"}, "sites", "list"); code != 1 || !strings.Contains(stderr, "in bridge mode SITES_FILE declares the sites") {
		t.Errorf("in bridge mode it answers %d: %s", code, stderr)
	}
	_, stdout, _ := runCommand(t, environ, "sites", "list", "--json")
	var list []struct{ ID, PublicKey string }
	if err := json.Unmarshal([]byte(stdout), &list); err != nil || len(list) != 3 || list[1].ID != "berlin" {
		t.Errorf("as JSON the list is %s (%v)", stdout, err)
	}
}

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

// TestSitesFileAndStore: the sites of a file are stored at the start, keep what is theirs when
// the file no longer names them, and what does not go with the stored ones changes nothing.
func TestSitesFileAndStore(t *testing.T) {
	t.Chdir(t.TempDir())
	database, err := db.Open(t.Context(), "sqlite://relay.db", db.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer database.Close()
	// start reads a file as a start does, and returns the mistake.
	start := func(text string) (e *engine.Engine, problem string) {
		t.Helper()
		cfg := config.Config{}
		if text != "" {
			if err := os.WriteFile("sites.yaml", []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			cfg.SitesFile = "sites.yaml"
		}
		cfg.Sites, err = config.ReadSites(cfg, declared)
		if err != nil {
			t.Fatal(err)
		}
		a := &app{cfg: cfg}
		e, _, err := a.engine(t.Context(), database)
		if err == nil {
			err = e.DeclareSites(t.Context(), cfg.Sites)
		}
		if err != nil {
			problem = err.Error()
		}
		return e, problem
	}
	e, problem := start("sites:\n  - id: one\n    name: One\n    publicKey: pk_one_111\n    settings: {welcomeMessage: Uno}\n  - {id: two, name: Two}\n  - id: main\n    name: First\n")
	if problem != "" || len(e.Sites().All()) != 3 || e.Sites().Of("").Label() != "First" {
		t.Fatalf("the sites are %v (%s)", e.Sites().All(), problem)
	}
	if s := e.SettingsOf("one"); s.Text("welcomeMessage") != "Uno" || s.Source("welcomeMessage") != "file" {
		t.Errorf("the setting is %q from %s", s.Text("welcomeMessage"), s.Source("welcomeMessage"))
	}
	two := e.Sites().Of("two").Key
	if e, problem = start("sites:\n  - {id: one, name: Two}\n  - {id: two, name: One}\n"); problem != "" || e.Sites().Of("one").Name != "Two" || e.Sites().Of("two").Key != two {
		t.Fatalf("after names changed places the sites are %v (%s)", e.Sites().All(), problem)
	}
	if got := e.SettingsOf("one").Source("welcomeMessage"); got != "default" {
		t.Errorf("a setting that left the file is from %s", got)
	}
	start("sites:\n  - id: one\n    name: One\n    settings: {welcomeMessage: Uno}\n  - {id: two, name: Two}\n")
	e, _ = start("")
	if d, _ := e.Sites().Declared("one"); d != nil || e.SettingsOf("one").Source("welcomeMessage") != "site" {
		t.Error("without a file the site is not an ordinary one with its settings")
	}
	for text, want := range map[string]string{
		"sites:\n  - {id: three, name: ONE}\n":                       "sites.yaml line 2: the site one is called “One” already",
		"sites:\n  - {id: x, name: X, publicKey: " + two + "}\n":     "sites.yaml line 2: the site two has this public key already",
		"sites:\n  - {id: y, name: Y}\n  - {id: three, name: two}\n": "sites.yaml line 3: the site two is called “Two” already",
	} {
		if e, problem := start(text); !strings.Contains(problem, want) || len(e.Sites().All()) != 3 {
			t.Errorf("%s: %q, want %q; sites: %v", text, problem, want, e.Sites().All())
		}
	}
	posting := "sites:\n  - id: one\n    name: One\n    settings: {eventsWebhookEnabled: true}\n"
	e, _ = start(posting)
	if was, err := e.SwitchOff(t.Context(), "one", "eventsWebhookEnabled"); !was || err != nil || e.SettingsOf("one").Bool("eventsWebhookEnabled") {
		t.Errorf("a declared webhook is not switched off (%v)", err)
	}
	if e, _ = start(posting); !e.SettingsOf("one").Bool("eventsWebhookEnabled") {
		t.Error("a declared webhook is off after a start")
	}
	e, _ = start("")
	if err := e.EraseSite(t.Context(), "two"); err != nil {
		t.Fatal(err)
	}
	if _, problem := start("sites:\n  - {id: two, name: Two}\n"); !strings.Contains(problem, "line 2: The site “Two” is being erased") {
		t.Errorf("a site that is being erased: %q", problem)
	}
}
