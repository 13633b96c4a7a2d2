package e2e

import (
	"cmp"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/pquerna/otp/totp"
)

// testTwoStep: an app is set up under Your account and asked for after the password, on a page
// without a script; a recovery code opens the account; an administrator turns it off.
func testTwoStep(t *testing.T, s *fixture) {
	folder := cmp.Or(os.Getenv("RELAY_SCREENSHOTS"), t.TempDir())
	ada := s.newOperator(t, "Ada")
	ada.settings("account", "Your account")
	ada.enter(`#account input[type=email]`, "ada@example.com")
	ada.enter(`#account input[type=password]`, password)
	ada.click(`#account .button.main`)
	secret, _ := ada.turnsOn(folder)
	ada.click("#me")
	ada.click(`#me-menu [type=submit]`)
	ada.withPassword("ada@example.com")
	ada.until(`text("h1") === "Enter your code" && document.activeElement.id === "code" && text("main").includes("ada@example.com")`)
	if scripts := eval[int](ada, `document.scripts.length`); scripts != 0 {
		t.Errorf("the page has %d scripts", scripts)
	}
	ada.accessible("second step")
	ada.shot(folder, "code")
	ada.enter("#code", "000000")
	ada.click(`form .button.main`)
	ada.until(`text("#login-error").startsWith("This code is wrong") && $("#code").getAttribute("aria-invalid") === "true"`)
	ada.click("summary")
	ada.accessible("a wrong code")
	ada.do(chromedp.EmulateViewport(390, 844, chromedp.EmulateMobile, chromedp.EmulateTouch))
	if small := eval[string](ada, tooSmall); small != "" {
		t.Errorf("too small for fingers:\n%s", small)
	}
	ada.shot(folder, "code-phone")
	ada.do(chromedp.EmulateViewport(1280, 800))
	ada.enter("#code", codeOf(t, secret, 1))
	ada.click(`form .button.main`)
	ada.until(`$("#rows") && text("#me .me-name") === "Ada"`)

	ada.run(`fetch("/api/admin/people", {method: "POST", headers: {"Content-Type": "application/json"},
		body: JSON.stringify({name: "Mia", email: "mia@example.com", password: "` + password + `", role: "operator"})})`)
	mia := s.newTab(t)
	mia.visit(s.console)
	mia.withPassword("mia@example.com")
	_, recovery := mia.turnsOn(folder)
	mia.click("#me")
	mia.click(`#me-menu [type=submit]`)
	mia.withPassword("mia@example.com")
	mia.until(`text("h1") === "Enter your code"`)
	mia.click(`main > .card > form:last-child button`)
	mia.until(`text("h1") === "Sign in"`)
	mia.withPassword("mia@example.com")
	mia.until(`text("h1") === "Enter your code"`)
	mia.click("summary")
	mia.enter("#recovery", strings.ToLower(recovery[0]))
	mia.click(`details .button.main`)
	mia.until(`$("#rows") && text("#me .me-name") === "Mia"`)

	ada.run(`(location.hash = "#/team")`)
	ada.until(`$("[aria-label='Access of Mia']")`)
	ada.click(`[aria-label="Access of Mia"]`)
	ada.until(`text("dialog.access").includes("9 recovery codes are left.")`)
	ada.accessible("access with two-step sign-in")
	ada.shot(folder, "access-two-step")
	ada.click(`[aria-label="Turn off two-step sign-in of Mia"]`)
	ada.until(`$("#ask").open`)
	ada.click("#ask-yes")
	ada.until(`text("dialog.access").includes("Off.")`)
	ada.clean("400 (Bad Request)", "401 (Unauthorized)", "403 (Forbidden)")
	mia.clean("400 (Bad Request)", "403 (Forbidden)")
}

const password = "correct horse battery"

func codeOf(t *testing.T, secret string, periods int) string {
	t.Helper()
	code, err := totp.GenerateCode(secret, time.Now().Add(time.Duration(periods)*30*time.Second))
	if err != nil {
		t.Fatal(err)
	}
	return code
}

// withPassword gives the sign-in page an address and the password.
func (b *tab) withPassword(email string) {
	b.Helper()
	b.until(`$("#login-title") && shown("#email")`)
	b.enter("#email", email)
	b.enter("#password", password)
	b.click(`form.team .button.main`)
}

// turnsOn sets an app up, and returns its secret and the recovery codes.
func (b *tab) turnsOn(folder string) (secret string, recovery []string) {
	b.Helper()
	part := `[aria-labelledby=settings-two-step-sign-in] `
	b.until(`!$("#presence").disabled && text("#link") === ""`)
	b.run(`(location.hash = "#/account")`)
	b.until(`shown(%s) && text(%[2]s) === "Off."`, part+"form", part+"[role=status]")
	b.click(part + ".button.main")
	b.until(`text(%s) !== ""`, part+".wrong")
	b.enter(part+"input[type=password]", password)
	b.click(part + ".button.main")
	b.until(`shown(%s) && text(%s).startsWith("Scan this")`, part+".qr", part+"h3")
	b.accessible("a new app")
	b.run(`$("` + part + `h3").scrollIntoView({block: "center"})`)
	b.shot(folder, "two-step-app")
	secret = strings.ReplaceAll(eval[string](b, `$("`+part+`input[readonly]").value`), " ", "")
	b.enter(part+"input[inputmode=numeric]", "12")
	b.click(part + ".link-card .button.main")
	b.until(`text(%s).startsWith("This code is wrong")`, part+".link-card .wrong")
	b.enter(part+"input[inputmode=numeric]", codeOf(b.T, secret, 0))
	b.click(part + ".link-card .button.main")
	b.until(`shown(%s)`, part+"textarea")
	b.accessible("recovery codes")
	b.run(`$("` + part + `h3").scrollIntoView({block: "center"})`)
	b.shot(folder, "two-step-codes")
	recovery = strings.Fields(eval[string](b, `$("`+part+`textarea").value`))
	if len(recovery) != 10 {
		b.Fatalf("there are %d recovery codes", len(recovery))
	}
	b.click(part + ".link-card .buttons button:nth-of-type(2)")
	b.until(`text(%s).startsWith("On since ") && text(%[1]s).includes("10 recovery codes are left.")`, part+"[role=status]")
	b.shot(folder, "two-step-on")
	return secret, recovery
}

// testRequiredTwoStep: where it is required, whoever has no app is led to set one up right after the
// password, on pages without a script; then the recovery codes are shown, and the console opens.
func testRequiredTwoStep(t *testing.T, s *fixture) {
	folder := cmp.Or(os.Getenv("RELAY_SCREENSHOTS"), t.TempDir())
	ada := s.newOperator(t, "Ada")
	ada.run(`fetch("/api/admin/people", {method: "POST", headers: {"Content-Type": "application/json"},
		body: JSON.stringify({name: "Lea", email: "lea@example.com", password: "` + password + `", role: "operator"})})`)
	ada.settings("sso", "Sign-in")
	ada.click("[data-setting=requireTotp] input")
	ada.click("#sso .button.main")
	ada.until(`text("#sso").includes("Saved")`)
	ada.shot(folder, "require-two-step")

	lea := s.newTab(t)
	lea.visit(s.console)
	lea.withPassword("lea@example.com")
	lea.until(`text("h1") === "Two-step sign-in" && document.activeElement.id === "code" && text("main").includes("lea@example.com")`)
	if scripts := eval[int](lea, `document.scripts.length`); scripts != 0 {
		t.Errorf("the page has %d scripts", scripts)
	}
	lea.accessible("setting an app up")
	lea.shot(folder, "set-up-code")
	lea.do(chromedp.EmulateViewport(320, 700, chromedp.EmulateMobile, chromedp.EmulateTouch))
	lea.accessible("setting an app up on a phone")
	if wide := eval[bool](lea, `document.documentElement.scrollWidth > innerWidth`); wide {
		t.Error("it scrolls sideways on a phone")
	}
	lea.shot(folder, "set-up-code-phone")
	lea.do(chromedp.EmulateViewport(1280, 800))
	lea.enter("#code", "000000")
	lea.click(`form .button.main`)
	lea.until(`text("#login-error").startsWith("This code is wrong")`)
	secret := strings.ReplaceAll(eval[string](lea, `$("#secret").value`), " ", "")
	code, err := totp.GenerateCode(secret, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	lea.enter("#code", code)
	lea.click(`form .button.main`)
	lea.until(`text("h1") === "Save your recovery codes" && $("#codes").value.split("\n").length === 10`)
	lea.accessible("the recovery codes")
	lea.shot(folder, "set-up-done")
	lea.click(`main a.button`)
	lea.until(`$("#rows") && text("#me .me-name") === "Lea"`)
	ada.run(`fetch("/api/admin/settings", {method: "PATCH", headers: {"Content-Type": "application/json"}, body: JSON.stringify({requireTotp: false})})`)
}
