package assets_test

import (
	"fmt"
	"testing"
	"time"
)

// ready opens a page with the widget of a fresh fake server.
func ready(t *testing.T, attributes string) (*fake, *tab) {
	t.Helper()
	t.Parallel()
	f := newFake(t)
	b := newTab(t, newSite(t, f.url(), snippet(f.url(), attributes)))
	b.visit("/shop?secret=1#part")
	return f, b
}

func TestQuietBeforeFirstOpening(t *testing.T) {
	f, b := ready(t, "")
	b.until(`shown(".launcher")`)
	b.run(`wait(2300)`)
	b.is(`performance.getEntriesByType("resource").filter((r) => r.name.includes("` + f.addr + `")).length === 1`)
	b.is(`document.cookie === "" && localStorage.length === 0`)
	b.is(`RelayChat.isOpen === false && RelayChat("isOpen") === false && RelayChat.unread === 0`)
	if n := f.total(); n != 0 {
		t.Errorf("%d API calls", n)
	}
	b.clean()
}

func TestConversation(t *testing.T) {
	f, b := ready(t, "")
	b.run(`window.heard = [], ["message", "sent", "open", "unread"].forEach((n) => RelayChat.on(n, () => heard.push(n)))`)
	b.open()
	b.is(`root.activeElement === $("textarea")`)
	b.is(`$(".launcher").getAttribute("aria-expanded") === "true"`)
	b.until(`rows().includes("Hello! How can we help?")`)
	b.write("Hi, see https://example.com/a_(b). or javascript:alert(1)")
	b.until(`$(".own .meta")?.textContent.includes("Sent")`)
	b.until(`$$(".own a").map((a) => [a.textContent, a.rel, a.target].join()).join() ===
		"https://example.com/a_(b),noopener noreferrer nofollow ugc,_blank"`)
	f.state(t, "typing", object{"active": true, "operatorName": "Ana"})
	b.until(`shown(".typing") && $(".typing").textContent === "Ana is typing"`)
	f.reply(t, "<b>Hello</b> & welcome")
	b.until(`rows().includes("<b>Hello</b> & welcome") && !shown(".typing")`)
	b.eventually("read receipt", func() bool { return f.count("POST read") == 1 })
	f.do(t, func(s *fakeSession) {
		id := s.messages[0]["id"]
		s.fact("message_read", object{"messageIds": []any{id}, "status": "delivered", "at": now()})
	})
	b.until(`$(".own .meta").textContent.includes("Delivered")`)
	f.do(t, func(s *fakeSession) {
		s.fact("message_read", object{"messageIds": []any{s.messages[0]["id"]}, "status": "read", "at": now()})
	})
	b.until(`$(".own .meta").textContent.includes("Read")`)
	b.shot("light")
	b.is(`heard.includes("message") && heard.includes("sent") && heard.filter((n) => n === "message").length === 1`)
	init := f.bodies("POST init")[0]
	if init["url"] != b.site+"/shop" || init["useSessionToken"] != true {
		t.Errorf("init: %v", init)
	}
	b.clean()
}

func TestEditAndDelete(t *testing.T) {
	f, b := ready(t, "")
	b.open()
	b.write("first")
	b.write("second")
	b.until(`$$(".own.sent").length === 2`)
	b.up()
	b.until(`shown(".editbar") && $("textarea").value === "second"`)
	b.shot("editing")
	b.escape()
	b.until(`!shown(".editbar") && $("textarea").value === ""`)
	b.up()
	b.until(`$("textarea").value === "second"`)
	b.text(" thoughts")
	b.enter()
	b.until(`rows().includes("second thoughts") && $(".own .meta").textContent.includes("edited")`)
	b.eventually("edit", func() bool { return f.count("PATCH messages/{id}") == 1 })
	// By keyboard: up into the log, Delete, and the question has the focus.
	b.run(`$(".log").focus()`)
	b.up()
	b.key("Delete", 46)
	b.until(`root.activeElement?.textContent === "Delete"`)
	b.shot("asking")
	b.escape()
	b.until(`!$$(".meta button").length`)
	b.is(`shown(".panel")`)
	b.run(`$$(".own")[0].focus()`)
	b.click(`.own [aria-label="Delete"]`)
	b.until(`root.activeElement?.textContent === "Delete"`)
	b.enter()
	b.run(`root.activeElement.click()`)
	b.until(`rows()[1] === "Message deleted"`)
	b.eventually("delete", func() bool { return f.count("DELETE messages/{id}") == 1 })
	f.refuse("PATCH messages/{id}", refusal{500, 0, "Internal server error"})
	b.run(`$("textarea").focus()`)
	b.up()
	b.until(`$("textarea").value === "second thoughts"`)
	b.text("!")
	b.enter()
	b.until(`shown(".editbar") && $("textarea").value === "second thoughts!" && rows().includes("second thoughts")`)
}

// TestQuotes: a reply shows what it answers, a click leads there, and visitors
// reply by button and by key.
func TestQuotes(t *testing.T) {
	f, b := ready(t, "")
	b.open()
	b.write("Is the lamp in stock?")
	b.until(`$(".own.sent")`)
	f.do(t, func(s *fakeSession) {
		f.add(s, object{"content": "In clay and sage.", "sender": "operator", "operatorName": "Ana", "replyTo": s.messages[0]["id"]})
	})
	b.until(`$(".theirs .quote")?.textContent === "YouIs the lamp in stock?"`)
	b.click(".theirs .quote")
	b.until(`root.activeElement === $(".own") && $(".own").matches(":focus-visible")`)
	b.run(`$$(".theirs").at(-1).focus()`)
	b.click(`.theirs:focus [aria-label="Reply"]`)
	b.until(`$(".editbar span").textContent === "Reply to Ana: In clay and sage." && root.activeElement === $("textarea")`)
	b.shot("replying")
	b.escape()
	b.until(`!shown(".editbar") && shown(".panel")`)
	b.run(`$$(".theirs").at(-1).focus()`)
	b.key("r", 82)
	b.until(`shown(".editbar") && $$(".editbar button").length === 1`)
	b.write("Sage, please")
	b.until(`$$(".own.sent").length === 2 && $$(".own")[1].querySelector(".quote").textContent === "AnaIn clay and sage." && !shown(".editbar")`)
	f.do(t, func(s *fakeSession) {
		if last := s.messages[2]; last["replyTo"] != s.messages[1]["id"] {
			t.Errorf("stored was %v", last)
		}
	})
	b.shot("quotes")
	b.run(`$(".own").focus()`)
	b.key("Enter", 13)
	b.until(`$(".editbar span").textContent === "Editing a message" && $("textarea").value === "Is the lamp in stock?"`)
	b.clean()
}

// TestTimeline: what happened to the chat stands between its messages, also after a reload.
func TestTimeline(t *testing.T) {
	f, b := ready(t, "")
	b.open()
	b.write("one")
	b.until(`$(".own.sent")`)
	f.do(t, func(s *fakeSession) {
		for _, name := range []string{"session_closed", "session_reopened"} {
			at := now()
			s.timeline = append(s.timeline, object{"type": name, "at": at, "after": s.messages[0]["id"], "data": object{"at": at}})
			s.fact(name, object{"at": at})
		}
		s.timeline = append(s.timeline, object{"type": "csat_submitted", "at": now(), "after": s.messages[0]["id"], "data": object{"score": 4}})
		f.add(s, object{"content": "two", "sender": "operator", "operatorName": "Ana"})
	})
	const shown = `$$(".row .text, .note > span").slice(1).map((n) => n.textContent).join()`
	b.until(shown + ` === "one,Chat closed,Chat reopened,two"`)
	b.run(`location.reload()`)
	b.until(shown + ` === "one,Chat closed,Chat reopened,You rated this chat 4/5. Thank you for your feedback.,two"`)
	f.do(t, func(s *fakeSession) {
		s.status = "closed"
		s.fact("session_closed", object{"at": now()})
	})
	b.until(shown + ` === "one,Chat closed,Chat reopened,You rated this chat 4/5. Thank you for your feedback.,two,This chat was closed. Write again to reopen it."`)
	b.clean()
}

// A quote of a message that is not loaded yet leads there, too.
func TestQuoteOfOldMessage(t *testing.T) {
	f, b := ready(t, "")
	b.open()
	b.write("first")
	b.until(`$(".own.sent")`)
	f.do(t, func(s *fakeSession) {
		for i := range 120 {
			f.add(s, object{"content": fmt.Sprint("line ", i), "sender": "operator", "operatorName": "Ana"})
		}
		f.add(s, object{"content": "about that", "sender": "operator", "operatorName": "Ana", "replyTo": s.messages[0]["id"]})
	})
	b.until(`rows().at(-1) === "about that"`)
	b.run(`location.reload()`)
	b.until(`$(".quote")?.textContent === "An earlier message" && !rows().includes("first")`)
	b.click(".quote")
	b.until(`root.activeElement?.matches(".own") && root.activeElement.textContent.includes("first")`)
	b.click(".jump")
	b.until(`$(".quote")?.textContent === "Youfirst"`)
}

// TestEditOfDeleted: an edit that is refused because the message was deleted
// in another tab takes back itself, not what came since.
func TestEditOfDeleted(t *testing.T) {
	f, b := ready(t, "")
	b.open()
	b.write("first")
	b.until(`$(".own.sent")`)
	hold := make(chan struct{})
	f.mu.Lock()
	f.hold["PATCH messages/{id}"] = hold
	f.mu.Unlock()
	f.refuse("PATCH messages/{id}", refusal{409, 0, "The message is deleted"})
	b.up()
	b.until(`$("textarea").value === "first"`)
	b.text("!")
	b.enter()
	b.until(`rows().includes("first!")`)
	f.do(t, func(s *fakeSession) {
		s.messages[0]["content"], s.messages[0]["deletedAt"] = "", now()
		s.fact("message_deleted", s.messages[0])
	})
	b.until(`rows().includes("Message deleted")`)
	close(hold)
	b.until(`shown(".editbar") && $("textarea").value === "first!"`)
	b.is(`rows().includes("Message deleted") && !rows().includes("first")`)
}

// Messages stand in the server's order, whatever its clock and the network did.
func TestOrderIsTheServers(t *testing.T) {
	f, b := ready(t, "")
	b.open()
	b.write("one")
	b.until(`$(".own.sent")`)
	f.do(t, func(s *fakeSession) {
		f.add(s, object{"content": "clock stepped back", "sender": "operator", "operatorName": "Ana", "timestamp": "2026-01-01T00:00:00.000Z"})
	})
	b.until(`rows().slice(1).join() === "one,clock stepped back"`)
	var streams map[chan fakeEvent]bool
	var sent int
	f.do(t, func(s *fakeSession) {
		streams, s.streams, sent = s.streams, map[chan fakeEvent]bool{}, len(s.events)
		f.add(s, object{"content": "two", "sender": "operator", "operatorName": "Ana"})
	})
	b.write("three")
	b.until(`$$(".own.sent").length === 2 && rows().slice(1).join() === "one,clock stepped back,three"`)
	f.do(t, func(s *fakeSession) {
		s.streams = streams
		// Receipts of the widget may stand among the messages: a stream leaves nothing out.
		for _, e := range s.events[sent:] {
			s.send(e)
		}
	})
	b.until(`rows().slice(1).join() === "one,clock stepped back,two,three"`)
	f.reply(t, "four")
	b.until(`rows().slice(1).join() === "one,clock stepped back,two,three,four"`)
	b.run(`location.reload()`)
	b.until(`rows().slice(1).join() === "one,clock stepped back,two,three,four"`)
	b.clean()
}

func TestResyncAndOlderMessages(t *testing.T) {
	f, b := ready(t, "")
	b.open()
	b.write("mine")
	b.until(`$(".own.sent")`)
	f.do(t, func(s *fakeSession) {
		s.messages = nil
		for i := range 130 {
			f.next++
			s.messages = append(s.messages, object{"id": "x" + string(rune('A'+i%26)) + time.Duration(i).String(), "sessionId": s.id,
				"content": "line " + time.Duration(i).String(), "sender": "operator", "operatorName": "Ana", "attachments": []object{},
				"timestamp": time.Now().Add(time.Duration(i/20*20-9000) * time.Minute).UTC().Format("2006-01-02T15:04:05.000Z")})
		}
		s.send(fakeEvent{name: "resync", data: object{}})
	})
	b.until(`rows().length < 60 && rows().at(-1) === "line 129ns"`)
	b.until(`($(".log").scrollTop = 0, rows()[1] === "line 0s")`)
	b.is(`rows().length <= 101 && rows().slice(2).every((row, i) => row === "line " + (i + 1) + "ns")`) // also those of one time
	b.is(`$$(".day").length >= 1`)
	b.click(".jump")
	b.until(`!shown(".jump")`)
	b.shot("days")
}

// TestManyUnread: more messages than one call may name are all read.
func TestManyUnread(t *testing.T) {
	f, b := ready(t, "")
	b.open()
	b.write("mine")
	b.until(`$(".own.sent")`)
	b.click(".launcher")
	for range 501 {
		f.reply(t, "news")
	}
	b.until(`RelayChat.unread === 501`)
	b.open()
	b.until(`RelayChat.unread === 0`)
	b.clean()
}

func TestOneStreamForAllTabs(t *testing.T) {
	f, b := ready(t, "")
	b.open()
	b.write("from the first tab")
	b.until(`$(".own.sent")`)
	c := b.sibling()
	c.visit("/second")
	c.open()
	c.until(`rows().includes("from the first tab")`)
	f.reply(t, "to both")
	b.until(`rows().includes("to both")`)
	c.until(`rows().includes("to both")`)
	c.write("from the second")
	b.until(`rows().includes("from the second")`)
	if n := f.streams(); n != 1 {
		t.Errorf("%d streams for two tabs", n)
	}
	if n := f.visitors(); n != 1 {
		t.Errorf("%d sessions for two tabs", n)
	}
	// The second tab takes over when the first one leaves.
	b.visit("/none")
	b.do()
	f.reply(t, "after the change")
	c.until(`rows().filter((x) => x === "after the change").length === 1`)
}
