package e2e

import (
	"cmp"
	"net/http"
	"os"
	"testing"

	"github.com/relay-chat/relay/bridges/ai/aitest"
)

// testRehearsal: an owner sees what the AI would have said beside what a person said, what that
// costs before it begins, and judges it.
func testRehearsal(t *testing.T, s *fixture) {
	model := aitest.New(t, aitest.Says("We ship within 5 days.")).Listen()
	s.stop()
	s.instance = bootIn(t, s.dir, "WEBHOOK_ALLOW_CIDRS=127.0.0.0/8", "AI_BASE_URL="+model, "AI_MODEL=test", "AI_MODE=off", "AI_TOKEN_PRICE=0.60 €")
	s.call(t, http.MethodPost, s.base+"/api/admin/knowledge", s.secret, map[string]any{"title": "Shipping", "text": "We ship within 5 days."}, nil)
	s.say(t, "How long does shipping take?")
	var list struct{ Sessions []struct{ ID string } }
	s.call(t, http.MethodGet, s.base+"/api/admin/sessions", s.secret, nil, &list)
	s.call(t, http.MethodPost, s.base+"/api/admin/sessions/"+list.Sessions[0].ID+"/messages", s.secret, map[string]any{"content": "It takes 3 days."}, nil)
	b := s.newOperator(t, "Ada")
	b.settings("ai", "AI")
	button := func(name string) string {
		return `[...$$("#rehearsal button")].find((n) => n.textContent === "` + name + `")`
	}
	b.until(`[...$$("#rehearsal button")].some((n) => n.textContent === %s)`, "Rehearse")
	b.run(button("Rehearse") + `.click()`)
	b.until(`text("#rehearsal").includes("It answers 1 question: about 1,300 tokens, 0.01 €.")`)
	b.run(button("Begin") + `.click()`)
	b.until(`text("#rehearsal-sum") === "Right: 0 of 1 (differs: 1). It took 200 tokens, 0.01 €."`)
	b.until(`text("#rehearsed summary b") === "shipping" && text("#rehearsed summary .tag") === "0 of 1 right"`)
	b.until(`text("#rehearsed").includes("It says a number that the person did not say") && text("#rehearsed").includes("We ship within 5 days.")`)
	b.run(button("As good") + `.click()`)
	b.until(`text("#rehearsal-sum") === "Right: 1 of 1 (differs: 1). It took 200 tokens, 0.01 €." && $("#rehearsed [aria-pressed=true]").textContent === "As good"`)
	b.run(`$("#rehearsed .more").open = true, $("#rehearsed .more input").value = "Shipping"`)
	b.run(button("Rename") + `.click()`)
	b.until(`text("#rehearsed summary b") === "Shipping" && text("#rehearsed summary .tag") === "1 of 1 right"`)
	b.run(`$("#rehearsal").scrollIntoView()`)
	b.shot(cmp.Or(os.Getenv("RELAY_SCREENSHOTS"), t.TempDir()), "ai-rehearsal")
	b.accessible("a rehearsal")
	b.clean()
}
