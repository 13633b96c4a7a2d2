package e2e

import (
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"

	"github.com/chromedp/cdproto/page"
)

// testDevices: a conversation that began on a website goes on by its link, at the page with
// the chat and at the website in another browser, and by a proved identity.
func testDevices(t *testing.T, s *fixture) {
	const secret = "identity-secret-of-a-shop"
	base, key := "", ""
	shop := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = fmt.Fprintf(w, `<!doctype html><html lang="en"><title>Shop</title><link rel="icon" href="data:,"><h1>Shop</h1><script src="%s/widget.js" data-api-key="%s"></script>`, base, key)
	}))
	t.Cleanup(shop.Close)
	s = &fixture{bootIn(t, t.TempDir(), "ALLOWED_ORIGINS="+shop.URL, "IDENTITY_SECRET="+secret), s.browser}
	base, key = s.base, s.public
	folder := cmp.Or(os.Getenv("RELAY_SCREENSHOTS"), t.TempDir())
	open := func(b *tab) {
		b.click(".launcher")
		b.until(`shown(".panel") && root.activeElement === $("textarea") && text(".presence") !== "Connecting…"`)
	}

	laptop := s.newTab(t)
	laptop.visit(shop.URL + "/lamps")
	open(laptop)
	laptop.write("Is the lamp in stock?")
	laptop.sees(welcome, "visitor: Is the lamp in stock?")
	laptop.click("[aria-haspopup=menu]")
	laptop.until(`$$("[role=menuitem]").some((n) => n.textContent === "Continue on another device")`)
	laptop.run(`$$("[role=menuitem]").find((n) => n.textContent === "Continue on another device").click()`)
	laptop.until(`shown(".device .code") && $(".device input").value.includes("/c/") && $(".device .code").getBoundingClientRect().height > 150`)
	laptop.shot(folder, "device-link")
	link := eval[string](laptop, `$(".device input").value`)
	laptop.click(".chatshead button")
	laptop.until(`!$(".device")`)

	tablet := s.newTab(t)
	protocol(tablet, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: `confirm = (text) => { window.asked = text; return true; }`})
	tablet.visit(shop.URL + "/")
	open(tablet)
	tablet.write("Something else")
	tablet.sees(welcome, "visitor: Something else")
	tablet.visit(link)
	tablet.until(`$("#resume-ways a")?.textContent === %s`, "Continue on "+shop.Listener.Addr().String())
	tablet.click("#resume-ways a")
	tablet.until(`location.href === %s && window.asked === "Continue here with the conversation from your other device?"`, shop.URL+"/lamps")
	tablet.sees(welcome, "visitor: Is the lamp in stock?")
	tablet.until(`JSON.parse(localStorage.getItem(%s)).some((one) => one.text === "Something else")`, "relay:"+key+":chats")

	phone := s.newTab(t)
	phone.visit(link)
	phone.until(`text("#resume-title") === "Continue this conversation on this device?" && $$("#resume-ways > *").length === 2`)
	phone.shot(folder, "device-ask")
	phone.click("#resume-ways button")
	phone.until(`location.pathname === "/chat/main" && shown(".panel")`)
	phone.sees(welcome, "visitor: Is the lamp in stock?")
	phone.write("I am on the train now")
	laptop.sees(welcome, "visitor: Is the lamp in stock?", "visitor: I am on the train now")

	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte("42"))
	identify := fmt.Sprintf(`RelayChat.identify({id: "42", name: "Ann", userHash: %q})`, hex.EncodeToString(mac.Sum(nil)))
	laptop.run(identify)
	work := s.newTab(t)
	work.visit(shop.URL + "/")
	open(work)
	work.run(identify)
	work.sees(welcome, "visitor: Is the lamp in stock?", "visitor: I am on the train now")
	work.write("Now from work")
	laptop.sees(welcome, "visitor: Is the lamp in stock?", "visitor: I am on the train now", "visitor: Now from work")

	laptop.run(`RelayChat.endChat()`)
	late := s.newTab(t)
	late.visit(link)
	late.until(`text("#resume-title") === "This link no longer works" && !$("#resume-ways > *")`)
	late.shot(folder, "device-ended")
	for _, b := range []*tab{laptop, phone, tablet, work} {
		b.clean()
	}
	late.clean("404")
}
