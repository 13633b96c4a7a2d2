package assets_test

import (
	"fmt"
	"strings"
	"testing"
)

func TestQueueAndBothCallStyles(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	b := newTab(t, newSite(t, f.url(), ""))
	b.visit("/")
	b.run(`(() => {
		window.heard = [];
		window.RelayChat = function () { (RelayChat.q = RelayChat.q || []).push(arguments) };
		RelayChat("on", "ready", () => heard.push("ready"));
		RelayChat("once", "open", () => heard.push("open"));
		RelayChat("open");
		document.addEventListener("relay:open", () => heard.push("relay:open"));
		const s = document.createElement("script");
		s.src = "` + f.url() + `/widget.js"; s.dataset.apiKey = "pk_test";
		document.body.append(s);
		const twice = s.cloneNode(); document.body.append(twice);
	})()`)
	b.until(`shown(".panel") && heard.join() === "open,relay:open,ready"`)
	b.is(`document.querySelectorAll("relay-chat").length === 1`)
	b.is(`RelayChat("isOpen") === true && RelayChat.version === RelayChat("version")`)
	b.run(`RelayChat.close()`)
	b.until(`!shown(".panel") && RelayChat.isOpen === false`)
	b.run(`RelayChat("toggle")`)
	b.until(`shown(".panel")`)
	b.is(`heard.filter((n) => n === "open").length === 1`)
	b.run(`RelayChat.hide()`)
	b.until(`!shown(".launcher") && !shown(".panel")`)
	b.run(`RelayChat.show()`)
	b.until(`shown(".launcher")`)
	b.run(`(RelayChat.hide(), RelayChat.open())`)
	b.until(`shown(".panel")`)
	b.run(`RelayChat.destroy()`)
	b.is(`!document.querySelector("relay-chat")`)
	b.eventually("no stream", func() bool { return f.streams() == 0 })
	b.clean()
}

// TestClosedBeforeItOpensAgain: what the page says at its start wins over the
// chat that was open on the page before, and one that is gone reports no error.
func TestClosedBeforeItOpensAgain(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	b := newTab(t, newSite(t, f.url(), ""))
	arrive := func(call string) {
		b.Helper()
		b.visit("/")
		b.run(`(() => {
			window.heard = [];
			window.RelayChat = function () { (RelayChat.q = RelayChat.q || []).push(arguments) };
			document.addEventListener("relay:error", (e) => heard.push(e.detail.message));
			RelayChat("` + call + `");
			const s = document.createElement("script");
			s.src = "` + f.url() + `/widget.js"; s.dataset.apiKey = "pk_test";
			document.body.append(s);
		})()`)
		b.until(`RelayChat.version`)
		b.run(`new Promise((done) => requestIdleCallback(() => requestIdleCallback(done)))`) // the widget has had its turn
	}
	for _, call := range []string{"close", "hide", "reset"} {
		arrive("open")
		b.until(`shown(".panel")`)
		arrive("version")
		b.is(`RelayChat.isOpen`)
		arrive(call)
		b.is(`!RelayChat.isOpen`)
	}
	b.run(`(RelayChat.open(), RelayChat.destroy(), RelayChat.init(), RelayChat.open())`)
	b.until(`shown(".panel")`)
	b.is(`heard.join() === ""`)
}

func TestManualInit(t *testing.T) {
	f, b := ready(t, `data-auto="false" data-launcher="false"`)
	b.until(`window.RelayChat?.version`)
	b.run(`wait(300)`)
	b.is(`!host`)
	b.is(`await RelayChat.sendMessage("x").then(() => false, () => true)`)
	b.run(`RelayChat.init({ position: "left" })`)
	b.is(`host.dataset.side === "left" && !$(".launcher")`)
	b.run(`RelayChat.open()`)
	b.until(`shown(".panel") && shown(".close")`)
	b.click(".close")
	b.until(`!shown(".panel")`)
	b.run(`RelayChat.init({ launcher: true, apiUrl: "` + f.url() + `/" })`)
	b.until(`shown(".launcher") && document.querySelectorAll("relay-chat").length === 1`)
}

func TestIdentityAndReset(t *testing.T) {
	f, b := ready(t, "")
	b.run(`RelayChat.identify({ id: "u1", email: "a@example.com", name: "Alice", hash: "abc" })`)
	b.run(`wait(100)`)
	if n := f.total(); n != 0 {
		t.Errorf("identify made %d calls before the opening", n)
	}
	b.is(`RelayChat.getIdentity().name === "Alice" && RelayChat.getVisitorId() === null`)
	b.open()
	b.eventually("identify", func() bool { return f.count("POST identify") == 1 })
	said := f.bodies("POST identify")[0]
	if said["userHash"] != "abc" || said["identity"].(object)["email"] != "a@example.com" || said["identity"].(object)["hash"] != nil {
		t.Errorf("identify: %v", said)
	}
	b.run(`RelayChat.sendMessage("by the page").then((m) => window.sent = m.id)`)
	b.until(`sent && rows().includes("by the page")`)
	b.run(`RelayChat.sendMessage(42)`)
	b.until(`rows().includes("42")`)
	b.run(`RelayChat.setDraft("a draft")`)
	b.until(`$("textarea").value === "a draft"`)
	b.run(`window.visitor = RelayChat.getVisitorId()`)
	b.is(`/^[0-9a-f]{32}$/.test(visitor)`)
	b.visit("/again")
	b.until(`shown(".panel") && rows().length === 3`)
	b.run(`RelayChat.identify({ id: "u1", email: "a@example.com", name: "Alice", hash: "abc" })`)
	b.run(`wait(200)`)
	if n := f.count("POST identify"); n != 1 {
		t.Errorf("the same identity was sent %d times", n)
	}
	b.run(`(performance.now = () => 84_000)`) // the visitor is on the page for longer than in the chat
	b.run(`RelayChat.reset()`)
	b.eventually("manual disconnect", func() bool {
		list := f.bodies("POST disconnect")
		return len(list) == 2 && list[1]["reason"] == "manual" && list[1]["duration"] == 84.0
	})
	b.is(`!shown(".panel") && Object.keys(localStorage).every((k) => k.endsWith(":look"))`)
	b.open()
	b.until(`rows().join() === "Hello! How can we help?"`)
	b.is(`$("textarea").value === "" && RelayChat.getIdentity() === null`)
	if n := f.visitors(); n != 2 {
		t.Errorf("%d sessions", n)
	}
	b.run(`window.visitor = RelayChat.getVisitorId()`)
	b.run(`RelayChat.reset({ newSession: true })`)
	b.is(`RelayChat.getVisitorId() === visitor`)
}

func TestCustomEvents(t *testing.T) {
	f, b := ready(t, "")
	b.run(`(window.heard = [], RelayChat.onEvent("offer", (d) => heard.push(d.code)),
		RelayChat.trigger("cart", { total: 3 }, { openWith: "Need help with your cart?" }))`)
	b.until(`shown(".panel") && rows().includes("Need help with your cart?")`)
	b.is(`root.activeElement === null`)
	b.eventually("event", func() bool { return f.count("POST events") == 1 })
	if e := f.bodies("POST events")[0]; e["name"] != "cart" || e["data"].(object)["total"] != 3.0 {
		t.Errorf("event: %v", e)
	}
	b.write("yes")
	b.until(`rows().join() === "Hello! How can we help?,Need help with your cart?,yes"`)
	b.eventually("stream", func() bool { return f.streams() == 1 })
	f.fact(t, "custom_event", object{"name": "offer", "data": object{"code": "X1"}})
	b.until(`heard.join() === "X1"`)
}

func TestTypingOut(t *testing.T) {
	f, b := ready(t, "")
	b.open()
	b.run(`$("textarea").focus()`)
	b.text("a")
	b.run(`wait(100)`)
	if f.count("POST typing") != 0 {
		t.Error("typing was sent before the first message")
	}
	b.enter()
	b.until(`$(".own.sent")`)
	for range 5 {
		b.text("a")
		b.run(`wait(60)`)
	}
	if n := f.count("POST typing"); n != 1 {
		t.Errorf("typing was sent %d times", n)
	}
	b.enter()
	b.until(`$$(".own.sent").length === 2`)
	b.run(`wait(3300)`)
	if n := f.count("POST typing"); n != 1 {
		t.Errorf("typing was sent %d times after sending", n)
	}
}

// Editing a message shows no typing.
func TestNoTypingWhileEditing(t *testing.T) {
	f, b := ready(t, "")
	b.open()
	b.write("first")
	b.until(`$(".own.sent")`)
	b.text("then")
	b.eventually("typing", func() bool { return f.count("POST typing") == 1 })
	b.run(`$(".own").focus()`)
	b.enter()
	b.until(`shown(".editbar")`)
	b.eventually("typing ends", func() bool {
		list := f.bodies("POST typing")
		return len(list) == 2 && list[1]["active"] == false
	})
	b.text(" thoughts")
	b.enter()
	b.until(`rows().includes("first thoughts")`)
	if n := f.count("POST typing"); n != 2 {
		t.Errorf("typing is sent %d times", n)
	}
}

func TestSessionClosedAndCSAT(t *testing.T) {
	f, b := ready(t, "")
	b.run(`(window.heard = [], RelayChat.on("csat", (d) => heard.push(d.score)))`)
	b.open()
	b.write("hi")
	b.until(`$(".own.sent")`)
	f.fact(t, "session_closed", object{"at": now()})
	f.fact(t, "csat_request", object{"at": now()})
	b.until(`shown(".csat") && $(".note").textContent.startsWith("This chat was closed")`)
	b.is(`$$(".csat input").map((n) => n.ariaLabel).join() === "Terrible,Poor,Okay,Good,Great" && $("legend").textContent === "How was this chat?"`)
	b.run(`$$(".csat input")[3].click()`)
	b.until(`shown(".csat textarea") && $(".said").textContent === "Good" && $$(".full").length === 1`)
	b.run(`$(".csat textarea").focus()`)
	b.text("quick")
	b.shot("csat")
	b.click(".csat .main")
	b.until(`!shown(".csat")`)
	if c := f.bodies("POST csat")[0]; c["score"] != 4.0 || c["comment"] != "quick" {
		t.Errorf("csat: %v", c)
	}
	b.is(`heard.join() === "4"`)
	f.fact(t, "session_reopened", object{"at": now()})
	b.until(`$$(".note").map((n) => n.textContent).join() === "Chat closed,You rated this chat 4/5. Thank you for your feedback.,Chat reopened"`)
	b.clean()
}

func TestCSATFromInit(t *testing.T) {
	f, b := ready(t, "")
	b.open()
	b.write("hi")
	b.until(`$(".own.sent")`)
	f.do(t, func(s *fakeSession) { s.csat = object{"askedAt": now()} })
	f.mu.Lock()
	f.config["csat"] = object{"enabled": true, "style": "stars"}
	f.mu.Unlock()
	b.visit("/later")
	b.until(`shown(".csat")`)
	b.run(`$$(".csat input")[2].click()`)
	b.until(`$$(".full").length === 3 && $(".said").textContent === "Okay"`)
	b.shot("stars")
	b.click(".csat .link")
	b.until(`!shown(".csat")`)
}

// TestPageChanges: a page that routes in the browser reports where it is, once
// and without the query; the time zone comes with the first facts.
func TestPageChanges(t *testing.T) {
	f, b := ready(t, "")
	b.open()
	b.is(fmt.Sprintf(`Intl.DateTimeFormat().resolvedOptions().timeZone === %q`, f.bodies("POST init")[0]["timezone"]))
	b.run(`history.pushState({}, "", "/cart?token=1")`)
	b.eventually("page 1", func() bool { return f.count("POST page") == 1 })
	b.run(`history.replaceState({}, "", "/cart?token=2")`)
	b.run(`history.pushState({}, "", "/checkout")`)
	b.eventually("page 2", func() bool { return f.count("POST page") == 2 })
	for i, path := range []string{"/cart", "/checkout"} {
		if url, _ := f.bodies("POST page")[i]["url"].(string); !strings.HasSuffix(url, path) {
			t.Errorf("page %d is %s", i, url)
		}
	}
}

func TestPreChatForm(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	f.config["preChatForm"] = object{"required": true, "timing": "before_first_message", "fields": []object{
		{"name": "name", "type": "text", "label": "Your name", "required": true},
		{"name": "email", "type": "email", "label": "E-mail", "required": true},
		{"name": "topic", "type": "select", "label": "Topic", "required": false, "options": []string{"Sales", "Help"}},
		{"name": "terms", "type": "checkbox", "label": "I agree to the [privacy policy](https://example.com/p) and [this](javascript:alert(1))", "required": true},
	}}
	b := newTab(t, newSite(t, f.url(), snippet(f.url(), "")))
	b.visit("/")
	b.open()
	b.until(`shown(".form") && !shown(".composer") && root.activeElement?.id === "f-name"`)
	b.is(`$("#f-email").autocomplete === "email" && !$("#f-topic").hasAttribute("autocomplete") && $("#f-name").labels[0].textContent === "Your name *"`)
	b.is(`$("#f-topic").selectedOptions[0].textContent === "Choose…" && $("#f-topic").value === ""`)
	b.is(`$("#f-terms").labels[0].textContent === "I agree to the privacy policy and [this](javascript:alert(1)) *"`)
	b.is(`$$(".form a").map((a) => a.href + " " + a.target + " " + a.rel).join() === "https://example.com/p _blank noopener noreferrer nofollow ugc"`)
	b.text("Alice")
	b.run(`$("#f-email").focus()`)
	b.text("not an address")
	b.click(".form .main")
	b.until(`$("#f-email-why").textContent === "Please check the e-mail address." && root.activeElement.id === "f-email"`)
	b.is(`$("#f-email").getAttribute("aria-describedby") === "f-email-why" && $("#f-terms").ariaInvalid === "true"`)
	b.shot("form")
	if f.count("POST prechat") != 0 {
		t.Error("a faulty form was sent")
	}
	b.run(`($("#f-email").value = "a@example.com", $("#f-terms").click(), $("#f-topic").value = "Help")`)
	f.refuse("POST prechat", refusal{500, 0, "Internal server error"})
	b.click(".form .main")
	b.until(`$(".form [role=alert]").textContent !== ""`)
	b.click(".form .main")
	b.until(`!shown(".form") && root.activeElement === $("textarea")`)
	fields := f.bodies("POST prechat")[1]["fields"].(object)
	if fields["name"] != "Alice" || fields["terms"] != true || fields["topic"] != "Help" {
		t.Errorf("fields: %v", fields)
	}
	b.visit("/next")
	b.until(`shown(".composer")`)
	b.is(`!shown(".form")`)
}

// TestFormTakesTheFocus: a form that is due before the panel is drawn, and whose file comes
// after it, still gets the focus of a visitor who clicked the launcher.
func TestFormTakesTheFocus(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	asking(f)
	b := newTab(t, newSite(t, f.url(), snippet(f.url(), "")))
	b.visit("/")
	b.run(`RelayChat.trigger("cart")`)
	b.eventually("the session", func() bool { return f.count("POST init") == 1 })
	b.run(`wait(300)`)
	b.open()
	b.until(`shown(".form") && root.activeElement?.id === "f-name"`)
	b.clean()
}

func TestPreChatAfterFirstMessage(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	f.config["preChatForm"] = object{"required": false, "timing": "after_first_message", "fields": []object{
		{"name": "email", "type": "email", "label": "E-mail", "required": true}}}
	b := newTab(t, newSite(t, f.url(), snippet(f.url(), "")))
	b.visit("/")
	b.open()
	b.is(`!shown(".form") && shown(".composer")`)
	b.write("hi")
	b.until(`shown(".form") && shown(".composer")`)
	b.click(".form .link")
	b.until(`!shown(".form")`)
}

func TestBlockedStorage(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	b := newTab(t, newSite(t, f.url(), snippet(f.url(), "")))
	b.visit("/sandboxed")
	b.open()
	b.write("from memory")
	b.until(`$(".own.sent")`)
	f.reply(t, "received")
	b.until(`rows().includes("received")`)
	b.clean()
}

func TestLongText(t *testing.T) {
	_, b := ready(t, "")
	b.open()
	b.run(`(RelayChat.setDraft("x".repeat(4001)))`)
	b.until(`$(".count.bad")?.textContent === "4001 / 4000" && $(".send").ariaDisabled === "true"`)
	b.enter()
	b.is(`!$(".own")`)
	b.run(`(RelayChat.setDraft("line\n".repeat(20)))`)
	b.until(`$("textarea").clientHeight > 100 && $("textarea").clientHeight <= 140`)
	b.shot("long")
}

// TestEndRemainsVisible lets the log grow, as a picture does when it has arrived,
// between the scroll to the end and the browser's word of it.
func TestEndRemainsVisible(t *testing.T) {
	f, b := ready(t, "")
	b.open()
	b.write(strings.Repeat("line\n", 40))
	b.until(`$(".own.sent")`)
	b.run(`(() => { const list = $(".list");
		new MutationObserver(() => setTimeout(() => list.style.paddingBottom = "300px")).observe(list, { childList: true }); })()`)
	f.reply(t, "a picture")
	b.until(`rows().includes("a picture") && $(".list").style.paddingBottom`)
	b.until(`$(".log").scrollHeight - $(".log").scrollTop - $(".log").clientHeight < 2`)
}

func TestBrokenLoad(t *testing.T) {
	f, b := ready(t, "")
	b.until(`shown(".launcher")`)
	f.stop()
	b.click(".launcher")
	b.until(`$(".launcher path").getAttribute("d").includes("v.1") && $(".launcher").ariaLabel.includes("could not be loaded")`)
	f.start(t)
	b.open()
	b.until(`$(".launcher").ariaLabel === "Close chat"`)
}
