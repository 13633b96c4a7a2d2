package e2e

import (
	"cmp"
	"fmt"
	"net/http"
	"os"
	"slices"
	"testing"

	"github.com/chromedp/chromedp"
)

// testWaitingList: conversations wait until somebody answers, in a tab with a count; what is
// snoozed or tagged is found by its filter.
func testWaitingList(t *testing.T, s *fixture) {
	folder := cmp.Or(os.Getenv("RELAY_SCREENSHOTS"), t.TempDir())
	p := s.newPair(t, "Where is my parcel?")
	b := p.operator
	name := eval[string](b, `text("#thread-name")`)
	b.until(`/^[A-Z][a-z]+ [A-Z][a-z]+$/.test(text("#thread-name")) && text("#rows b") === text("#thread-name") && text("#rows .row-page") === "/demo"`)
	b.until(`$("#rows .row-source").ariaLabel === "Written on the website" && $("#rows li").offsetHeight === 64 && $("#rows a").offsetHeight >= 44`)
	b.until(`text("#rows .waits").startsWith("waiting") && text("[data-filter=waiting] .count") === "1" && text("#inbox-count") === "1"`)
	b.click("[data-filter=waiting]")
	b.until(`$$("#rows a").length === 1`)
	b.run(`(window.fetch = ((real) => (to, how) => (String(to).endsWith("/counts") ? new Promise(() => {}) : real(to, how)))(window.realFetch = window.fetch))`)
	b.write("On its way") // the counts move with the rows, whatever the server's take
	b.until(`!$("#rows a") && text("#list-note") === "Nobody is waiting." && text("[data-filter=waiting] .count") === "0" && !shown("#inbox-waiting")`)
	b.click("[data-filter=open]")
	b.until(`$$("#rows a").length === 1 && !$("#rows .waits") && $("#rows .row-source").ariaLabel === "Answered in the console"`)
	p.visitor.write("And when?")
	b.until(`$("#rows .waits") && text("[data-filter=waiting] .count") === "1"`)
	b.run(`(window.fetch = window.realFetch)`)
	snoozeTimes(t, b)

	b.click("#thread-snooze")
	b.until(`$$(".head-menu .menu-item").length >= 3 && document.activeElement.textContent.startsWith("In an hour")`)
	b.shot(folder, "snooze")
	b.run(`$$(".head-menu .menu-item").find((n) => n.textContent.startsWith("Tomorrow")).click()`)
	b.until(`/^Snoozed until [A-Z][a-z]{2}\W{1,2}0?9:00/.test(text("#thread-tags")) && /^Until [A-Z][a-z]{2}\W/.test(text("#rows .tag"))`)
	b.until(`text("#rows .tag").startsWith("Until") && !$("#rows .waits")`)
	b.until(`shown("#snoozed") && text("#messages .note:last-child").startsWith("Snoozed until")`)
	p.visitor.write("Hello?")
	b.until(`text("#thread-tags") === "" && $("#rows .waits")`)

	b.click("#thread-more")
	b.click("#menu-tags")
	b.enter(".tags-form .input", "<b>")
	b.click(".tags-form .button")
	b.until(wrongIn, ".tags-form .input", "A tag must be 1 to 40 letters")
	b.shot(folder, "problem-tag")
	b.enter(".tags-form .input", "VIP")
	b.click(".tags-form .button")
	b.until(`text("#thread-tags") === "vip" && text("#rows .label") === "vip" && text(".tag-list") === "vip ×"`)
	b.shot(folder, "tags")
	b.press("Escape", 27)
	b.until(`shown("#tag-filter") && [...$("#tags").options].map((n) => n.value).join() === ",vip"`)
	b.run(`Object.assign($("#tags"), {value: "vip"}).dispatchEvent(new Event("change"))`)
	b.until(`$$("#rows a").length === 1`)
	b.click("#thread-more")
	b.click("#menu-csat")
	b.until(`text("#answer-text") === "The visitor is asked for a rating." && text("#messages .note:last-child") === "Asked for a rating"`)
	p.visitor.until(`shown(".panel")`)
	b.do(chromedp.Reload())
	b.until(`text("#thread-name") === %s && $$("#messages .note").length === 2`, name)
	b.do(chromedp.EmulateViewport(390, 844, chromedp.EmulateMobile))
	b.click("#thread-more")
	b.until(`$$(".head-menu [role=menuitem]").every((n) => n.offsetHeight >= 44) && document.documentElement.scrollWidth <= 390`)
	b.shot(folder, "organise-phone")
	b.clean("400 (Bad Request)")
}

// testLongLists: of ten thousand rows and messages only those near what is seen are in the page.
func testLongLists(t *testing.T, s *fixture) {
	b := s.newPair(t, "Hello").operator
	// The real session is closed: in a list of open ones no late event of its visitor would put it above the others.
	b.click("#thread-verb")
	b.until(`!$("#rows a")`)
	b.run(`(() => { const real = fetch, one = real(location.origin + "/api/admin/sessions?limit=1").then((r) => r.json()).then((a) => a.sessions[0]);
		const at = (i) => new Date(Date.UTC(2026, 0, 1) - i * 60000).toISOString();
		window.fetch = async (url, init) => {
			const {pathname, searchParams: q} = new URL(url, location);
			if (pathname === "/api/admin/sessions") {
				const from = +(q.get("cursor") || 0), base = await one;
				const sessions = Array.from({length: 2500}, (_, i) => ({...base, status: "open", unread: 0, id: "long" + (from + i), visitorId: "v" + (from + i), nickname: "Visitor " + (from + i), lastActivity: at(from + i)}));
				return Response.json({sessions, ...(from < 7500 && {nextCursor: String(from + 2500)})});
			}
			if (/\/sessions\/long\d+\/contact$/.test(pathname)) return Response.json({name: "", fields: {}, notes: [], verified: false, conversations: [], hasMore: false, claims: []});
			if (/\/sessions\/long\d+$/.test(pathname)) return Response.json({...await one, status: "open", id: pathname.split("/").pop(), unread: 0, nickname: "Long"});
			const messages = /sessions\/(long\d+)\/messages$/.exec(pathname);
			if (messages && !init?.body) {
				const limit = +q.get("limit"), number = (id) => +id.slice(1);
				const end = q.get("before") ? number(q.get("before")) : q.get("after") ? Math.min(number(q.get("after")) + 1 + limit, 10000) : 10000;
				const begin = q.get("after") ? number(q.get("after")) + 1 : Math.max(end - limit, 0);
				const list = Array.from({length: Math.max(end - begin, 0)}, (_, i) => ({id: "m" + (begin + i), sessionId: messages[1], sender: (begin + i) % 3 ? "visitor" : "operator", content: "Message " + (begin + i), timestamp: at(10000 - begin - i), attachments: []}));
				return Response.json({messages: list, timeline: [], hasMore: q.get("after") ? end < 10000 : begin > 0, lastEventId: "1"});
			}
			return real(url, init);
		};
	})()`)
	b.click("[data-filter=closed]")
	b.click("[data-filter=open]")
	b.until(`text("#rows b") === "Visitor 0"`)
	b.wait("all rows", func() bool {
		b.run(`($("#list-scroll").scrollTop = $("#list-scroll").scrollHeight, frame().then(frame))`)
		return look[bool](b, `$("#rows").lastElementChild.textContent.startsWith("V9Visitor 9999")`)
	})
	if n := eval[int](b, `$$("#rows li").length`); n > 60 {
		t.Errorf("%d of 10000 rows are in the page", n)
	}
	b.wait("the first rows", func() bool { // the last page may still be drawn and keep its place
		b.run(`($("#list-scroll").scrollTop = 0, frame().then(frame))`)
		return look[bool](b, `text("#rows b") === "Visitor 0"`)
	})
	b.click("#rows a")
	b.until(`text(".message:last-child .bubble") === "Message 9999"`)
	b.wait("older messages", func() bool {
		b.run(`($("#log").scrollTop = 0, frame().then(frame))`)
		return look[bool](b, `+$(".message .bubble")?.textContent.slice(8) <= 9000`)
	})
	if n := eval[int](b, `$$("#messages li").length`); n > 400 {
		t.Errorf("%d items of 10000 messages are in the page", n)
	}
	b.wait("newer messages", func() bool {
		b.run(`($("#log").scrollTop = $("#log").scrollHeight, frame().then(frame))`)
		return look[bool](b, `text(".message:last-child .bubble") === "Message 9999"`)
	})
	b.run(`($("#log").scrollTop = 0, frame().then(frame))`)
	b.until(`shown("#to-end")`)
	b.click("#to-end")
	b.until(`text(".message:last-child .bubble") === "Message 9999" && !shown("#to-end")`)
	b.clean()
}

// testGroups: what one person wrote in a row stands together, with one time; a colleague's
// messages differ from one's own.
func testGroups(t *testing.T, s *fixture) {
	folder := cmp.Or(os.Getenv("RELAY_SCREENSHOTS"), t.TempDir())
	p := s.newPair(t, "Hello")
	b := p.operator
	p.visitor.write("Are you there?")
	p.visitor.write("Hello?")
	b.until(`$$(".message").length === 3`)
	b.write("Yes! We **ship** by [post](https://example.com/post):\n- lamps\n- SH-42")
	b.until(`text("#rows .row-last") === "Ada: Yes! We ship by post: lamps SH-42"`)
	s.call(t, http.MethodPost, s.base+"/api/admin/sessions/"+b.session()+"/messages", s.secret, map[string]any{"content": "So am I", "operatorName": "Grace"}, nil)
	b.until(`$$(".message").length === 5`)
	b.until(`$$(".message").map((n) => (n.classList.contains("first") ? "f" : "") + (n.classList.contains("end") ? "e" : "")).join() === "f,,e,fe,fe"`)
	b.until(`$$(".from-visitor .meta").length === 1 && text(".message:last-child .who") === "GGrace" && !$(".mine .who")`)
	b.until(`getComputedStyle($(".mine .bubble")).backgroundColor !== getComputedStyle($(".message:last-child .bubble")).backgroundColor`)
	b.point(".message .bubble")
	b.until(`getComputedStyle($(".message .tools")).opacity === "1"`)
	b.shot(folder, "groups")
	b.clean()
}

// snoozeTimes: on no day two of the proposed times are the same moment.
func snoozeTimes(t *testing.T, b *tab) {
	t.Helper()
	b.run(`(window.RealDate = Date)`)
	for day := range 7 {
		b.run(fmt.Sprintf(`(window.Date = class extends RealDate { constructor(...at) { at.length ? super(...at) : super(2026, 5, %d, 10, 30); } })`, 1+day))
		b.click("#thread-snooze")
		b.until(`$$(".head-menu .menu-item").length >= 3 && document.activeElement.closest(".head-menu")`)
		hints := eval[[]string](b, `$$(".head-menu .menu-item").map((n) => n.lastElementChild.textContent)`)
		slices.Sort(hints)
		if len(slices.Compact(slices.Clone(hints))) < len(hints) {
			t.Errorf("on day %d: %q", day, hints)
		}
		b.press("Escape", 27)
		b.until(`!shown(".head-menu")`)
	}
	b.run(`(window.Date = window.RealDate)`)
	b.click("#thread-snooze")
	b.until(`$(".menu-form input") && document.activeElement.closest(".head-menu")`)
	b.run(`$(".menu-form").requestSubmit()`)
	b.until(wrongIn, ".menu-form input", "Choose a date and a time.")
	b.run(`($(".menu-form input").value = "2001-01-01T10:00", $(".menu-form").requestSubmit())`)
	b.until(wrongIn, ".menu-form input", "Enter a time within the next year.")
	b.press("Escape", 27)
	b.until(`!shown(".head-menu")`)
}
