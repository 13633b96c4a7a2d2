package assets_test

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
)

// handOver lets the AI hand over to people, whom the server knows to be there or not.
func (f *fake) handOver(t *testing.T, asks bool) {
	t.Helper()
	f.mu.Lock()
	defer f.mu.Unlock()
	s := f.sessions[slices.MaxFunc(slices.Collect(maps.Keys(f.sessions)), func(a, b string) int {
		return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) // the newest
	})]
	f.add(s, object{"content": "I don't know that. A colleague will answer here.", "sender": "ai", "operatorName": "Robin"})
	data := object{"active": false, "reason": "unsure"}
	if asks {
		data["askContact"] = true
	}
	s.fact("ai_takeover", data)
}

// nobody makes a page whose team is away.
func nobody(t *testing.T, attributes string) (*fake, *tab) {
	t.Helper()
	f, b := ready(t, attributes)
	f.mu.Lock()
	f.online = false
	f.mu.Unlock()
	return f, b
}

// identified returns the identities that the server got.
func (f *fake) identified() (all []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, c := range f.calls {
		if c.route == "POST identify" {
			all = append(all, string(frozen(c.body["identity"])))
		}
	}
	return all
}

const cardFocus = `root.activeElement?.id`

// Who is handed over while nobody is there may leave a name or an address, which goes with
// the conversation; what is wrong stands beside its field, and nothing that was typed is lost.
func TestContactCard(t *testing.T) {
	f, b := nobody(t, "")
	b.open()
	b.is(`!performance.getEntriesByType("resource").some((r) => r.name.includes("/forms-"))`)
	b.write("Do you ship to Norway?")
	b.until(`$(".own.sent")`)
	b.run(`$("textarea").focus()`)
	f.handOver(t, true)
	b.until(`shown(".contact")`)
	b.is(`root.activeElement === $("textarea") && $(".log").contains($(".contact"))`) // which is read out, and takes no focus
	b.is(`$(".contact p").textContent === "Leave your name or e-mail address if you like: the team sees it with this conversation."`)
	b.is(`$("label[for=f-name]").textContent === "Name" && $("#f-name").autocomplete === "name" && $("#f-email").autocomplete === "email" && $("#f-email").type === "email"`)
	b.is(`$$(".contact :is(input, button)").length === 4 && $$(".contact :is(input, button)").every((n) => n.offsetHeight >= 44 && n.offsetWidth >= 44)`)
	b.shot("asked")
	b.accessible()

	b.run(`$("#f-name").focus()`)
	b.key("ArrowUp", 38) // which walks the messages elsewhere
	b.is(cardFocus + ` === "f-name"`)
	b.text("  ")
	b.submits()
	b.until(`$("#f-name-why").textContent === "Please enter a name or an e-mail address."`)
	b.is(`$("#f-name").ariaInvalid === "true" && $("#f-name").getAttribute("aria-describedby") === "f-name-why" && !$("#f-email").ariaInvalid`)
	b.is(cardFocus + ` === "f-name"`)
	b.tabbed()
	b.text("ada@")
	b.submits()
	b.until(`$("#f-email-why").textContent === "Please check the e-mail address." && !$("#f-name-why").textContent`)
	b.is(cardFocus + ` === "f-email" && !$("#f-name").ariaInvalid`)
	b.shot("wrong")
	b.accessible()

	f.refuse("POST identify", refusal{500, 0, "Internal server error"})
	b.text("example.com")
	b.tabbed() // to the button
	b.submits()
	b.until(`$(".contact [role=alert]").textContent === "That did not work. Please try again."`)
	b.is(`$("#f-email").value === "ada@example.com" && !$("#f-email-why").textContent`)
	b.run(`$("#f-name").value = "Ada"`)
	b.click(".contact .main")
	b.until(`!shown(".contact") && $(".notice[role=alert]").textContent === "Saved with this conversation." && root.activeElement === $("textarea")`)
	if all := f.identified(); len(all) != 2 || all[1] != `{"email":"ada@example.com","name":"Ada"}` {
		t.Errorf("identified by %q", all)
	}
	f.handOver(t, true)
	b.until(`$$(".theirs .text").length === 3`)
	b.is(`!shown(".contact")`)
}

// tabbed moves the focus on.
func (b *tab) tabbed() {
	b.Helper()
	b.key("Tab", 9)
}

// submits presses Enter as browsers know it in a form: with the character.
func (b *tab) submits() {
	b.Helper()
	_, err := chromedp.Call(b.ctx, input.DispatchKeyEvent, input.DispatchKeyEventParams{
		Type: input.DispatchKeyEventTypeKeyDown, Key: "Enter", Code: "Enter", WindowsVirtualKeyCode: 13, Text: "\r"})
	if err != nil {
		b.Fatal(err)
	}
	b.key("Enter", 13)
}

// Who puts the card away is not asked again in this conversation, but in the next one.
func TestContactIsPutAway(t *testing.T) {
	f, b := nobody(t, "")
	handedOver(f, b)
	b.click(".contact .link")
	b.until(`!shown(".contact") && root.activeElement === $("textarea")`)
	f.mu.Lock()
	f.contact = true // as the server, which does not know of it, goes on to say
	f.mu.Unlock()
	b.visit("/other")
	b.until(`shown(".launcher")`)
	b.opened()
	b.until(`rows().length === 3 && $(".contact")`) // the part is there
	b.is(`!shown(".contact")`)
	b.run(`$(".more").click()`)
	b.until(`shown(".menu")`)
	b.run(`$("[role=menuitem]").click()`)
	b.until(`!$(".own")`)
	b.write("And to Sweden?")
	b.until(`$(".own.sent")`)
	f.handOver(t, true)
	b.until(`shown(".contact")`)
	if n := f.count("POST identify"); n != 0 {
		t.Errorf("%d identities were sent", n)
	}
	b.clean()
}

// Where the server wants it so, nobody has to write first: the card is there with the chat, also
// after the first message, and goes for good with an answer.
func TestContactAtOnce(t *testing.T) {
	f, b := nobody(t, "")
	f.mu.Lock()
	f.contact = true
	f.mu.Unlock()
	b.opened()
	b.until(`shown(".contact")`)
	b.is(`root.activeElement === $("textarea")`)
	b.shot("fresh")
	b.accessible()
	b.write("Do you ship to Norway?")
	b.until(`$(".own.sent") && shown(".contact")`)
	b.shot("written")
	b.run(`$("#f-email").focus()`)
	b.text("ada@example.com")
	b.submits()
	b.until(`!shown(".contact")`)
	if all := f.identified(); len(all) != 1 || all[0] != `{"email":"ada@example.com"}` {
		t.Errorf("identified by %q", all)
	}
	b.clean()
}

// A visitor who comes back is asked still; one of whom the page knows a name is not.
func TestContactAfterReload(t *testing.T) {
	f, b := nobody(t, "")
	handedOver(f, b)
	f.mu.Lock()
	f.contact = true
	f.mu.Unlock()
	b.visit("/other")
	b.until(`shown(".launcher")`)
	b.opened()
	b.until(`shown(".contact")`)
	b.run(`RelayChat.identify({ name: "Ada" })`)
	b.until(`!shown(".contact")`)
	b.clean()
}

// Without the server's word there is no card; when somebody comes it goes, unless it holds
// what somebody types.
func TestContactOnlyWhenNobodyComes(t *testing.T) {
	f, b := nobody(t, "")
	b.says("Do you ship to Norway?")
	f.handOver(t, false)
	f.reply(t, "One moment.")
	b.until(`rows().at(-1) === "One moment."`)
	b.is(`!shown(".contact") && !performance.getEntriesByType("resource").some((r) => r.name.includes("/forms-"))`)
	there := func(online bool) {
		f.do(t, func(s *fakeSession) { s.send(fakeEvent{name: "operator_status", data: object{"online": online}}) })
		b.until(fmt.Sprintf(`!!$(".presence.on") === %v`, online))
	}
	f.handOver(t, true)
	b.until(`shown(".contact")`)
	there(true)
	b.until(`!shown(".contact")`)
	there(false)
	b.until(`shown(".contact")`)
	b.run(`$("#f-name").focus()`)
	b.text("Ad")
	there(true)
	f.reply(t, "Here I am.")
	b.until(`rows().at(-1) === "Here I am."`)
	b.is(`shown(".contact") && $("#f-name").value === "Ad"`)
	b.text("a")
	b.submits()
	b.until(`!shown(".contact")`)
	there(false)
	f.fact(t, "ai_takeover", object{"active": true})
	f.handOver(t, true)
	b.until(`rows().length === 7`)
	b.is(`!shown(".contact")`)
	if all := f.identified(); len(all) != 1 || all[0] != `{"name":"Ada"}` {
		t.Errorf("identified by %q", all)
	}
	b.clean()
}
