//go:build pictures

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

const (
	picturesFolder = "../../assets/guides/pictures"
	pictureScale   = 1.5 // assets/build/bundle/pictures.go divides by it
	pictureQuality = 40
)

// pictureTime is when the pictures show the shop, so that they do not change with the day on
// which they are made.
var pictureTime = time.Date(2026, 5, 12, 10, 24, 0, 0, time.UTC)

// pictureClock moves the times that a page gets and asks for by so many milliseconds.
const pictureClock = `(() => {
	const Real = Date, by = %d, isTime = (v) => typeof v === "string" && /T.*Z$/.test(v);
	globalThis.Date = class extends Real {
		constructor(...v) { v.length > 1 ? super(...v) : super(!v.length ? Real.now() + by : isTime(v[0]) ? Real.parse(v[0]) + by : v[0]); }
		static now() { return Real.now() + by; }
		static parse(v) { return Real.parse(v) + (isTime(v) ? by : 0); }
	};
})()`

// pictureNames writes the names of the shop over the addresses of the test and the names
// that the fake platforms have, in the page and the frames in it.
const pictureNames = `(() => {
	const named = (text) => text.replace(/https?:\/\/(localhost|127\.0\.0\.1):\d+/g, "https://chat.halden-loft.example")
		.replace(/(localhost|127\.0\.0\.1):\d+/g, "halden-loft.example")
		.replace(/Lamp shop|Relay Test/g, "Halden & Loft").replace("#elsewhere", "#general");
	const within = (doc) => {
		for (const walk = doc.createTreeWalker(doc.body, NodeFilter.SHOW_TEXT); walk.nextNode();)
			if (named(walk.currentNode.data) !== walk.currentNode.data) walk.currentNode.data = named(walk.currentNode.data);
		for (const frame of doc.querySelectorAll("iframe")) if (frame.contentDocument?.body) within(frame.contentDocument);
	};
	within(document);
})()`

// TestPictures makes the pictures of the guides from a small shop: see make pictures.
func TestPictures(t *testing.T) {
	browser := startBrowser(t)
	pictureStart(t, &fixture{bootIn(t, t.TempDir()), browser})
	s := openShop(t, browser)
	b := s.newOperator(t, "Ada")
	b.pose()
	b.visit("about:blank") // an address that differs by its fragment alone loads nothing
	b.visit(s.console)
	pictureInbox(b)
	pictureWidget(t, s, b)
	pictureCustomise(s, b)
	pictureKnowledge(b)
	pictureAI(b)
	pictureStatistics(b)
	pictureChannels(t, s)
}

// pose prepares a tab for pictures, before it visits a page.
func (b *tab) pose() {
	b.Helper()
	b.size(1280, 800)
	protocol(b, emulation.SetTimezoneOverride, emulation.SetTimezoneOverrideParams{TimezoneID: "UTC"})
	protocol(b, emulation.SetLocaleOverride, emulation.SetLocaleOverrideParams{Locale: "en_GB"})
	protocol(b, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{
		Source: fmt.Sprintf(pictureClock, time.Until(pictureTime).Milliseconds())})
}

// size makes the window of a tab as large as the picture is shown.
func (b *tab) size(width, height int64, more ...chromedp.EmulateViewportOption) {
	b.Helper()
	b.do(chromedp.EmulateViewport(width, height, append(more, chromedp.EmulateScale(pictureScale))...))
	b.until(`innerWidth + "x" + innerHeight === %s`, fmt.Sprintf("%dx%d", width, height))
}

// take makes a picture in both schemes: of all that is seen, or of an element.
func (b *tab) take(name, selector string) {
	b.Helper()
	for scheme, file := range map[string]string{"light": name + ".webp", "dark": name + "-dark.webp"} {
		protocol(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
			{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: "reduce"}}})
		b.run(pictureNames)
		b.run(`root.activeElement?.blur()`)
		b.do(chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, 1, 1))
		b.until(`[...document.images].every((n) => n.complete || n.loading === "lazy") && document.fonts.status === "loaded"`)
		b.until(`document.getAnimations().every((a) => a.playState !== "running" || a.effect.getTiming().iterations === Infinity)`)
		quality := int64(pictureQuality)
		params := page.CaptureScreenshotParams{Format: "webp", Quality: &quality}
		if selector != "" {
			params.Clip = b.clip(selector)
		}
		b.run(`frame().then(frame)`)
		shot := protocol(b, page.CaptureScreenshot, params)
		if err := os.WriteFile(filepath.Join(picturesFolder, file), shot.Data, 0o644); err != nil {
			b.Fatal(err)
		}
	}
}

// clip is where an element is once it was scrolled to, with a margin, as far as it is seen.
func (b *tab) clip(selector string) *page.Viewport {
	b.Helper()
	b.run(fmt.Sprintf(`($(%[1]q).style.scrollMarginTop = "16px", $(%[1]q).scrollIntoView({block: "start"}))`, selector))
	at := eval[[]float64](b, fmt.Sprintf(`[$(%q).getBoundingClientRect()].flatMap((r) =>
		[r.x - 16, r.y - 16, r.width + 32, Math.min(r.height + 32, innerHeight - r.y + 16)].map(Math.round))`, selector))
	return &page.Viewport{X: at[0], Y: at[1], Width: at[2], Height: at[3], Scale: 1}
}
