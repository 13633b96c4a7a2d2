package e2e

import (
	"cmp"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"github.com/relay-chat/relay/bridges/ai/aitest"
)

// testActCards: an action that waits is a card in its conversation. People say yes or no there, and all see who
// decided and what came of it.
func testActCards(t *testing.T, s *fixture) {
	var refunds atomic.Int64
	shop := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		refunds.Add(1)
		fmt.Fprint(w, `{"status":"booked"}`)
	}))
	t.Cleanup(shop.Close)
	model := aitest.New(t, aitest.Says(`{"sentences":[],"handOver":"no","act":{"name":"refund","arguments":"{\"order\":\"4711\",\"amount\":19.90,\"why\":\"It is <b>broken</b>.\"}"}}`))
	s.stop()
	s.instance = bootIn(t, s.dir, "WEBHOOK_ALLOW_CIDRS=127.0.0.0/8", "AI_BASE_URL="+model.Listen(), "AI_MODEL=m", "AI_MODE=answer", "AI_TAKEOVER_DELAY=0")
	text := map[string]any{"type": "string"}
	s.call(t, http.MethodPost, s.base+"/api/admin/ai/actions", s.secret, map[string]any{"name": "refund", "about": "Refunds an order.", "method": "POST", "changes": true,
		"url": shop.URL + "/refunds/{order}", "parameters": map[string]any{"type": "object", "properties": map[string]any{"order": text, "amount": map[string]any{"type": "number"}, "why": text}, "required": []string{"order"}}}, nil)
	ada, ben := s.newOperator(t, "Ada"), s.newOperator(t, "Ben")
	s.call(t, http.MethodPost, s.base+"/api/admin/operator/status", s.secret, map[string]any{"online": false}, nil)
	folder := cmp.Or(os.Getenv("RELAY_SCREENSHOTS"), t.TempDir())
	r := &refunding{instance: s.instance, t: t}

	session := r.proposed("Please refund my order 4711.")
	for _, b := range []*tab{ada, ben} {
		b.run(`location.hash = "#/sessions/` + session + `"`)
		b.until(`shown(".act") && text(".act .tag") === "Waits for your yes" && !shown(".act .words")`)
		b.until(`text(".act-request") === %s`, "RequestPOST "+strings.TrimPrefix(shop.URL, "http://")+"/refunds/4711amount19.90whyIt is <b>broken</b>.")
		b.until(`$$(".words").every((n) => !n.textContent.includes("Nothing is done yet.") || n.hidden)`)
	}
	actPictures(ada, folder)
	ada.run(`$(".act button").focus()`)
	ada.run(`$(".act button").click(), $(".act button").click()`)
	ada.until(`document.activeElement.className === "act-state"`)
	for _, b := range []*tab{ada, ben} {
		b.until(`text(".act .tag") === "Done" && text(".act-state").includes("by Ada") && text(".act-reason").includes("status: booked") && !shown(".act button")`)
	}
	ada.until(`document.activeElement.className === "act-state"`)
	ada.shot(folder, "act-done")
	ada.accessible("an action that was done")
	if n := refunds.Load(); n != 1 {
		t.Errorf("the shop refunds %d times", n)
	}

	session = r.proposed("And my order 4711 again, please.")
	for _, b := range []*tab{ada, ben} {
		b.run(`location.hash = "#/sessions/` + session + `"`)
		b.until(`$$(".act").length === 1 && text(".act .tag") === "Waits for your yes"`)
	}
	// Ben's page does not know yet what Ada said.
	ben.run(`window.fetched = window.fetch, window.fetch = (url, o) => String(url).includes("/ai/acts?") ? new Promise(() => {}) : window.fetched(url, o)`)
	ada.run(`$$(".act button")[1].focus()`)
	ada.press(" ", 32)
	ada.until(`text(".act .tag") === "Declined" && text(".act-state").includes("by Ada")`)
	ben.run(`$(".act button").click()`)
	ben.until(`text("#toast").includes("it is declined, and Ada was first")`)
	ben.run(`window.fetch = window.fetched`)
	ben.run(`location.reload()`)
	ben.until(`text(".act .tag") === "Declined" && text(".act-state").includes("by Ada")`)

	session = r.proposed("Now order 4711 a third time.")
	ben.run(`location.hash = "#/sessions/` + session + `"`)
	ben.until(`$$(".act").length === 1 && text(".act .tag") === "Waits for your yes"`)
	if err := r.yes(session); err != nil { // as from a thread
		t.Fatal(err)
	}
	ben.until(`text(".act .tag") === "Done" && text(".act-reason").includes("status: booked")`)
	if n := refunds.Load(); n != 2 {
		t.Errorf("the shop refunds %d times", n)
	}
	ada.clean()
	ben.clean("409 (Conflict)")
}

// actPictures takes pictures of a card that waits: light, dark and on a phone.
func actPictures(b *tab, folder string) {
	b.Helper()
	b.shot(folder, "act-waits")
	b.accessible("an action that waits")
	dark := func(scheme string) {
		protocol(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
	}
	dark("dark")
	b.shot(folder, "act-waits-dark")
	b.accessible("an action that waits in the dark")
	b.do(chromedp.EmulateViewport(390, 844, chromedp.EmulateMobile))
	b.shot(folder, "act-waits-phone")
	b.accessible("an action that waits on a phone")
	b.run(`(() => { const n = $(".act"); if (n.scrollWidth > n.clientWidth + 1) throw new Error("the card is too wide"); })()`)
	b.do(chromedp.EmulateViewport(1280, 800))
	dark("light")
}
