package e2e

import (
	"cmp"
	"os"
	"regexp"
	"slices"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"github.com/relay-chat/relay/schema"
)

// tallest is how long a page of the documentation may be, in pixels.
const tallest = 20000

// testDocs: the documentation fits a phone, however long its words, its headings skip no
// level, and no page of it is endless.
func testDocs(t *testing.T, s *fixture) {
	b := s.newTab(t)
	b.visit(s.base + "/docs")
	pages := eval[[]string](b, `[...new Set($$("main a[href^='/docs']").map((a) => a.pathname))]`)
	b.visit(s.base + "/docs/reference")
	pages = append(pages, eval[[]string](b, `[...new Set($$("main a[href^='/docs/reference-']").map((a) => a.pathname))]`)...)
	slices.Sort(pages)
	for _, path := range slices.Compact(append(pages, "/docs", "/docs/search")) {
		b.do(chromedp.EmulateViewport(1280, 800))
		b.visit(s.base + path)
		if tall := eval[int](b, `document.documentElement.scrollHeight`); tall > tallest {
			t.Errorf("%s is %d pixels tall", path, tall)
		}
		b.do(chromedp.EmulateViewport(320, 640, chromedp.EmulateMobile))
		if wide := eval[int](b, `document.documentElement.scrollWidth`); wide > 320 {
			t.Errorf("%s is %d pixels wide", path, wide)
		}
		if skips := eval[string](b, `$$("h1, h2, h3, h4").filter((n, i, all) => i && n.tagName[1] - all[i - 1].tagName[1] > 1).map((n) => n.textContent).join()`); skips != "" {
			t.Errorf("%s: headings that skip a level: %s", path, skips)
		}
		b.shot(cmp.Or(os.Getenv("RELAY_SCREENSHOTS"), t.TempDir()), "docs-phone"+regexp.MustCompile(`\W+`).ReplaceAllString(path, "-"))
	}
	b.clean()
}

// testDocsSearch: words lead to headings of guides, settings and the API, with their
// matches marked, by the keyboard alone; without script every heading is a link.
func testDocsSearch(t *testing.T, s *fixture) {
	b := s.newTab(t)
	b.visit(s.base + "/docs")
	b.enter("#query", "telegram token")
	b.do(chromedp.KeyEvent("\r"))
	b.until(`location.pathname === "/docs/search" && $("#results li") && !shown("#places")`)
	b.until(`$("#query").value === "telegram token" && / results$/.test(text("#found"))`)
	b.until(`text("#results a") === "TELEGRAM_BOT_TOKEN" && $$("#results li:first-child a mark").map((n) => n.textContent).join() === "TELEGRAM,TOKEN"`)
	b.enter("#query", "end a key")
	b.until(`$$("#results mark").some((n) => n.textContent === "a") && $$("#results mark").every((n) => n.textContent !== "a" || ` +
		`!/[a-z]/i.test((n.nextSibling?.textContent ?? "").charAt(0)))`)
	for _, tt := range []struct{ query, first string }{
		{"backup restore", "/docs/operations#backup-and-restore"},
		{"/api/admin/sessions/{session}/close", "/docs/reference-sessions#op-closeSession"},
		{"SettingValues", "/docs/reference-types-set#schema-SettingValues"},
		{"aiModel", "/docs/settings#AI_MODEL"},
	} {
		b.enter("#query", tt.query)
		b.until(`$("#results a")?.getAttribute("href") === %s || $("#results a")?.href.endsWith(%s)`, tt.first, tt.first)
	}
	b.enter("#query", "<img src=x onerror=alert(1)> ((")
	b.until(`text("#found") === "Nothing has all of these words." && !$("#results img")`)
	b.enter("#query", "backup")
	b.run(`$("#results a").focus()`)
	b.do(chromedp.KeyEvent("\r"))
	b.until(`location.pathname !== "/docs/search" && document.querySelector(location.hash || "h1")`)
	b.do(chromedp.NavigateBack())
	b.until(`location.search === "?q=backup" && $("#results li")`)
	b.enter("#query", "")
	b.until(`shown("#places") && !shown("#results")`)
	b.clean()
	b = s.newTab(t)
	protocol(b, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
	b.visit(s.base + "/docs/search?q=backup")
	b.until(`shown("noscript p") && shown('#places a[href="/docs/operations#backup-and-restore"]')`)
}

// testDocsMoved: each anchor of the one page that the API was leads to what it names.
func testDocsMoved(t *testing.T, s *fixture) {
	b := s.newTab(t)
	for _, tt := range []struct{ old, now string }{
		{"#tag-webhooks", "/docs/reference-webhooks"},
		{"#tag-team", "/docs/reference-team"},
		{"#op-readSession", "/docs/reference-sessions#op-readSession"},
		{"#op-sendMessage", "/docs/reference-messages#op-sendMessage"},
		{"#schema-Error", "/docs/reference-types-c#schema-Error"},
		{"#errors", "/docs/reference#errors"},
		{"#types", "/docs/reference#types"},
	} {
		b.visit("about:blank")
		b.visit(s.base + "/docs" + tt.old)
		b.until(`document.readyState === "complete" && location.pathname + location.hash === %s`, tt.now)
		b.until(`!location.hash || document.querySelector(location.hash).getBoundingClientRect().top < innerHeight`)
	}
	b.visit(s.base + "/docs/reference")
	for _, m := range regexp.MustCompile(`(?m)^ +operationId: (\w+)$`).FindAllSubmatch(schema.OpenAPI, -1) {
		if name := string(m[1]); !regexp.MustCompile(`^head[A-Z]`).MatchString(name) && !eval[bool](b, `!!document.querySelector("#op-`+name+` a")`) {
			t.Errorf("#op-%s leads nowhere", name)
		}
	}
	b.clean()
}

// testDocsSettings: the filter leaves the settings with all its words.
func testDocsSettings(t *testing.T, s *fixture) {
	b := s.newTab(t)
	b.visit(s.base + "/docs/settings#AI_MODEL")
	b.until(`$("tr#AI_MODEL").getBoundingClientRect().top < innerHeight`)
	b.enter("#filter-query", "settings → ai model")
	b.until(`$$(".docs-settings tbody tr").filter((n) => n.checkVisibility()).map((n) => n.id).includes("AI_MODEL") && !shown("#PORT") && /settings$/.test(text("#filter-note"))`)
	b.enter("#filter-query", "nothing-has-this")
	b.until(`text("#filter-note") === "No setting has these words." && !shown("tbody tr")`)
	b.enter("#filter-query", "")
	b.until(`shown("#PORT") && text("#filter-note") === ""`)
	b.clean()
}
