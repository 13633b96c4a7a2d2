package assets_test

import (
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// media sets media features, such as prefers-color-scheme, for a tab.
func (b *tab) media(pairs ...string) {
	b.Helper()
	var features []*emulation.MediaFeature
	for i := 0; i < len(pairs); i += 2 {
		features = append(features, &emulation.MediaFeature{Name: pairs[i], Value: pairs[i+1]})
	}
	_, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: features})
	if err != nil {
		b.Fatal(err)
	}
}

// chatter fills the log with a bit of everything.
func chatter(f *fake, b *tab) {
	b.Helper()
	b.write("Hello, do you ship to Norway?")
	b.until(`$(".own.sent")`)
	f.reply(b.T, "Hi! Yes, we do: https://shop.example/shipping has the prices.")
	f.do(b.T, func(s *fakeSession) {
		f.add(s, object{"content": "A picture and a file:", "sender": "ai", "attachments": []object{attachment("map.png"), attachment("prices.pdf")}})
		s.fact("message_read", object{"messageIds": []any{s.messages[0]["id"]}, "status": "read", "at": now()})
	})
	b.write("Thanks a lot")
	b.until(`$$(".own.sent, .own.read").length === 2 && $(".picture img")?.complete`)
}

func TestThemes(t *testing.T) {
	f, b := ready(t, "")
	b.media("prefers-color-scheme", "dark")
	b.open()
	chatter(f, b)
	// A page that says nothing of schemes is light, whatever the visitor prefers.
	b.until(`getComputedStyle($(".panel")).backgroundColor === "rgb(255, 255, 255)"`)
	b.run(`document.documentElement.style.colorScheme = "light dark"`)
	b.run(`RelayChat.setTheme()`)
	b.until(`getComputedStyle($(".panel")).backgroundColor === "rgb(23, 26, 34)"`)
	b.shot("dark")
	b.media("prefers-color-scheme", "light")
	b.until(`getComputedStyle($(".panel")).backgroundColor === "rgb(255, 255, 255)"`)
	b.run(`RelayChat.setTheme("dark")`)
	b.until(`$(".panel").matches(".dark")`)
	b.run(`RelayChat.setTheme()`)
	b.until(`!$(".panel").matches(".dark")`)
	b.media("forced-colors", "active")
	b.shot("forced")
	f.mu.Lock()
	f.config = object{"operatorName": "Ben", "primaryColor": "#ffe066", "theme": "dark", "headerColor": "#ffe066"}
	f.mu.Unlock()
	f.state(t, "config", object{"config": f.config})
	b.media("forced-colors", "none", "prefers-color-scheme", "light")
	b.until(`$(".panel").matches(".dark") && getComputedStyle($(".head")).backgroundColor === "rgb(255, 224, 102)"`)
	b.until(`getComputedStyle($(".own .bubble")).color === "rgb(0, 0, 0)"`)
	b.until(`getComputedStyle($(".head")).color === "rgb(0, 0, 0)"`)
	b.shot("yellow")
	// The next page starts in these colours, without a call.
	b.click(".launcher")
	b.visit("/next")
	b.until(`$(".launcher")`)
	b.until(`getComputedStyle($(".launcher")).backgroundColor === "rgb(255, 224, 102)"`)
	b.clean()
}

func TestPhone(t *testing.T) {
	f, b := ready(t, "")
	b.do(chromedp.EmulateViewport(390, 844, chromedp.EmulateMobile))
	b.visit("/")
	b.open()
	chatter(f, b)
	b.until(`(({x, y, width, height}) => [x, y, width, height].join())($(".panel").getBoundingClientRect()) === "0,0,390,844"`)
	b.until(`!shown(".launcher") && document.body.inert && $(".panel").ariaModal === "true"`)
	b.until(`getComputedStyle($("textarea")).fontSize === "16px"`)
	b.shot("open")
	b.click(".close")
	b.until(`!shown(".panel") && !document.body.inert && root.activeElement === $(".launcher")`)
	b.open()
	b.visit("/next")
	b.until(`$(".launcher")`)
	b.run(`wait(2500)`)
	b.until(`!shown(".panel")`)
	b.clean()
}

// Pale colours that were chosen for a light page become tints of the dark one, a
// brand's strong ones stay.
func TestColoursOnADarkPage(t *testing.T) {
	f, b := ready(t, "")
	f.mu.Lock()
	f.config["chatBackground"], f.config["headerColor"], f.config["footerColor"] = "#fdf6e3", "#d6336c", "#f8f9fa"
	f.mu.Unlock()
	b.run(`document.documentElement.style.colorScheme = "dark"`)
	b.open()
	chatter(f, b)
	b.until(`$(".panel").matches(".dark")`)
	b.until(`getComputedStyle($(".logbox")).backgroundColor === "rgb(51, 52, 57)" && getComputedStyle($(".head")).backgroundColor === "rgb(214, 51, 108)"`)
	b.shot("derived")
	f.mu.Lock()
	f.config["darkPrimaryColor"], f.config["darkHeaderColor"], f.config["darkChatBackground"] = "#ffe066", "#112233", "#000000"
	f.mu.Unlock()
	f.state(t, "config", object{"config": f.config})
	b.until(`getComputedStyle($(".logbox")).backgroundColor === "rgb(0, 0, 0)" && getComputedStyle($(".head")).backgroundColor === "rgb(17, 34, 51)"`)
	b.until(`getComputedStyle($(".own .bubble")).backgroundColor === "rgb(255, 224, 102)" && getComputedStyle($(".own .bubble")).color === "rgb(0, 0, 0)"`)
	b.shot("own-dark")
	b.run(`document.documentElement.style.colorScheme = "light"`)
	b.run(`RelayChat.setTheme()`)
	b.until(`getComputedStyle($(".logbox")).backgroundColor === "rgb(253, 246, 227)"`)
	b.clean()
}

// TestZoomed: at 400 %, what is written and the end of the log are both within reach.
func TestZoomed(t *testing.T) {
	_, b := ready(t, "")
	b.do(chromedp.EmulateViewport(320, 200))
	b.open()
	b.write("one\ntwo\nthree\nfour\nfive\nsix")
	b.until(`$(".own.sent")`)
	b.up()
	b.until(`shown(".editbar") && $(".log").clientHeight >= 50`)
	b.until(`$(".composer").getBoundingClientRect().bottom <= innerHeight && getComputedStyle($(".composer")).overflowY === "auto"`)
	b.click(".editbar button") // Delete
	b.until(`root.activeElement?.textContent === "Delete"`)
}

func TestRightToLeft(t *testing.T) {
	f, b := ready(t, `data-locale="he-IL"`)
	b.open()
	chatter(f, b)
	b.until(`$(".panel").dir === "rtl" && $(".panel").lang === "he"`)
	b.until(`$(".launcher").getBoundingClientRect().x > 500 && $(".panel").getBoundingClientRect().right > 900`)
	b.until(`$(".own .bubble").getBoundingClientRect().x < $(".theirs .bubble").getBoundingClientRect().x`)
	b.shot("rtl")
}

func TestHostStyleHasNoEffect(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	b := newTab(t, newSite(t, f.url(), snippet(f.url(), "")))
	b.visit("/")
	b.run(`(() => { const s = new CSSStyleSheet(); s.replaceSync("* { all: unset !important; color: red !important; " +
		"font-size: 40px !important; letter-spacing: 9px !important; position: relative !important; overflow: hidden !important }");
		document.adoptedStyleSheets = [s]; })()`)
	b.open()
	b.until(`$(".launcher").getBoundingClientRect().right === innerWidth - 20 && $(".panel").getBoundingClientRect().right === innerWidth - 20`)
	b.until(`getComputedStyle($("h2")).letterSpacing === "normal"`)
	b.until(`getComputedStyle($("h2")).fontSize === "19px" && getComputedStyle($(".head")).display === "flex"`)
	b.until(`getComputedStyle($("textarea")).color === "rgb(27, 31, 45)"`)
	b.shot("hostile")
}

func TestOtherPositions(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	page := newSite(t, f.url(), snippet(f.url(), `data-position="left" data-z-index="7" data-theme="dark" data-api-url="`+f.url()+`/"`))
	b := newTab(t, page)
	b.visit("/")
	b.open()
	b.until(`$(".panel").getBoundingClientRect().x === 20 && $(".launcher").getBoundingClientRect().x === 20`)
	b.until(`getComputedStyle(host).zIndex === "7" && $(".panel").classList.contains("dark")`)
	b.clean()
}

// print shows the page as on paper.
func (b *tab) print() {
	b.Helper()
	if _, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: "print"}); err != nil {
		b.Fatal(err)
	}
}
