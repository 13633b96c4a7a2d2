package e2e

import (
	"cmp"
	"os"
	"testing"
)

// testGermanProblems: what the API refuses is said in the language of the console, below its field.
func testGermanProblems(t *testing.T, s *fixture) {
	folder := cmp.Or(os.Getenv("RELAY_SCREENSHOTS"), t.TempDir())
	b := s.newOperator(t, "Ada")
	b.run(`location.hash = "#/account"`)
	b.until(`shown("#language") && !$("#language").disabled`)
	b.run(`(() => { const l = $("#language"); l.value = "de"; l.dispatchEvent(new Event("change")); })()`)
	b.until(`document.documentElement.lang === "de" && shown("#account form")`)

	b.enter(`#account input[type=password]`, "short")
	b.run(`$("#account form").requestSubmit()`)
	b.until(wrongIn, `#account input[type=password]`, "Verwenden Sie mindestens 10 Zeichen.")
	b.enter(`#account input[type=password]`, "1111111111")
	b.enter(`#account input[type=email]`, "ada@example.com")
	b.run(`$("#account form").requestSubmit()`)
	b.until(wrongIn, `#account input[type=password]`, "Das darf nicht ein einziges Zeichen wiederholen.")
	b.shot(folder, "german-password")

	b.settings("team", "Team")
	b.until(`shown(".invite")`)
	b.enter(`#team input[type=email]`, "grete@example.com")
	b.run(`$("#team form").requestSubmit()`)
	b.until(`$$("#team .member-text b").some((n) => n.textContent === "grete@example.com, Operator")`)

	b.settings("ai", "KI")
	b.enter(`[data-setting="aiTakeoverDelay"] .input`, "9999")
	b.click("#save")
	b.until(`text('[data-setting="aiTakeoverDelay"] .wrong').startsWith("Geben Sie eine Anzahl von Sekunden von 0 bis 3600 ein.")`)
	b.shot(folder, "german-setting")
	b.clean("400 (Bad Request)")
}
