package engine

import (
	"strconv"
	"testing"

	"github.com/relay-chat/relay/server/chat"
)

func TestFillPlaceholders(t *testing.T) {
	values := map[string]string{"visitor.name": "Søren", "visitor.email": "", "operator.name": "Ada"}
	for text, want := range map[string]string{
		"Hi {visitor.name}, this is {operator.name}.": "Hi Søren, this is Ada.",
		"Write to {visitor.email}?":                   "Write to?",
		"Write to {visitor.email|you}.":               "Write to you.",
		"{visitor.email|}x":                           "x",
		"{ visitor.name | x }":                        "Søren",
		"{visitor.age} {} {{visitor.name}":            "{visitor.age} {} {Søren",
		"no braces":                                   "no braces",
		"an open { brace":                             "an open { brace",
		"a } b {visitor.name":                         "a } b {visitor.name",
	} {
		if got := FillPlaceholders(text, values); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}

// TestNickname: names stay the same over versions, for they are how operators know visitors.
func TestNickname(t *testing.T) {
	for id, want := range map[string]string{"v_8f14e45f": "Saffron Hawk", "": "Lunar Condor"} {
		if got := chat.Nickname(id); got != want {
			t.Errorf("%q is called %q, want %q", id, got, want)
		}
	}
	names := map[string]bool{}
	for i := range 2000 {
		names[chat.Nickname("visitor-"+strconv.Itoa(i))] = true
	}
	if len(names) < 1400 {
		t.Errorf("2000 visitors share %d names", len(names))
	}
}
