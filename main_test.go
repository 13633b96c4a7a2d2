package main

import (
	"bytes"
	"context"
	"os"
	"strings"
	"testing"
)

// TestMain lets the tests' program be the reader of documents, as relay is.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == readDocument {
		os.Exit(run(context.Background(), os.Args[1:], nil, os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}

// runCommand runs a command to its end.
func runCommand(t *testing.T, environ []string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, err bytes.Buffer
	code = run(t.Context(), args, environ, &out, &err)
	return code, out.String(), err.String()
}

func TestWrongCommandLines(t *testing.T) {
	t.Chdir(t.TempDir())
	for line, want := range map[string][]string{
		"sevre":                    {`no command "sevre"`, "relay help"},
		"serve now":                {`no command "serve now"`},
		"backup":                   {`no command "backup"`, "relay backup FILE"},
		"backup a b":               {`no command "backup a b"`},
		"backup ":                  {`no command "backup "`, "relay backup FILE"}, // an empty variable of a script
		"keys rotate both":         {`no command "keys rotate both"`},
		"--port=x --log-level=y":   {"2 mistakes", "PORT", "LOG_LEVEL", "for example: PORT=8080"},
		"keys --prot 1 --hosts=x":  {"2 mistakes", "did you mean --port?", "did you mean --host?"},
		"serve --env-file=no.file": {"--env-file cannot be read"},
	} {
		if code, _, stderr := runCommand(t, nil, strings.Split(line, " ")...); code != 2 || !containsAll(stderr, want...) {
			t.Errorf("relay %s answers %d: %s", line, code, stderr)
		}
	}
}

func TestHelp(t *testing.T) {
	for _, args := range [][]string{{"help"}, {"--help"}, {"keys", "-h"}} {
		code, stdout, _ := runCommand(t, nil, args...)
		if code != 0 || !containsAll(stdout, "serve", "keys", "backup", "restore", "migrate", "version", "healthcheck", "--env-file", "help settings") {
			t.Errorf("%q answers %d:\n%s", args, code, stdout)
		}
	}
	if _, stdout, _ := runCommand(t, nil, "help", "settings"); stdout != settingsReference {
		t.Errorf("help settings:\n%s", stdout)
	}
	for _, tt := range []struct {
		line string
		want []string
	}{
		{"help doctor", []string{"Usage:\n  relay doctor ", "explain how to fix", "--database-url", "--public-url", "--env-file", "Example:\n  relay doctor "}},
		{"doctor --help", []string{"Usage:\n  relay doctor "}},
		{"serve --help", []string{"Usage:\n  relay serve ", "--port", "--public-url", "for example 8080", "Example:\n  relay serve "}},
		{"bridge -h", []string{"relay bridge ", "--api-key", "--events-webhook-url", "Example:\n  relay bridge "}},
		{"keys --help", []string{"relay keys show", "relay keys rotate public", "relay keys rotate secret", "--database-url", "Example:\n  relay keys"}},
		{"help keys rotate", []string{"Usage:\n  relay keys rotate public"}},
		{"help backup", []string{"relay backup FILE", "Example:\n  relay backup "}},
		{"backup copy.db --help", []string{"relay backup FILE"}},
		{"healthcheck --help", []string{"relay healthcheck", "--port", "Example:\n  relay healthcheck"}},
		{"version --help", []string{"Usage:\n  relay version"}},
		{"help help", []string{"relay help [COMMAND]"}},
	} {
		code, stdout, _ := runCommand(t, nil, strings.Fields(tt.line)...)
		if code != 0 || !containsAll(stdout, tt.want...) {
			t.Errorf("relay %s answers %d:\n%s", tt.line, code, stdout)
		}
	}
	for _, c := range commands {
		if _, stdout, _ := runCommand(t, nil, append([]string{"help"}, strings.Fields(c.usage)...)...); !containsAll(stdout, "relay "+c.usage, c.help, "Example:\n  relay "+strings.Fields(c.usage)[0]) {
			t.Errorf("help %s:\n%s", c.usage, stdout)
		}
	}
	if code, _, stderr := runCommand(t, nil, "help", "docter"); code != 2 || !containsAll(stderr, `no command "docter"`, "relay help") {
		t.Errorf("help of no command answers %d: %s", code, stderr)
	}
	for _, args := range [][]string{{"version"}, {"--version"}, {"version", "--port=x"}} {
		if code, stdout, _ := runCommand(t, nil, args...); code != 0 || !strings.HasPrefix(stdout, "relay "+version+" (go") {
			t.Errorf("%q answers %d: %s", args, code, stdout)
		}
	}
}

func containsAll(text string, parts ...string) bool {
	for _, part := range parts {
		if !strings.Contains(text, part) {
			return false
		}
	}
	return true
}
