package e2e

import (
	"cmp"
	"net/http"
	"os"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/relay-chat/relay/bridges/telegram/telegramtest"
)

// wrongIn is true when a form says what is wrong with a field: in words for people, right
// below the field, named to screen readers, with the focus in the field.
const wrongIn = `(() => {
	const field = $(%s), want = %s;
	if (!field || field.ariaInvalid !== "true" || document.activeElement !== field) return false;
	const note = document.getElementById(field.getAttribute("aria-describedby").split(" ")[0]);
	const gap = note.getBoundingClientRect().top - field.getBoundingClientRect().bottom;
	return note.textContent.startsWith(want) && gap >= 0 && gap < 120 &&
		$$(".wrong, .alert").every((n) => !n.offsetParent || !/\b[a-z]+[A-Z]\w*|[A-Z]{2,}_[A-Z]/.test(n.textContent));
})()`

// testProblems: every form says what is wrong beside its field, without a name that only
// programs know.
func testProblems(t *testing.T, s *fixture) {
	folder := cmp.Or(os.Getenv("RELAY_SCREENSHOTS"), t.TempDir())
	phone := telegramtest.New(t)
	s.stop()
	s.instance = bootIn(t, s.dir, "TELEGRAM_API_URL="+phone.URL)
	b := s.newOperator(t, "Ada")
	wrong := func(field, text string) {
		t.Helper()
		b.until(wrongIn, field, text)
	}
	send := func(form string) { b.run(`$("` + form + `").requestSubmit()`) }

	b.settings("channels", "Channels")
	b.click("#connect-telegram")
	token := `[aria-labelledby="bridge-telegram"] input`
	form := `[aria-labelledby='bridge-telegram'] form`
	b.until(`document.activeElement === $(%s)`, token)
	send(form)
	wrong(token, "Paste the token here.")
	b.enter(token, "my token")
	send(form)
	wrong(token, "That doesn’t look like a bot token. It looks like 123456789:AAE…")
	b.shot(folder, "problem-token")
	b.enter(token, "7000000001:AAcanary-revoked-0123456789")
	wrong(token, "Telegram does not accept the bot token.")

	b.settings("answers", "Saved answers")
	send("#answers form")
	wrong(`#answers input`, "Give the answer a name")
	b.enter(`#answers input`, "two words")
	b.enter(`#answers textarea`, "We are open.")
	send("#answers form")
	wrong(`#answers input`, "The name of a saved answer must be")

	b.settings("account", "Your account")
	b.until(`shown("#account form")`)
	send("#account form")
	wrong(`#account input[type=password]`, "Use at least 10 characters.")
	b.enter(`#account input[type=password]`, "correct horse battery")
	send("#account form")
	wrong(`#account input[type=email]`, "Enter an e-mail address")

	b.settings("team", "Team")
	b.until(`shown(".invite")`)
	b.enter(`#team input[type=email]`, "grete")
	send("#team form")
	wrong(`#team input[type=email]`, "Enter an e-mail address")

	b.enter(`#team input[type=email]`, "grete@example.com")
	send("#team form")
	b.until(`text(".link-card .alert").startsWith("This link opens on this computer only.")`)
	b.shot(folder, "problem-link")

	b.do(chromedp.EmulateViewport(390, 844, chromedp.EmulateMobile))
	b.visit(s.console + "#/knowledge")
	b.until(`shown("#knowledge form")`)
	b.enter(`#knowledge input[type=url]`, "http://169.254.169.254/")
	send("#knowledge form")
	wrong(`#knowledge input[type=url]`, "This is not allowed: relay never connects to")
	b.shot(folder, "problem-knowledge-phone")
	b.clean("400 (Bad Request)")

	var link struct{ URL string }
	s.call(t, http.MethodPost, s.base+"/api/admin/invitations", s.secret, map[string]any{"role": "operator"}, &link)
	g := s.newTab(t)
	g.visit(link.URL)
	g.until(`shown("#invitation-fields")`)
	g.enter("#name", "Grete")
	g.enter("#email", "grete@example.com")
	g.enter("#password", "1111111111")
	g.run(`$("#invitation").requestSubmit()`)
	g.until(wrongIn, "#password", "This must not repeat one character.")
	g.shot(folder, "problem-invitation")
	g.clean("400 (Bad Request)")
}
