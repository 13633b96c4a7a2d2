package e2e

import (
	"cmp"
	"encoding/json"
	"net/http"
	"os"
	"testing"
)

// testGreetings: messages that come by themselves are set in a form, whose mistakes
// stand beside their fields.
func testGreetings(t *testing.T, s *fixture) {
	folder := cmp.Or(os.Getenv("RELAY_SCREENSHOTS"), t.TempDir())
	b := s.newOperator(t, "Ada")
	b.settings("greetings", "Greetings")
	b.until(`shown("#greetings .button") && !$("#greetings form").inert && !shown("#save-bar")`)
	press := func(name string) {
		b.run(`[...$$("#greetings .button")].find((n) => n.textContent === "` + name + `").click()`)
	}
	press("Add a message")
	b.until(`document.activeElement.matches("[data-setting=proactive] textarea")`)
	b.click("#save")
	b.until(`text("[data-setting=proactive] .wrong") === "Write the message, or remove it."`)
	b.enter(`[data-setting=proactive] textarea`, "Questions about our prices?")
	b.enter(`[data-setting=proactive] [placeholder^="/pricing"]`, "/pricing*, /shop/*")
	b.shot(folder, "greetings")
	b.click("#save")
	b.until(`text("#save-count") === "Saved." && !shown("#save")`)
	var saved struct {
		Proactive []map[string]any `json:"proactive"`
	}
	s.call(t, http.MethodGet, s.base+"/api/admin/settings", s.secret, nil, &saved)
	got, _ := json.Marshal(saved)
	if len(saved.Proactive) != 1 || saved.Proactive[0]["text"] != "Questions about our prices?" ||
		saved.Proactive[0]["seconds"] != 20.0 || saved.Proactive[0]["onlyOnline"] != true {
		t.Errorf("saved is %s", got)
	}
	b.visit(s.console + "#/greetings")
	b.until(`$("[data-setting=proactive] textarea")?.value === "Questions about our prices?"`)
	press("Remove message")
	b.until(`text("#save-count") === "1 change"`)
	b.click("#save")
	b.until(`text("#save-count") === "Saved."`)
	b.clean()
}
