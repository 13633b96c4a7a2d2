package e2e

import (
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"sync/atomic"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// receiver takes webhooks as an operator's own program would.
type receiver struct {
	*httptest.Server
	status atomic.Int32
	key    atomic.Value // string: the secret as it was copied
	forged atomic.Int32 // requests whose signature was wrong
}

func newReceiver(t *testing.T) *receiver {
	r := &receiver{}
	r.status.Store(http.StatusOK)
	r.key.Store("")
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		body, _ := io.ReadAll(req.Body)
		mac := hmac.New(sha256.New, []byte(r.key.Load().(string)))
		mac.Write(body)
		if req.Header.Get("X-Shop-Signature") != "sha256="+hex.EncodeToString(mac.Sum(nil)) {
			r.forged.Add(1)
		}
		w.WriteHeader(int(r.status.Load()))
		_, _ = io.WriteString(w, "<b>thank you</b>")
	}))
	t.Cleanup(r.Close)
	return r
}

func testWebhook(t *testing.T, s *fixture) {
	s.stop()
	s.instance = bootIn(t, s.dir, "WEBHOOK_ALLOW_CIDRS=127.0.0.0/8")
	shop := newReceiver(t)
	b := s.newOperator(t, "Ada")
	b.settings("webhook", "Webhook")
	b.until(`!shown("#rows") && document.activeElement.id === "webhook-title" && text("#deliveries-note") === "Nothing has been posted yet."`)

	b.enter(`[data-setting="eventsWebhookUrl"] .input`, "shop.example")
	b.click("#save")
	b.until(`text('[data-setting="eventsWebhookUrl"] .wrong') === "Enter an address that begins with http:// or https://" && document.activeElement.type === "url"`)
	b.enter(`[data-setting="eventsWebhookUrl"] .input`, "http://169.254.169.254/")
	b.until(`text("#hook-test") === "Save and send test event"`)
	b.click("#hook-test")
	b.until(`text('[data-setting="eventsWebhookUrl"] .wrong').startsWith("This is not allowed: relay never connects to") && document.activeElement.type === "url"`)
	b.enter(`[data-setting="eventsWebhookUrl"] .input`, "http://127.0.0.1:1/")
	b.click("#hook-test")
	b.until(`text("#hook-answer").includes("Failed") && text("#hook-answer").includes("refuses connections")`)

	b.enter(`[data-setting="eventsWebhookUrl"] .input`, shop.URL)
	s.changeElsewhere(t, b, map[string]any{"eventsWebhookHeaderPrefix": "X-Other"}, `$('[data-setting="eventsWebhookHeaderPrefix"] .input').value === "X-Other"`)
	b.until(`$('[data-setting="eventsWebhookUrl"] .input').value === %s`, shop.URL)
	b.enter(`[data-setting="eventsWebhookHeaderPrefix"] .input`, "X-Shop")
	b.until(`text('[data-setting="eventsWebhookHeaderPrefix"] .hint') === "X-Shop-Event and X-Shop-Signature"`)
	b.click("#hook-generate")
	b.until(`$('[data-setting="eventsWebhookSecret"] .input').value.startsWith("whsec_") && $('[data-setting="eventsWebhookSecret"] .input').type === "text"`)
	shop.key.Store(eval[string](b, `$('[data-setting="eventsWebhookSecret"] .input').value`))
	b.click("#save")
	b.until(`text("#save-count") === "Saved." && $('[data-setting="eventsWebhookSecret"] .input').value === "" && $('[data-setting="eventsWebhookSecret"] .input').placeholder.startsWith("••••")`)
	b.until(`text("#hook-answer") === ""`)
	s.changeElsewhere(t, b, map[string]any{"eventsWebhookEnabled": false}, `!$('[data-setting="eventsWebhookEnabled"] input').checked`)
	s.changeElsewhere(t, b, map[string]any{"eventsWebhookEnabled": true}, `$('[data-setting="eventsWebhookEnabled"] input').checked && text("#save-count") === "Saved."`)
	b.enter(`[data-setting="eventsWebhookHeaderPrefix"] .input`, "")
	b.click("#save")
	b.until(`$('[data-setting="eventsWebhookHeaderPrefix"] .input').value === "X-Service" && text("#hook-test") === "Send test event" && text("#save-count") === "Saved."`)
	b.enter(`[data-setting="eventsWebhookHeaderPrefix"] .input`, "X-Shop")
	b.click("#save")
	b.until(`text("#hook-test") === "Send test event" && text("#save-count") === "Saved."`)
	b.click("#hook-test")
	b.until(`text("#hook-answer .tag") === "Delivered" && text("#hook-answer pre") === "<b>thank you</b>" && text("#hook-answer p").includes("The receiver answered 200, after")`)

	shop.status.Store(http.StatusGone)
	s.say(t, "first")
	b.until(`$$("#deliveries tr").length === 2 && $$("#deliveries .tag.bad").length === 2 && !$('[data-setting="eventsWebhookEnabled"] input').checked`)
	b.until(`text("#deliveries").includes("answered 410 Gone: <b>thank you</b>") && /410 in \d+ ms/.test(text("#deliveries")) && text("#deliveries").includes("The webhook is switched off")`)
	b.until(`$$("#deliveries th a").map((n) => n.textContent).join() === "visitor_message,new_session" && text("#deliveries code").startsWith("msg_")`)
	shop.status.Store(http.StatusOK)
	b.click(`[data-setting="eventsWebhookEnabled"] input`)
	b.click("#save")
	b.until(`text("#save-count") === "Saved." && $('[data-setting="eventsWebhookEnabled"] input').checked`)
	b.click(`#deliveries-filter [data-filter=failed]`)
	b.until(`$$("#deliveries tr").length === 2`)
	b.click(`#deliveries [aria-label="Send again: new_session"]`)
	b.until(`$$("#deliveries tr").length === 1 && document.activeElement.id === "deliveries-title"`)
	b.click("#deliveries-retry")
	b.until(`$$("#deliveries tr").length === 0 && text("#deliveries-note") === "1 is sent again."`)
	s.say(t, "second")
	b.click(`#deliveries-filter [data-filter=done]`)
	b.wait("four deliveries that are accepted", func() bool {
		b.click("#deliveries-refresh")
		return look[bool](b, `$$("#deliveries .tag.good").length === 4`)
	})
	if n := shop.forged.Load(); n != 0 {
		t.Errorf("%d requests were not signed with the secret that was shown", n)
	}
	s.showWebhook(t, b, shop)
	b.press("Escape", 27)
	b.until(`!shown("#webhook") && shown("#rows") && location.hash === "#/"`)
	b.clean("400 (Bad Request)")
}

// changeElsewhere changes settings by the API and waits until the page shows them.
func (s *fixture) changeElsewhere(t *testing.T, b *tab, settings map[string]any, shown string) {
	t.Helper()
	s.call(t, http.MethodPatch, s.base+"/api/admin/settings", s.secret, settings, nil)
	b.wait(shown, func() bool { return look[bool](b, "!!("+shown+")") })
}

// showWebhook keeps pictures of the page with all kinds of deliveries on it.
func (s *fixture) showWebhook(t *testing.T, b *tab, shop *receiver) {
	folder := cmp.Or(os.Getenv("RELAY_SCREENSHOTS"), t.TempDir())
	shop.status.Store(http.StatusInternalServerError)
	s.say(t, "third")
	b.click(`#deliveries-filter [data-filter=""]`)
	b.wait("a delivery that waits", func() bool {
		b.click("#deliveries-refresh")
		return look[bool](b, `text("#deliveries").includes("Again in") && !!$('#deliveries tr [aria-label="Send again: new_session"]')`)
	})
	b.click("#hook-test")
	b.until(`text("#hook-answer p").includes("answered 500")`)
	for _, scheme := range []string{"light", "dark"} {
		protocol(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
		b.do(chromedp.EmulateViewport(1280, 1150))
		b.shot(folder, "webhook-"+scheme)
	}
	b.do(chromedp.EmulateViewport(390, 1300, chromedp.EmulateMobile))
	b.shot(folder, "webhook-phone")
	b.do(chromedp.EmulateViewport(1280, 800))
}
