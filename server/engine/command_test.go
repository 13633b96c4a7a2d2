package engine_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/relay-chat/relay/server/engine"
)

func TestParseCommand(t *testing.T) {
	tests := []struct {
		text       string
		slash      bool
		name, args string // "" for no command
	}{
		{"!close", false, "close", ""},
		{"  !Note  she is  here ", false, "note", "she is  here"},
		{"!note\ntwo\nlines", false, "note", "two\nlines"},
		{"!help!", false, "help", ""},
		{"!close, please", false, "close", "please"},
		{"\u200b!close", false, "close", ""},
		{"！关闭", false, "关闭", ""},
		{"//", false, "note", ""},
		{" // think", false, "note", "think"},
		{"/close", true, "close", ""},
		{"/close@relay_bot now", true, "close", "now"},
		{"/close", false, "", ""},
		{"/usr/bin/true", true, "", ""},
		{"/ close", true, "", ""},
		{"!!!", false, "", ""},
		{"! wow", false, "", ""},
		{"!1", false, "", ""},
		{"!", false, "", ""},
		{"", false, "", ""},
		{"wow !close", false, "", ""},
		{"https://example.com", true, "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.text, func(t *testing.T) {
			got, is := engine.ParseCommand(tt.text, tt.slash)
			if is != (tt.name != "") || got.Name != tt.name || got.Args != tt.args {
				t.Errorf("got %+v, %v", got, is)
			}
		})
	}
}

// FuzzParseCommand: whatever operators write, what begins like a command is one.
func FuzzParseCommand(f *testing.F) {
	for _, text := range []string{"!close", "//note", "/close@bot", "!!!", "! x", "！close", "!é", "\xff!a", "!a\xff"} {
		f.Add(text, true)
	}
	f.Fuzz(func(t *testing.T, text string, slash bool) {
		called, is := engine.ParseCommand(text, slash)
		if is && called.Name == "" {
			t.Errorf("a command without a name in %q", text)
		}
		for _, c := range engine.Commands {
			if found, is := engine.ParseCommand("!"+c.Name+" "+text, slash); !is || found.Name != c.Name {
				t.Errorf("%q is not !%s", text, c.Name)
			}
		}
		if utf8.RuneCountInString(called.Name) > 40 || strings.ContainsAny(called.Name, " \n") {
			t.Errorf("name %q", called.Name)
		}
	})
}
