package server_test

import (
	"regexp"
	"testing"

	"github.com/relay-chat/relay/assets"
	"github.com/relay-chat/relay/server/chat"
)

// TestSettingsHaveAPlace: the console's pages know every setting of the admin API.
func TestSettingsHaveAPlace(t *testing.T) {
	script, err := assets.File("settings.js")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range chat.SettingList() {
		if !regexp.MustCompile(`["'.]` + s.Name + `\b`).Match(script) {
			t.Errorf("no page of the console's settings has %s", s.Name)
		}
	}
}
