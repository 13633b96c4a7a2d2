package assets_test

import (
	"testing"
	"time"
)

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
		"key":     {"POST init", refusal{401, 0, "Unauthorized"}, "The chat is not available: its key is no longer valid."},
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
