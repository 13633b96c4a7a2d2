package main

import (
	"os"
	"strings"
	"testing"

	"github.com/relay-chat/relay/db"
	"github.com/relay-chat/relay/server/config"
	"github.com/relay-chat/relay/server/engine"
)

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
