package engine_test

import (
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/relay-chat/relay/server/chat"
)

// TestDraftElsewhere: what a visitor writes at one node is shown at another, while somebody has the
// conversation open there, in a note of a size that PostgreSQL sends.
func TestDraftElsewhere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		one, two, _ := twoNodes(t)
		if err := one.PatchSettings(t.Context(), map[string]json.RawMessage{"typingPreview": json.RawMessage("true")}); err != nil {
			t.Fatal(err)
		}
		pass := func() { // until the notes are there
			time.Sleep(time.Second)
			synctest.Wait()
		}
		id := one.open(t, "ann")
		all := two.Hub.Subscribe("")
		defer all.Close()
		shown := func(text string) (payload string) {
			if err := one.ShowDraft(t.Context(), "", id, text); err != nil {
				t.Error(err)
			}
			pass()
			for len(all.C) > 0 {
				if e := <-all.C; e.Type == chat.StateVisitorDraft {
					payload += string(e.Payload)
				}
			}
			return payload
		}
		if got := shown("nobody looks"); got != "" {
			t.Errorf("shown is %s", got)
		}
		two.View("sign-in", "Ada", id)
		pass()
		if got := shown("hello"); !strings.Contains(got, `"text":"hello"`) {
			t.Errorf("shown is %q", got)
		}
		for _, sign := range []string{"<", "\x00", "a\u2028", "😀", "\xff"} {
			if got := shown(strings.Repeat(sign, 5000)); got == "" || len(got) > 4000 {
				t.Errorf("of %q, %d bytes", sign, len(got))
			}
		}
		two.View("sign-in", "Ada", "")
		pass()
		if got := shown("nobody looks any more"); got != "" {
			t.Errorf("shown is %s", got)
		}
	})
}
