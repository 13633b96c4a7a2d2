package e2e

import (
	"cmp"
	"net/http"
	"os"
	"strconv"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"github.com/relay-chat/relay/bridges/telegram/telegramtest"
)

// testComposers: where people write nothing scrolls before the field is full,
// empty or with three lines, on a desktop and on a phone.
func testComposers(t *testing.T, s *fixture) {
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

// testComposing: the Enter that ends composing sends nothing, neither in Safari,
// which says first that composing has ended.
func testComposing(t *testing.T, s *fixture) {
	p := s.newPair(t, "Hello")
	for _, b := range []*tab{p.visitor, p.operator} {
		b.enter("textarea", "かな")
		b.run(`$("textarea").dispatchEvent(new KeyboardEvent("keydown", {key: "Enter", keyCode: 229, bubbles: true}))`)
		b.run(`frame().then(frame)`)
		if got := eval[string](b, `$("textarea").value`); got != "かな" {
			t.Errorf("the field holds %q", got)
		}
	}
}

// testLandmarks: what is shown of the console has one main part and a heading of the first level.
func testLandmarks(t *testing.T, s *fixture) {
	p := s.newPair(t, "Hello")
	for _, width := range []int64{1280, 390} {
		p.operator.do(chromedp.EmulateViewport(width, 844))
		for _, view := range []string{"", "sessions/" + p.operator.session(), "settings", "knowledge", "webhook", "bridges"} {
			p.operator.run(`(location.hash = "#/` + view + `")`)
			p.operator.until(`$$("main").filter((n) => [...n.children].some((c) => c.checkVisibility())).length === 1 && $$("h1").some((n) => n.checkVisibility())`)
		}
		p.operator.run(`history.go(-4)`)
		p.operator.until(`shown("#pane")`)
	}
	p.operator.clean()
}

// testSearch: the list is always that of the text in the field, also when Escape
// has cleared it.
func testSearch(t *testing.T, s *fixture) {
	b := s.newPair(t, "Hello").operator
	b.enter("#search", "nobody")
	b.until(`!$("#rows a") && text("#list-note") === "No conversation matches “nobody”."`)
	b.press("Escape", 27)
	b.until(`$("#search").value === "" && $$("#rows a").length === 1 && text("#list-note") === ""`)
	b.enter("#search", "nobody")
	b.until(`!$("#rows a") && text("#list-note") === "No conversation matches “nobody”."`)
	b.run(`Object.assign($("#search"), {value: ""}).dispatchEvent(new Event("change"))`) // all that WebKit says of Escape
	b.until(`$$("#rows a").length === 1 && text("#list-note") === ""`)
	b.clean()
}

// testFocus: the focus never falls to the page, even if the focused element is redrawn, hidden or removed.
func testFocus(t *testing.T, s *fixture) {
	p := s.newPair(t, "Hello")
	b := p.operator
	on := func(what string) { b.until(`document.activeElement.matches(%s)`, what) }
	p.visitor.press("Escape", 27)
	b.write("An answer")
	b.until(`$(".from-operator:not(.local) .receipt:not(.seen)")`)
	b.run(`$('.from-operator [aria-label="Edit message"]').focus()`)
	p.visitor.click(".launcher")
	b.until(`$(".from-operator .receipt.seen")`)
	on(`.from-operator [aria-label="Edit message"]`)
	b.run(`document.activeElement.click()`)
	b.until(`shown("#banner")`)
	b.run(`($("#banner-cancel").focus(), $("#banner-cancel").click())`)
	on("#composer")
	b.attach(picture(t, `a "name".png`))
	b.until(`shown("#chips") && !$("#chips progress")`)
	b.run(`($("#chips button").focus(), $("#chips button").click())`)
	on("#composer")
	b.run(`($('.from-operator [aria-label="Delete message"]').focus(), document.activeElement.click())`)
	b.click("#ask-yes")
	b.until(`text(".from-operator .bubble") === "Message deleted"`)
	on(".from-operator")

	b.do(chromedp.EmulateViewport(390, 844, chromedp.EmulateMobile))
	b.run(`($("#details-toggle").focus(), $("#details-toggle").click())`)
	on("#details-close")
	b.run(`$("#details-close").click()`)
	on("#details-toggle")
	b.run(`($(".back").focus(), $(".back").click())`)
	on("#rows a")
	b.run(`document.activeElement.click()`)
	on("#log")
	b.clean()
}

// testBlock: every console shows whether a visitor is blocked, however that came about.
func testBlock(t *testing.T, s *fixture) {
	p := s.newPair(t, "Hello")
	other := s.newOperator(t, "Grace")
	other.visit(s.base + "/console#/sessions/" + p.operator.session())
	other.until(`shown("#pane")`)
	p.operator.click("#thread-more")
	p.operator.until(`text("#block") === "Block visitor"`)
	p.operator.click("#block")
	for _, b := range []*tab{p.operator, other} {
		b.until(`text("#rows .tag") === "Blocked" && text("#status-line").startsWith("Blocked")`)
		b.click("#thread-more")
		b.until(`text("#block") === "Unblock visitor" && document.activeElement.closest("[role=menu]")`)
		b.press("Escape", 27)
		b.until(`!shown("#block") && document.activeElement.id === "thread-more"`)
	}
	p.visitor.until(`text(".stop") === "You can no longer write in this chat."`)
	other.write("!unblock")
	for _, b := range []*tab{p.operator, other} {
		b.until(`!shown("#rows .tag") && !shown("#status-line")`)
		b.clean()
	}
}

// testQuiet: a visitor whose page is open is marked as there, however long ago
// anything was written.
func testQuiet(t *testing.T, s *fixture) {
	b := s.newPair(t, "Hello").operator
	protocol(b, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{
		Source: `const every = setInterval; setInterval = (f, ms) => every(f, ms / 100)`,
	})
	b.do(chromedp.Reload())
	b.until(`$$(".avatar.active").length === 3`)
	b.run(`(() => { const now = Date.now, start = now(); Date.now = () => now() + 60 * (now() - start) })()`) // as slowly as nobody's sleep
	b.until(`$$(".avatar.active").length === 3 && text("#rows time").endsWith("min")`)
	b.clean()
}

// testToast: relay's answer to a command stands where it was written and moves
// nothing else; what went wrong stands above everything, until it is closed.
func testToast(t *testing.T, s *fixture) {
	b := s.newPair(t, "Hello").operator
	const places = `["#pane .thread-head", "#composer", ".list"].map((n) => $(n).getBoundingClientRect().top).join()`
	before := eval[string](b, places)
	b.write("!help")
	b.until(`text("#answer").includes("!close") && shown("#answer-close") && !shown("#toast")`)
	if after := eval[string](b, places); after != before {
		t.Errorf("an answer moves what is around it from %s to %s", before, after)
	}
	b.shot(cmp.Or(os.Getenv("RELAY_SCREENSHOTS"), t.TempDir()), "answer")
	b.do(chromedp.EmulateViewport(390, 844, chromedp.EmulateMobile))
	b.until(`shown("#composer") && $("#answer").getBoundingClientRect().bottom <= $("#composer").getBoundingClientRect().top`)
	b.click("#answer-close")
	b.until(`!shown("#answer") && root.activeElement === $("#composer")`)
	b.clean()
}

// testNotes: notes of operators stand in their own colour, for operators only,
// and while one is written the visitor sees nobody typing.
func testNotes(t *testing.T, s *fixture) {
	p := s.newPair(t, "Hello")
	b := p.operator
	other := s.newOperator(t, "Grace")
	other.visit(s.base + "/console#/sessions/" + b.session())
	other.until(`$$(".message").length === 1`)
	b.run(`(() => { const real = fetch; window.typed = []; window.fetch = (url, init) => (String(url).endsWith("/typing") && typed.push(init.body), real(url, init)); })()`)
	b.write("// she is angry")
	other.until(`text(".message.internal .bubble") === "she is angry" && text(".message.internal .who") === "Internal note by Ada"`)
	b.click("#note")
	b.until(`$("#note").getAttribute("aria-pressed") === "true" && $("#composer").placeholder === "Write an internal note…"`)
	b.write("call her back")
	b.until(`$$(".message.internal:not(.local)").length === 2 && $("#note").getAttribute("aria-pressed") === "false"`)
	b.write("!info")
	b.until(`shown("#answer")`)
	if typed := eval[[]string](b, "typed"); len(typed) != 0 {
		t.Errorf("the visitor saw %q", typed)
	}
	b.write("We are on it")
	b.until(`typed.length > 0`)
	p.visitor.sees(welcome, "visitor: Hello", "operator: We are on it")
	b.shot(cmp.Or(os.Getenv("RELAY_SCREENSHOTS"), t.TempDir()), "notes")
	b.do(chromedp.Reload())
	b.sees("visitor: Hello", "operator: she is angry", "operator: call her back", "operator: We are on it")
	b.until(`$$(".message.internal").length === 2 && !text("#rows").includes("call her")`)
	b.clean()
}

// testUndelivered: what a bridge rejected is marked at its message, with the
// reason and a way to send it again.
func testUndelivered(t *testing.T, s *fixture) {
	b := s.newPair(t, "Hello").operator
	b.run(`(() => { const real = fetch, id = $(".message").dataset.id; window.retried = "";
		window.fetch = async (url, init) => {
			if (String(url).includes("/deliveries/")) return (window.retried = url, Response.json({ok: true}));
			const answer = await real(url, init);
			if (!/sessions\/[A-Z0-9]+$/.test(url)) return answer;
			const stuck = (more) => ({dest: "telegram", state: "failed", reason: "PEER_ID_INVALID", ...more});
			return Response.json({...await answer.json(), undelivered: retried ? [] : [stuck({id: "telegram.s.1"}), stuck({id: "telegram.s.2", messageId: id})]});
		}; })()`)
	b.run(`(location.hash = "#/")`)
	b.until(`!$(".message")`) // left, or the click below would change nothing
	b.click("#rows a")
	b.until(`text(".message .undelivered") === "Not delivered to Telegram: PEER_ID_INVALID · Retry" && text("#undelivered") === text(".message .undelivered")`)
	b.shot(cmp.Or(os.Getenv("RELAY_SCREENSHOTS"), t.TempDir()), "undelivered")
	b.click(".message .undelivered button")
	b.until(`retried === "/api/admin/deliveries/telegram.s.2/retry" && !$(".undelivered")`)
	b.clean()
}

// testBridges: a bridge that is not well shows in the bar, and its page says what
// to do; so does its test. One that is put right is well again.
func testBridges(t *testing.T, s *fixture) {
	group := telegramtest.New(t)
	s.stop()
	s.instance = bootIn(t, s.dir, "TELEGRAM_API_URL="+group.URL)
	set := func(settings map[string]any) {
		s.call(t, http.MethodPatch, s.base+"/api/admin/settings", s.secret, settings, nil)
	}
	b := s.newOperator(t, "Ada")
	b.until(`shown("#settings-link") && !shown("#settings-alarm")`)
	set(map[string]any{"telegramBotToken": group.Token})
	b.settings("channels", "Channels")
	b.until(`text("#bridges-list").includes("Next step") && text("#bridges-list").includes("Add the bot to a group") && !shown("#rows")`)
	b.until(`!shown("#settings-alarm") && !shown("#channels-alarm")`) // what is not connected yet does not fail
	b.until(`await fetch($("#bridge-telegram").closest("section").querySelector(".hint a").href).then((r) => r.text()).then((page) => page.includes("TELEGRAM_BOT_TOKEN"))`)
	b.until(`await fetch($("#bridge-discord").closest("section").querySelector(".hint a").href).then((r) => r.text()).then((page) => page.includes("DISCORD_CHANNEL_ID"))`)
	b.until(`$("#bridge-discord").closest("section").innerText.includes("Not connected")`)
	b.until(`$$("#bridges-list h2").map((n) => n.textContent).join() === "Telegram,Discord,Slack"`)

	set(map[string]any{"telegramBotToken": "7000000001:AAcanary-revoked", "telegramChatId": strconv.FormatInt(group.Group, 10)})
	b.wait("a bridge that does not work", func() bool {
		b.run(`dispatchEvent(new HashChangeEvent("hashchange"))`) // it reloads when it is opened
		return look[bool](b, `text("#bridges-list .tag") === "Does not work" && text("#bridges-list .alert").includes("@BotFather")`)
	})
	b.click("#test-telegram")
	b.until(`text(".findings .tag.bad") === "Problem" && text(".findings").includes("@BotFather")`)
	folder := cmp.Or(os.Getenv("RELAY_SCREENSHOTS"), t.TempDir())
	b.shot(folder, "bridges")
	b.do(chromedp.EmulateViewport(390, 844, chromedp.EmulateMobile))
	b.until(`document.documentElement.scrollWidth <= 390`)
	b.shot(folder, "bridges-phone")
	b.do(chromedp.EmulateViewport(1280, 800))

	set(map[string]any{"telegramBotToken": group.Token})
	b.wait("a bridge that runs", func() bool {
		b.run(`dispatchEvent(new HashChangeEvent("hashchange"))`)
		return look[bool](b, `text("#bridges-list .tag") === "Connected" && !shown("#settings-alarm")`)
	})
	const card = `[aria-labelledby="bridge-telegram"]`
	b.until(`/The bot is @\w+\./.test(text(%s)) && !shown(%s)`, card, card+" details.raw p")
	b.run(`$('` + card + ` details.raw summary').click()`) // the page may be drawn again meanwhile
	b.until(`shown(%s) && text(%[1]s).startsWith("relay fetches operators’ answers")`, card+" details.raw p")
	b.shot(folder, "bridge-connected")
	b.clean()
}
