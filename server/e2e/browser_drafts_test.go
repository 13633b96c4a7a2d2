package e2e

import (
	"fmt"
	"slices"
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
	p.operator.write("and another")
	p.operator.sees("visitor: first", "operator: An answer", "operator: and another")
	p.operator.until(`$$(".local .meta").length === 2 && $$(".local .meta").every((n) => n.textContent.includes("waiting to be sent")) && $("#composer").value === ""`)
	p.operator.until(`text("#rows .row-marks").includes("Waiting to be sent")`)

	s.restart()
	p.visitor.until(`!$(".own.failed, .own.sending")`)
	p.operator.until(`!$(".local") && !text("#rows .row-marks").includes("Waiting to be sent")`)
	var stored struct {
		Messages []struct{ Content, Sender string }
	}
	s.get(t, s.base+"/api/admin/sessions/"+session+"/messages", s.secret, &stored)
	answers := []string{}
	for _, m := range stored.Messages {
		if m.Sender == "operator" {
			answers = append(answers, m.Content)
		}
	}
	if len(stored.Messages) != 5 || !slices.Equal(answers, []string{"An answer", "and another"}) {
		t.Errorf("relay stored %+v", stored)
	}
	p.visitor.clean(brokenLine)
	p.operator.clean(brokenLine)
}

// testOutbox: what was answered while relay is down is sent in order by the next page, also when
// nobody opens the conversation, and once although an answer to sending gets lost.
func testOutbox(t *testing.T, s *fixture) {
	b := s.newPair(t, "Hello").operator
	session := b.session()
	b.run(`(window.fetched = fetch, window.fetch = (url, init) => init?.method === "POST" && url.endsWith("/messages")
		? fetched(url, init).then(() => Promise.reject(new Error)) : fetched(url, init), 0)`)
	b.write("One")
	b.until(`lines().at(-1) === "operator: One" && !$(".local")`) // its own event says that it was stored
	b.run(`(window.fetch = (url, init) => init?.method === "POST" && url.endsWith("/messages") ? Promise.reject(new Error) : fetched(url, init), 0)`)
	b.write("Two")
	b.write("// Three")
	b.until(`$$(".local").length === 2 && $$(".local .undelivered").length === 2`)
	b.write("Four")
	b.click(`.local:last-child .undelivered button:last-child`) // Discard
	b.until(`$$(".local").length === 2`)
	b.visit(s.base + "/console")
	messages := func() (all []string) {
		var stored struct {
			Messages []struct {
				Content  string
				Internal bool
			}
		}
		s.get(t, s.base+"/api/admin/sessions/"+session+"/messages", s.secret, &stored)
		for _, m := range stored.Messages {
			all = append(all, fmt.Sprint(m.Content, " ", m.Internal))
		}
		return all
	}
	b.wait("all are sent", func() bool {
		return slices.Equal(messages(), []string{"Hello false", "One false", "Two false", "Three true"})
	})
	b.until(`Object.keys(localStorage).every((key) => !key.startsWith("relay:outbox"))`)

	// What relay refuses says why, and comes back into the composer.
	b.click(`#rows a`)
	b.write("Help:\n!close")
	b.until(`text(".local .undelivered").startsWith("Not sent: ")`)
	b.click(`.local .undelivered button:nth-of-type(2)`) // Edit
	b.until(`!$(".local") && $("#composer").value.startsWith("Help:")`)
	b.clean("409")
}

// testNoteDraft: a half-written internal note stays one when its operator comes back to it.
func testNoteDraft(t *testing.T, s *fixture) {
	b := s.newPair(t, "Hello").operator
	address := eval[string](b, `location.href`)
	b.click("#note")
	b.enter("#composer", "Only for us")
	b.run(`(location.hash = "#/")`)
	b.until(`text("#rows .row-marks").includes("Draft")`)
	b.visit(address)
	b.do(chromedp.Reload())
	b.until(`$("#composer")?.value === "Only for us" && $("#note").ariaPressed === "true"`)
	b.run(`$("#composer").focus()`)
	b.press("Enter", 13)
	b.until(`text(".internal:not(.local) .words") === "Only for us" && $("#note").ariaPressed === "false"`)
	b.clean()
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
	b.until(`text(".from-operator:last-child:not(.local) .words") === "A careful answer"`)
	b.do(chromedp.Reload())
	b.until(`shown(".from-visitor") && $("#composer").value === ""`)
	b.clean("401")
}

// testNotSentElsewhere: what could not be sent waits in its own conversation, also when the same
// words stand in the one that is shown by then.
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
	b.sees("visitor: Anybody?", "operator: One moment")
	b.until(`text(".local .meta").includes("waiting to be sent")`)
	b.clean()
}
