package engine_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/relay-chat/relay/db"
)

// An admin's texts for the widget are checked before they reach visitors.
func TestOwnTextsAndStarters(t *testing.T) {
	withDatabase(t, func(t *testing.T, store *db.DB) {
		relay := build(t, store)
		for _, c := range []struct{ name, value, problem string }{
			{"starters", `["Where is my order?","Do you ship abroad?"]`, ""},
			{"starters", `[]`, ""},
			{"starters", `null`, ""},
			{"starters", `"one"`, "starters must be a list"},
			{"starters", `["a","b","c","d","e"]`, "at most 4"},
			{"starters", `[""]`, "1 to 120"},
			{"starters", `["` + strings.Repeat("ö", 121) + `"]`, "1 to 120"},
			{"texts", `{"de":{"welcomeMessage":"Hallo!","starters":["Wo?"]},"pt":{}}`, ""},
			{"texts", `{"de":{"welcomeMessage":7}}`, "texts.de.welcomeMessage must be a string"},
			{"texts", `{"de":{"starters":"Wo?"}}`, "texts.de.starters must be a list"},
			{"texts", `{"de":{"<b>":"x"}}`, "is not the name of a text"},
			{"texts", `{"Deutsch!":{}}`, "languages as in HTML"},
			{"texts", `{"de":{"hello":"` + strings.Repeat("x", 1001) + `"}}`, "is too long"},
			{"texts", `[]`, "texts must be texts by language"},
			{"csatStyle", `"stars"`, ""},
			{"csatStyle", `"hearts"`, "csatStyle must be one of faces, stars"},
		} {
			err := relay.PatchSettings(t.Context(), map[string]json.RawMessage{c.name: json.RawMessage(c.value)})
			if (err == nil) != (c.problem == "") || err != nil && !strings.Contains(err.Error(), c.problem) {
				t.Errorf("%s %s: %v, want %q", c.name, c.value, err, c.problem)
			}
		}
	})
}
