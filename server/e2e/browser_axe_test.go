package e2e

import (
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"github.com/relay-chat/relay/assets/axetest"
	"github.com/relay-chat/relay/bridges/ai/aitest"
)

// medium is a way to look at a page that needs no reload.
type medium struct {
	name          string
	width, height int64
	features      []*emulation.MediaFeature
	// rules are those that this medium can change, none means all.
	rules []string
}

func feature(name, value string) []*emulation.MediaFeature {
	return []*emulation.MediaFeature{{Name: name, Value: value}}
}

// 320 pixels are 1280 at a zoom of 400 %.
var media = []medium{
	{name: "light", width: 1280, height: 800},
	{name: "dark", width: 1280, height: 800, features: feature("prefers-color-scheme", "dark"), rules: axetest.Colours},
	{name: "forced colours", width: 1280, height: 800, features: feature("forced-colors", "active"), rules: axetest.Colours},
	{name: "phone", width: 390, height: 844, rules: axetest.Layout},
	{name: "400 % zoom", width: 320, height: 256, rules: axetest.Layout},
}

// testAxe: axe-core finds nothing in any page and state of the console, in light, dark and
// forced colours, on a phone and at a zoom of 400 %, where nothing runs off the side.
func testAxe(t *testing.T, s *fixture) {
	fake := aitest.New(t, model).Listen()
	s.stop()
	s.instance = bootIn(t, s.dir, "AI_BASE_URL="+fake, "AI_MODEL=test")
	b := s.newTab(t)
	b.still()
	s.axePublic(b)
	b = s.newTab(t) // the set-up page has signed the other one in
	b.visit(s.console)
	b.until(`shown(".by-key") || shown("#name")`)
	b.accessible("sign-in")
	b.enter("#name", "Ada")
	b.enter("#key", s.secret)
	b.click(".by-key button[type=submit]")
	b.until(`$("#rows") && !$("#presence").disabled && text("#link") === "" && text("#list-note") !== "Loading…"`)
	b.accessible("empty inbox")
	s.axeInbox(b)
	s.axePages(b)
	s.axeTeam(b)
}

// axePublic looks at what is seen without signing in.
func (s *fixture) axePublic(b *tab) {
	b.Helper()
	b.visit(s.base + "/")
	b.until(`$("#demo-frame")?.contentDocument.querySelector("relay-chat")`)
	b.accessible("first run")
	b.click(`form[action="/setup/done"] button`)
	b.until(`text("h1") === "relay is running"`)
	b.accessible("start page")
	for _, path := range []string{"/demo", "/docs", "/docs/operations", "/docs/settings", "/docs/search", "/docs/search?q=token", "/docs/reference", "/docs/reference-team", "/docs/reference-types-set", "/nothing"} {
		b.visit(s.base + path)
		b.until(`document.querySelector("h1") && (!location.pathname.endsWith("demo") || shown(".launcher"))`)
		for _, alike := range []string{"article", "#places section", ".docs-operations li", ".docs-settings", ".docs-results li"} { // of hundreds
			b.run(`$$("` + alike + `").slice(5).forEach((n) => n.remove())`)
		}
		b.accessible(path)
	}
}

// axeInbox goes through the states of the inbox.
func (s *fixture) axeInbox(b *tab) {
	b.Helper()
	ann := s.sayAs(b.T, "v-ann", "ann@example.com", "Is the **Aro** lamp in stock? See https://example.com/aro")
	bob := s.sayAs(b.T, "v-bob", "bob@example.com", "Hello?")
	s.call(b.T, http.MethodPut, s.base+"/api/admin/saved-answers/ship", s.secret, map[string]any{"content": "We ship within two days."}, nil)
	s.call(b.T, http.MethodPatch, s.base+"/api/admin/sessions/"+bob, s.secret, map[string]any{"tags": []string{"vip", "parcel"}, "snoozedUntil": time.Now().Add(time.Hour)}, nil)
	s.call(b.T, http.MethodPost, s.base+"/api/admin/sessions/"+ann+"/messages", s.secret, map[string]any{"content": "One moment", "operatorName": "Grace"}, nil)
	b.until(`$$("#rows a").length === 2`)
	b.accessible("list")
	b.run(`(location.hash = "#/sessions/` + ann + `")`)
	b.until(`$$(".message").length === 2 && shown("#ai-bar")`)
	b.attach(picture(b.T, "lamp.png"))
	b.until(`shown("#chips") && !$("#chips progress")`)
	b.accessible("file to send")
	b.write("It is. Here it **is**:\n- clay\n- sage")
	b.until(`$(".from-operator .image img")?.naturalWidth === 160 && !$(".local")`)
	b.write("// she is in a hurry")
	b.until(`$(".internal:not(.local)")`)
	b.run(`$('.mine [aria-label="Edit message"]').click()`)
	b.until(`shown("#banner")`)
	b.accessible("editing")
	b.run(`$("#banner-cancel").click()`)
	b.click("#ai-draft")
	b.until(`$(".draft-buttons") && !shown("#answer")`)
	b.write("!help")
	b.until(`text("#answer-text") !== ""`)
	b.accessible("draft and answer to a command")
	b.run(`$("#answer-close").click()`)
	b.click("#note")
	b.accessible("note")
	b.click("#note")
	b.click("#thread-verb")
	b.until(`text("#thread-verb") === "Reopen" && shown("#status-line")`)
	b.accessible("closed conversation")
	b.click("#thread-verb")
	b.enter("#composer", "/")
	b.until(`shown("#answers-menu")`)
	b.accessible("saved answers")
	b.run(`(Object.assign($("#composer"), {value: ""}).dispatchEvent(new Event("input", {bubbles: true})))`)
	for _, name := range []string{"snooze", "more"} {
		b.click("#thread-" + name)
		b.until(`shown(".head-menu")`)
		b.accessible("menu " + name)
		b.press("Escape", 27)
		b.until(`!shown(".head-menu")`)
	}
	b.click("#thread-more")
	b.click("#menu-tags")
	b.until(`shown(".tags-form")`)
	b.accessible("tags")
	b.press("Escape", 27)
	b.click("#me")
	b.until(`shown("#me-menu")`)
	b.accessible("person's menu")
	b.press("Escape", 27)
	b.run(`$(".from-operator .image").click()`)
	b.until(`$("dialog[open] img")?.naturalWidth === 160`)
	b.accessible("lightbox")
	b.press("Escape", 27)
	b.until(`!$("dialog[open]")`)
	b.run(`(document.activeElement.blur(), document.activeElement.dispatchEvent(new KeyboardEvent("keydown", {key: "?", bubbles: true})))`)
	b.until(`shown(".help")`)
	b.accessible("shortcuts")
	b.press("Escape", 27)
	b.run(`document.body.classList.add("with-details")`)
	b.accessible("details")
	b.run(`document.body.classList.remove("with-details")`)
	b.click("#thread-more")
	b.click("#erase")
	b.until(`$("#ask").open`)
	b.accessible("question")
	b.press("Escape", 27)
	b.until(`!$("#ask").open`)
	b.run(`(location.hash = "#/sessions/nothing")`)
	b.until(`shown("[data-kind=missing]")`)
	b.accessible("missing conversation")
	b.run(`(location.hash = "#/")`)
	b.until(`shown("#rows")`)
	b.enter("#search", "lamp")
	b.until(`$$("#rows a").length === 1 || !$("#rows a")`)
	b.accessible("search")
	b.run(`(Object.assign($("#search"), {value: ""}).dispatchEvent(new Event("change")))`)
}

// axePages goes through the other pages.
func (s *fixture) axePages(b *tab) {
	b.Helper()
	pages := eval[[]string](b, `$$("#rail a[data-page], #subnav a").map((n) => n.dataset.page).filter((n) => n && n !== "settings")`)
	if len(pages) < 15 {
		b.Fatalf("the console has only the pages %v", pages)
	}
	for _, name := range pages {
		b.run(`(location.hash = "#/` + name + `")`)
		b.until(`shown(%s) && $(%s).childElementCount > 0 && !$(%[2]s + " [inert]") && !$(%[2]s + " [inert]")`, "#"+name+"-title", "#"+name+"-list")
		b.run(`$$("#` + name + ` details").forEach((n) => (n.open = true))`)
		b.accessible(name)
		b.run(`$("#` + name + `-list").replaceChildren()`) // axe-core goes through what is hidden, too
	}
	b.do(chromedp.Reload())
	b.until(`$("#rail a[data-page]")`)
}

// axeTeam makes an account, invites a colleague and assigns a conversation.
func (s *fixture) axeTeam(b *tab) {
	b.Helper()
	b.run(`(location.hash = "#/account")`)
	b.enter(`#account input[type=email]`, "ada@example.com")
	b.enter(`#account input[type=password]`, "correct horse battery")
	b.click(`#account .button.main`)
	b.until(`$("#account h2") && text("#account h2") === "You"`)
	b.accessible("account")
	b.run(`(location.hash = "#/team")`)
	b.until(`shown("#team") && text("#team .member").includes("(you)") && $$("#team .audit tbody tr").length > 1`)
	b.enter(`#team .invite input`, "mia@example.com")
	b.click(`#team .invite .button.main`)
	b.until(`$("#team .link-card .qr")`)
	b.accessible("link of an invitation")
	mia := s.newTab(b.T)
	mia.visit(eval[string](b, `$("#team .link-card input").value`))
	mia.until(`shown("#invitation-fields")`)
	mia.accessible("invitation")
	b.run(`(location.hash = "#/")`)
	b.do(chromedp.Reload())
	b.until(`shown("#tag-filter") && $("#rows a")`) // the filters move the rows down when they come
	b.click("#rows a")
	b.until(`shown("#pane")`)
	b.click("#thread-assign")
	b.until(`shown(".head-menu")`)
	b.accessible("menu assign")
	b.run(`$(".head-menu .menu-item").click()`)
	b.until(`text("#rows .assignee .sr") === "Assigned to Ada"`)
	b.accessible("assigned conversation")
}

// still asks for no motion.
func (b *tab) still() {
	b.Helper()
	protocol(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: feature("prefers-reduced-motion", "reduce")})
}

// noTransitions ends what only passes the time between two looks: colours that change slowly.
const noTransitions = `(window.noTransitions ||= (() => {
	const sheet = new CSSStyleSheet();
	sheet.replaceSync("*, ::before, ::after { transition: none !important; }");
	document.adoptedStyleSheets.push(sheet);
	return true;
})())`

// accessible looks at the page as it is now in every medium.
func (b *tab) accessible(state string) {
	b.Helper()
	for _, m := range media {
		b.do(chromedp.EmulateViewport(m.width, m.height))
		protocol(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: slices.Concat(feature("prefers-reduced-motion", "reduce"), m.features)})
		b.run(noTransitions)
		b.until(`await frame().then(() => document.getAnimations().every((a) => a.playState !== "running" || a.effect.getTiming().iterations === Infinity))`)
		found, err := axetest.Changes(b.ctx, m.name, m.rules...)
		if err != nil {
			b.Fatal(err)
		}
		if len(found) > 0 {
			b.Errorf("%s, %s:\n\t%s", state, m.name, strings.Join(found, "\n\t"))
		}
		if wide := eval[int64](b, `document.documentElement.scrollWidth`); wide > m.width {
			b.Errorf("%s, %s: the page is %d pixels wide", state, m.name, wide)
		}
		if folder := os.Getenv("RELAY_SCREENSHOTS"); folder != "" {
			b.shot(folder, "axe "+strings.ReplaceAll(state, "/", "-")+" "+m.name)
		}
	}
	b.do(chromedp.EmulateViewport(1280, 800))
	b.still()
}
