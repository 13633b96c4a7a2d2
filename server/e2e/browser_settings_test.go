package e2e

import (
	"cmp"
	"encoding/json"
	"net/http"
	"os"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// testHours: business hours are set in a form, which says what is missing and what
// visitors see then.
func testHours(t *testing.T, s *fixture) {
	folder := cmp.Or(os.Getenv("RELAY_SCREENSHOTS"), t.TempDir())
	b := s.newOperator(t, "Ada")
	b.click("#settings-link")
	b.until(`shown("#settings") && !shown("#rows") && document.activeElement.id === "settings-title"`)
	b.until(`text(".week").startsWith("Monday") && $$(".day-row").length === 7 && $$(".day-row li").length === 5`)
	b.shot(folder, "settings")
	row := func(day string) string { return `[aria-label="` + day + `"]` }
	b.click(row("Saturday") + ` .button`)
	b.until(`document.activeElement.ariaLabel === "Saturday, from"`)
	b.time(row("Saturday")+` input`, "22:00")
	b.time(row("Saturday")+` li input:nth-of-type(2)`, "")
	b.click(`#settings .button.main`)
	b.until(`text("#settings [role=alert]:not([hidden])") === "Enter a time, or remove these hours." && document.activeElement.ariaLabel === "Saturday, to"`)
	b.time(row("Saturday")+` li input:nth-of-type(2)`, "02:00")
	b.until(`text('[aria-label="Saturday"] li .hint') === "ends on the next day"`)
	b.click(`[aria-label="Remove these hours on Friday"]`)
	b.run(`[...$$("#settings .button")].find((n) => n.textContent === "Add a date").click()`)
	b.until(`document.activeElement.type === "date"`)
	b.time(`.exception input[type=date]`, "2026-12-24")
	b.run(`Object.assign($("#settings select"), {value: "Asia/Tokyo"}).dispatchEvent(new Event("change"))`)
	b.click(`#settings .button.main`)
	b.until(`text("#settings form [role=status]") === "Saved."`)
	var saved struct {
		BusinessHours json.RawMessage `json:"businessHours"`
	}
	s.call(t, http.MethodGet, s.base+"/api/admin/settings", s.secret, nil, &saved)
	want := `{"timezone":"Asia/Tokyo","weekly":{"monday":["09:00-17:00"],"tuesday":["09:00-17:00"],"wednesday":["09:00-17:00"],` +
		`"thursday":["09:00-17:00"],"saturday":["22:00-02:00"]},"exceptions":{"2026-12-24":[]}}`
	if got := string(saved.BusinessHours); got != want {
		t.Errorf("saved is %s, want %s", got, want)
	}
	s.showSettings(t, b, folder)

	// A whole day ends at midnight, and comes back as it was saved.
	always := map[string]any{}
	for _, day := range []string{"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"} {
		always[day] = []string{"00:00-24:00"}
	}
	s.call(t, http.MethodPatch, s.base+"/api/admin/settings", s.secret, map[string]any{"businessHours": map[string]any{"timezone": "UTC", "weekly": always}}, nil)
	b.visit(s.console)
	b.visit(s.console + "#/settings")
	b.until(`$$(".day-row li input").length === 14 && $$(".day-row li input").every((n) => n.value === "00:00")`)
	b.until(`$$("#settings [role=status]").some((n) => n.textContent.startsWith("Now: visitors see you online, by business hours until"))`)
	b.until(`text("#presence-why").includes("by business hours until")`)
	b.run(`[...$$("#settings .button")].find((n) => n.textContent === "Remove business hours").click()`)
	b.click("#ask-yes")
	b.until(`text("#settings form [role=status]") === "Removed." && $$(".day-row li").length === 5`)
	b.clean()
}

// time sets a field of time or date: what is typed there depends on the language.
func (b *tab) time(selector, value string) {
	b.Helper()
	b.until(`shown(%s)`, selector)
	b.run(`(Object.assign($('` + selector + `'), {value: "` + value + `"}).dispatchEvent(new Event("input", {bubbles: true})))`)
}

// showSettings keeps pictures of the page, dark and on a phone, too.
func (s *fixture) showSettings(t *testing.T, b *tab, folder string) {
	b.shot(folder, "settings-saved")
	protocol(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "dark"}}})
	b.shot(folder, "settings-dark")
	b.do(chromedp.EmulateViewport(390, 844, chromedp.EmulateMobile))
	b.shot(folder, "settings-phone")
	if wide := eval[int](b, `document.documentElement.scrollWidth`); wide > 390 {
		t.Errorf("the page is %d pixels wide", wide)
	}
	protocol(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{})
	b.do(chromedp.EmulateViewport(1280, 800))
}

// testSavedAnswers: an answer that was saved on the settings page is chosen while
// writing, by keys or pointer, or sent by its name.
func testSavedAnswers(t *testing.T, s *fixture) {
	folder := cmp.Or(os.Getenv("RELAY_SCREENSHOTS"), t.TempDir())
	p := s.newPair(t, "When are you open?")
	b := p.operator
	here := eval[string](b, `location.hash`)
	b.click("#settings-link")
	b.enter(`[placeholder="hours"]`, "close")
	b.enter(`#settings form textarea[maxlength="40000"]`, "From 9 to 17.")
	b.run(`[...$$("#settings .button")].find((n) => n.textContent === "Save answer").click()`)
	b.until(`$$("#settings [role=alert]").some((n) => n.textContent === "!close is a command; choose another name.")`)
	b.enter(`[placeholder="hours"]`, "!Hours")
	b.run(`[...$$("#settings .button")].find((n) => n.textContent === "Save answer").click()`)
	b.until(`text(".answers li b") === "!hours" && text(".answers li p") === "From 9 to 17."`)
	s.call(t, http.MethodPut, s.base+"/api/admin/saved-answers/shipping", s.secret, map[string]any{"content": "Within 5 days."}, nil)
	b.run(`(location.hash = "` + here + `")`)

	b.enter("#composer", "/")
	b.until(`$$("#answers-menu li").map((n) => n.textContent).join() === "!hoursFrom 9 to 17.,!shippingWithin 5 days."`)
	b.shot(folder, "saved-answers")
	b.press("ArrowDown", 40)
	b.press("ArrowDown", 40)
	b.until(`$("#composer").getAttribute("aria-activedescendant") === "answer-1" && $("#answer-1").ariaSelected === "true"`)
	b.press("Enter", 13)
	b.until(`$("#composer").value === "Within 5 days." && $("#answers-menu").hidden`)
	b.enter("#composer", "!ho")
	b.until(`$$("#answers-menu li").length === 1`)
	b.press("Escape", 27)
	b.until(`$("#answers-menu").hidden && $("#composer").value === "!ho"`)
	b.enter("#composer", "!")
	b.until(`$$("#answers-menu li").length === 2`)
	b.click("#answers-menu li")
	b.until(`$("#composer").value === "From 9 to 17." && document.activeElement.id === "composer"`)
	b.write("!shipping")
	b.until(`text("#answer-text") === "!shipping is sent."`)
	p.visitor.sees(welcome, "visitor: When are you open?", "operator: Within 5 days.")
	b.write("!shiping")
	b.until(`text("#answer-text").includes("Did you mean !shipping?")`)
	b.clean("400 (Bad Request)")
	p.visitor.clean()
}
