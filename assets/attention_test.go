package assets_test

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// waiting is a page whose visitor has talked and closed the chat.
func waiting(t *testing.T, attributes string) (*fake, *tab) {
	t.Helper()
	f, b := ready(t, attributes)
	b.open()
	b.write("Is anybody there?")
	b.until(`$(".own.sent")`)
	b.click(".launcher")
	b.until(`!shown(".panel")`)
	b.run(`(window.tones = 0, document.addEventListener("relay:tone", () => tones++))`)
	return f, b
}

// A closed chat shows who wrote and what, counts in the title, and sounds once.
func TestPreview(t *testing.T) {
	f, b := waiting(t, "")
	f.reply(t, "Yes! The parcel left this morning and should be with you on Tuesday, as far as the carrier tells us today.")
	b.until(`shown(".preview") && $(".preview b").textContent === "Ana" && $(".two").textContent.startsWith("Yes! The parcel")`)
	b.is(`$(".preview .avatar").textContent === "A" && $(".two").getBoundingClientRect().height < 50`)
	b.until(`document.title === "(1) Shop" && tones === 1`)
	b.shot("preview")
	b.run(`(document.title = "Cart", document.documentElement.style.colorScheme = "dark")`)
	f.reply(t, "Anything else?")
	b.until(`document.title === "(2) Cart" && $(".two").textContent === "Anything else?" && $(".badge").textContent === "2"`)
	b.is(`getComputedStyle($(".preview")).backgroundColor === "rgb(23, 26, 34)"`)
	b.shot("dark")
	b.click(".put")
	b.until(`!$(".preview") && $(".badge").textContent === "2"`)
	b.visit("/later")
	b.until(`$(".badge")?.textContent === "2" && document.title === "(2) Shop"`)
	b.is(`!$(".preview")`) // what was put away stays away
	f.reply(t, "Hello?")
	b.until(`shown(".preview")`)
	b.click(".peek")
	b.until(`shown(".panel") && !$(".preview") && document.title === "Shop" && $(".badge").textContent === ""`)
	b.clean()
}

// No tone after "Turn sounds off", with data-sound="false", nor for what came before
// the page was used.
func TestSilence(t *testing.T) {
	f, b := waiting(t, `data-sound="false"`)
	f.reply(t, "one")
	b.until(`shown(".preview")`)
	b.run(`RelayChat.open()`)
	b.until(`shown(".panel")`)
	b.click(".more")
	b.until(`$$("[role=menuitem]").length === 4`) // no word of sounds
	b.run(`wait(300)`)
	b.is(`tones === 0`)

	g, c := waitingAgain(t)
	c.run(`RelayChat.open()`)
	c.until(`shown(".panel")`)
	c.click(".more")
	c.shot("menu")
	c.until(`shown(".menu")`)
	c.run(`$$("[role=menuitem]").find((n) => n.textContent === "Turn sounds off").click()`)
	c.click(".launcher")
	g.reply(t, "two")
	c.until(`shown(".preview")`)
	c.run(`wait(300)`)
	c.is(`tones === 0`)
	c.clean()
}

// waitingAgain is a second fake with a page of its own.
func waitingAgain(t *testing.T) (*fake, *tab) {
	t.Helper()
	f := newFake(t)
	b := newTab(t, newSite(t, f.url(), snippet(f.url(), "")))
	b.visit("/shop")
	b.open()
	b.write("Hello?")
	b.until(`$(".own.sent")`)
	b.click(".launcher")
	b.until(`!shown(".panel")`)
	b.run(`(window.tones = 0, document.addEventListener("relay:tone", () => tones++))`)
	return f, b
}

// Of several tabs one sounds.
func TestOneToneForAllTabs(t *testing.T) {
	f, b := waiting(t, "")
	c := b.sibling()
	c.visit("/second")
	c.open()
	c.until(`rows().includes("Is anybody there?")`)
	c.click("h2")
	c.click(".launcher")
	c.until(`!shown(".panel")`)
	c.run(`(window.tones = 0, document.addEventListener("relay:tone", () => tones++))`)
	f.reply(t, "Yes")
	b.until(`shown(".preview")`)
	c.until(`shown(".preview")`)
	tones := func() int { return eval[int](b, `tones`) + eval[int](c, `tones`) }
	b.eventually("a tone", func() bool { return tones() > 0 })
	b.run(`navigator.locks.query()`) // answered after the requests for the tone's lock
	c.run(`navigator.locks.query()`)
	if n := tones(); n != 1 {
		t.Errorf("%d tones", n)
	}
}

// The first screen: a greeting, questions to start with, the hours, and one click
// that sends a question.
func TestFirstScreen(t *testing.T) {
	f, b := ready(t, "")
	f.mu.Lock()
	f.online = false
	f.config["starters"] = []string{"Where is my order?", "Do you ship to Norway?", "How do I return something?"}
	f.config["texts"] = object{"de": object{"starters": []string{"Wo ist meine Bestellung?"}}}
	day := time.Now().AddDate(0, 0, 1)
	at := func(hour int) string {
		return time.Date(day.Year(), day.Month(), day.Day(), hour, 0, 0, 0, time.Local).UTC().Format(time.RFC3339)
	}
	f.hours = []object{{"from": at(9), "to": at(17)}}
	f.backAt = at(9)
	f.mu.Unlock()
	b.open()
	b.until(`$$(".starter").map((n) => n.textContent).join("|") === "Where is my order?|Do you ship to Norway?|How do I return something?"`)
	b.until(`$(".panel").matches(".fresh") && $$(".meta").length === 0 && $$(".panel").map((n) => n.textContent.split("Ana").length - 1).join() === "2"`)
	b.until(`parseFloat(getComputedStyle($(".theirs .bubble")).fontSize) > 20`) // the welcome is a headline
	b.run(`$("summary").click()`)
	b.until(`$$(".start tr").length === 7 && $$(".start td")[0].textContent === "Closed" && $$(".start td")[1].textContent.includes("9:00")`)
	b.shot("home")
	b.run(`RelayChat.setLocale("de")`)
	b.until(`$$(".starter").map((n) => n.textContent).join() === "Wo ist meine Bestellung?"`)
	b.run(`RelayChat.setLocale("en")`)
	b.until(`$$(".starter").length === 3`)
	b.click(".starter")
	b.until(`rows().at(-1) === "Where is my order?" && $(".own.sent") && !shown(".start") && !$(".panel").matches(".fresh")`)
	b.is(`getComputedStyle($(".theirs .bubble")).fontSize === "15px"`)
	f.do(t, func(s *fakeSession) {
		f.add(s, object{"content": "Let me look.", "sender": "operator", "operatorName": "Bea"})
	})
	b.until(`$("h2").textContent === "Bea" && $(".head .avatar").textContent === "B"`) // who has joined
	b.shot("joined")
	b.clean()
}

// More than one conversation: a new one by choice, the earlier ones in a list, each
// to go on with.
func TestSeveralConversations(t *testing.T) {
	f, b := ready(t, "")
	b.open()
	b.write("about shoes")
	b.until(`$(".own.sent")`)
	f.do(t, func(s *fakeSession) {
		s.status = "closed"
		s.fact("session_closed", object{"at": now()})
	})
	b.until(`shown(".note .chip")`)
	b.shot("closed")
	b.click(".note .chip")
	b.until(`!rows().includes("about shoes") && rows().length === 1 && $(".panel").matches(".fresh")`)
	b.until(`$(".presence").textContent === "Online now"`)
	b.write("about lamps")
	b.until(`$(".own.sent") && rows().join() === "Hello! How can we help?,about lamps"`)
	if n := f.visitors(); n != 2 {
		t.Errorf("%d sessions", n)
	}
	b.click(".more")
	b.until(`shown(".menu") && root.activeElement.textContent === "New conversation" && $(".more").ariaExpanded === "true"`)
	b.key("ArrowDown", 40)
	b.until(`root.activeElement.textContent === "Your conversations"`)
	b.run(`root.activeElement.click()`)
	b.until(`shown(".chats") && $$(".chat span").map((n) => n.textContent).join() === "about lamps,about shoes"`)
	b.is(`$(".chat").ariaCurrent === "true" && $$(".chat[aria-current]").length === 1 && root.activeElement.matches(".chatshead button")`)
	b.shot("list")
	b.escape()
	b.until(`!$(".chats") && root.activeElement === $(".more") && shown(".panel")`)
	b.click(".more")
	b.until(`shown(".menu")`)
	b.run(`$$("[role=menuitem]")[1].click()`)
	b.click(".chat") // the present one: back to it
	b.until(`!$(".chats") && rows().at(-1) === "about lamps"`)
	b.click(".more")
	b.until(`shown(".menu")`)
	b.run(`$$("[role=menuitem]")[1].click()`)
	b.click(".chat:not([aria-current])")
	b.until(`rows().join() === "Hello! How can we help?,about shoes" && shown(".note .chip")`)
	b.write("one more thing")
	b.until(`$$(".own.sent").length === 2`)
	b.visit("/next")
	b.until(`shown(".panel")`)
	b.until(`rows().includes("one more thing") && !rows().includes("about lamps")`) // init answers the current one
	b.click(".more")
	b.until(`shown(".menu")`)
	b.run(`$$("[role=menuitem]")[1].click()`)
	b.until(`$$(".chat span").map((n) => n.textContent).join() === "one more thing,about lamps"`)
	if n := f.visitors(); n != 2 {
		t.Errorf("%d sessions", n)
	}
	b.clean()
}

// A visitor ends the conversation by the menu, after a question, or the page does.
func TestVisitorEnds(t *testing.T) {
	f, b := ready(t, "")
	b.open()
	b.write("thanks")
	b.until(`$(".own.sent")`)
	b.click(".more")
	b.until(`shown(".menu")`)
	b.run(`$$("[role=menuitem]").at(-1).click()`)
	b.until(`shown(".menu.ask") && root.activeElement.textContent === "End conversation"`)
	b.shot("ask")
	b.escape()
	b.until(`!$(".menu")`)
	if f.count("POST close") != 0 {
		t.Error("it was ended without an answer")
	}
	b.click(".more")
	b.until(`shown(".menu")`)
	b.run(`$$("[role=menuitem]").at(-1).click()`)
	b.until(`shown(".menu.ask")`)
	b.run(`root.activeElement.click()`)
	b.until(`$(".note .chip") && !$(".menu")`)
	b.run(`RelayChat.endChat()`)
	b.eventually("the page's end", func() bool { return f.count("POST close") == 2 })
	b.clean()
}

// The transcript is a text file with every message, also those not loaded yet.
func TestTranscript(t *testing.T) {
	f, b := ready(t, "")
	b.open()
	b.write("first question")
	b.until(`$(".own.sent")`)
	f.do(t, func(s *fakeSession) {
		for i := range 70 {
			f.add(s, object{"content": fmt.Sprint("line ", i), "sender": "operator", "operatorName": "Bea"})
		}
		f.add(s, object{"content": "", "sender": "operator", "operatorName": "Bea", "attachments": []object{attachment("bill.pdf")}})
	})
	b.until(`rows().includes("line 69")`)
	b.visit("/later")
	b.until(`shown(".panel") && rows().includes("line 69")`)
	b.run(`(() => { const make = URL.createObjectURL; URL.createObjectURL = (blob) => (window.made = blob, make(blob));
		HTMLAnchorElement.prototype.click = function () { window.saved = this.download; }; })()`)
	b.run(`RelayChat.requestTranscript()`)
	b.until(`window.saved?.startsWith("conversation-") && saved.endsWith(".txt")`)
	text := eval[string](b, `made.text()`)
	for _, want := range []string{"Conversation with Ana", "You\nfirst question", "Bea\nline 0\n", "line 69", "[bill.pdf]", "Continue the conversation: " + f.url() + "/c/"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in the transcript:\n%s", want, text)
		}
	}
	b.clean()
}
