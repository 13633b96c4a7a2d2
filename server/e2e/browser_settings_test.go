package e2e

import (
	"cmp"
	"encoding/json"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// testHours: business hours are set in a form, which says what is missing and what
// visitors see then.
func testHours(t *testing.T, s *fixture) {
	folder := cmp.Or(os.Getenv("RELAY_SCREENSHOTS"), t.TempDir())
	b := s.newOperator(t, "Ada")
	b.settings("hours", "Hours")
	b.until(`!shown("#rows") && document.activeElement.id === "hours-title" && !shown("#save-bar")`)
	b.until(`text(".week").startsWith("Monday") && $$(".day-row").length === 7 && $$(".day-row li").length === 5`)
	b.shot(folder, "settings")
	row := func(day string) string { return `[aria-label="` + day + `"]` }
	b.click(row("Saturday") + ` .button`)
	b.until(`document.activeElement.ariaLabel === "Saturday, from"`)
	b.time(row("Saturday")+` input`, "22:00")
	b.time(row("Saturday")+` li input:nth-of-type(2)`, "")
	b.until(`text("#save-count") === "1 change"`)
	b.click(`#save`)
	b.until(`text("#hours .wrong") === "Enter a time, or remove these hours." && document.activeElement.ariaLabel === "Saturday, to"`)
	b.time(row("Saturday")+` li input:nth-of-type(2)`, "02:00")
	b.until(`text('[aria-label="Saturday"] li .hint') === "ends on the next day"`)
	b.click(`[aria-label="Remove these hours on Friday"]`)
	b.run(`[...$$(".settings .button")].find((n) => n.textContent === "Add a date").click()`)
	b.until(`document.activeElement.type === "date"`)
	b.time(`.exception input[type=date]`, "2026-12-24")
	b.run(`Object.assign($("#hours select"), {value: "Asia/Tokyo"}).dispatchEvent(new Event("change"))`)
	b.click(`#save`)
	b.until(`text("#save-count") === "Saved." && !shown("#save") && document.activeElement.id === "hours-title"`)
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
	s.setSteps(t, b, folder)

	// A whole day ends at midnight, and comes back as it was saved.
	always := map[string]any{}
	for _, day := range []string{"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"} {
		always[day] = []string{"00:00-24:00"}
	}
	s.call(t, http.MethodPatch, s.base+"/api/admin/settings", s.secret, map[string]any{"businessHours": map[string]any{"timezone": "UTC", "weekly": always}}, nil)
	b.visit(s.console)
	b.visit(s.console + "#/hours")
	b.until(`$$(".day-row li input").length === 14 && $$(".day-row li input").every((n) => n.value === "00:00")`)
	b.until(`$$("#hours [role=status]").some((n) => n.textContent.startsWith("Now: visitors see you online, by business hours until"))`)
	b.until(`text("#presence-why").includes("by business hours until")`)
	b.run(`[...$$(".settings .button")].find((n) => n.textContent === "Remove business hours").click()`)
	b.click("#ask-yes")
	b.until(`$$(".day-row li").length === 5 && text("#hours .panel").includes("These are a suggestion")`)
	b.until(`document.activeElement.id === "hours-title"`)
	b.run(`window.use = $$("#hours .button").find((n) => n.textContent === "Use these hours")`)
	b.time(".day-row input", "10:00")
	b.run(`use.focus()`)
	b.run(`use.click()`)
	b.until(`!use.checkVisibility() && document.activeElement.id === "hours-title"`)
	s.call(t, http.MethodGet, s.base+"/api/admin/settings", s.secret, nil, &saved)
	if !strings.Contains(string(saved.BusinessHours), `"monday":["10:00-17:00"]`) {
		t.Errorf("the edited proposal was stored as %s", saved.BusinessHours)
	}
	b.clean()
}

// setSteps says what happens while nobody answers.
func (s *fixture) setSteps(t *testing.T, b *tab, folder string) {
	t.Helper()
	b.visit(s.console)
	b.visit(s.console + "#/hours")
	b.until(`$$(".day-row li").length > 0`)
	b.run(`$$("#hours .button").find((n) => n.textContent === "Add a step").click()`)
	b.run(`$$("#hours .button").find((n) => n.textContent === "Add a step").click()`)
	b.until(`$$(".rules li").length === 2 && $$(".rules [type=number]").map((n) => n.value).join() === "5,10" && !shown(".rules textarea")`)
	b.run(`Object.assign($$(".rules select")[1], {value: "tell"}).dispatchEvent(new Event("change", {bubbles: true}))`)
	b.until(`shown(".rules li:last-child textarea")`)
	b.click("#save")
	b.until(`$$("#hours .wrong").some((n) => n.textContent === "Write the text for the visitor, or remove the step.")`)
	b.enter(".rules li:last-child textarea", "One moment, please.")
	b.run(`$$("#hours .button").find((n) => n.textContent === "Add a step").click()`)
	b.run(`Object.assign($$(".rules select")[2], {value: "mail"}).dispatchEvent(new Event("change", {bubbles: true}))`)
	b.click("#save")
	b.until(`$$("#hours .wrong").some((n) => n.textContent === "Enter whom to send the e-mail to, or remove the step.")`)
	b.enter(".rules li:last-child [type=email]", "team@shop.example")
	b.enter("[data-setting=autoCloseDays] input", "14")
	b.shot(folder, "hours-unanswered")
	b.click("#save")
	b.until(`text("#save-count") === "Saved." && !shown("#save")`)
	var saved struct {
		Unanswered    json.RawMessage `json:"unanswered"`
		AutoCloseDays int             `json:"autoCloseDays"`
	}
	s.call(t, http.MethodGet, s.base+"/api/admin/settings", s.secret, nil, &saved)
	want := `[{"after":5,"do":"ring"},{"after":10,"do":"tell","text":"One moment, please."},{"after":15,"do":"mail","to":"team@shop.example"}]`
	if got := string(saved.Unanswered); got != want || saved.AutoCloseDays != 14 {
		t.Errorf("saved is %s and %d, want %s and 14", got, saved.AutoCloseDays, want)
	}
}

// settings opens a page of the settings as people do.
func (b *tab) settings(page, title string) {
	b.Helper()
	if !eval[bool](b, `shown("#subnav")`) {
		b.click("#settings-link")
	}
	b.click("#" + page + "-link")
	b.until(`shown(%s) && text(%s) === %s`, "#"+page, "#"+page+"-title", title)
}

// testUnsaved: changes are counted, saved and discarded in one bar, problems stand beside
// their fields, what the environment sets is locked, and going elsewhere asks first.
func testUnsaved(t *testing.T, s *fixture) {
	s.stop()
	s.instance = bootIn(t, s.dir, "AI_MODEL=tiny", "AI_NAME=Robo")
	folder := cmp.Or(os.Getenv("RELAY_SCREENSHOTS"), t.TempDir())
	b := s.newOperator(t, "Ada")
	b.settings("ai", "AI")
	field := func(name string) string { return `[data-setting="` + name + `"] .input` }
	b.until(`$(%[1]s).disabled && $(%[1]s).value === "tiny" && text('[data-setting="aiModel"] .locked') === "Set by AI_MODEL"`, field("aiModel"))
	b.click(`[data-setting="aiName"] .link-button`)
	b.until(`!$(%[1]s).disabled && document.activeElement === $(%[1]s)`, field("aiName"))
	b.enter(field("aiName"), "Robin")
	b.enter(field("aiMaxAnswers"), "0")
	b.enter(field("aiBaseUrl"), "nowhere")
	b.until(`text("#save-count") === "3 changes"`)
	b.click("#save")
	b.until(`text('[data-setting="aiMaxAnswers"] .wrong').startsWith("Enter a number from 1")`)
	b.until(`text('[data-setting="aiBaseUrl"] .wrong').startsWith("Enter an address") && document.activeElement === $(%s)`, field("aiBaseUrl"))
	b.shot(folder, "settings-problems")

	b.click("#hours-link")
	b.until(`$("#ask").open && location.hash === "#/ai" && shown("#ai")`)
	b.shot(folder, "settings-leave")
	b.click(`#ask [value="no"]`)
	b.until(`!$("#ask").open && $(%s).value === "Robin"`, field("aiName"))
	b.enter(field("aiMaxAnswers"), "5")
	b.enter(field("aiBaseUrl"), "")
	b.until(`text("#save-count") === "2 changes"`)
	b.press("s", 83, 2)
	b.until(`text("#save-count") === "Saved." && text('[data-setting="aiName"] .origin').startsWith("Overrides AI_NAME")`)
	b.click(`[data-setting="aiName"] .link-button`)
	b.until(`$(%[1]s).value === "Robo" && $(%[1]s).disabled`, field("aiName"))

	b.enter(field("aiMaxAnswers"), "7")
	b.click("#settings-link")
	b.until(`$("#ask").open`)
	b.click("#ask-yes")
	b.until(`shown("#channels") && !shown("#save-bar")`)
	b.click("#ai-link")
	b.until(`$(%s).value === "5"`, field("aiMaxAnswers"))
	b.enter(field("aiMaxAnswers"), "8")
	b.click("#save-discard")
	b.until(`$(%s).value === "5" && !shown("#save-bar")`, field("aiMaxAnswers"))
	b.do(chromedp.EmulateViewport(390, 844, chromedp.EmulateMobile))
	b.until(`document.documentElement.scrollWidth <= 390`)
	b.shot(folder, "settings-ai-phone")
	b.clean("400 (Bad Request)")
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
	b.settings("answers", "Saved answers")
	b.enter(`[placeholder="hours"]`, "close")
	b.enter(`#answers form textarea[maxlength="40000"]`, "From 9 to 17.")
	b.run(`[...$$(".settings .button")].find((n) => n.textContent === "Save answer").click()`)
	b.until(`$$("#answers [role=alert]").some((n) => n.textContent === "!close is a command; choose another name.")`)
	b.enter(`[placeholder="hours"]`, "!Hours")
	b.run(`[...$$(".settings .button")].find((n) => n.textContent === "Save answer").click()`)
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
	b.enter("#composer", "/")
	b.until(`$$("#answers-menu li").length === 2`)
	for _, begun := range []string{"/ho", "!SHI"} { // the only one that fits
		b.enter("#composer", begun)
		b.until(`$$("#answers-menu li").length === 1`)
		b.press("Enter", 13)
		b.until(`["From 9 to 17.", "Within 5 days."].includes($("#composer").value) && $("#answers-menu").hidden`)
	}
	// A command stays one, although an answer begins like it.
	s.call(t, http.MethodPut, s.base+"/api/admin/saved-answers/helpful", s.secret, map[string]any{"content": "You are welcome."}, nil)
	b.enter("#composer", "/")
	b.until(`$$("#answers-menu li").length === 3`)
	b.enter("#composer", "/help")
	b.until(`$$("#answers-menu li").length === 1`)
	b.press("Enter", 13)
	b.until(`text("#answer-text").includes("!close")`)
	s.call(t, http.MethodDelete, s.base+"/api/admin/saved-answers/helpful", s.secret, nil, nil)
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
