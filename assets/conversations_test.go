package assets_test

import (
	"strings"
	"testing"
)

// hurry cuts the random waits between tries short; only they are no whole numbers.
const hurry = `(() => { const real = setTimeout;
	window.setTimeout = (f, ms, ...rest) => real(f, Number.isInteger(ms) ? ms : 10, ...rest); })()`

var unavailable = []refusal{{status: 503}, {status: 503}, {status: 503}, {status: 503}}

// another begins a new conversation by the menu.
func (b *tab) another() {
	b.Helper()
	b.run(`$(".more").click()`)
	b.until(`$(".menu")?.textContent.includes("New conversation")`)
	b.run(`[...$$(".menu button")].find((x) => x.textContent === "New conversation").click()`)
	b.until(`!$(".own") && $(".presence").textContent !== "Connecting…"`)
}

// has waits until the visitor's texts of a session are these.
func (f *fake) has(b *tab, session int, texts string) {
	b.Helper()
	b.eventually("in session "+string(rune('0'+session))+": "+texts+", have "+f.texts(session), func() bool { return f.texts(session) == texts })
}

// A message that waits goes to the conversation for which it was typed, although the
// visitor has begun another one since.
func TestMessageStaysInItsConversation(t *testing.T) {
	f, b := ready(t, "")
	b.open()
	b.write("About order 1")
	b.until(`$(".own.sent")`)
	b.run(hurry)
	f.refuse("POST messages", unavailable...)
	b.write("My card ends in 4242")
	b.until(`$(".own.failed")`)
	b.another()
	b.write("About a job")
	b.until(`$(".own.sent") && rows().join() === "Hello! How can we help?,About a job"`)
	f.has(b, 1, "About order 1, My card ends in 4242")
	f.has(b, 2, "About a job")
	// The same after a reload: what failed is sent by the next page, to where it belongs.
	f.refuse("POST messages", unavailable...)
	b.write("for the job")
	b.until(`$(".own.failed")`)
	b.run(`localStorage.setItem("relay:pk_test:session", JSON.stringify(JSON.parse(localStorage.getItem("relay:pk_test:chats"))[0]))`)
	b.visit("/other")
	b.until(`shown(".panel") && rows().includes("About order 1")`)
	f.has(b, 2, "About a job, for the job")
	b.is(`!rows().includes("for the job") && !$(".own.sending, .own.failed")`)
	f.has(b, 1, "About order 1, My card ends in 4242")
}

// Two tabs have a conversation each: what a tab shows is where it writes to.
func TestTabsWithTwoConversations(t *testing.T) {
	f, b := ready(t, "")
	b.open()
	b.write("one")
	b.until(`$(".own.sent")`)
	c := b.sibling()
	c.visit("/second")
	c.open()
	c.until(`rows().includes("one")`)
	b.another()
	b.write("two")
	b.until(`$(".own.sent")`)
	c.write("more of one")
	c.until(`$$(".own.sent").length === 2 && rows().join().endsWith("one,more of one")`)
	f.has(b, 1, "one, more of one")
	f.has(b, 2, "two")
	b.is(`rows().join().endsWith("help?,two")`)
	// Each keeps its place in the list of earlier ones.
	c.another()
	c.is(`JSON.parse(localStorage.getItem("relay:pk_test:chats"))[0].text === "more of one"`)
}

// A conversation that the server lost goes on in the next one, in all tabs, and with what waits.
func TestLostConversationGoesOn(t *testing.T) {
	f, b := ready(t, "")
	b.open()
	b.write("one")
	b.until(`$(".own.sent")`)
	c := b.sibling()
	c.visit("/second")
	c.open()
	c.until(`rows().includes("one")`)
	b.run(hurry)
	c.run(hurry)
	f.do(t, func(s *fakeSession) { s.erased = true })
	b.write("two")
	f.has(b, 2, "two")
	c.write("three")
	f.has(b, 2, "two, three")
	if n := f.visitors(); n != 2 {
		t.Errorf("%d sessions", n)
	}
}

// What the visitor has discarded in one tab is not sent by another.
func TestDiscardedInAnotherTab(t *testing.T) {
	f, b := ready(t, "")
	b.open()
	b.write("hi")
	b.until(`$(".own.sent")`)
	b.run(hurry)
	for range 6 {
		f.refuse("POST messages", unavailable...)
	}
	b.write("You are useless")
	b.until(`$(".own.failed")`)
	c := b.sibling()
	c.visit("/second")
	c.run(hurry)
	c.open()
	c.until(`$(".own.failed")`)
	b.run(`[...$$(".own.failed button")].find((x) => x.textContent === "Discard").click()`)
	b.until(`!$(".own.failed")`)
	f.mu.Lock()
	f.refusals = map[string][]refusal{}
	f.mu.Unlock()
	c.write("Good evening")
	c.until(`$$(".own.sent").length === 2 && !$(".own.failed")`)
	f.has(b, 1, "hi, Good evening")
}

// A file that the server no longer has makes one message unsendable, not the chat.
func TestFileIsGone(t *testing.T) {
	f, b := ready(t, "")
	b.open()
	b.write("hello")
	b.until(`$(".own.sent")`)
	b.run(hurry)
	f.mu.Lock()
	f.gone = true
	f.mu.Unlock()
	b.paste(`new File(["x"], "shot.png", { type: "image/png" })`)
	b.until(`$$(".tray li").length === 1 && !$("progress")`)
	b.write("Here is the broken part")
	b.until(`$(".own.failed")`)
	posts := f.count("POST messages")
	b.run(`[...$$(".own.failed button")].find((x) => x.textContent === "Try again").click()`)
	b.eventually("another try", func() bool { return f.count("POST messages") > posts })
	b.until(`$(".own.failed")`)
	b.write("Can you hear me?")
	f.has(b, 1, "hello, Can you hear me?")
	b.until(`$$(".own.sent").length === 2 && $(".presence").textContent !== "Connecting…"`)
	if n := f.visitors(); n != 1 {
		t.Errorf("%d sessions", n)
	}
}

// A tab that its browser put to sleep while it began the session does not keep the others waiting.
func TestSleepingTabHoldsTheLock(t *testing.T) {
	f, b := ready(t, "")
	c := b.sibling()
	c.visit("/second")
	c.run(`new Promise((held) => { navigator.locks.request("relay-init:pk_test", () => (held(true), new Promise(() => {}))) })`)
	// Only the wait for the lock is five seconds.
	b.run(`(() => { const real = setTimeout; window.setTimeout = (f, ms, ...rest) => real(f, ms === 5000 ? 50 : ms, ...rest); })()`)
	b.open()
	b.write("hello")
	b.until(`$(".own.sent")`)
	f.has(b, 1, "hello")
	b.clean()
}

// Old Prototype gives arrays and texts a toJSON, which JSON.stringify asks.
func TestPrototypesJSON(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	old := `(Array.prototype.toJSON = function () { return "[" + this.join(",") + "]" }, String.prototype.toJSON = function () { return '"' + this + '"' }, RelayChat.init())`
	b := newTab(t, newSite(t, f.url(), snippet(f.url(), `data-auto="false"`)))
	b.visit("/shop")
	b.until(`window.RelayChat?.version`)
	b.run(old)
	b.open()
	b.paste(`new File(["x"], "shot.png", { type: "image/png" })`)
	b.until(`$$(".tray li").length === 1 && !$("progress")`)
	b.write("hello")
	b.until(`$(".own.sent img")`)
	body := f.bodies("POST messages")[0]
	if ids, _ := body["attachmentIds"].([]any); body["content"] != "hello" || len(ids) != 1 {
		t.Errorf("sent %v", body)
	}
	b.visit("/second")
	b.until(`window.RelayChat?.version`)
	b.run(old)
	b.until(`shown(".panel") && rows().some((x) => x.includes("hello"))`)
	b.clean()
}

// A second snippet with another key is told that it has no effect; one with the same is not.
func TestSecondKeyIsToldOf(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	again := strings.Replace(snippet(f.url(), ""), "async ", "", 1) // async ones run in any order, and the first one counts
	other := strings.Replace(again, "pk_test", "pk_other", 1)
	b := newTab(t, newSite(t, f.url(), again+again+other))
	b.visit("/shop")
	b.until(`shown(".launcher")`)
	b.run(`(window.warned = [], console.warn = (...words) => warned.push(words.join(" ")), RelayChat.init())`)
	b.until(`warned.length > 0`)
	b.is(`warned.every((x) => x === "relay: this page has a chat with another key than pk_other")`)
	b.is(`document.querySelectorAll("relay-chat").length === 1`)
	b.open()
	b.clean()
}
