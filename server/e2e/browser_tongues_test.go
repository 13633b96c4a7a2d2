package e2e

import (
	"cmp"
	"os"
	"testing"

	"github.com/relay-chat/relay/bridges/telegram/telegramtest"
)

// testGermanProblems: what the API refuses is said in the language of the console, below its field.
func testGermanProblems(t *testing.T, s *fixture) {
	folder := cmp.Or(os.Getenv("RELAY_SCREENSHOTS"), t.TempDir())
	phone := telegramtest.New(t)
	s.stop()
	s.instance = bootIn(t, s.dir, "TELEGRAM_API_URL="+phone.URL)
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

	b.settings("channels", "Kanäle")
	b.card("telegram", "Ein Thema für jede Konversation, in einer Ihrer Gruppen.")
	b.click("#connect-telegram")
	token := `[aria-labelledby="bridge-telegram"] input`
	b.until(`document.activeElement === $(%s)`, token)
	b.enter(token, "my token")
	b.run(`$("[aria-labelledby='bridge-telegram'] form").requestSubmit()`)
	b.until(wrongIn, token, "Das sieht nicht nach einem Bot-Token aus. Er sieht aus wie 123456789:AAE…")
	b.enter(token, "7000000001:AAcanary-revoked-0123456789")
	b.until(wrongIn, token, "Telegram akzeptiert den Bot-Token nicht.")
	b.shot(folder, "german-token")

	b.settings("ai", "KI")
	b.enter(`[data-setting="aiTakeoverDelay"] .input`, "9999")
	b.click("#save")
	b.until(`text('[data-setting="aiTakeoverDelay"] .wrong').startsWith("Geben Sie eine Anzahl von Sekunden von 0 bis 3600 ein.")`)
	b.shot(folder, "german-setting")
	b.clean("400 (Bad Request)")
}
