package e2e

import (
	"cmp"
	"os"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// testTeam: the secret key makes the first account, which invites a colleague by a link.
// The colleague answers, sees no settings of others, and is out at once when removed.
func testTeam(t *testing.T, s *fixture) {
	folder := cmp.Or(os.Getenv("RELAY_SCREENSHOTS"), t.TempDir())
	ada := s.newOperator(t, "Ada")
	ada.settings("account", "Your account")
	ada.until(`text("#account h2") === "Create your account" && $("#account input").value === "Ada"`)
	ada.enter(`#account input[type=email]`, "ada@example.com")
	ada.enter(`#account input[type=password]`, "short")
	ada.click(`#account .button.main`)
	ada.until(`text("#account .wrong") === "Use at least 10 characters." && document.activeElement.type === "password"`)
	ada.enter(`#account input[type=password]`, "correct horse battery")
	ada.click(`#account .button.main`)
	ada.until(`$("#account h2") && text("#account h2") === "You" && $$("#account .member").length === 1`)
	ada.shot(folder, "account")

	ada.run(`(location.hash = "#/team")`)
	ada.until(`$$("#team .member-face").length === 1 && $("#team .member-face").complete && text("#team .member").includes("(you)")`)
	ada.enter(`#team .invite input`, "mia@example.com")
	ada.click(`#team .invite .button.main`)
	ada.until(`$("#team .link-card .qr") && text("#team .link-card h3") === "Invitation for mia@example.com"`)
	ada.until(`$$("#team .audit tbody tr").length > 1`)
	s.showTeam(ada, folder)
	link := eval[string](ada, `$("#team .link-card input").value`)

	mia := s.newTab(t)
	mia.visit(link)
	mia.until(`shown("#invitation-fields") && $("#email").value === "mia@example.com" && document.activeElement.id === "name"`)
	mia.shot(folder, "invitation")
	mia.enter("#name", "Mia")
	mia.enter("#password", "tiny")
	mia.click("#invitation button")
	mia.until(`text("#invitation .wrong") === "Use at least 10 characters." && document.activeElement.id === "password"`)
	mia.enter("#password", "purple monkey dishwasher")
	mia.click("#invitation button")
	mia.until(`$("#rows") && text("#me .me-name") === "Mia" && text("#link") === ""`)
	mia.until(`$$("#subnav a, #rail a[data-page]").map((n) => n.dataset.page).join() === ",visitors,statistics,settings,answers,notifications,account"`)
	ada.until(`text("#here") === "Also here: Mia"`)

	ada.run(`(location.hash = "#/")`)
	ada.run(`(location.hash = "#/team")`)
	ada.until(`$$("#team .member-face").length === 2`)
	ada.click(`[aria-label="Names of Mia on platforms"]`)
	ada.enter(`dialog[open] input`, "@mia_b")
	ada.click(`dialog[open] .button.main`)
	ada.until(`text("#team .members").includes("Telegram mia_b")`)
	ada.click(`[aria-label="Remove Mia"]`)
	ada.until(`$("#ask").open`)
	ada.click("#ask-yes")
	ada.until(`$$("#team .member-face").length === 1`)
	mia.until(`$("#login-title") && shown("#email") && !$(".by-key").open`)
	mia.shot(folder, "login")
	mia.enter("#email", "ada@example.com")
	mia.enter("#password", "wrong wrong wrong")
	mia.click(".team button[type=submit]")
	mia.until(`text("#login-error") === "This e-mail address and password do not belong together." && document.activeElement.id === "password"`)
	mia.enter("#password", "correct horse battery")
	mia.click(".team button[type=submit]")
	mia.until(`$("#rows") && text("#me .me-name") === "Ada"`)
	mia.visit(link)
	mia.until(`text("#invitation-title") === "This link has already been used" && shown("#invitation-away")`)
	ada.clean("400 (Bad Request)")
}

// showTeam takes pictures of the team's page.
func (s *fixture) showTeam(b *tab, folder string) {
	b.Helper()
	b.run(`($("#team").scrollTop = 0)`)
	b.shot(folder, "team")
	b.do(chromedp.EmulateViewport(390, 844, chromedp.EmulateMobile))
	b.shot(folder, "team-phone")
	if wide := eval[int](b, `document.documentElement.scrollWidth`); wide > 390 {
		b.Errorf("the page is %d pixels wide", wide)
	}
	b.do(chromedp.EmulateViewport(1280, 800))
	protocol(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "dark"}}})
	b.shot(folder, "team-dark")
	protocol(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{})
}
