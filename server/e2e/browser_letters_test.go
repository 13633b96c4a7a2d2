package e2e

import (
	"cmp"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/relay-chat/relay/bridges/mail/mailtest"
	"github.com/relay-chat/relay/bridges/telegram/telegramtest"
)

// testLetters: e-mail is set up in the console; then an answer from Telegram goes after a visitor
// who has closed the page, who answers by e-mail, continues on a phone, and wants no more in the
// end. Each message is in the topic once.
func testLetters(t *testing.T, s *fixture) {
	folder := cmp.Or(os.Getenv("RELAY_SCREENSHOTS"), t.TempDir())
	post, box, port, dir := mailtest.New(t), mailtest.NewMailbox(t), freePort(t), t.TempDir()
	telegram := telegramtest.New(t)
	base := "http://127.0.0.1:" + port
	shop := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = fmt.Fprintf(w, `<!doctype html><html lang="en"><title>Shop</title><link rel="icon" href="data:,"><h1>Shop</h1><script src="%s/widget.js" data-api-key="%s"></script>`, base, crashPublicKey)
	}))
	t.Cleanup(shop.Close)
	environ := []string{"HOST=127.0.0.1", "PUBLIC_URL=" + base, "ALLOWED_ORIGINS=" + shop.URL, "RELAY_PUBLIC_KEY=" + crashPublicKey, "RELAY_SECRET_KEY=" + crashSecretKey,
		"TELEGRAM_BOT_TOKEN=" + telegram.Token, "TELEGRAM_CHAT_ID=" + strconv.FormatInt(telegram.Group, 10), "TELEGRAM_API_URL=" + telegram.URL}
	s = &fixture{launchAt(t, port, dir, environ), s.browser}
	s.public, s.secret = crashPublicKey, crashSecretKey
	file := filepath.Join(dir, "relay.db")

	b := s.newOperator(t, "Ben")
	b.settings("mail", "E-mail")
	b.until(`text("#mail-state") === "Nothing is sent yet: it takes a server and a sender."`)
	b.click("#mail details summary")
	b.run(`Object.assign($("#mail details select"), {value: "1"}).dispatchEvent(new Event("change"))`)
	b.enter(`#mail details input:not([type])`, "me@shop.example")
	b.enter(`#mail details [type=password]`, "a b%")
	b.run(`$("#mail details .button").click()`)
	b.until(`$("[data-setting=smtpUrl] .input").value === "smtps://me%%40shop.example:a%%20b%%25@smtp.gmail.com:465"`)
	b.until(`$("[data-setting=imapUrl] .input").value === "imaps://me%%40shop.example:a%%20b%%25@imap.gmail.com"`)
	b.enter(`[data-setting=smtpUrl] .input`, "mail.shop.example")
	b.enter(`[data-setting=mailFrom] .input`, "Shop <chat@shop.example>")
	b.click("#save")
	b.until(`text("[data-setting=smtpUrl] .wrong").includes("smtp:// or smtps://")`)
	b.shot(folder, "mail-wrong")
	b.enter(`[data-setting=smtpUrl] .input`, post.URL())
	b.enter(`[data-setting=imapUrl] .input`, box.URL())
	b.enter(`#mail input[type=email]`, "ben@shop.example")
	b.until(`$$("#mail .buttons .button").some((n) => n.textContent === "Save and send a test")`)
	b.run(`$$("#mail .buttons .button").find((n) => n.textContent === "Save and send a test").click()`)
	b.until(`text("#mail-answer").startsWith("Sent The server took it after")`)
	b.until(`text("#mail-state") === "It works." && text("#mailbox-state").startsWith("The mailbox is read. Nothing has arrived yet.")`)
	b.shot(folder, "mail-page")
	if list := post.Letters(); len(list) != 1 || list[0].To != "ben@shop.example" {
		t.Fatalf("the test sent %+v", list)
	}
	b.run(`$$("#mail .buttons .button").find((n) => n.textContent === "Try the way there and back").click()`)
	eventually(t, "the e-mail to relay itself", func() bool { return len(post.Letters()) == 2 })
	box.Put("From: chat@shop.example\nTo: " + post.Letters()[1].To + "\nAuto-Submitted: auto-generated\n\nx\n")
	b.until(`text("#trip-answer").includes("There and back in")`)
	b.shot(folder, "mail-trip")

	b.run(`(location.hash = "#/team")`)
	b.until(`text("#team").includes("Nobody has an account yet") && text("#team").includes("No open invitations.")`) // nothing moves any more
	b.enter(`#team .invite input`, "mia@shop.example")
	b.click(`#team .invite .button.main`)
	b.until(`text("#team .link-card h3") === "Invitation for mia@shop.example"`)
	b.until(`$$("#team .member .button").some((n) => n.textContent === "Send by e-mail")`)
	b.run(`$$("#team .member .button").find((n) => n.textContent === "Send by e-mail").click()`)
	b.until(`$$("#team .member").some((n) => n.innerText.includes("Sent by e-mail; the link that was shown works no more."))`)
	b.shot(folder, "mail-invitation")
	if list := post.Letters(); len(list) != 3 || list[2].To != "mia@shop.example" || !strings.Contains(list[2].Text, base+"/console/invitation#") {
		t.Fatalf("the invitation is %+v", list)
	}

	v := s.newTab(t)
	v.visit(shop.URL + "/lamps")
	v.click(".launcher")
	v.until(`shown(".panel") && root.activeElement === $("textarea") && text(".presence") !== "Connecting…"`)
	v.write("Is the lamp in stock?")
	v.sees(welcome, "visitor: Is the lamp in stock?")
	v.run(`RelayChat.identify({email: "ana@customer.example"})`)
	session := eval[string](v, `JSON.parse(localStorage.getItem("relay:`+crashPublicKey+`:session")).id`)
	v.visit("about:blank")
	answer := func(text string) {
		eventually(t, "a topic", func() bool { return len(telegram.Threads()) == 1 })
		telegram.Write(telegram.Threads()[0].Ref, "Ada", text, "")
		eventually(t, "the answer from Telegram", func() bool {
			var history struct{ Messages []struct{ Content string } }
			s.get(t, s.base+"/api/admin/sessions/"+session+"/messages", s.secret, &history)
			n := len(history.Messages)
			return n > 0 && history.Messages[n-1].Content == text
		})
		s.stop()
		fiveMinutesPass(t, file)
		s.instance = launchAt(t, port, dir, environ)
		s.public, s.secret = crashPublicKey, crashSecretKey
	}
	answer("Yes, three of them.")
	eventually(t, "the e-mail", func() bool { return len(post.Letters()) == 4 })
	letter := post.Letters()[3]
	link := strings.Trim(letter.Header.Get("List-Unsubscribe"), "<>")
	if letter.To != "ana@customer.example" || !strings.Contains(letter.Text, "Yes, three of them.") || !strings.HasPrefix(link, base+"/mail/") {
		t.Fatalf("it says %s", letter.Text)
	}

	b.visit(s.console + "#/sessions/" + session)
	b.until(`text("#log").includes("Sent by e-mail to ana@customer.example, with a link to confirm the address.")`)
	b.shot(folder, "mail-sent")
	to := strings.Trim(letter.Header.Get("Reply-To"), "<>")
	box.Put("From: Ana <ana@customer.example>\nTo: " + to + "\nSubject: Re: x\nMessage-ID: <1@customer.example>\nContent-Type: text/html; charset=utf-8\n\n" +
		`<div dir="auto">The <b>blue</b> one?</div><div class="gmail_quote"><div class="gmail_attr">On Sat, Nov 28, 2026, 10:12 Shop wrote:</div><blockquote class="gmail_quote">Yes, three of them.</blockquote></div>`)
	b.until(`text("#log").includes("The blue one?") && text("#log").includes("Answered by e-mail from ana@customer.example. Show")`)
	b.shot(folder, "mail-answered")
	whole := eval[string](b, `(async (r) => r.headers.get("X-Content-Type-Options") + await r.text())(await fetch($$("#log a").find((n) => n.textContent === "Show").href, {headers: {Accept: "text/html"}}))`)
	if !strings.HasPrefix(whole, "nosniffFrom: ana@customer.example") || !strings.Contains(whole, "> Yes, three of them.") {
		t.Errorf("all of it is %s", whole)
	}
	said := []string{welcome, "visitor: Is the lamp in stock?", "operator: Yes, three of them.", "visitor: The blue one?"}

	phone := s.newTab(t)
	phone.visit(link)
	phone.until(`text("#resume-title") === "Continue this conversation on this device?" && $$("#resume-ways > *").length === 2 && text("#resume-stop") === "No more e-mails from this chat"`)
	phone.shot(folder, "mail-link")
	phone.click("#resume-ways button")
	phone.until(`location.pathname === "/chat/main" && shown(".panel")`)
	phone.sees(said...)
	phone.write("Then I take one")
	phone.sees(append(said, "visitor: Then I take one")...)
	phone.visit("about:blank")

	answer("It is yours.")
	eventually(t, "the second e-mail", func() bool { return len(post.Letters()) == 5 })
	if text := post.Letters()[4].Text; !strings.Contains(text, "It is yours.") || !strings.Contains(text, "> Then I take one") {
		t.Errorf("the second one says %s", text)
	}
	phone.visit(link)
	phone.click("#resume-stop button")
	phone.until(`text("#resume-stop") === "You will get no more e-mails from this chat."`)
	answer("One more thing")
	b.visit(s.console + "#/sessions/" + session)
	b.until(`text("#log").includes("ana@customer.example wants no e-mails about this chat")`)
	if n := len(post.Letters()); n != 5 {
		t.Errorf("%d letters", n)
	}
	phone.clean()
	topic := shown(telegram)
	for _, text := range []string{"Is the lamp in stock?", "Yes, three of them.", "The blue one?", "Then I take one", "It is yours.", "One more thing"} {
		if n := strings.Count(topic, text); n != 1 {
			t.Errorf("%q is in the topic %d times:\n%s", text, n, topic)
		}
	}
}
