package assets_test

import (
	"fmt"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// The widget says when somebody is back by the visitor's own clock, which changes in
// Berlin on 29 March 2026.
func TestBackAt(t *testing.T) {
	f, b := ready(t, "")
	f.mu.Lock()
	f.online, f.backAt = false, "2026-03-30T07:00:00.000Z"
	f.mu.Unlock()
	if _, err := chromedp.Call(b.ctx, emulation.SetTimezoneOverride, emulation.SetTimezoneOverrideParams{TimezoneID: "Europe/Berlin"}); err != nil {
		t.Fatal(err)
	}
	// The page's clock stands; the language decides how a time is written.
	b.run(`(() => { const Real = Date; window.clock = "2026-03-28T20:00:00Z";
		window.Date = class extends Real { constructor(...a) { a.length ? super(...a) : super(window.clock); } static now() { return Real.parse(window.clock); } }; })()`)
	b.open()
	b.until(`$(".presence").textContent === "Back Monday at 9:00 AM"`)
	b.shot("back")
	say := func(clock, back, want string) {
		t.Helper()
		b.run(fmt.Sprintf(`window.clock = %q`, clock))
		f.do(t, func(s *fakeSession) {
			s.send(fakeEvent{name: "operator_status", data: object{"online": false, "backAt": back}})
		})
		b.until(fmt.Sprintf(`$(".presence").textContent === %q`, want))
	}
	say("2026-03-29T20:00:00Z", "2026-03-30T07:00:00Z", "Back tomorrow at 9:00 AM")
	say("2026-03-29T22:30:00Z", "2026-03-30T07:00:00Z", "Back at 9:00 AM") // half past midnight there
	say("2026-10-24T21:30:00Z", "2026-10-31T08:00:00Z", "Back October 31 at 9:00 AM")
	say("2026-10-24T22:30:00Z", "2026-10-31T08:00:00Z", "Back Saturday at 9:00 AM")
	say("2026-11-01T00:00:00Z", "2026-10-31T08:00:00Z", "") // that time is over
	f.do(t, func(s *fakeSession) {
		s.send(fakeEvent{name: "operator_status", data: object{"online": true}})
	})
	b.until(`$(".presence.on").textContent === "Online now"`)
	b.clean()
}

// The usual reply time stands where somebody is there.
func TestReplyTimeIsShown(t *testing.T) {
	f, b := ready(t, "")
	for seconds, want := range map[int]string{20: "in 1 minute", 170: "in 3 minutes", 5000: "in 2 hours", 200_000: "in 3 days"} {
		f.mu.Lock()
		f.replies = seconds
		f.mu.Unlock()
		b.visit("/shop")
		b.until(`shown(".launcher")`)
		b.run(`RelayChat.open()`)
		b.until(fmt.Sprintf(`$(".presence.on")?.textContent === "Usually replies %s"`, want))
	}
	b.clean()
}

// An AI's answer is marked as one, names its sources as links to pages only, and
// leaves a way to people.
func TestAnswerOfTheAI(t *testing.T) {
	f, b := ready(t, "")
	f.mu.Lock()
	f.online = false
	f.mu.Unlock()
	b.open()
	b.write("Do you ship to Norway?")
	b.until(`$(".own.sent")`)
	f.do(t, func(s *fakeSession) {
		s.fact("ai_takeover", object{"active": true})
		s.send(fakeEvent{name: "typing", data: object{"active": true, "operatorName": "Robin"}})
	})
	b.until(`shown(".typing") && $(".typing").textContent === "Robin is typing"`)
	f.do(t, func(s *fakeSession) {
		f.add(s, object{"content": "Yes, within 5 days [1].", "sender": "ai", "operatorName": "Robin", "sources": []object{
			{"title": "Shipping & delivery", "url": f.url() + "/shipping"},
			{"title": "Evil", "url": "javascript:alert(1)"},
			{"title": "House rules", "url": ""},
			{"title": "", "url": "https://shop.example/a/very/long/address/that/does/not/fit/into/the/window/at/all"},
		}})
	})
	b.until(`shown(".sources") && !shown(".typing")`)
	b.is(`$(".ai").textContent === "AI" && $(".ai").parentNode.textContent.startsWith("AIRobin · ")`)
	b.is(`$(".sources").ariaLabel === "Sources" && $$(".sources .chip").map((n) => n.textContent).slice(0, 3).join() === "1 Shipping & delivery,Evil,House rules"`)
	b.is(`$$(".sources a").length === 2 && $$(".sources a").every((a) => /^https?:/.test(a.protocol) && a.rel.includes("noopener") && a.target === "_blank")`)
	b.is(`$(".log").scrollWidth <= $(".log").clientWidth`)
	b.shot("answer")
	b.click(".row > .chip")
	b.eventually("the request for a person", func() bool { return f.count("POST handoff") == 1 })
	b.until(`!$(".row > .chip")`)
	f.do(t, func(s *fakeSession) {
		f.add(s, object{"content": "A colleague will answer here.", "sender": "ai", "operatorName": "Robin"})
		s.fact("ai_takeover", object{"active": false, "reason": "asked"})
	})
	b.until(`rows().at(-1) === "A colleague will answer here." && !$(".row > .chip")`)
	b.clean()
}

// A request for a person that fails can be repeated; after a reload the AI is
// still known to answer.
func TestPersonIsAskedForAgain(t *testing.T) {
	f, b := ready(t, "")
	b.open()
	b.write("hello")
	b.until(`$(".own.sent")`)
	f.do(t, func(s *fakeSession) {
		f.add(s, object{"content": "Hi.", "sender": "ai", "operatorName": "Robin"})
	})
	b.until(`rows().includes("Hi.")`)
	b.is(`!$(".row > .chip")`) // it does not answer now
	f.mu.Lock()
	f.ai = true
	f.mu.Unlock()
	f.refuse("POST handoff", refusal{500, 0, "Internal server error"})
	b.visit("/other")
	b.until(`$(".row > .chip")?.textContent === "Talk to a person"`)
	b.click(".row > .chip")
	b.until(`$(".notice[role=alert]").textContent === "That did not work. Please try again." && shown(".row > .chip")`)
	b.click(".row > .chip")
	b.eventually("the second request", func() bool { return f.count("POST handoff") == 2 })
	f.reply(t, "Here I am.")
	b.until(`rows().at(-1) === "Here I am." && !$(".row > .chip")`)
}
