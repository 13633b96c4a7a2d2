package e2e

import (
	"bytes"
	"cmp"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

func testFirstRun(t *testing.T, s *fixture) {
	b := s.newTab(t)
	b.visit(s.base + "/")
	b.until(`text("#public-key") === %s && text("#secret-key") === %s`, s.public, s.secret)
	b.until(`text("#snippet").includes(%s) && text("#snippet").includes(%s)`, s.public, s.base+"/widget.js")
	s.tryBothSides(b)
	b.click(`form[action="/setup/done"] button`)
	b.until(`text("h1") === "relay is running" && text("#public-key") === %s`, s.public)
	for _, address := range []string{s.base + "/", s.start} {
		b.visit(address)
		b.until(`text("#public-key") === %s && !document.documentElement.outerHTML.includes("sk_")`, s.public)
	}
	b.clean()
	s.newOperator(t, "Ada").clean() // the saved key still opens the console
}

// tryBothSides writes on one side of the set-up page and answers on the other: the
// console there is signed in already.
func (s *fixture) tryBothSides(b *tab) {
	b.Helper()
	folder := cmp.Or(os.Getenv("RELAY_SCREENSHOTS"), b.TempDir())
	b.do(chromedp.EmulateViewport(1280, 900))
	const demo, console = `$("#demo-frame").contentDocument.querySelector("relay-chat")?.shadowRoot`, `$("#console-frame").contentDocument`
	b.until(demo + `?.querySelector("textarea")?.checkVisibility() && ` + console + `.querySelector("#rows")`)
	b.shot(folder, "start-1")
	b.run(`(() => { const t = ` + demo + `.querySelector("textarea"); t.value = "Is the lamp in stock?"; t.dispatchEvent(new Event("input", {bubbles: true}));
		t.dispatchEvent(new KeyboardEvent("keydown", {key: "Enter", bubbles: true, cancelable: true})); })()`)
	b.until(console + `.querySelector("#rows a")?.textContent.includes("Is the lamp in stock?")`)
	b.run(console + `.querySelector("#rows a").click()`)
	b.until(console + `.querySelector("#composer")?.checkVisibility()`)
	b.run(`(() => { const t = ` + console + `.querySelector("#composer"); t.value = "Yes, in clay and sage."; t.dispatchEvent(new Event("input", {bubbles: true})); ` +
		console + `.querySelector("#compose").requestSubmit(); })()`)
	b.until(`[...` + demo + `.querySelectorAll(".theirs .text")].some((n) => n.textContent === "Yes, in clay and sage.")`)
	b.shot(folder, "start-2")
}

// testSnippet puts what the first-run page shows into a page of another site.
func testSnippet(t *testing.T, s *fixture) {
	b := s.newTab(t)
	b.visit(s.base + "/")
	snippet := eval[string](b, `text("#snippet")`)
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Content-Security-Policy", fmt.Sprintf("default-src 'none'; script-src %[1]s; connect-src %[1]s; "+
			"img-src %[1]s data:; require-trusted-types-for 'script'; trusted-types 'none'", s.base))
		fmt.Fprintf(w, `<!doctype html><html lang="en"><title>Shop</title><link rel="icon" href="data:,"><h1>Shop</h1>%s`, snippet)
	}))
	defer site.Close()
	visitor := s.newTab(t)
	visitor.visit(site.URL)
	visitor.click(".launcher")
	visitor.write("from elsewhere")
	visitor.until(`/Sent|Delivered/.test(text(".own .meta"))`)
	visitor.sees(welcome, "visitor: from elsewhere")
	if cookies := visitor.cookies(); len(cookies) != 0 {
		t.Errorf("the widget set %d cookies", len(cookies))
	}
	visitor.clean()
}

func testQuietBeforeOpen(t *testing.T, s *fixture) {
	visitor := s.newVisitor(t, false)
	visitor.until(`shown(".launcher")`)
	visitor.run(`new Promise((done) => requestIdleCallback(done, {timeout: 4000}))`) // behind the widget, which waits 2 s at most: a busy machine is never idle
	const loaded = `performance.getEntriesByType("resource").map((r) => new URL(r.name).pathname)`
	if got := eval[string](visitor, loaded+`.filter((p) => !p.startsWith("/static/")).join()`); got != "/widget.js" {
		t.Errorf("before it is opened, the widget loads %s", got)
	}
	visitor.until(`localStorage.length + sessionStorage.length === 0`)
	visitor.click(".launcher")
	visitor.write("hello")
	visitor.until(`/Sent|Delivered/.test(text(".own .meta"))`)
	visitor.until(`["core", "panel"].every((name) => ` + loaded + `.some((p) => p.startsWith("/widget/" + name)))`)
	if got := eval[string](visitor, loaded+`.filter((p) => /forms|lang|proactive|attention|menu|transcript/.test(p)).join()`); got != "" {
		t.Errorf("nobody needed %s yet", got)
	}
	if cookies := visitor.cookies(); len(cookies) != 0 {
		t.Errorf("the widget set %d cookies", len(cookies))
	}
	visitor.clean()
}

// picture makes a small PNG file.
func picture(t *testing.T, name string) string {
	t.Helper()
	img := image.NewRGBA(image.Rect(0, 0, 160, 90))
	for x := range 160 {
		for y := range 90 {
			img.Set(x, y, color.RGBA{uint8(90 + y), 110, uint8(60 + x), 255})
		}
	}
	var data bytes.Buffer
	if err := png.Encode(&data, img); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, data.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// attach chooses a file in the page's picker.
func (b *tab) attach(path string) {
	b.Helper()
	field := chromedp.JSPath(`(document.querySelector("relay-chat")?.shadowRoot || document).querySelector("input[type=file]")`)
	b.do(chromedp.SetUploadFiles(field, []string{path}))
}

func testFiles(t *testing.T, s *fixture) {
	p := s.newPair(t, "Look at this")
	p.visitor.attach(picture(t, "lamp.png"))
	p.visitor.until(`text(".tray .name") === "lamp.png" && !$(".tray progress")`)
	p.visitor.write("")
	p.operator.until(`$(".from-visitor .image img")?.naturalWidth === 160`)
	p.visitor.until(`$(".own .picture img")?.naturalWidth === 160 && !shown(".tray")`)

	p.operator.attach(picture(t, "offer.png"))
	p.operator.until(`text("#chips b") === "offer.png" && !$("#chips progress")`)
	p.operator.write("Here is ours")
	p.visitor.until(`$(".theirs .picture img")?.naturalWidth === 160 && text(".theirs:last-child .text") === "Here is ours"`)
	p.operator.until(`$(".from-operator .image img")?.naturalWidth === 160 && !shown("#chips")`)
	p.both("visitor: Look at this", "visitor: ", "operator: Here is ours")
	p.visitor.clean()
	p.operator.clean()
}

// hostile holds texts that a careless page would run.
var hostile = []string{
	`<img src=x onerror="window.hit=1">`,
	`<script>window.hit=1</script>`,
	`javascript:window.hit=1`,
	`[click](javascript:window.hit=1)`,
	`https://example.com/"onmouseover="window.hit=1`,
	`{{constructor.constructor("window.hit=1")()}}`,
}

func testHostile(t *testing.T, s *fixture) {
	p := s.newPair(t, hostile[0])
	lines := []string{"visitor: " + hostile[0]}
	name := `Eve <img src=x onerror="window.hit=1">`
	p.visitor.run(fmt.Sprintf(`RelayChat.identify({id: "1", name: %q, email: "javascript:window.hit=1", ["x".repeat(60)]: "1"})`, name))
	p.operator.until(`text("#thread-name") === %s && text("#rows b") === %[1]s`, name)
	p.operator.until(`$$("#facts dt").length > 3 && $$("#facts dt").every((n) => n.scrollWidth <= n.clientWidth)`)
	answer := map[string]any{"content": "hello", "operatorName": strings.Repeat("W", 60)}
	s.call(t, http.MethodPost, s.base+"/api/admin/sessions/"+p.operator.session()+"/messages", s.secret, answer, nil)
	lines = append(lines, "operator: hello")
	p.operator.until(`shown(".who") && $(".who").getBoundingClientRect().left >= $("#log").getBoundingClientRect().left`)
	for _, text := range hostile[1:] {
		p.visitor.write(text)
		p.operator.write(text)
		lines = append(lines, "visitor: "+text, "operator: "+text)
	}
	last := lines[len(lines)-1]
	for _, b := range []*tab{p.visitor, p.operator} {
		b.until(`lines().length >= %s.length && lines().includes(%s)`, lines, last)
		b.until(`lines().every((line) => !line || %s.concat(%s).includes(line))`, lines, []string{welcome})
		b.until(`!window.hit && !$(".bubble img, .bubble script") && !$("a[href^='javascript' i]")`)
		b.until(`$$(".bubble a").every((a) => new URL(a.href).origin === "https://example.com")`)
	}
	file := `<img src=x onerror=window.hit=1>.png`
	p.visitor.attach(picture(t, file))
	p.visitor.until(`text(".tray .name") === %s && !$(".tray progress")`, file)
	p.visitor.write("")
	for _, b := range []*tab{p.visitor, p.operator} {
		b.until(`$$(".bubble img").map((n) => n.alt).join() === %s && $(".bubble img").naturalWidth === 160 && !window.hit`, file)
		b.clean()
	}
}

// testScreenshots keeps pictures for people to look at, in the folder that
// RELAY_SCREENSHOTS names.
func testScreenshots(t *testing.T, s *fixture) {
	folder := cmp.Or(os.Getenv("RELAY_SCREENSHOTS"), t.TempDir())
	t.Logf("screenshots are in %s", folder)
	first := s.newTab(t)
	first.visit(s.base + "/")
	first.do(chromedp.EmulateViewport(1280, 1500))
	first.shot(folder, "first-run")

	p := s.newPair(t, "Hello! Is the Aro lamp in stock in night blue?")
	p.operator.write("Hi, this is Ada. Night comes in next week; clay and sage are here.")
	p.visitor.until(`$$(".row").length === 3`)
	p.visitor.attach(picture(t, "shelf.png"))
	p.visitor.until(`text(".tray .name") === "shelf.png" && !$(".tray progress")`)
	p.visitor.write("Would it fit here? See https://example.com/shelf for the measures.")
	p.operator.until(`$(".from-visitor .image img")?.naturalWidth === 160`)
	p.operator.write("It would, with 4 cm to spare.")
	p.visitor.until(`$$(".row").length === 5 && $(".own .picture img")?.naturalWidth === 160`)
	p.operator.until(`$$(".message").length === 4 && $(".from-operator:last-child .receipt.seen")`)
	p.visitor.shot(folder, "demo")
	for _, scheme := range []string{"light", "dark"} {
		for _, b := range []*tab{first, p.visitor, p.operator} {
			protocol(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
				Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
		}
		p.operator.shot(folder, "console-"+scheme)
	}
	first.shot(folder, "first-run-dark")
	p.visitor.shot(folder, "demo-dark")
	for _, b := range []*tab{p.visitor, p.operator, first} {
		protocol(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{})
		b.do(chromedp.EmulateViewport(390, 844, chromedp.EmulateMobile))
	}
	p.visitor.shot(folder, "demo-phone")
	p.operator.shot(folder, "console-phone")
	first.shot(folder, "first-run-phone")
}
