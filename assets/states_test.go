package assets_test

import (
	"fmt"
	"strings"
	"time"
)

// A state is something that visitors see: what makes it of a page that has
// just come, in any language.
type state struct {
	name string
	make func(f *fake, b *tab)
	// settings change the fake server before the page comes.
	settings func(f *fake)
	// attributes of the snippet.
	attributes string
}

// states are all that the widget can look like.
var states = []state{
	{name: "launcher", make: func(_ *fake, b *tab) { b.until(`shown(".launcher")`) }},
	{name: "preview", make: func(f *fake, b *tab) {
		b.says("Is anybody there?")
		b.run(`RelayChat.close()`)
		f.do(b.T, func(s *fakeSession) {
			f.add(s, object{"content": "Yes! The parcel left this morning and should be with you on Tuesday, as far as the carrier tells us.",
				"sender": "operator", "operatorName": "Ana", "operatorId": "ana"})
		})
		b.until(`shown(".preview") && shown(".badge") && $(".preview img")?.complete`)
	}},
	{name: "badge", make: func(f *fake, b *tab) {
		b.says("Is anybody there?")
		b.run(`RelayChat.close()`)
		f.reply(b.T, "Yes")
		b.click(".put")
		b.until(`!$(".preview") && shown(".badge")`)
	}},
	{name: "proactive", attributes: "data-proactive", settings: func(f *fake) {
		f.rules = []object{{"id": "prices", "text": "Questions about prices? We are here."}}
	}, make: func(_ *fake, b *tab) { b.until(`shown(".preview")`) }},
	{name: "greeting", make: func(_ *fake, b *tab) {
		b.opened()
		b.run(`RelayChat.trigger("cart", {}, { openWith: "Need help with your cart?" })`)
		b.until(`$$(".row").length === 2 && $(".line .avatar")`)
	}},
	{name: "home", settings: welcoming, make: func(_ *fake, b *tab) {
		b.opened()
		b.until(`$$(".starter").length === 3`)
		b.run(`$("summary").click()`)
	}},
	{name: "form", settings: asking, make: func(_ *fake, b *tab) {
		b.run(`RelayChat.open()`)
		b.until(`shown(".form")`)
	}},
	{name: "form with errors", settings: asking, make: func(_ *fake, b *tab) {
		b.run(`RelayChat.open()`)
		b.until(`shown(".form")`)
		b.run(`$("#f-email").value = "nobody"`)
		b.run(`$(".form .main").click()`)
		b.until(`$$(".why").filter((n) => n.textContent).length === 3`)
	}},
	{name: "texts", make: allTexts},
	{name: "answers", make: aiAnswer},
	{name: "files", make: allFiles},
	{name: "failed", make: func(f *fake, b *tab) {
		b.says("Do you ship to Norway?")
		f.refuse("POST messages", refusal{400, 0, "no"})
		b.write("And when would it be here?")
		b.until(`$(".failed")`)
	}},
	{name: "replying", make: func(f *fake, b *tab) {
		b.says("Do you ship to Norway?")
		f.reply(b.T, "Yes, and to Sweden, to Denmark, to Finland and to Iceland: within five days wherever you are.")
		b.until(`$$(".theirs").length === 2`)
		b.run(`$$(".theirs").at(-1).focus()`)
		b.key("r", 82)
		b.until(`shown(".editbar")`)
	}},
	{name: "deleting", make: func(_ *fake, b *tab) {
		b.says("Do you ship to Norway?")
		b.run(`$(".own").focus()`)
		b.key("Delete", 46)
		b.until(`shown(".ask")`)
	}},
	{name: "emoji", make: func(_ *fake, b *tab) {
		b.says("Do you ship to Norway?")
		b.run(`$(".smile").click()`)
		b.until(`shown(".emoji")`)
	}},
	{name: "tray", make: fullTray},
	{name: "lightbox", make: func(f *fake, b *tab) {
		allFiles(f, b)
		b.run(`$(".picture").click()`)
		b.until(`shown(".lightbox") && $(".lightbox img").complete`)
	}},
	{name: "recording", settings: func(f *fake) { f.config["attachments"] = object{"enabled": true, "maxBytes": 1 << 20} }, make: func(_ *fake, b *tab) {
		b.says("Do you ship to Norway?")
		b.until(`$$(".entry .plain").length === 3`)
		b.run(`$$(".entry .plain")[2].click()`)
		b.until(`shown(".voice") && $(".wave path").getAttribute("d").length > 100`)
	}},
	{name: "contact", settings: away, make: handedOver},
	{name: "contact with errors", settings: away, make: func(f *fake, b *tab) {
		handedOver(f, b)
		b.run(`$("#f-email").value = "nobody"`)
		b.run(`$(".contact .main").click()`)
		b.until(`$(".contact [aria-invalid]")`)
	}},
	{name: "rating", make: func(f *fake, b *tab) { rating(f, b, 4) }},
	{name: "rating by stars", settings: func(f *fake) { f.config["csat"] = object{"enabled": true, "style": "stars"} }, make: func(f *fake, b *tab) {
		rating(f, b, 3)
	}},
	{name: "rated", make: func(f *fake, b *tab) {
		rating(f, b, 4)
		b.run(`$(".csat .main").click()`)
		b.until(`!shown(".csat") && shown(".note")`)
	}},
	{name: "menu", make: func(_ *fake, b *tab) {
		b.says("Do you ship to Norway?")
		b.run(`$(".more").click()`)
		b.until(`$$("[role=menuitem]").length === 5`)
	}},
	{name: "another device", make: func(_ *fake, b *tab) {
		b.says("Do you ship to Norway?")
		b.run(`$(".more").click()`)
		b.until(`shown(".menu")`)
		b.run(`$$("[role=menuitem]")[1].click()`)
		b.until(`shown(".device .code")`)
	}},
	{name: "ending", make: func(_ *fake, b *tab) {
		b.says("Do you ship to Norway?")
		b.run(`$(".more").click()`)
		b.until(`shown(".menu")`)
		b.run(`$$("[role=menuitem]").at(-1).click()`)
		b.until(`shown(".ask")`)
	}},
	{name: "conversations", make: func(_ *fake, b *tab) {
		b.says("Do you ship to Norway, and what would it cost to have three lamps there by Friday?")
		b.run(`$(".more").click()`)
		b.until(`shown(".menu")`)
		b.run(`$("[role=menuitem]").click()`)
		b.until(`!$(".own")`)
		b.run(`$(".more").click()`)
		b.until(`$$("[role=menuitem]").length === 2`)
		b.run(`$("[role=menuitem]").click()`)
		b.until(`shown(".chats")`)
	}},
	{name: "closed", make: func(f *fake, b *tab) {
		b.says("Thanks!")
		f.fact(b.T, "session_closed", object{"at": now()})
		b.until(`shown(".note .chip")`)
	}},
	{name: "away", settings: func(f *fake) {
		f.online, f.backAt = false, time.Now().Add(50*time.Hour).UTC().Format(time.RFC3339)
	}, make: func(_ *fake, b *tab) { b.says("Do you ship to Norway?") }},
	{name: "connection lost", make: func(f *fake, b *tab) {
		b.says("Do you ship to Norway?")
		f.stop()
		b.until(`shown(".lost") && $(".lost").offsetHeight > 20`)
	}},
	{name: "blocked", make: func(f *fake, b *tab) {
		b.says("Do you ship to Norway?")
		f.refuse("POST messages", refusal{403, 0, "Blocked"})
		b.write("Hello?")
		b.until(`shown(".stop")`)
	}},
}

// opened opens the chat and waits until it can be used, whatever its language.
func (b *tab) opened() {
	b.Helper()
	b.run(`RelayChat.open()`)
	b.until(`shown(".panel") && $(".smile") && $(".presence").textContent.at(-1) !== "…"`)
}

// says opens the chat and says something.
func (b *tab) says(text string) {
	b.Helper()
	b.opened()
	b.write(text)
	b.until(`$(".own.sent")`)
}

func welcoming(f *fake) {
	day := time.Now().AddDate(0, 0, 1)
	f.config["starters"] = []string{"Where is my order?", "Do you ship to Norway, and what does it cost to have it there by Friday?", "How do I return something?"}
	for i := range 4 {
		at := func(hour int) string {
			return time.Date(day.Year(), day.Month(), day.Day()+i, hour, 0, 0, 0, time.Local).UTC().Format(time.RFC3339)
		}
		f.hours = append(f.hours, object{"from": at(9), "to": at(12)}, object{"from": at(13), "to": at(17)})
	}
}

func asking(f *fake) {
	f.config["preChatForm"] = object{"required": true, "timing": "before_first_message", "fields": []object{
		{"name": "name", "type": "text", "label": "Your name", "required": true},
		{"name": "email", "type": "email", "label": "E-mail", "required": true},
		{"name": "topic", "type": "select", "label": "Topic", "required": false, "options": []string{"Sales", "Help"}},
		{"name": "terms", "type": "checkbox", "label": "I agree that my data is stored, as the notice on privacy says", "required": true},
	}}
}

func allTexts(f *fake, b *tab) {
	b.says("Is the lamp in stock? I would need " + strings.Repeat("so many ", 12))
	f.do(b.T, func(s *fakeSession) {
		first := s.messages[0]["id"]
		f.add(s, object{"content": "In **clay** and _sage_:\n- one\n- two\n`code` and https://shop.example/" + strings.Repeat("long", 20), "sender": "operator",
			"operatorName": "Ana", "operatorId": "ana", "replyTo": first})
		f.add(s, object{"content": "gone", "sender": "operator", "operatorName": "Ana", "operatorId": "ana", "deletedAt": now()})
		f.add(s, object{"content": "👍", "sender": "operator", "operatorName": "Ana", "operatorId": "ana"})
		f.add(s, object{"content": "```\nlet lamps = 3;\n```", "sender": "operator", "operatorName": "Bartholomew Montgomery-Featherstonehaugh"})
	})
	b.until(`$("pre") && $(".big") && $$(".quote").length === 1`)
	b.write("Two, then")
	b.until(`$$(".own.sent").length === 2`)
	f.do(b.T, func(s *fakeSession) {
		last := s.messages[len(s.messages)-1]
		last["content"], last["editedAt"] = "Three, then", now()
		s.fact("message_edited", last)
		s.fact("message_read", object{"messageIds": []any{last["id"]}, "status": "read", "at": now()})
	})
	b.until(`$$(".own.read").length === 1`)
}

func aiAnswer(f *fake, b *tab) {
	b.says("Do you ship to Norway?")
	f.do(b.T, func(s *fakeSession) {
		s.fact("ai_takeover", object{"active": true})
		f.add(s, object{"content": "Yes, within 5 days [1], and there are house rules [2].", "sender": "ai", "operatorName": "Robin", "sources": []object{
			{"title": "Shipping & delivery", "url": f.url() + "/shipping"}, {"title": "House rules", "url": ""},
			{"title": "", "url": "https://shop.example/a/very/long/address/that/does/not/fit/into/the/window/at/all"}}})
		s.send(fakeEvent{name: "typing", data: object{"active": true, "operatorName": "Robin"}})
	})
	b.until(`shown(".sources") && shown(".typing") && shown(".row > .chip")`)
}

func away(f *fake) { f.online = false }

// handedOver asks who writes, as the AI has handed over while nobody is there.
func handedOver(f *fake, b *tab) {
	b.says("Do you ship to Norway?")
	f.handOver(b.T, true)
	b.until(`shown(".contact")`)
}

func allFiles(f *fake, b *tab) {
	b.says("How does it look?")
	f.do(b.T, func(s *fakeSession) {
		f.add(s, object{"content": "Like **this**:", "sender": "operator", "operatorName": "Ana", "operatorId": "ana",
			"attachments": []object{attachment("one.png"), attachment("two.png")}})
		f.add(s, object{"content": "", "sender": "operator", "operatorName": "Ana", "operatorId": "ana", "attachments": []object{
			attachment("prices-of-all-lamps-of-this-winter-and-of-the-summer-to-come.pdf"), attachment("a.txt"), attachment("voice.ogg")}})
	})
	b.until(`$$(".picture img").length === 2 && $$(".picture img").every((i) => i.complete) && shown(".player")`)
}

func fullTray(f *fake, b *tab) {
	b.says("How does it look?")
	b.run(`(async () => { const c = document.createElement("canvas"); c.width = c.height = 40; c.getContext("2d").fillRect(9, 9, 20, 20);
		window.lamp = new File([await new Promise((r) => c.toBlob(r))], "lamp.png", { type: "image/png" }) })()`)
	b.paste(`lamp, new File(["<svg/>"], "a-drawing-with-a-name-that-is-far-too-long-for-one-line.svg", { type: "image/svg+xml" })`)
	b.until(`$(".tray canvas") && $(".tray .bad") && !$("progress")`)
	hold := make(chan struct{})
	b.Cleanup(func() { close(hold) })
	f.mu.Lock()
	f.hold["POST attachments"] = hold
	f.mu.Unlock()
	b.paste(`new File(["x"], "notes.txt", { type: "text/plain" })`)
	b.until(`shown("progress")`)
}

func rating(f *fake, b *tab, score int) {
	b.says("Thanks!")
	f.fact(b.T, "csat_request", object{"at": now()})
	b.until(`shown(".csat")`)
	b.run(fmt.Sprintf(`$$(".csat input")[%d].click()`, score-1))
	b.until(`shown(".csat textarea")`)
}
