package e2e

import (
	"cmp"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"

	"github.com/chromedp/chromedp"
)

// testMoreWebhooks adds a webhook beside the first and an incoming hook by clicking, and uses them.
func testMoreWebhooks(t *testing.T, s *fixture) {
	s.stop()
	s.instance = bootIn(t, s.dir, "WEBHOOK_ALLOW_CIDRS=127.0.0.0/8")
	receiver := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	t.Cleanup(receiver.Close)
	b := s.newOperator(t, "Ada")
	b.settings("webhook", "Webhook")
	b.until(`text("#hooks") === "None yet." && text("#incoming") === "None yet."`)
	const more, incoming = `section[aria-labelledby="settings-more-webhooks"]`, `section[aria-labelledby="settings-incoming-hooks"]`
	b.click("#hooks-add > summary")
	b.enter(more+` form input[maxlength="80"]`, "CRM")
	b.enter(more+` form input[type="url"]`, "http://169.254.169.254/")
	b.click(more + ` input[value="visitor_message"]`)
	b.click(more + ` form button[type="submit"]`)
	b.until(`text('` + more + ` .wrong').includes("relay never connects to")`)
	b.enter(more+` form input[type="url"]`, receiver.URL)
	b.click(more + ` form button[type="submit"]`)
	b.until(`$('` + more + ` .link-card input').value.startsWith("whsec_") && $$("#hooks > li b").map((n) => n.textContent).join() === "CRM"`)
	b.click(`#hooks [aria-label="Test the webhook CRM"]`)
	b.until(`text("#hooks").includes("Delivered. The receiver answered 200, after")`)

	b.enter(incoming+` form input[maxlength="80"]`, "Orders")
	b.click(incoming + ` input[value="note"]`)
	b.click(incoming + ` form button[type="submit"]`)
	b.until(`$('` + incoming + ` .link-card input').value.includes("/hooks/hk_") && text("#incoming").includes("not used yet")`)
	session := s.say(t, "hello")
	address := eval[string](b, `$('`+incoming+` .link-card input').value`)
	if code := s.call(t, http.MethodPost, address, "", map[string]any{"action": "note", "sessionId": session, "content": "paid"}, nil); code != http.StatusOK {
		t.Errorf("the address that was shown answers %d", code)
	}
	b.click(`#hooks details:last-of-type summary`)
	b.wait("the delivery is in the log", func() bool {
		b.click(`#hooks [aria-label="Refresh the deliveries of CRM"]`)
		return look[bool](b, `text("#hooks table").includes("visitor_message") && text("#hooks table").includes("Delivered")`)
	})
	folder := cmp.Or(os.Getenv("RELAY_SCREENSHOTS"), t.TempDir())
	b.do(chromedp.EmulateViewport(1280, 3200))
	b.shot(folder, "hooks")
	b.do(chromedp.EmulateViewport(390, 4600, chromedp.EmulateMobile))
	b.shot(folder, "hooks-phone")
	b.do(chromedp.EmulateViewport(1280, 800))
	b.click(`#hooks [aria-label="Pause the webhook CRM"]`)
	b.until(`text("#hooks").includes("(paused)")`)
	b.click(`#hooks [aria-label="Delete the webhook CRM"]`)
	b.until(`$("#ask").open`)
	b.click("#ask-yes")
	b.until(`text("#hooks") === "None yet."`)
	b.clean("400 (Bad Request)")
}
