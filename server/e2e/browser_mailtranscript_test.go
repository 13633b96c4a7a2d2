package e2e

import (
	"cmp"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/relay-chat/relay/bridges/mail/mailtest"
)

// testMailTranscript: a visitor asks for the transcript by e-mail, confirms the address on another
// device, and gets it; so does one for whom an operator sends it.
func testMailTranscript(t *testing.T, s *fixture) {
	folder := cmp.Or(os.Getenv("RELAY_SCREENSHOTS"), t.TempDir())
	post, port := mailtest.New(t), freePort(t)
	base := "http://127.0.0.1:" + port
	shop := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = fmt.Fprintf(w, `<!doctype html><html lang="en"><title>Shop</title><link rel="icon" href="data:,"><h1>Shop</h1><script src="%s/widget.js" data-api-key="%s"></script>`, base, crashPublicKey)
	}))
	t.Cleanup(shop.Close)
	s = &fixture{launchAt(t, port, t.TempDir(), []string{"HOST=127.0.0.1", "PUBLIC_URL=" + base, "ALLOWED_ORIGINS=" + shop.URL, "RELAY_PUBLIC_KEY=" + crashPublicKey,
		"RELAY_SECRET_KEY=" + crashSecretKey, "SMTP_URL=" + post.URL(), "MAIL_FROM=Shop <chat@shop.example>"}), s.browser}
	s.public, s.secret = crashPublicKey, crashSecretKey

	v := s.newTab(t)
	v.visit(shop.URL + "/lamps")
	v.click(".launcher")
	v.until(`shown(".panel") && root.activeElement === $("textarea") && text(".presence") !== "Connecting…"`)
	v.write("Is the lamp in stock?")
	v.sees(welcome, "visitor: Is the lamp in stock?")
	const item = `$$("[role=menuitem]").find((n) => n.textContent === "Transcript by e-mail")`
	v.click("[aria-haspopup=menu]")
	v.until(`shown("[role=menu]") && !` + item)
	v.click("[aria-haspopup=menu]")
	v.run(`RelayChat.identify({email: "ana@customer.example"})`)

	session := eval[string](v, `JSON.parse(localStorage.getItem("relay:`+crashPublicKey+`:session")).id`)
	b := s.newOperator(t, "Ben")
	b.visit(s.console + "#/sessions/" + session)
	b.until(`text("#log").includes("Is the lamp in stock?")`)
	b.write("Yes, three of them.")
	v.sees(welcome, "visitor: Is the lamp in stock?", "operator: Yes, three of them.")
	ask := func(answer string) {
		t.Helper()
		v.click("[aria-haspopup=menu]")
		v.until(item)
		v.shot(folder, "transcript-menu")
		v.run(item + `.click()`)
		v.until(`text(".notice[role=alert]").startsWith(%s)`, answer)
		v.shot(folder, "transcript-"+strings.ToLower(strings.Fields(answer)[0]))
	}
	ask("Please confirm your e-mail address first")
	eventually(t, "the e-mail that asks", func() bool { return len(post.Letters()) == 1 })

	phone := s.newTab(t)
	phone.visit(strings.Trim(post.Letters()[0].Header.Get("List-Unsubscribe"), "<>"))
	phone.click("#resume-ways button")
	phone.until(`location.pathname === "/chat/main" && shown(".panel")`)

	ask("The transcript is on its way")
	eventually(t, "the transcript", func() bool { return len(post.Letters()) == 2 })
	l := post.Letters()[1]
	if !strings.Contains(l.Text, "Is the lamp in stock?") || !strings.Contains(l.Text, "Yes, three of them.") || l.To != "ana@customer.example" {
		t.Errorf("%s gets %s", l.To, l.Text)
	}
	if err := os.WriteFile(folder+"/transcript.html", []byte(l.HTML), 0o600); err != nil {
		t.Fatal(err)
	}
	b.click("#thread-more")
	b.click("#menu-keep")
	b.until(`document.activeElement.id === "menu-print"`)
	b.shot(folder, "transcript-console-menu")
	b.click("#menu-mail")
	b.until(`document.body.innerText.includes("The transcript is on its way to the visitor.")`)
	b.until(`text("#log").includes("The transcript was sent by e-mail to ana@customer.example.")`)
	b.shot(folder, "transcript-console")
	eventually(t, "the operator's", func() bool { return len(post.Letters()) == 3 })
	b.clean()
	v.clean()
}
