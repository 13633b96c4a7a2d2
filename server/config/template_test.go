package config

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// exampleEntry is one setting's place in relay.example.env.
var exampleEntry = regexp.MustCompile(`(?m)^# ([A-Z_]+): ((?:.|\n# )+?)\n# Type: ((?:.|\n# )+?)\.\s(?:# )?Default: (.*)\n#([A-Z_]+)=(.+)$`)

// relay.example.env is the reference: it has every setting and no other, each
// with its purpose, type, default and example.
func TestExampleListsEverySetting(t *testing.T) {
	text := readExample(t)
	listed := map[string][]string{}
	for _, entry := range exampleEntry.FindAllStringSubmatch(text, -1) {
		if entry[1] != entry[5] || listed[entry[1]] != nil {
			t.Errorf("%s: described twice, or beside another setting", entry[1])
		}
		listed[entry[1]] = entry
	}
	for _, v := range variables {
		entry := listed[v.name]
		if entry == nil {
			t.Errorf("%s is missing or without purpose, type, default and example", v.name)
			continue
		}
		delete(listed, v.name)
		if preset := map[bool]string{true: "none", false: v.preset}[v.preset == ""]; entry[4] != preset {
			t.Errorf("%s: default %q, want %q", v.name, entry[4], preset)
		}
		if secret := strings.Contains(entry[3], "a secret"); secret != v.secret {
			t.Errorf("%s: called a secret is %v, want %v", v.name, secret, v.secret)
		}
	}
	for name := range listed {
		t.Errorf("%s is not a setting", name)
	}
	if n := strings.Count(text, "\n#") - strings.Count(text, "\n# ") - strings.Count(text, "\n#\n"); n != len(variables) {
		t.Errorf("%d lines look like settings, want %d", n, len(variables))
	}
}

// The example works when it is copied, as it is and with every line enabled.
func TestExampleLoads(t *testing.T) {
	text := readExample(t)
	enabled := regexp.MustCompile(`(?m)^#([A-Z_]+=)`).ReplaceAllString(text, "$1")
	for name, text := range map[string]string{"as it is": text, "all enabled": enabled} {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			if err := os.WriteFile("relay.env", []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			if _, warnings, err := Load(ParseFlags(nil), nil); err != nil || len(warnings) > 0 {
				t.Errorf("err = %v, warnings = %q", err, warnings)
			}
		})
	}
}

// compose.yaml hands every setting of a platform on, and an empty one is none.
func TestComposePassesThePlatformsOn(t *testing.T) {
	text, err := os.ReadFile("../../compose.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var empty []string
	for _, v := range variables {
		if regexp.MustCompile(`TELEGRAM|DISCORD|SLACK`).MatchString(v.name) {
			empty = append(empty, v.name+"=")
			if line := "      " + v.name + `: "${` + v.name + `:-}"`; !strings.Contains(string(text), line+"\n") {
				t.Errorf("compose.yaml lacks %s", line)
			}
		}
	}
	if _, _, err := load(t, nil, empty...); err != nil {
		t.Error(err)
	}
}

func readExample(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../relay.example.env")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
