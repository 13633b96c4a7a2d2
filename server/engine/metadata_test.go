package engine_test

import (
	"strings"
	"testing"

	"github.com/relay-chat/relay/server/chat"
)

// TestTimezone: only what has the form of a time zone's name is kept, because
// operators' browsers count with it.
func TestTimezone(t *testing.T) {
	for name, kept := range map[string]bool{
		"UTC": true, "Europe/Berlin": true, "Etc/GMT+3": true, "America/Argentina/Buenos_Aires": true, "America/Port-au-Prince": true, "EST5EDT": true,
		"": false, "europe": false, "../etc/passwd": false, "Europe/": false, "/Europe": false, "Europe//Berlin": false, "+01:00": false,
		"Europe/Berlin\n": false, "Europe/Bérlin": false, "<b>": false, "E" + strings.Repeat("u", 63): true, "E" + strings.Repeat("u", 64): false,
	} {
		m := chat.Metadata{Timezone: name}
		m.Clip()
		if (m.Timezone == name) != kept && name != "" || (m.Timezone != "" && m.Timezone != name) {
			t.Errorf("%q became %q", name, m.Timezone)
		}
	}
}
