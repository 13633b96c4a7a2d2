package assets_test

import (
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// many is how long a conversation is, whose length nobody should notice: 10,000
// messages where RELAY_LONG is set, to measure.
var many = map[bool]int{false: 3_000, true: 10_000}[os.Getenv("RELAY_LONG") != ""]

// long opens a conversation of many messages, at a quarter of the machine's speed.
func long(t *testing.T) (*fake, *tab) {
	t.Helper()
	f, b := ready(t, "")
	b.open()
	b.write("first")
	b.until(`$(".own.sent")`)
	f.do(t, func(s *fakeSession) {
		first := s.messages[0]["id"]
		start := time.Now().Add(-20 * 24 * time.Hour)
		for i := range many {
			m := object{"id": fmt.Sprint("x", i), "sessionId": s.id, "content": fmt.Sprint("line ", i), "sender": "operator",
				"operatorName": "Ana", "attachments": []object{}, "timestamp": stamp(start.Add(time.Duration(i) * time.Minute)), "readAt": now()}
			if i%3 == 0 {
				m["content"] = fmt.Sprint("line ", i, " goes on for longer than one row of the log is wide, as many do")
			}
			s.messages = append(s.messages, m)
		}
		s.messages[many]["replyTo"] = first
	})
	b.throttle(4)
	b.visit("/long")
	b.run(`(window.tasks = [], new PerformanceObserver((l) => l.getEntries().forEach((e) => tasks.push(e.duration))).observe({ type: "longtask", buffered: true }))`)
	b.until(`rows().at(-1)?.startsWith("line ` + fmt.Sprint(many-1) + `")`)
	return f, b
}

func stamp(at time.Time) string { return at.UTC().Format("2006-01-02T15:04:05.000Z") }

// throttle makes the page's processor so many times slower.
func (b *tab) throttle(rate float64) {
	b.Helper()
	if _, err := chromedp.Call(b.ctx, emulation.SetCPUThrottlingRate, emulation.SetCPUThrottlingRateParams{Rate: rate}); err != nil {
		b.Fatal(err)
	}
}

// tasks reports the longest tasks since the last report. Times are never asserted.
func (b *tab) tasks(what string) {
	b.Helper()
	b.Logf("%s: tasks over 50 ms at a quarter of the speed: %s", what,
		eval[string](b, `wait(300).then(() => tasks.splice(0).sort((a, z) => z - a).slice(0, 5).join())`))
}

// TestLongConversation: only what is near is in the page, the row that is read
// stays where it is, and the oldest message is one click away.
func TestLongConversation(t *testing.T) {
	f, b := long(t)
	b.tasks("opening")
	b.is(`rows().length <= 60`)

	// Wheel upwards: each step moves what is seen by exactly the step.
	b.run(`(window.moved = 0, window.most = 0, (async () => {
		const log = $(".log");
		for (let i = 0; i < 150; i++) {
			const mid = log.getBoundingClientRect().top + 200;
			const row = $$(".row").find((n) => n.getBoundingClientRect().bottom > mid), was = row.getBoundingClientRect().top;
			const step = Math.min(400, log.scrollTop);
			log.scrollTop -= step;
			await new Promise(requestAnimationFrame);
			await new Promise(requestAnimationFrame);
			if (row.isConnected) moved = Math.max(moved, Math.abs(row.getBoundingClientRect().top - was - step));
			else moved = 9999;
			most = Math.max(most, $$(".row").length);
		}
	})())`)
	b.tasks("scrolling")
	b.is(`moved < 2 && most <= 100`)
	b.is(`$(".log").getAttribute("role") === "log" && shown(".jump")`)

	// News does not move what is read, nor is it drawn far below.
	b.run(`(window.row = $$(".row").find((n) => n.getBoundingClientRect().top > 300), window.at = row.getBoundingClientRect().top)`)
	f.do(t, func(s *fakeSession) {
		for i := range 100 {
			f.add(s, object{"content": fmt.Sprint("burst ", i), "sender": "operator", "operatorName": "Ana"})
		}
	})
	b.eventually("read", func() bool { return f.count("POST read") > 0 })
	b.tasks("a burst while reading")
	b.is(`row.isConnected && Math.abs(row.getBoundingClientRect().top - at) < 2 && !rows().some((r) => r.startsWith("burst"))`)
	b.click(".jump")
	b.until(`rows().at(-1) === "burst 99" && !shown(".jump") && rows().length <= 100`)

	// A quote leads to the other end of the conversation, and from there down again.
	b.until(`($(".log").scrollTop -= 800, $(".quote"))`)
	b.run(`$(".quote").click()`)
	b.until(`root.activeElement?.textContent.includes("first") && rows()[1] === "first"`)
	b.tasks("jumping to the first message")
	b.is(`$$(".row").length <= 100 && root.activeElement.getBoundingClientRect().top > $(".log").getBoundingClientRect().top`)
	b.until(`($(".log").scrollTop += 500, rows().some((r) => r.startsWith("line 120")))`)
	b.is(`$$(".row").length <= 100`)
	b.is(`(() => { const n = rows().flatMap((r) => /^line (\d+)/.exec(r)?.[1] ?? []).map(Number); return n.every((x, i) => !i || x === n[i - 1] + 1) })()`)
	b.tasks("scrolling down with all in memory")
	b.is(`root.activeElement === $(".log")`) // the focused row is far away now
	b.run(`$(".jump").click()`)
	b.until(`rows().at(-1) === "burst 99" && !shown(".jump")`)
	b.tasks("back to the end")
	f.do(t, func(s *fakeSession) {
		for i := range 100 {
			f.add(s, object{"content": fmt.Sprint("more ", i), "sender": "operator", "operatorName": "Ana"})
		}
	})
	b.until(`rows().at(-1) === "more 99" && $(".log").scrollHeight - $(".log").scrollTop - $(".log").clientHeight < 2`)
	b.is(`$$(".row").length <= 100`)
	b.tasks("a burst at the end of all")
	b.clean()
}
