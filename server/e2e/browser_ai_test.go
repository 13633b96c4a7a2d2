package e2e

import (
	"cmp"
	"os"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"github.com/relay-chat/relay/bridges/ai/aitest"
)

// model answers like one that knows its instructions.
func model(r aitest.Request) aitest.Answer {
	switch {
	case strings.Contains(r.System, "Sum the conversation up"):
		return aitest.Answer{Text: "Asks about Norway.\nNothing was answered.\nWhether you ship there.", Tokens: 80}
	case strings.Contains(r.System, "You are a test"):
		return aitest.Answer{Text: "Hello!", Tokens: 12}
	}
	return aitest.Answer{Text: "We ship to Norway within 5 days [0].", Tokens: 100}
}

// draftFirst lets the answer to the next command arrive after the draft that it announces.
const draftFirst = `(window.plainFetch = window.fetch, window.fetch = async (to, how) => {
	const answer = await plainFetch(to, how);
	if (!String(to).endsWith("/commands")) return answer;
	while (!document.querySelector(".draft-buttons")) await new Promise((again) => setTimeout(again, 20));
	window.fetch = window.plainFetch;
	setTimeout(() => (window.answered = true), 200); // the page has shown it by then
	return answer;
}, true)`

// testAI: the AI is set up on the settings page and tested there; operators send its
// drafts, and while they are away it answers visitors, who can ask for a person.
func testAI(t *testing.T, s *fixture) {
	folder := cmp.Or(os.Getenv("RELAY_SCREENSHOTS"), t.TempDir())
	fake := aitest.New(t, model).Listen()
	s.stop()
	s.instance = bootIn(t, s.dir, "AI_BASE_URL="+fake)
	p := s.newPair(t, "Do you ship to Norway?")
	b := p.operator
	b.until(`$("#ai-bar").hidden`)
	s.setUpAI(t, b, folder)

	b.until(`shown("#ai-bar") && text("#ai-state") === "The AI answers here while nobody is there."`)
	b.until(`$("#ai-draft").ariaLabel === "Suggest an answer" && $("#ai-summary").ariaLabel === "Sum the conversation up"`)
	b.until(`$("#ai-bar").offsetHeight <= 44 && $$("#ai-bar .tool").every((n) => n.offsetWidth >= 24)`)
	b.run(draftFirst)
	b.click("#ai-draft")
	b.until(`$$(".message.internal .who").some((n) => n.textContent === "Draft by AI") && $$(".draft-buttons .button").length === 2`)
	b.until(`window.answered && !text("#answer-text")`) // which would announce the draft that is there
	b.shot(folder, "ai-draft")
	b.click(".draft-buttons .button:nth-child(2)")
	b.until(`$("#composer").value === "We ship to Norway within 5 days." && document.activeElement.id === "composer"`)
	b.enter("#composer", "")
	b.press("Backspace", 8)
	b.click("#ai-summary")
	b.until(`$$(".message.internal").length === 2`)
	b.click(".draft-buttons .button")
	p.visitor.until(`$$(".theirs .text").some((n) => n.textContent === "We ship to Norway within 5 days.")`)
	b.until(`!$(".draft-buttons") && text(".message.internal .meta").includes("used")`)
	b.until(`text("#ai-state") === "The AI is off in this conversation." && text("#ai-verb") === "Turn on"`)

	b.run(`$("#presence-away").click()`)
	p.visitor.until(`text(".log").includes("We are away right now.")`)
	b.click("#ai-verb")
	b.until(`text("#ai-verb") === "Turn off"`)
	p.visitor.write("And to Sweden?")
	p.visitor.until(`$(".ai")?.textContent === "AI" && $(".ai").parentNode.textContent.includes("Robin")`)
	b.until(`text("#ai-state") === "The AI is answering here." && text(".message.from-ai .who") !== ""`)
	p.visitor.shot(folder, "ai-widget")
	b.shot(folder, "ai-console")
	p.visitor.click(".row > .chip")
	p.visitor.until(`!$(".row > .chip") && $$(".theirs .text").length === 4 && shown(".contact")`)
	p.visitor.shot(folder, "ai-contact")
	p.visitor.run(`$("#f-email").value = "ada@example.com"`)
	p.visitor.click(".contact .main")
	p.visitor.until(`!shown(".contact") && text(".notice[role=alert]") === "Saved with this conversation."`)
	b.until(`text("#facts").includes("ada@example.com") && text("#facts").includes("Not verified")`)
	b.shot(folder, "ai-contact-console")
	b.until(`text("#ai-state") === "The AI is off in this conversation."`)
	b.until(`$$("#messages .note").some((n) => n.textContent.trim() === "The AI handed over: the visitor asks for a person")`)
	p.visitor.clean()
	b.clean("400 (Bad Request)")
}

// testOwnAI: a model in one's own network is connected by clicking, and confirmed once with
// the secret key.
func testOwnAI(t *testing.T, s *fixture) {
	folder := cmp.Or(os.Getenv("RELAY_SCREENSHOTS"), t.TempDir())
	fake := aitest.New(t, model).Listen()
	b := s.newOperator(t, "Ada")
	b.settings("ai", "AI")
	field := func(setting string) string { return `[data-setting="` + setting + `"] .input` }
	test := `[aria-labelledby="settings-ai"] > .buttons .button.small`
	b.until(`!$("#ai form").inert`)
	b.enter(field("aiBaseUrl"), fake)
	b.enter(field("aiModel"), "tiny")
	b.click("#save")
	b.until(`shown("dialog.ask[open]") && document.activeElement.type === "password"`)
	b.press("Escape", 27)
	b.until(`text('[data-setting="aiBaseUrl"] .wrong') === "This is in your own network. Save again to allow it." && !$("dialog.ask[open]")`)
	b.click(test)
	b.until(`shown("dialog.ask[open]")`)
	b.enter(`dialog.ask[open] input`, "sk_wrong")
	b.click(`dialog.ask[open] .button.main`)
	b.until(wrongIn, "dialog.ask[open] input", "This is not the secret key.")
	b.shot(folder, "ai-own-confirm")
	b.accessible("an AI's host to confirm")
	b.enter(`dialog.ask[open] input`, s.secret)
	b.click(`dialog.ask[open] .button.main`)
	b.until(`!$("dialog.ask[open]") && text("#ai blockquote") === "Hello!"`)
	b.enter(field("aiModel"), "other")
	b.click(test)
	b.until(`text("#save-count") !== "1 change" && text("#ai blockquote") === "Hello!" && !$("dialog.ask[open]")`)
	b.shot(folder, "ai-own")
	b.clean("400 (Bad Request)", "403 (Forbidden)")
}

// setUpAI fills in the form of the settings page and returns to the conversation.
func (s *fixture) setUpAI(t *testing.T, b *tab, folder string) {
	here := eval[string](b, `location.hash`)
	field := func(setting string) string { return `[data-setting="` + setting + `"] .input` }
	b.settings("ai", "AI")
	b.until(`text('[data-setting="aiBaseUrl"] .locked') === "Set by AI_BASE_URL"`)
	b.enter(field("aiModel"), "tiny")
	b.enter(field("aiName"), "Robin")
	b.enter(field("aiSystemPrompt"), "We ship to Norway and Sweden within 5 days.")
	b.enter(field("aiTakeoverDelay"), "9999")
	b.click("#save")
	b.until(`text('[data-setting="aiTakeoverDelay"] .wrong').startsWith("Enter a number of seconds from 0 to 3600")`)
	b.enter(field("aiTakeoverDelay"), "0")
	b.click(`[aria-labelledby="settings-ai"] > .buttons .button.small`)
	b.until(`text("#ai blockquote") === "Hello!" && text('[aria-labelledby="settings-ai"]').includes("12 tokens")`)
	b.shot(folder, "ai-settings")
	protocol(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "dark"}}})
	b.do(chromedp.EmulateViewport(390, 844, chromedp.EmulateMobile))
	b.shot(folder, "ai-settings-phone")
	protocol(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{})
	b.do(chromedp.EmulateViewport(1280, 800))
	b.run(`(location.hash = "` + here + `")`)
}
