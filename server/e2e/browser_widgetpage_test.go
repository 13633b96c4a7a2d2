package e2e

import (
	"bytes"
	"cmp"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// testWidgetPage: what is edited shows in the real widget beside the form at once, and
// visitors see it once it is saved; the page says where the widget was seen.
func testWidgetPage(t *testing.T, s *fixture) {
	folder := cmp.Or(os.Getenv("RELAY_SCREENSHOTS"), t.TempDir())
	b := s.newOperator(t, "Ada")
	b.settings("widget", "Widget")
	const widget = `$(".preview").contentDocument?.querySelector("relay-chat")?.shadowRoot`
	b.until(widget + `?.querySelector("h2")?.textContent === "Support" && text("#widget-snippet").includes("/widget.js") && document.activeElement.id === "widget-title"`)
	field := func(setting string) string { return `[data-setting="` + setting + `"] .input` }
	b.enter(field("operatorName"), "Halden & Loft")
	b.enter(field("primaryColor"), "#ffe066")
	b.until(`text('[data-setting="primaryColor"] .colour .hint').startsWith("Black text on it, contrast 16") && text("#save-count") === "2 changes"`)
	b.until(`(() => { // while the frame is drawn anew, it has no widget
		const root = ` + widget + `, launcher = root?.querySelector(".launcher");
		return root?.querySelector("h2")?.textContent === "Halden & Loft" && launcher && getComputedStyle(launcher).backgroundColor === "rgb(255, 224, 102)";
	})()`)
	b.shot(folder, "widget-page")
	b.enter(field("operatorAvatar"), "nowhere")
	b.click("#save")
	b.until(`text('[data-setting="operatorAvatar"] .wrong') === "Enter an address that begins with https://"`)
	b.enter(field("operatorAvatar"), "")
	logo := filepath.Join(t.TempDir(), "logo.png")
	drawn := image.NewNRGBA(image.Rect(0, 0, 300, 100))
	draw.Draw(drawn, image.Rect(0, 0, 150, 100), image.NewUniform(color.NRGBA{11, 114, 133, 255}), image.Point{}, draw.Src)
	var data bytes.Buffer
	err := png.Encode(&data, drawn)
	if err == nil {
		err = os.WriteFile(logo, data.Bytes(), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	b.do(chromedp.SetUploadFiles(chromedp.JSPath(`document.querySelector("#widget input[type=file]")`), []string{logo}))
	b.until(`$('[data-setting="operatorAvatar"] img').src.startsWith("data:image/jpeg") && $('[data-setting="operatorAvatar"] .input').hidden`)
	b.until(widget + `?.querySelector(".avatar img")?.src.startsWith("data:image/jpeg")`)
	b.until(`(() => { // the ends of a wide logo are within the circle
		const drawn = Object.assign(document.createElement("canvas"), {width: 256, height: 256}).getContext("2d", {willReadFrequently: true});
		drawn.drawImage($('[data-setting="operatorAvatar"] img'), 0, 0);
		const red = (x) => drawn.getImageData(x, 128, 1, 1).data[0];
		return red(2) > 240 && red(20) < 60;
	})()`)
	b.shot(folder, "widget-page-logo")
	b.enter(`[aria-label="Question 1"]`, "Where is my order?")
	b.click("#save")
	b.until(`text("#save-count") === "Saved."`)
	var saved struct {
		OperatorName   string
		OperatorAvatar string
		PrimaryColor   string
		Starters       []string
	}
	s.call(t, http.MethodGet, s.base+"/api/admin/settings", s.secret, nil, &saved)
	if saved.OperatorName != "Halden & Loft" || saved.PrimaryColor != "#ffe066" || len(saved.Starters) != 1 || !strings.HasPrefix(saved.OperatorAvatar, "data:image/jpeg;base64,") {
		t.Errorf("saved is %+v", saved)
	}
	b.run(`$('[data-setting="pageRules"]').closest("details").open = true`)
	b.run(`[...document.querySelectorAll('[data-setting="pageRules"] button')].at(-1).click()`)
	b.enter(`[data-setting="pageRules"] li .input`, "/checkout*")
	b.enter(`[data-setting="pageRules"] .field:has(+ .hit) .input`, "shop.example.com/checkout/pay?id=7")
	b.until(`text('[data-setting="pageRules"] .hit') === "Rule 1, /checkout*: no chat." && text("#save-count") === "1 change"`)
	b.run(`[...document.querySelectorAll('[data-setting="pageRules"] button')].at(-1).click()`)
	b.enter(`[data-setting="pageRules"] li:nth-child(2) .input`, "/checkout/p*")
	b.run(`(() => { const move = document.querySelector('[data-setting="pageRules"] li:nth-child(2) button'); move.focus(); move.click(); })()`)
	b.until(`text('[data-setting="pageRules"] .hit').startsWith("Rule 1, /checkout/p*") && document.activeElement.textContent === "Move up"`)
	b.enter(`[data-setting="pageRules"] li .input`, "shop.example.com")
	b.click("#save")
	b.until(`text('[data-setting="pageRules"] .wrong').startsWith("Enter a path that begins with /")`)
	b.shot(folder, "widget-page-rules")
	b.enter(`[data-setting="pageRules"] li .input`, "/checkout/p*")
	b.click("#save")
	b.until(`text("#save-count") === "Saved."`)
	b.enter(".propose .input", "http://169.254.169.254/")
	b.run(`$(".propose .button").click()`)
	b.until(`text(".propose .wrong").startsWith("This is not allowed: relay never connects to")`)
	s.call(t, http.MethodPost, s.base+"/api/widget/init", s.public, map[string]any{"visitorId": "v", "url": "https://shop.example.com/lamps"}, nil)
	b.visit(s.console)
	b.visit(s.console + "#/widget")
	b.until(`text(".seen").startsWith("Seen on shop.example.com")`)
	b.until(widget + `?.querySelector("h2")?.textContent === "Halden & Loft"`)
	b.visit(s.base + "/demo") // where visitors load it from relay
	b.run(`document.querySelector("relay-chat").shadowRoot.querySelector(".launcher").click()`)
	b.until(`(() => {
		const picture = document.querySelector("relay-chat")?.shadowRoot.querySelector(".avatar img");
		return picture?.src.includes("/pictures/main?v=") && picture.complete && picture.naturalWidth === 256;
	})()`)
	b.visit(s.console + "#/widget")
	b.until(widget + `?.querySelector("h2")?.textContent === "Halden & Loft"`)
	b.run(`$$('[data-setting="operatorAvatar"] .button').find((n) => n.textContent === "Remove").click()`)
	b.until(`document.activeElement.textContent === "Choose a picture…" && text("#save-count") === "1 change"`)
	b.click("#save-discard")
	protocol(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "dark"}}})
	b.shot(folder, "widget-page-dark")
	b.do(chromedp.EmulateViewport(390, 844, chromedp.EmulateMobile))
	b.until(`document.documentElement.scrollWidth <= 390`)
	b.shot(folder, "widget-page-phone")
	b.clean("400 (Bad Request)")
}

// testFormsPage: a form of questions and the ratings are set without JSON.
func testFormsPage(t *testing.T, s *fixture) {
	folder := cmp.Or(os.Getenv("RELAY_SCREENSHOTS"), t.TempDir())
	b := s.newOperator(t, "Ada")
	b.settings("forms", "Forms & ratings")
	b.click(`#forms .check input`)
	b.until(`$$(".form-fields li").length === 2 && text("#save-count") === "1 change"`)
	b.run(`[...$$("#forms .button")].find((n) => n.textContent === "Add a question").click()`)
	b.enter(`.form-fields li:last-child input`, "What is it about?")
	b.run(`Object.assign($(".form-fields li:last-child select"), {value: "select"}).dispatchEvent(new Event("change", {bubbles: true}))`)
	b.click("#save")
	b.until(`text('[data-setting="preChatForm"] .wrong').includes("a select needs options")`)
	b.enter(`.form-fields li:last-child textarea`, "An order\nA return")
	b.click(`[data-setting="csatEnabled"] input`)
	b.click("#save")
	b.until(`text("#save-count") === "Saved."`)
	b.shot(folder, "forms-page")
	var saved struct {
		PreChatForm struct {
			Fields []struct {
				Name    string
				Options []string
			}
		}
		CsatEnabled bool
	}
	s.call(t, http.MethodGet, s.base+"/api/admin/settings", s.secret, nil, &saved)
	if f := saved.PreChatForm.Fields; len(f) != 3 || f[2].Name != "what_is_it_about" || len(f[2].Options) != 2 || !saved.CsatEnabled {
		t.Errorf("saved is %+v", saved)
	}
	b.clean("400 (Bad Request)")
}
