package e2e

import (
	"cmp"
	"net/http"
	"os"
	"testing"

	"github.com/chromedp/chromedp"
)

// testFirstSteps: a new relay says what is next, each step notices that it is done, and when
// nothing is left, or somebody hides them, the steps are gone for good.
func testFirstSteps(t *testing.T, s *fixture) {
	folder := cmp.Or(os.Getenv("RELAY_SCREENSHOTS"), t.TempDir())
	fresh := &fixture{bootIn(t, t.TempDir()), s.browser}
	b := fresh.newOperator(t, "Ada")
	const done, lookAgain = `text(".first-steps .hint")`, `dispatchEvent(new Event("focus"))`
	b.until(`shown('.blank[data-kind="welcome"] .first-steps') && ` + done + ` === "0 of 5 done"`)
	b.until(`text(".first-steps .button.main") === "Make an account"`)
	b.still()
	b.accessible("first steps")
	b.shot(folder, "first-steps")
	fresh.call(t, http.MethodPost, fresh.base+"/api/widget/init", fresh.public, map[string]any{"visitorId": "v", "url": "https://shop.example.com/lamps"}, nil)
	b.run(lookAgain)
	b.until(done + ` === "1 of 5 done" && $$(".first-steps .done").length === 1 && text(".first-steps .done b") === "Put the chat on your site, done"`)
	b.run(`$(".first-steps .button.main").focus()`)
	b.press("Enter", 13)
	b.until(`location.hash === "#/team"`)
	b.run(`history.back()`)
	b.until(`shown(".first-steps")`)
	b.do(chromedp.EmulateViewport(320, 640))
	b.until(`shown("#list-scroll > .first-steps") && document.documentElement.scrollWidth <= 320`)
	b.shot(folder, "first-steps-phone")
	b.do(chromedp.EmulateViewport(1280, 800))
	b.until(`shown('.blank .first-steps')`)
	b.run(`$(".first-steps .first-head button").click()`)
	b.until(`!$(".first-steps")`)
	preference := func(firstSteps string) bool {
		var me struct{ Preferences struct{ FirstSteps string } }
		fresh.call(t, http.MethodGet, fresh.base+"/api/admin/me", fresh.secret, nil, &me)
		return me.Preferences.FirstSteps == firstSteps
	}
	if !preference("hidden") {
		t.Error("that they are hidden is not kept")
	}

	fresh.call(t, http.MethodPatch, fresh.base+"/api/admin/me", fresh.secret, map[string]any{"preferences": map[string]any{"firstSteps": ""}}, nil)
	b.visit(fresh.console)
	b.until(done + ` === "1 of 5 done"`)
	b.run(`window.fetch = ((real) => (path, ...more) => { // the rest is done
		const answers = {"/people": {people: [1, 2]}, "/bridges": {bridges: [{name: "telegram", state: "running", missing: [], queue: 0}]}, "/push": {devices: [1]}};
		const found = Object.keys(answers).find((end) => String(path).endsWith(end));
		return found ? Promise.resolve(Response.json(answers[found])) : real(path, ...more);
	})(fetch)`)
	b.run(lookAgain)
	b.until(`!$(".first-steps") && !$(".with-steps")`)
	b.wait("that they are done is kept", func() bool { return preference("done") })
	b.clean()
}
