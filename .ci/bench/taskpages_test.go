package bench

import (
	"fmt"
	"time"
)

// converse has the tab's visitor begin a conversation that others then make long, and returns its id.
func (t *taskTab) converse(base string) string {
	t.Helper()
	t.visit(base + "/demo")
	first := t.eval(`(await until(() => $(".launcher")), $(".launcher").click(), await until(() => shown("textarea") && $(".presence").textContent !== "Connecting…"),
		$("textarea").focus(), $("textarea").value = "first", $("textarea").dispatchEvent(new InputEvent("input", {bubbles: true})),
		$("form.composer").requestSubmit(), await until(() => $(".own.sent, .own.delivered, .own.read")), $(".own").dataset.id)`)
	var page struct{ Sessions []struct{ ID string } }
	t.admin("GET", base+"/api/admin/sessions?limit=1", "", &page)
	session := page.Sessions[0].ID
	send := func(i int, more string) {
		text := fmt.Sprintf("line %d", i)
		if i%3 == 0 {
			text += " goes on for longer than one row of the log is wide, as many do"
		}
		t.admin("POST", base+"/api/admin/sessions/"+session+"/messages", fmt.Sprintf(`{"content":%q,"operatorName":%q%s}`, text, []string{"Ana", "Ben"}[i/2%2], more), nil)
	}
	check(t.B, each(longMessages-2, 8, func(i int) error { send(i, ""); return nil }))
	t.eval(`($(".close").click(), until(() => !shown(".panel")))`)
	send(longMessages, fmt.Sprintf(`,"replyTo":%q`, first))
	return session
}

// measureWidget opens the conversation, reads back, jumps to its beginning and to its end, and receives a message.
func (t *taskTab) measureWidget(s *steps, base, session string) {
	t.Helper()
	t.visit("about:blank")
	t.visit(base + "/demo")
	t.eval(`until(() => $(".launcher") && !shown(".panel"))`)
	t.step(s, "widget: opening", `$(".launcher").click()`, `$$(".row").length > 20`)
	t.step(s, "widget: scrolling up, older pages", scrollUp(".log"), `true`)
	t.step(s, "widget: to the end", `$(".jump").click()`, `!shown(".jump")`)
	t.arrives(s, "widget: a message", base, session, `.row:last-of-type`)
	t.eval(`($(".close").click(), until(() => !shown(".panel")))`) // or it would be open after a reload
}

// measureConsole lists all conversations, opens the long one, reads back, goes to its end, and receives messages.
func (t *taskTab) measureConsole(s *steps, base, session string) {
	t.Helper()
	t.visit("about:blank")
	s.add("console: loading", t.slow(func() { t.visit(base + "/console"); t.eval(`until(() => $("#rows a"))`) }))
	t.step(s, "console: a page of the list", `$("#list-scroll").scrollTop = $("#list-scroll").scrollHeight`, `$$("#rows li").at(-1).ariaPosInSet > 50`)
	t.eval(`(async () => { const l = $("#list-scroll"); for (; $("#rows li").ariaSetSize !== "%d"; await frame()) l.scrollTop = l.scrollHeight; l.scrollTop = 0; await until(() => $("#rows li").ariaPosInSet === "1"); return true; })()`, listedSessions)
	t.step(s, "console: scrolling the list of 10,000", `(await (async () => { for (let i = 0; i < 30; i++, await frame()) $("#list-scroll").scrollTop += 3000; })())`, `true`)
	t.step(s, "console: to the top", `$("#list-scroll").scrollTop = 0`, `$("#rows li").ariaPosInSet === "1"`)
	t.step(s, "console: opening a conversation", fmt.Sprintf(`$("#rows a[href='#/sessions/%s']").click()`, session), `$(".message")`)
	t.step(s, "console: scrolling up, older pages", scrollUp("#log"), `true`)
	t.step(s, "console: to the end", `$("#to-end").click()`, `$(".message") && !shown("#to-end")`)
	t.arrives(s, "console: a message in the open one", base, session, `.message:last-child`)
}

// scrollUp is what a wheel does for a while.
func scrollUp(log string) string {
	return fmt.Sprintf(`(await (async () => { for (let i = 0; i < 150; i++, await frame()) $(%q).scrollTop -= 200; })())`, log)
}

// arrives measures a message that comes.
func (t *taskTab) arrives(s *steps, name, base, session, last string) {
	t.Helper()
	s.add(name, t.slow(func() {
		text := fmt.Sprintf("news %d", time.Now().UnixNano())
		t.admin("POST", base+"/api/admin/sessions/"+session+"/messages", fmt.Sprintf(`{"content":%q,"operatorName":"Ana"}`, text), nil)
		t.eval(`until(() => text(%q).includes(%q))`, last, text)
	}))
}

// signIn opens the console.
func (t *taskTab) signIn(base string) {
	t.Helper()
	t.visit(base + "/console")
	t.eval(`($("#name").value = "Ada", $("#key").value = %q, $(".by-key button[type=submit]").click())`, secretKey)
	for t.eval(`document.getElementById("rows") ? 1 : 0`) != "1" {
		time.Sleep(50 * time.Millisecond)
	}
}
