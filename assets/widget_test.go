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

func TestResumeAfterReload(t *testing.T) {
	f, b := ready(t, "")
	b.open()
	b.write("before the reload")
	b.until(`$(".own.sent")`)
	b.run(`$("textarea").focus()`)
	b.text("half a thou")
	b.click(".launcher")
	b.until(`!shown(".panel") && root.activeElement === $(".launcher")`)
	b.visit("/other")
	b.eventually("stream of the closed chat", func() bool { return f.streams() == 1 })
	b.is(`!$(".panel")`)
	f.reply(t, "are you there?")
	b.until(`$(".badge").textContent === "1" && $(".launcher").ariaLabel === "Open chat, 1 unread message"`)
	b.shot("badge")
	b.is(`RelayChat.unread === 1`)
	b.open()
	b.until(`rows().join() === "Hello! How can we help?,before the reload,are you there?"`)
	b.is(`$("textarea").value === "half a thou"`)
	b.until(`RelayChat.unread === 0 && $(".badge").textContent === ""`)
	b.eventually("disconnect", func() bool { return f.count("POST disconnect") == 1 })
	if d := f.bodies("POST disconnect")[0]; d["reason"] != "page_unload" {
		t.Errorf("disconnect: %v", d)
	}
	// An open chat is open again on the next page, but takes no focus.
	b.visit("/third")
	b.until(`shown(".panel") && rows().length === 3`)
	b.is(`root.activeElement === null`)
	if n := f.visitors(); n != 1 {
		t.Errorf("%d sessions", n)
	}
	b.clean()
}

func TestServerRestart(t *testing.T) {
	f, b := ready(t, "")
	b.open()
	b.write("one")
	b.until(`$(".own.sent")`)
	f.stop()
	b.until(`$(".lost").checkVisibility()`)
	// A short break is not reported, and moves nothing.
	b.is(`$(".lost").getAnimations().every((a) => (a.pause(), a.currentTime = 0, $(".lost").offsetHeight === 0))`)
	b.run(`$(".lost").getAnimations().forEach((a) => a.finish())`)
	b.until(`$(".lost").offsetHeight > 20`)
	b.is(`$(".presence").textContent === "Connecting…" && !$(".presence.on")`) // who is there is not known
	b.write("two")
	b.until(`$(".own.sending, .own.failed")`)
	f.do(t, func(s *fakeSession) {
		f.add(s, object{"content": "while away", "sender": "operator", "operatorName": "Ana"})
	})
	f.start(t)
	b.until(`$$(".own.sent").length === 2 && !shown(".lost")`)
	b.until(`rows().filter((x) => x === "while away").length === 1 && rows().filter((x) => x === "two").length === 1`)
	f.do(t, func(s *fakeSession) {
		if len(s.messages) != 3 {
			t.Errorf("messages: %v", s.messages)
		}
	})
}

// However long an outage lasts, a page that is looked at asks every 2.5 seconds
// at most, and is woken at once when the browser is online again.
func TestOutageIsNoticedToEnd(t *testing.T) {
	f, b := ready(t, "")
	b.open()
	b.write("one")
	b.until(`$(".own.sent")`)
	// Only the random waits between tries are no whole numbers. They are recorded and cut short.
	b.run(`(() => { const real = setTimeout; window.waits = [];
		window.setTimeout = (f, ms, ...rest) => real(f, Number.isInteger(ms) ? ms : (waits.push(ms), 10), ...rest); })()`)
	f.stop()
	b.until(`waits.length >= 12`)
	if longest := eval[float64](b, `Math.max(...waits)`); longest > 2500 {
		t.Errorf("it waits %.0f ms", longest)
	}
	b.run(`(() => { const real = setTimeout; window.setTimeout = (f, ms, ...rest) => Number.isInteger(ms) ? real(f, ms, ...rest) : (window.asleep = true, 0); })()`)
	b.until(`window.asleep`)
	f.start(t)
	b.until(`(dispatchEvent(new Event("online")), !shown(".lost"))`)
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
	f.do(t, func(s *fakeSession) {
		streams, s.streams = s.streams, map[chan fakeEvent]bool{}
		f.add(s, object{"content": "two", "sender": "operator", "operatorName": "Ana"})
	})
	b.write("three")
	b.until(`$$(".own.sent").length === 2 && rows().slice(1).join() === "one,clock stepped back,three"`)
	f.do(t, func(s *fakeSession) {
		s.streams = streams
		for _, e := range s.events[len(s.events)-2:] {
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

func TestOutboxSurvivesReload(t *testing.T) {
	f, b := ready(t, "")
	b.open()
	b.write("one")
	b.until(`$(".own.sent")`)
	refused := refusal{500, 0, "Internal server error"}
	f.refuse("POST messages", refused, refused, refused, refused)
	b.write("two")
	b.until(`$(".own.failed") && $(".failed .meta").textContent === "Not sent.Try againDiscard"`)
	b.shot("failed-send")
	b.visit("/next")
	b.until(`$$(".own.sent").length === 2`)
	f.refuse("POST messages", refusal{400, 0, "content is too long"})
	b.write("three")
	b.until(`$(".own.failed")`)
	b.click(".failed .meta button")
	b.until(`$$(".own.sent").length === 3`)
	b.is(`!Object.keys(localStorage).some((k) => k.includes("outbox"))`)
}

func TestRetryAfterIsHonoured(t *testing.T) {
	f, b := ready(t, "")
	b.open()
	f.refuse("POST messages", refusal{429, 2, "Too many requests"})
	began := time.Now()
	b.write("patient")
	b.run(`dispatchEvent(new Event("online"))`)
	b.until(`$(".own.sent")`)
	if d := time.Since(began); d < 2*time.Second {
		t.Errorf("sent again after %s", d)
	}
}

func TestStops(t *testing.T) {
	for name, c := range map[string]struct {
		refuse string
		answer refusal
		text   string
	}{
		"key":     {"POST init", refusal{401, 0, "Unauthorized"}, "The chat is not available: its key is not valid any more."},
		"blocked": {"POST messages", refusal{403, 0, "Blocked"}, "You can no longer write in this chat."},
		"origin":  {"POST init", refusal{403, 0, "Forbidden"}, "The chat is not available on this site."},
	} {
		t.Run(name, func(t *testing.T) {
			f, b := ready(t, "")
			f.refuse(c.refuse, c.answer)
			if c.refuse == "POST init" {
				b.click(".launcher")
			} else {
				b.open()
				b.write("hello")
			}
			b.until(`shown(".stop") && $(".stop").textContent === "` + c.text + `" && !shown(".composer")`)
			b.shot("stopped")
			n := f.total()
			b.run(`wait(1500)`)
			if m := f.total(); m > n+1 {
				t.Errorf("%d calls after the stop", m-n)
			}
		})
	}
}

func TestLostSessionBeginsOnceMore(t *testing.T) {
	f, b := ready(t, "")
	b.open()
	b.write("old")
	b.until(`$(".own.sent")`)
	f.mu.Lock()
	clear(f.sessions)
	f.mu.Unlock()
	b.write("new")
	b.until(`rows().join() === "Hello! How can we help?,new" && $(".own.sent")`)
	if n := f.count("POST init"); n != 2 {
		t.Errorf("%d inits", n)
	}
	lost := refusal{404, 0, "Session not found"}
	f.refuse("POST messages", lost, lost)
	b.write("hopeless")
	b.until(`$(".failed") || shown(".stop")`)
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
