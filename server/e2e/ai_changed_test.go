package e2e

import (
	"strings"
	"testing"

	"github.com/relay-chat/relay/bridges/ai/aitest"
)

// TestChangedPageIsReported: a page whose change breaks an answer is named by relay doctor and relay
// rehearse.
func TestChangedPageIsReported(t *testing.T) {
	t.Parallel()
	model := aitest.New(t, aitest.Says("We ship within 5 days."))
	environ := withAI(t, model, "AI_MODE=draft", "RELAY_SECRET_KEY="+crashSecretKey, "RELAY_PUBLIC_KEY="+crashPublicKey)
	in := bootIn(t, t.TempDir(), environ...)
	in.public, in.secret = crashPublicKey, crashSecretKey
	var source struct{ ID string }
	in.call(t, "POST", in.base+"/api/admin/knowledge", in.secret, map[string]any{"title": "Delivery", "text": "We ship within 5 days."}, &source)
	session := in.say(t, "How long does shipping take?")
	in.call(t, "POST", in.base+"/api/admin/sessions/"+session+"/messages", in.secret, map[string]any{"content": "Within 5 days."}, nil)
	in.call(t, "POST", in.base+"/api/admin/ai/rehearsal", in.secret, map[string]any{}, nil)
	state := func() (at struct {
		Right   int
		Changed []struct{ Worse int }
	}) {
		in.get(t, in.base+"/api/admin/ai/rehearsal", in.secret, &at)
		return at
	}
	eventually(t, "it is right", func() bool { return state().Right == 1 })
	if _, out, _ := runCommand(t, environ, "doctor"); strings.Contains(out, "Delivery") {
		t.Errorf("doctor says\n%s", out)
	}
	in.call(t, "DELETE", in.base+"/api/admin/knowledge/sources/"+source.ID, in.secret, nil, nil)
	eventually(t, "it is worse", func() bool { at := state(); return len(at.Changed) == 1 && at.Changed[0].Worse == 1 })
	_, out, _ := runCommand(t, environ, "doctor")
	if !strings.Contains(out, "warn  page: “Delivery” changed, and 1 of 1 answers that rested on it became worse") {
		t.Errorf("doctor says\n%s", out)
	}
	code, out, errs := runCommand(t, []string{"RELAY_API_KEY=" + in.secret}, "rehearse", in.base)
	if code != 0 || !strings.Contains(errs, "The page “Delivery” changed: 1 of 1 answers that rested on it became worse.") {
		t.Errorf("rehearse ends with %d and says\n%s%s", code, out, errs)
	}
}
