package engine_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/relay-chat/relay/db"
)

func TestProactiveMessagesAreChecked(t *testing.T) {
	withDatabase(t, func(t *testing.T, store *db.DB) {
		relay := build(t, store)
		for _, c := range []struct{ value, problem string }{
			{`[{"id":"prices","text":"Questions?","texts":{"de":"Fragen?"},"pages":["/pricing*","/shop/*"],"seconds":20,"exitIntent":true,"onlyOnline":true}]`, ""},
			{`[{"id":"a","text":"A"},{"id":"b","text":"B","disabled":true}]`, ""},
			{`[]`, ""},
			{`{}`, "must be a list of messages"},
			{`[{"id":"a","text":"A","color":"red"}]`, "proactive must be a list of messages"},
			{`[{"id":"a b","text":"A"}]`, "must have an id"},
			{`[{"id":"a","text":"A"},{"id":"a","text":"B"}]`, "each another"},
			{`[{"id":"a","text":" "}]`, "proactive.a.text must have 1 to 500"},
			{`[{"id":"a","text":"` + strings.Repeat("x", 501) + `"}]`, "1 to 500"},
			{`[{"id":"a","text":"A","seconds":-1}]`, "proactive.a.seconds must be"},
			{`[{"id":"a","text":"A","pages":["pricing"]}]`, "proactive.a.pages must be"},
			{`[{"id":"a","text":"A","texts":{"German":"x"}}]`, "proactive.a.texts must be"},
			{`[` + strings.Repeat(`{"id":"a","text":"A"},`, 20) + `{"id":"z","text":"A"}]`, "at most 20"},
		} {
			err := relay.PatchSettings(t.Context(), map[string]json.RawMessage{"proactive": json.RawMessage(c.value)})
			if (err == nil) != (c.problem == "") || err != nil && !strings.Contains(err.Error(), c.problem) {
				t.Errorf("%s: %v, want %q", c.value, err, c.problem)
			}
		}
		if got := relay.Settings().Proactive(); len(got) != 0 {
			t.Errorf("the last accepted list was empty, not %v", got)
		}
	})
}
