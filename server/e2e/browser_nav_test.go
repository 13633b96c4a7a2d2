package e2e

import (
	"cmp"
	"os"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"github.com/relay-chat/relay/assets/axetest"
)

// testNavigation: the rail leads to every page and says where one is, on a
// desktop at the left and on a phone at the bottom; settings have a list of their own.
func testNavigation(t *testing.T, s *fixture) {
	folder := cmp.Or(os.Getenv("RELAY_SCREENSHOTS"), t.TempDir())
	p := s.newPair(t, "Hello")
	b := p.operator
	b.shot(folder, "nav-inbox")
	b.until(`$("#inbox-link").ariaCurrent === "page" && !shown("#subnav") && $("#rail").getBoundingClientRect().height > 600`)
	for _, name := range eval[[]string](b, `$$("#rail a[id$=-link]").map((n) => n.id.replace("-link", ""))`)[1:] {
		if name == "settings" { // which leads to the first of its own list
			continue
		}
		b.click("#" + name + "-link")
		b.until(`document.activeElement.id === %s && $("#inbox-link").ariaCurrent === "false"`, name+"-title")
		b.until(`$(%s).ariaCurrent === "page" && $(%s).childElementCount > 0`, "#"+name+"-link", "#"+name+"-list")
		b.shot(folder, "nav-"+name)
	}
	b.click("#settings-link")
	b.until(`document.activeElement.id === "channels-title" && $("#channels-link").ariaCurrent === "page"`)
	for _, name := range eval[[]string](b, `$$("#subnav a[id$=-link]").map((n) => n.id.replace("-link", ""))`)[1:] {
		b.click("#" + name + "-link")
		b.until(`shown(%s) && $("#settings-link").ariaCurrent !== "false"`, "#"+name+"-title")
	}
	b.click("#me")
	b.until(`shown("#me-menu") && shown("form[action='/console/logout'] button")`)
	b.click(".settings:not([hidden]) h1")
	b.until(`!shown("#me-menu")`)
	b.click("#inbox-link")
	b.until(`shown("#rows") && !shown("#subnav") && !shown("#webhook")`)

	b.do(chromedp.EmulateViewport(390, 844, chromedp.EmulateMobile))
	b.until(`$("#rail").getBoundingClientRect().bottom === 844 && $("#rail").getBoundingClientRect().top > 760`)
	b.until(`$$("#rail a[id]").every((n) => n.offsetHeight >= 44 && n.offsetWidth >= 44)`)
	b.shot(folder, "nav-phone")
	b.click("#settings-link")
	b.until(`$$("#subnav a").every((n) => n.checkVisibility() && n.offsetHeight >= 44) && text("#bar-title") === "Settings" && !shown(".bar-back")`)
	b.run(`($("#subnav").scrollTop = 0)`) // the list was scrolled on the desktop
	b.until(`$("#channels-link").getBoundingClientRect().top >= $(".bar").getBoundingClientRect().bottom`)
	b.shot(folder, "nav-phone-settings")
	for _, size := range [][2]int64{{320, 256}, {390, 844}} {
		b.do(chromedp.EmulateViewport(size[0], size[1], chromedp.EmulateMobile))
		if found, err := axetest.Violations(b.ctx); err != nil || len(found) > 0 {
			t.Errorf("list of settings, %d pixels: %v %v", size[0], found, err)
		}
		if wide := eval[int64](b, `shown("#subnav") ? document.documentElement.scrollWidth : 1e4`); wide > size[0] {
			t.Errorf("list of settings, %d pixels: %d wide", size[0], wide)
		}
	}
	b.click("#hours-link")
	b.until(`document.activeElement.id === "hours-title" && !shown("#subnav") && shown(".bar-back") && document.documentElement.scrollWidth <= 390`)
	b.shot(folder, "nav-phone-hours")
	b.click(".bar-back")
	b.until(`document.activeElement.id === "hours-link" && shown("#subnav") && !shown("#hours-title")`)
	b.do(chromedp.EmulateViewport(1280, 800))
	b.until(`shown("#channels-title") && shown("#subnav") && location.hash === "#/channels" && !shown(".bar-back")`)
	b.do(chromedp.EmulateViewport(390, 844, chromedp.EmulateMobile))
	b.run(`(location.hash = "#/account")`)
	b.until(`shown("#account-title")`)
	b.click("#me")
	b.shot(folder, "nav-phone-menu")
	protocol(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "dark"}}})
	b.shot(folder, "nav-phone-dark")
	b.clean()
}
