package bridges_test

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/relay-chat/relay/bridges"
)

// TestCardsHaveAllSettings: the console shows every setting of a platform, and a card says
// what it needs to.
func TestCardsHaveAllSettings(t *testing.T) {
	for _, k := range bridges.Kinds(bridges.Env{}) {
		shown := []string{k.Card.Channel}
		for _, token := range k.Card.Tokens {
			shown = append(shown, token.Setting)
			if _, err := regexp.Compile(token.Whole); err != nil || token.Looks == "" || token.Wrong == "" {
				t.Errorf("%s: %+v %v", k.Name, token, err)
			}
		}
		for _, option := range k.Card.Options {
			shown = append(shown, option.Setting)
		}
		var declared []string
		for _, s := range k.Settings {
			declared = append(declared, s.Name)
			if !s.Fixed && !slices.Contains(shown, s.Name) {
				t.Errorf("the card of %s has no field for %s", k.Name, s.Name)
			}
		}
		for _, name := range append(shown, k.Needs...) {
			if !slices.Contains(declared, name) {
				t.Errorf("%s does not declare %s", k.Name, name)
			}
		}
		if c := k.Card; c.Name != k.Name || c.Title == "" || c.About == "" || c.Place == "" || c.Waiting == "" || c.Use == "" || (c.Add == "") != (c.AddButton == "") {
			t.Errorf("the card of %s is not whole: %+v", k.Name, c)
		}
	}
}

// TestSettingsAreWhole: no two declarations share a name or a variable, each accepts its own
// default, and what visitors see may differ between websites.
func TestSettingsAreWhole(t *testing.T) {
	taken := map[string]bool{"": true}
	for _, s := range bridges.Settings() {
		for _, name := range []string{s.Name, s.Alias, s.Env} {
			if name != "" && taken[name] {
				t.Errorf("%s is declared twice", name)
			}
			taken[name] = true
		}
		if s.Default != "" && s.Check(json.RawMessage(s.Default)) != nil {
			t.Errorf("%s does not accept its default", s.Name)
		}
		if s.Widget && !s.Site {
			t.Errorf("%s is shown to visitors and not a website's", s.Name)
		}
	}
}

// TestPlatformsAreNamedInTheirFolders: a platform is its folder, a line in the table of
// kinds and a guide. Names in tests do not count.
func TestPlatformsAreNamedInTheirFolders(t *testing.T) {
	var folders []string
	for _, k := range bridges.Kinds(bridges.Env{}) {
		folders = append(folders, k.Name)
	}
	named := regexp.MustCompile(`(?i)` + strings.Join(folders, "|"))
	for _, root := range []string{".", "../server", "../db", "../assets/console"} {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && root == "." && slices.Contains(folders, path):
				return fs.SkipDir
			case d.IsDir() || strings.HasSuffix(path, "_test.go") || path == "kinds.go" || !slices.Contains([]string{".go", ".ts", ".css", ".html"}, filepath.Ext(path)):
				return nil
			}
			text, err := os.ReadFile(path)
			if name := named.Find(text); name != nil {
				t.Errorf("%s names %s", path, name)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
