package config

import (
	"log/slog"
	"os"
	"reflect"
	"regexp"
	"strconv"
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
			if _, warnings, err := variables.Load(variables.ParseFlags(nil), nil); err != nil || len(warnings) > 0 {
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

// bounds are those that a setting's description names.
var bounds = regexp.MustCompile(`\bnumber\b.* from (\d+)(?: \(.*\))? to (\d+)`)

// TestBoundsHold: relay refuses what is beyond the bounds that a setting names for
// itself, so that a new setting cannot have them in words only.
func TestBoundsHold(t *testing.T) {
	tried := 0
	for _, v := range variables {
		found := bounds.FindStringSubmatch(v.is)
		if found == nil {
			continue
		}
		tried++
		low, _ := strconv.ParseInt(found[1], 10, 64)
		high, _ := strconv.ParseInt(found[2], 10, 64)
		for value, ok := range map[int64]bool{low - 1: false, low: true, high: true, high + 1: false} {
			if _, _, err := load(t, nil, v.name+"="+strconv.FormatInt(value, 10)); (err == nil) != ok {
				t.Errorf("%s=%d, from %d to %d: %v", v.name, value, low, high, err)
			}
		}
	}
	if tried < 4 {
		t.Errorf("only %d settings name bounds", tried)
	}
	for _, f := range reflect.VisibleFields(reflect.TypeFor[Config]()) {
		if kind := f.Type.Kind(); f.Type != reflect.TypeFor[slog.Level]() && (kind == reflect.Int || kind == reflect.Int64 || kind == reflect.Uint16) && !bounds.MatchString(f.Tag.Get("is")) {
			t.Errorf("%s names no bounds: a number from … to …", f.Tag.Get("env"))
		}
	}
}
