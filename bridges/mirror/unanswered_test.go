package mirror_test

import (
	"encoding/json"
	"testing"
	"time"
)

// TestUnansweredInThread: a thread shows that somebody still waits, and what the visitor is
// told by relay itself.
func TestUnansweredInThread(t *testing.T) {
	f := newFake("telegram")
	withMirrors(t, false, func(t *testing.T, o *harness) {
		rule := json.RawMessage(`[{"after":1,"do":"ring"},{"after":2,"do":"tell","text":"One moment, please."}]`)
		o.must(o.PatchSettings(t.Context(), map[string]json.RawMessage{"unanswered": rule}))
		o.greeted(t)
		time.Sleep(3 * time.Minute)
		expectTexts(t, "the thread shows", f.shown(0), "hello", "- Nobody has answered for a minute.", "Support (relay): One moment, please.")
	}, f)
}
