package e2e

import (
	"cmp"
	"net/http"
	"os"
	"testing"
	"time"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// welcome is what a visitor sees first.
const welcome = "operator: Hi! How can we help?"

// newVisitor opens the demo page and, if wanted, its chat.
func (s *fixture) newVisitor(t *testing.T, open bool) *tab {
	t.Helper()
	visitor := s.newTab(t)
	visitor.visit(s.demo)
	if open {
		visitor.click(".launcher")
		visitor.until(`shown(".panel") && root.activeElement === $("textarea") && text(".presence") !== "Connecting…"`)
	}
	return visitor
}

// newOperator signs in at the console.
func (s *fixture) newOperator(t *testing.T, name string) *tab {
	t.Helper()
	operator := s.newTab(t)
	operator.visit(s.console)
	operator.enter("#name", name)
	operator.enter("#key", s.secret)
	operator.click(".by-key button[type=submit]")
	operator.until(`$("#rows") && !$("#presence").disabled && text("#link") === ""`)
	return operator
}

// testPresence: visitors see an operator online while one has the console open,
// and as the switch says. The console shows who else is there.
func testPresence(t *testing.T, s *fixture) {
	visitor := s.newVisitor(t, true)
	visitor.until(`text(".presence") === "" && text(".log").includes("We are away right now.")`)
	ada, grace := s.newOperator(t, "Ada"), s.newOperator(t, "Grace")
	visitor.until(`text(".presence") === "Online now"`)
	ada.until(`text("#here") === "Also here: Grace" && $("#presence-automatic").checked && text("#presence-word") === "Online"`)
	choose := func(mode string, seenBy *tab) {
		ada.run(`$("#presence-` + mode + `").click()`)
		seenBy.until(`$("#presence input:checked").value === %s`, mode)
	}
	choose("away", grace)
	visitor.until(`text(".presence") === "" && text(".log").includes("We are away right now.")`)
	ada.click("#me")
	ada.until(`shown("#me-menu") && $("#me").ariaExpanded === "true"`)
	ada.shot(cmp.Or(os.Getenv("RELAY_SCREENSHOTS"), t.TempDir()), "presence")
	ada.press("Escape", 27)
	ada.until(`!shown("#me-menu") && document.activeElement.id === "me"`)
	choose("automatic", grace)
	grace.click("#me")
	grace.click("form[action='/console/logout'] button")
	ada.until(`text("#here") === ""`)
	visitor.until(`text(".presence") === "Online now"`)
	choose("online", ada)
	ada.until(`text("#presence-why").startsWith("Visitors see: online until ")`)
	ada.click("#me")
	ada.click("form[action='/console/logout'] button")
	visitor.until(`text(".presence") === "" && text(".log").includes("We are away right now.")`)
	visitor.clean()
	ada.clean()
}

// testTimeline: what happened beside the messages stands in order, events with
// their data, and is still there after a reload.
func testTimeline(t *testing.T, s *fixture) {
	p := s.newPair(t, "Hello")
	b := p.operator
	p.visitor.run(`RelayChat.trigger("added_to_basket", {sku: "SH-42", price: 12})`)
	b.until(`text("#messages .note").startsWith("Event: added_to_basket")`)
	b.click("#thread-verb")
	b.until(`$$("#messages .note").length === 2`)
	p.visitor.write("One more thing")
	const shown = `$$("#messages .bubble, #messages .note").map((n) => n.textContent).join()`
	const want = `"Hello,Event: added_to_basketskuSH-42price12,Conversation closed,Conversation reopened,One more thing"`
	b.until(shown + " === " + want)
	b.until(`$$(".day").length === 1`)
	b.until(`$("#messages").firstElementChild.matches(".day")`)
	b.shot(cmp.Or(os.Getenv("RELAY_SCREENSHOTS"), t.TempDir()), "timeline")
	b.do(chromedp.Reload())
	b.until(shown + " === " + want)
	p.visitor.until(`$$(".row .text, .note").map((n) => n.textContent).join().endsWith("Hello,Chat closed,Chat reopened,One more thing")`)
	b.clean()
	p.visitor.clean()
	s.closedLate(b, p.operator.session())
	b.clean()
}

// closedLate: a closing has its line when an answer for the session told of it before its event.
func (s *fixture) closedLate(b *tab, id string) {
	protocol(b, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: `
		const add = EventSource.prototype.addEventListener;
		EventSource.prototype.addEventListener = function (name, take) {
			const late = (e) => document.querySelector("#thread-verb").textContent === "Reopen"
				? (take(e), (window.came = true)) : setTimeout(late, 15, e);
			add.call(this, name, name === "session_closed" ? late : take);
			if (name === "connected") add.call(this, name, () => (window.connected = true));
		};`})
	b.do(chromedp.Reload())
	b.until(`window.connected && text("#thread-verb") === "Close"`)
	for _, verb := range []string{"close", "block", "unblock"} { // after the last the console asks for the session
		s.call(b.T, http.MethodPost, s.base+"/api/admin/sessions/"+id+"/"+verb, s.secret, map[string]any{}, nil)
	}
	b.until(`window.came && $$("#messages .note").at(-1).textContent === "Conversation closed" && $$("#messages .note").length === 4`)
}

// pair is a visitor and an operator in one session.
type pair struct{ visitor, operator *tab }

// newPair lets a visitor write and an operator open the session, which appears
// while the console is open.
func (s *fixture) newPair(t *testing.T, first string) *pair {
	t.Helper()
	p := &pair{operator: s.newOperator(t, "Ada")}
	p.operator.until(`shown("[data-kind=welcome]")`)
	p.visitor = s.newVisitor(t, true)
	p.visitor.write(first)
	p.operator.click("#rows a")
	p.both("visitor: " + first)
	p.operator.run(`(window.neverReloaded = true)`)
	p.visitor.run(`(window.neverReloaded = true)`)
	return p
}

// both waits until the two see the same conversation.
func (p *pair) both(lines ...string) {
	p.visitor.Helper()
	p.operator.sees(lines...)
	p.visitor.sees(append([]string{welcome}, lines...)...)
}

// editOperators changes the operator's newest message by its button.
func (p *pair) editOperators(text string) {
	p.operator.Helper()
	p.operator.point(".message.from-operator:last-child .bubble")
	p.operator.click(`.message.from-operator:last-child [aria-label="Edit message"]`)
	p.operator.until(`text("#banner-title") === "Edit message"`)
	p.operator.write(text)
}

// editVisitors changes the visitor's newest message by the keyboard.
func (p *pair) editVisitors(text string) {
	p.visitor.Helper()
	p.visitor.enter("textarea", "")
	p.visitor.press("ArrowUp", 38)
	p.visitor.until(`shown(".editbar")`)
	p.visitor.write(text)
}

func testConversation(t *testing.T, s *fixture) {
	p := s.newPair(t, "Is the lamp in stock?")
	begun := time.Now()
	p.operator.write("Yes, in clay and sage.")
	p.both("visitor: Is the lamp in stock?", "operator: Yes, in clay and sage.")
	t.Logf("an answer arrives in %s", time.Since(begun).Round(time.Millisecond))

	p.editVisitors("Is the lamp in stock in night?")
	p.both("visitor: Is the lamp in stock in night?", "operator: Yes, in clay and sage.")
	p.operator.until(`text(".from-visitor .meta").includes("edited")`)

	p.editOperators("Night comes next week.")
	p.both("visitor: Is the lamp in stock in night?", "operator: Night comes next week.")
	p.visitor.until(`text(".theirs:last-child .meta").includes("edited")`)

	p.visitor.write("Never mind")
	p.both("visitor: Is the lamp in stock in night?", "operator: Night comes next week.", "visitor: Never mind")
	p.visitor.until(`text(".own:last-child .meta").includes("Read")`) // it redraws the message, and would swallow a click
	p.visitor.point(".own:last-child .bubble")
	p.visitor.click(`.own:last-child [aria-label="Delete"]`)
	p.visitor.click(".own:last-child .meta button")
	p.both("visitor: Is the lamp in stock in night?", "operator: Night comes next week.", "visitor: Message deleted")

	p.operator.point(".from-operator .bubble")
	p.operator.click(`.from-operator [aria-label="Delete message"]`)
	p.operator.click("#ask-yes")
	p.both("visitor: Is the lamp in stock in night?", "operator: Message deleted", "visitor: Message deleted")
	p.visitor.clean()
	p.operator.clean()
}

// brokenLine is what Chromium itself logs when a server cannot be reached.
const brokenLine = "net::ERR_"

func testRestart(t *testing.T, s *fixture) {
	p := s.newPair(t, "before")
	p.operator.write("still before")
	p.both("visitor: before", "operator: still before")
	session := p.operator.session()

	s.stop()
	p.visitor.until(`shown(".lost")`)
	p.operator.until(`text("#link") === "Reconnecting…"`)
	s.restart()
	// Written by somebody else, perhaps before the two are connected again.
	if code := s.call(t, "POST", s.base+"/api/admin/sessions/"+session+"/messages", s.secret,
		map[string]any{"content": "right after", "operatorName": "Grace"}, nil); code != 200 {
		t.Fatalf("sending answers %d", code)
	}
	begun := time.Now()
	p.both("visitor: before", "operator: still before", "operator: right after")
	t.Logf("both are connected again after %s", time.Since(begun).Round(time.Millisecond))
	p.visitor.until(`!shown(".lost")`)
	p.operator.until(`text("#link") === ""`)

	p.visitor.write("and on")
	p.both("visitor: before", "operator: still before", "operator: right after", "visitor: and on")
	p.operator.write("it goes")
	p.both("visitor: before", "operator: still before", "operator: right after", "visitor: and on", "operator: it goes")
	p.editVisitors("and on and on")
	p.editOperators("it goes well")
	p.both("visitor: before", "operator: still before", "operator: right after", "visitor: and on and on", "operator: it goes well")
	for _, b := range []*tab{p.visitor, p.operator} {
		b.until(`window.neverReloaded`)
		b.clean(brokenLine)
	}
}

// session is the id of the session that the console shows.
func (b *tab) session() string {
	b.Helper()
	return eval[string](b, `location.hash.replace("#/sessions/", "")`)
}

func testResume(t *testing.T, s *fixture) {
	p := s.newPair(t, "I will be back")
	p.visitor.visit(s.demo)
	p.visitor.until(`!window.neverReloaded && shown(".panel")`) // an open chat stays open over page changes
	p.visitor.sees(welcome, "visitor: I will be back")
	p.operator.write("Welcome back")
	p.both("visitor: I will be back", "operator: Welcome back")
	p.visitor.write("Thanks")
	p.operator.visit(s.base + "/console#/sessions/" + p.operator.session())
	p.both("visitor: I will be back", "operator: Welcome back", "visitor: Thanks")
	p.operator.until(`$$("#rows a").length === 1`) // it is still the same session
	p.visitor.clean()
	p.operator.clean()
}

// testAttention is about what tells that somebody waits, writes or has read.
func testAttention(t *testing.T, s *fixture) {
	p := s.newPair(t, "Do you ship to Norway?")
	p.visitor.until(`text(".own .meta").includes("Read")`)

	p.operator.enter("#composer", "We")
	p.visitor.until(`shown(".typing") && text(".typing").includes("Ada is typing")`)
	p.operator.write("We do.")
	p.visitor.until(`!shown(".typing")`)
	p.operator.until(`$(".from-operator .receipt.seen")`)

	p.visitor.enter("textarea", "Then")
	p.operator.until(`shown("#typing") && text("#rows .typing") === "is typing…"`)
	p.visitor.enter("textarea", "")
	p.operator.until(`!shown("#typing")`)

	p.visitor.run(`(($(".launcher").focus = function (how) { this.dataset.how = JSON.stringify(how); HTMLElement.prototype.focus.call(this, how) }), 0)`)
	p.visitor.press("Escape", 27)
	p.visitor.until(`!shown(".panel") && text(".badge") === "" && root.activeElement === $(".launcher")`)
	p.visitor.until(`$(".launcher").dataset.how === '{"focusVisible":true}'`) // Firefox and Safari have to be told
	p.operator.write("Anything else?")
	p.visitor.until(`shown(".badge") && text(".badge") === "1" && $(".launcher").ariaLabel === "Open chat, 1 unread message"`)
	p.operator.until(`$(".from-operator:last-child .receipt:not(.seen)")`)
	p.visitor.click(".launcher")
	p.visitor.until(`shown(".panel") && text(".badge") === ""`)
	p.operator.until(`$(".from-operator:last-child .receipt.seen")`)

	p.operator.run(`(location.hash = "#/")`)
	p.operator.until(`shown("[data-kind=pick]")`)
	p.visitor.write("No, thank you")
	p.operator.until(`text("#rows .badge") === "1 unread" && /^\(1\) .+ · relay$/.test(document.title)`)
	p.operator.click("#rows a")
	p.operator.until(`!$("#rows .badge") && /^[^(].* · relay$/.test(document.title)`)
	p.visitor.clean()
	p.operator.clean()
}
