package e2e

import (
	"cmp"
	"os"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// testProgramKeys: an administrator makes a key for a program and ends it; a person makes a
// token of their own, which the administrator sees.
func testProgramKeys(t *testing.T, s *fixture) {
	folder := cmp.Or(os.Getenv("RELAY_SCREENSHOTS"), t.TempDir())
	ada := s.newOperator(t, "Ada")
	ada.settings("account", "Your account")
	ada.enter(`#account input[type=email]`, "ada@example.com")
	ada.enter(`#account input[type=password]`, "correct horse battery")
	ada.click(`#account .button.main`)
	ada.until(`$("#settings-personal-tokens") && text("#account h2") === "You"`)
	of := func(section string) string { return `[aria-labelledby=settings-` + section + `] ` }

	ada.run(`(location.hash = "#/team")`)
	keys := of("programs-and-keys")
	ada.until(`text(%s) === "None yet."`, keys+".members")
	ada.click(keys + ".button.main")
	ada.until(`text(%s) === "Tick what it may do."`, keys+"[role=alert]:not([hidden])")
	ada.click(keys + "input[value=read]")
	ada.click(keys + ".button.main")
	ada.until(`text(%s) !== "" && document.activeElement.maxLength === 80`, keys+".wrong")
	ada.enter(keys+"input[maxlength='80']", "CRM sync")
	ada.click(keys + ".button.main")
	ada.until(`$(%s) && $(%[1]s).value.startsWith("rk_") && document.activeElement === $(%[1]s)`, keys+".link-card input")
	ada.until(`$$(%s).length === 1 && text(%[1]s).includes("CRM sync") && text(%[1]s).includes("read · made by Ada")`, keys+".member")
	if sets := eval[int](ada, `$$("`+keys+`fieldset").filter((n) => !n.hidden).length`); sets != 1 {
		t.Errorf("with one website the form has %d groups of boxes", sets)
	}
	ada.shot(folder, "keys")
	ada.accessible("a new key")
	key := eval[string](ada, `$("`+keys+`.link-card input").value`)
	if code := s.get(t, s.base+"/api/admin/sessions", key, nil); code != 200 {
		t.Errorf("the key answers %d", code)
	}
	ada.do(chromedp.EmulateViewport(390, 844, chromedp.EmulateMobile, chromedp.EmulateTouch))
	if wide := eval[int](ada, `document.documentElement.scrollWidth`); wide > 390 {
		t.Errorf("the page is %d pixels wide", wide)
	}
	if small := eval[string](ada, tooSmall); small != "" {
		t.Errorf("too small for fingers:\n%s", small)
	}
	ada.do(chromedp.EmulateViewport(1280, 800))
	ada.click(`[aria-label="End the key CRM sync"]`)
	ada.until(`$("#ask").open && text("#ask-text").includes("stops working at once")`)
	ada.click("#ask-yes")
	ada.until(`text(%s) === "None yet."`, keys+".members")
	ada.click(keys + "details.more summary")
	ada.until(`text(%s).includes("CRM sync") && text(%[1]s).includes("by Ada · by hand")`, keys+"details.more .members")
	ada.shot(folder, "keys-ended")
	ada.accessible("ended keys")
	if code := s.get(t, s.base+"/api/admin/sessions", key, nil); code != 401 {
		t.Errorf("the ended key answers %d", code)
	}

	ada.run(`(location.hash = "#/account")`)
	tokens := of("personal-tokens")
	ada.until(`text(%s) === "None yet."`, tokens+".members")
	ada.enter(tokens+"input[maxlength='80']", "laptop")
	ada.click(tokens + "input[value=write]")
	ada.run(`(Object.assign($("` + tokens + `input[type=date]"), {value: "2001-01-31"}))`)
	ada.click(tokens + ".button.main")
	ada.until(`text(%s).includes("in the future")`, tokens+".wrong")
	ada.run(`(Object.assign($("` + tokens + `input[type=date]"), {value: ""}))`)
	ada.click(tokens + ".button.main")
	ada.until(`$$(%s).length === 1 && text(%[1]s).includes("laptop")`, tokens+".member")
	if token := eval[string](ada, `$("`+tokens+`.link-card input").value`); !strings.HasPrefix(token, "rk_") {
		t.Errorf("the token is %q", token)
	}
	ada.accessible("a new token")
	ada.run(`(location.hash = "#/team")`)
	ada.until(`$$(%s).length === 1 && text(%[1]s).includes("laptop")`, keys+".member")
	ada.clean("400 (Bad Request)")
}
