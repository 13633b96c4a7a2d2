package main

import (
	"cmp"
	"os"
	"testing"

	"github.com/chromedp/chromedp"
)

// testComposers: where people write nothing scrolls before the field is full,
// empty or with three lines, on a desktop and on a phone.
func testComposers(t *testing.T, s *stage) {
	p := s.newPair(t, "Hello")
	p.operator.do(chromedp.EmulateViewport(390, 844, chromedp.EmulateMobile))
	p.operator.until(`$("textarea").scrollHeight <= $("textarea").clientHeight`)
	p.operator.do(chromedp.EmulateViewport(1280, 800))
	for _, b := range []*tab{p.visitor, p.operator} {
		for _, phone := range []bool{false, true} {
			if phone {
				b.do(chromedp.EmulateViewport(390, 844, chromedp.EmulateMobile))
			}
			for _, text := range []string{"", "one\ntwo\nthree", "one"} {
				b.run(`Object.assign($("textarea"), {value: ` + "`" + text + "`" + `}).dispatchEvent(new Event("input", {bubbles: true}))`)
				b.run(`frame().then(frame)`)
				if got := eval[[]int](b, `[$("textarea").scrollHeight, $("textarea").clientHeight]`); got[0] > got[1] {
					t.Errorf("%q, phone %v: %d pixels in %d", text, phone, got[0], got[1])
				}
			}
		}
	}
}

// testDocs: the description of the API fits a phone, however long its words.
func testDocs(t *testing.T, s *stage) {
	b := s.newTab(t)
	b.do(chromedp.EmulateViewport(375, 812, chromedp.EmulateMobile))
	b.visit(s.base + "/docs")
	b.run(`$("section:nth-of-type(2)").scrollIntoView()`)
	b.shot(cmp.Or(os.Getenv("RELAY_SCREENSHOTS"), t.TempDir()), "docs-phone")
	if wide := eval[int](b, `document.documentElement.scrollWidth`); wide > 375 {
		t.Errorf("the page is %d pixels wide", wide)
	}
	b.clean()
}

// testToast: what relay says is in nobody's way, until it is closed.
func testToast(t *testing.T, s *stage) {
	b := s.newPair(t, "Hello").operator
	b.write("!help")
	b.until(`text("#toast").includes("!close") && shown("#toast-close")`)
	const apart = `((a, b) => a.bottom <= b.top || b.bottom <= a.top)($("#toast").getBoundingClientRect(), $("#pane").getBoundingClientRect())`
	b.until(apart)
	b.do(chromedp.EmulateViewport(390, 844, chromedp.EmulateMobile))
	b.until(apart + ` && $("#toast").offsetWidth === 390 && shown("#composer")`)
	b.click("#toast-close")
	b.until(`!shown("#toast")`)
	b.clean()
}
