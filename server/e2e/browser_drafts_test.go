package e2e

import (
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

func testWrittenWhileDown(t *testing.T, s *fixture) {
	p := s.newPair(t, "first")
	session := p.operator.session()
	s.stop()

	p.visitor.write("are you there?")
	p.visitor.until(`text(".own.sending .meta").includes("Sending…") || $(".own.failed")`)
	p.visitor.until(`shown(".lost") && text(".own.failed .meta").includes("Not sent.")`) // it gave up for now
	p.visitor.write("hello?")
	p.visitor.sees(welcome, "visitor: first", "visitor: are you there?", "visitor: hello?")
	p.operator.write("An answer")
	p.operator.until(`text("#toast").startsWith("Not sent") && $("#composer").value === "An answer"`)
	p.operator.sees("visitor: first")

	s.restart()
	p.operator.until(`!shown("#toast")`)
	p.both("visitor: first", "visitor: are you there?", "visitor: hello?")
	p.visitor.until(`!$(".own.failed, .own.sending")`)
	p.operator.press("Enter", 13)
	p.both("visitor: first", "visitor: are you there?", "visitor: hello?", "operator: An answer")
	var stored struct{ Messages []struct{ Content string } }
	s.get(t, s.base+"/api/admin/sessions/"+session+"/messages", s.secret, &stored)
	if len(stored.Messages) != 4 {
		t.Errorf("relay stored %+v", stored)
	}
	p.visitor.clean(brokenLine)
	p.operator.clean(brokenLine)
}

// testDrafts: nothing that an operator has typed is lost by what fails, by what
// is slow, by a sign-in that expires, or by a reload.
func testDrafts(t *testing.T, s *fixture) {
	b := s.newPair(t, "Hello").operator
	b.run(`(window.go = [], window.fetched = fetch, window.fetch = (url, init) => /PATCH|DELETE/.test(init?.method) || /commands/.test(url)
		? new Promise((yes, no) => go.push(() => /commands/.test(url) ? no(new Error) : yes(fetched(url, init)))) : fetched(url, init), 0)`)
	b.write("!info")
	b.until(`go.length === 1`)
	b.enter("#composer", "typed meanwhile")
	b.run(`go.pop()()`)
	b.until(`$("#composer").value === "!info\ntyped meanwhile" && text("#toast-text").startsWith("Not done")`)

	b.write("An answer")
	b.until(`$(".from-operator:not(.local)")`)
	b.press("ArrowUp", 38)
	b.write("An edit")
	b.until(`go.length === 1 && text("#banner-title") === "Saving…"`)
	b.press("Enter", 13)
	b.enter("#composer", "An edit and more")
	b.run(`go.pop()()`)
	b.until(`text(".from-operator .words") === "An edit" && text("#banner-title") === "Edit message" && $("#composer").value === "An edit and more" && !go.length`)
	b.press("Enter", 13)
	b.until(`go.length === 1`)
	b.run(`go.pop()()`)
	b.until(`text(".from-operator .words") === "An edit and more" && !shown("#banner") && $("#composer").value === ""`)

	// The answer to sending gets lost, the message does not.
	b.run(`(window.fetch = (url, init) => init?.method === "POST" && url.endsWith("/messages")
		? fetched(url, init).then(() => new Promise((_, no) => go.push(() => no(new Error)))) : fetched(url, init), 0)`)
	b.write("Once")
	b.until(`go.length === 1 && lines().at(-1) === "operator: Once" && !$(".local")`)
	b.run(`go.pop()()`)
	b.sees("visitor: Hello", "operator: An edit and more", "operator: Once")
	b.until(`$("#composer").value === "" && !shown("#toast")`)
	b.run(`(window.fetch = fetched, 0)`)

	address := eval[string](b, `location.href`)
	b.enter("#composer", "A careful answer")
	protocol(b, network.ClearBrowserCookies, cdp.Empty{})
	b.press("Enter", 13)
	b.enter("#name", "Ada")
	b.enter("#key", s.secret)
	b.click(".by-key button[type=submit]")
	b.until(`$("#rows")`)
	b.visit(address)
	b.do(chromedp.Reload())
	b.until(`$("#composer")?.value === "A careful answer" && shown(".from-visitor")`)
	b.run(`$("#composer").focus()`)
	b.press("Enter", 13)
	b.until(`text(".from-operator:last-child:not(.local) .words") === "A careful answer"`)
	b.do(chromedp.Reload())
	b.until(`shown(".from-visitor") && $("#composer").value === ""`)
	b.clean("401")
}

// testNotSentElsewhere: what could not be sent comes back, also when the same
// words stand in the session that is shown by then.
func testNotSentElsewhere(t *testing.T, s *fixture) {
	b := s.newPair(t, "Hello").operator
	b.write("One moment")
	b.sees("visitor: Hello", "operator: One moment")
	first := b.session()
	s.newVisitor(t, true).write("Anybody?")
	b.click(`#rows a[aria-current="false"]`)
	b.sees("visitor: Anybody?")
	second := b.session()
	b.run(`(window.go = [], window.fetched = fetch, window.fetch = (url, init) => init?.method === "POST" && url.endsWith("/messages")
		? new Promise((_, no) => go.push(() => no(new Error))) : fetched(url, init), 0)`)
	b.write("One moment")
	b.until(`go.length === 1`)
	b.run(`(location.hash = "#/sessions/` + first + `")`)
	b.sees("visitor: Hello", "operator: One moment")
	b.run(`go.pop()()`)
	b.run(`(location.hash = "#/sessions/` + second + `")`)
	b.until(`$("#composer").value === "One moment" && text("#toast-text").startsWith("Not sent")`)
	b.sees("visitor: Anybody?")
	b.clean()
}
