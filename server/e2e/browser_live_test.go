package e2e

import (
	"cmp"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"

	"github.com/chromedp/chromedp"
)

// testLive: who is on a website that wants to show it is in the console with the pages of the visit;
// what an operator writes first appears beside the visitor's button, as a conversation.
func testLive(t *testing.T, s *fixture) {
	folder := cmp.Or(os.Getenv("RELAY_SCREENSHOTS"), t.TempDir())
	own := &fixture{bootIn(t, t.TempDir()), s.browser} // a loader is kept for a while
	own.call(t, http.MethodPatch, own.base+"/api/admin/settings", own.secret, map[string]any{"liveVisitors": true}, nil)
	shop := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = fmt.Fprintf(w, `<!doctype html><html lang="en"><title>Shop</title><link rel="icon" href="data:,"><h1>Shop</h1><script src="%s/widget.js" data-api-key="%s"></script>`, own.base, own.public)
	}))
	t.Cleanup(shop.Close)
	visitor := own.newTab(t)
	visitor.visit(shop.URL + "/lamps?utm=1")
	b := own.newOperator(t, "Ada")
	b.click("#visitors-link")
	b.until(`$$(".live-list > li").length === 1 && text(".live-list").includes("/lamps") && text("#visitors .hint").startsWith("1 visitor")`)
	visitor.visit(shop.URL + "/shoes")
	b.until(`$$(".live-list > li").length === 1 && text(".live-list").includes("/shoes") && text(".live-list summary") === "Pages before: 1"`)
	b.still()
	b.accessible("visitors")
	b.shot(folder, "visitors")
	b.click(".live-list button")
	b.run(`$(".live-list form").requestSubmit()`)
	b.until(wrongIn, ".live-list textarea", "Write a message first.")
	b.enter(".live-list textarea", "Looking for a size?")
	visitor.visit(shop.URL + "/hats")
	b.until(`text(".live-list").includes("/hats")`)
	b.until(`document.activeElement.matches(".live-list textarea") && $(".live-list textarea").value === "Looking for a size?"`)
	b.shot(folder, "visitors-write")
	b.do(chromedp.EmulateViewport(390, 844, chromedp.EmulateMobile))
	b.until(`document.documentElement.scrollWidth <= 390`)
	b.accessible("visitors on a phone")
	b.shot(folder, "visitors-phone")
	b.do(chromedp.EmulateViewport(1280, 800))
	b.until(`$(".live-list textarea").value === "Looking for a size?"`)
	b.click(".live-list form .main")
	b.until(`text("#messages").includes("Looking for a size?")`)
	visitor.until(`shown(".preview") && text(".preview").includes("Looking for a size?") && text(".preview").includes("Ada")`)
	visitor.shot(folder, "visitors-preview")
	visitor.click(".preview .peek")
	visitor.until(`shown(".panel") && root.activeElement === $("textarea")`)
	visitor.write("Yes, 42")
	b.until(`text("#messages").includes("Yes, 42")`)
	b.click("#visitors-link")
	b.until(`text(".live-list > li .button") === "Open conversation"`)
	visitor.visit("about:blank")
	b.until(`$$(".live-list > li").length === 0 && text("#visitors .hint") === "Nobody is there at the moment."`)
	b.clean()
}
