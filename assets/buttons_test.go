package assets_test

import "testing"

// offer sends a message with quick replies and links.
func (f *fake) offer(t *testing.T, text string, buttons ...object) {
	t.Helper()
	f.do(t, func(s *fakeSession) {
		f.add(s, object{"content": text, "sender": "operator", "operatorName": "Olga", "buttons": buttons})
	})
}

// TestButtons: a tap on a quick reply is a message like any other; then the replies are gone,
// as after any newer message, and the links stay. What no click may open is no link.
func TestButtons(t *testing.T) {
	f, b := ready(t, "")
	b.says("Is it in stock?")
	long := "The blue one in size 42, and please with a second pair of laces for the winter"
	f.offer(t, "Which one?", object{"text": "Red"}, object{"text": long}, object{"text": "All colours", "url": "https://shop.example/c?a=1"},
		object{"text": "Write to us", "url": "mailto:shop@example.com"}, object{"text": "Run", "url": "javascript:alert(1)"})
	b.until(`$$(".theirs button.chip").length === 2`)
	b.is(`$$(".theirs a.chip").map((a) => a.href).join() === "https://shop.example/c?a=1,mailto:shop@example.com"`)
	b.is(`$$(".theirs a.chip").every((a) => a.rel.includes("noopener") && a.target === "_blank")`)
	b.is(`$$(".theirs span.chip").map((n) => n.textContent).join() === "Run"`)
	b.is(`$$(".theirs button.chip").every((n) => n.offsetHeight >= 36 && n.scrollWidth <= n.clientWidth)`)
	b.shot("light")
	b.accessible()
	b.run(`(RelayChat.setTheme("dark"), RelayChat.setLocale("he"))`)
	b.until(`$(".panel.dark")?.dir === "rtl" && $$(".theirs button.chip").length === 2`)
	b.shot("dark")
	b.accessible()
	b.run(`$$(".theirs button.chip")[1].click()`)
	b.until(`$$(".own.sent").length === 2 && rows().at(-1) === "` + long + `"`)
	b.is(`!$(".theirs button.chip") && $$(".theirs a.chip").length === 2`)
	if sent := f.bodies("POST messages"); len(sent) != 2 || sent[1]["content"] != long || sent[1]["replyTo"] != nil {
		t.Errorf("sent %v", sent)
	}
	f.offer(t, "Anything else?", object{"text": "No"})
	b.until(`$$(".theirs button.chip").length === 1`)
	f.reply(t, "By the way, we close at six.")
	b.until(`rows().at(-1).startsWith("By the way") && !$(".theirs button.chip")`)
	b.clean()
}

// TestButtonsAfterReload: they come with the history, and go with their message.
func TestButtonsAfterReload(t *testing.T) {
	f, b := ready(t, "")
	b.says("Is it in stock?")
	f.offer(t, "Shall I put one aside?", object{"text": "Yes"}, object{"text": "No"})
	b.until(`$$(".theirs button.chip").length === 2`)
	b.visit("/other")
	b.until(`shown(".panel") && $$(".theirs button.chip").length === 2`)
	b.run(`$(".theirs button.chip").click()`)
	b.until(`$$(".own.sent").length === 2`)
	b.is(`!$(".theirs button.chip")`)
	b.clean()
}
