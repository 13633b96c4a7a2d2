package e2e

import (
	"cmp"
	"net/http"
	"os"
	"testing"

	"github.com/chromedp/chromedp"
)

// testTypingPreview: where the website wants it, the console shows what a visitor is writing,
// marked as not sent, until it is sent; the widget says so. Elsewhere neither does.
func testTypingPreview(t *testing.T, s *fixture) {
	folder := cmp.Or(os.Getenv("RELAY_SCREENSHOTS"), t.TempDir())
	own := &fixture{bootIn(t, t.TempDir()), s.browser}
	p := own.newPair(t, "Hello")
	visitor, b := p.visitor, p.operator
	visitor.until(`$(".smile")`)
	visitor.enter("textarea", "Not for you")
	b.until(`shown("#typing")`)
	if shown := eval[bool](visitor, `!!$(".seen")`) || eval[bool](b, `shown("#typed")`); shown {
		t.Error("it is shown before it is wanted")
	}
	visitor.enter("textarea", "")
	own.call(t, http.MethodPatch, own.base+"/api/admin/settings", own.secret, map[string]any{"typingPreview": true}, nil)
	visitor.until(`shown(".seen") && text(".seen").includes("before you send it")`)
	const words = "Where is my parcel? <b>I wait</b>"
	visitor.enter("textarea", words)
	b.until(`shown("#typed") && text("#typed span") === %s && text("#typed").includes("Not sent yet")`, words)
	b.still()
	b.shot(folder, "preview")
	b.accessible("a text that is not sent")
	b.do(chromedp.EmulateViewport(390, 844, chromedp.EmulateMobile))
	visitor.enter("textarea", words+" since Monday")
	b.until(`shown("#typed") && document.documentElement.scrollWidth <= 390`)
	b.shot(folder, "preview-phone")
	b.do(chromedp.EmulateViewport(1280, 800))
	visitor.still()
	visitor.accessible("what is written is seen")
	visitor.shot(folder, "preview-widget")
	visitor.press("Enter", 13)
	b.until(`text("#messages").includes("since Monday") && !shown("#typed")`)
	visitor.enter("textarea", "Or not")
	b.until(`shown("#typed") && text("#typed span") === "Or not"`)
	b.until(`!shown("#typed") && !shown("#typing")`) // the visitor stopped
	own.call(t, http.MethodPatch, own.base+"/api/admin/settings", own.secret, map[string]any{"typingPreview": false}, nil)
	visitor.until(`!shown(".seen")`)
	b.clean()
	visitor.clean()
}
