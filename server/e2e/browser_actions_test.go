package e2e

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/relay-chat/relay/bridges/ai/aitest"
)

// actionsPage is the console's section for actions in a tab.
type actionsPage struct {
	*tab
	shop string // its address
}

func (b *actionsPage) fill(form, field, value string) {
	b.Helper()
	b.run(fmt.Sprintf(`(() => { const f = [...$$("#actions %s label")].find((l) => l.textContent.startsWith(%q));
		f.control.value = %q; f.control.dispatchEvent(new Event("input", { bubbles: true })); })()`, form, field, value))
}

func (b *actionsPage) press(within, name string) {
	b.Helper()
	b.run(fmt.Sprintf(`[...$$("#actions %s button")].find((n) => n.textContent === %q).click()`, within, name))
}

func (b *actionsPage) add(name, method, path, about string) {
	b.Helper()
	b.run(`$("#actions-add").open = true`)
	for field, value := range map[string]string{"Name": name, "What it does": about, "Method": method, "Address": b.shop + path, "Secret": "Bearer shop-secret"} {
		b.fill("#actions-add", field, value)
	}
	b.press("#actions-add", "Add an action")
}

// declare adds an action that reads and one that changes something, and tries the first.
func (b *actionsPage) declare() {
	b.Helper()
	b.settings("ai", "AI")
	b.until(`shown("#actions-add")`)
	b.add("order status", "GET", "/orders/{order}", "Says where an order is.")
	b.until(`text("#actions-add").includes("small letters, digits and _")`)
	b.add("order_status", "GET", "/orders/{order}", "Says where an order is.")
	b.until(`text("#ai-actions").includes("order_status") && !text("#actions-add").includes("small letters")`)
	b.until(`$$("#actions-add input").length > 5 && [...$$("#actions-add input")].every((i) => ["", "on", "Authorization"].includes(i.value))`)
	b.run(`[...$$("#actions-add label.check")].find((l) => l.textContent.startsWith("It changes something")).querySelector("input").checked = true`)
	b.add("refund", "POST", "/refunds/{order}", "Refunds an order.")
	b.until(`text("#ai-actions").includes("refund (waits for your yes)") && !text("#ai-actions").includes("shop-secret")`)
	b.run(`$$("#ai-actions details")[1].open = true`)
	b.fill("#ai-actions", "Parameters as the AI", `{"order":"4711"}`)
	b.press("#ai-actions", "Try it")
	b.until(`text("#ai-actions").includes("status: shipped") && text("#ai-actions").includes("/orders/4711")`)
}

// look takes pictures of the section in the dark and on a phone.
func (b *actionsPage) look(folder string) {
	b.Helper()
	dark := func() {
		protocol(b.tab, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "dark"}}})
	}
	dark()
	b.run(`$("#actions").scrollIntoView()`)
	b.shot(folder, "ai-actions-dark")
	b.accessible("actions in the dark")
	dark()
	b.run(`$("#actions-add").open = true, $("#actions-add .check").scrollIntoView()`)
	b.shot(folder, "ai-actions-add-dark")
	b.do(chromedp.EmulateViewport(390, 844, chromedp.EmulateMobile))
	b.run(`$("#actions").scrollIntoView()`)
	b.shot(folder, "ai-actions-phone")
	b.run(`$("#ai-acts").scrollIntoView()`)
	b.shot(folder, "ai-acts-phone")
}

// answer says whose data an operation is about.
func (b *actionsPage) answer(item, whose string) {
	b.Helper()
	b.run(fmt.Sprintf(`(() => { const s = $("%s").querySelector("select"); s.value = %q; s.dispatchEvent(new Event("change", { bubbles: true })); })()`, item, whose))
}

// choose adds an action of an OpenAPI document.
func (b *actionsPage) choose(folder string) {
	b.Helper()
	b.run(`$("#actions-import").open = true`)
	b.fill("#actions-import", "Address", b.shop+"/openapi.json")
	b.press("#actions-import", "Read it")
	b.until(`$$("#actions-import .operations li").length === 3 && text("#actions-import .operations").includes("It needs \"X-Admin\" in its header, which relay cannot send")`)
	b.until(`text("#actions-import li:last-child").includes("GET " + %s + "/api/points")`, strings.TrimPrefix(b.shop, "http://"))
	b.until(`[...$$("#actions-import .operations li")].find((l) => l.textContent.includes("Orders something.")).textContent.includes("Another server: elsewhere.example would get the secret") && $$("#actions-import .operations .tag").length === 1`)
	b.until(`[...$$("#actions-import .operations input")].filter((i) => i.checked && !i.closest("[hidden]")).length === 0`)
	b.run(`$("#actions-import .operations li:last-child input").click()`)
	b.answer("#actions-import .operations li:last-child", "identity")
	b.until(`$("#actions-import .operations li:last-child").querySelectorAll("select")[1].value === "customer"`)
	b.run(`$("#actions-import").scrollIntoView()`)
	b.shot(folder, "ai-actions-import")
	b.accessible("operations")
	b.press("#actions-import", "Add what is chosen")
	b.until(`text("#actions-import").includes("1 action added.") && text("#ai-actions").includes("say_points")`)
	b.run(`$("#actions-import").open = false, $("#actions-tools").open = true`)
	b.fill("#actions-tools", "Address", b.shop+"/mcp")
	b.fill("#actions-tools", "Secret", "Bearer shop-secret")
	b.press("#actions-tools", "Read it")
	b.until(`text("#actions-tools .operations").includes("MCP give_points") && !$("#actions-tools .tag")`)
	b.run(`$("#actions-tools .operations input").click()`)
	b.shot(folder, "ai-actions-tools")
	b.press("#actions-tools", "Add what is chosen")
	b.until(`text("#ai-actions").includes("give_points (waits for your yes) (paused)") && !text("#ai-actions").includes("say_points (paused)")`)
	b.run(`[...$$("#ai-actions li")].find((l) => l.textContent.includes("give_points")).querySelectorAll("button")[1].click()`)
	b.until(`shown("dialog[open]")`)
	b.run(`[...$$("dialog[open] button")].find((n) => n.textContent === "Delete").click()`)
	b.until(`!text("#ai-actions").includes("give_points")`)
	b.run(`$("#actions-tools .operations input").click()`)
	b.answer("#actions-tools .operations li", "owner") // not of what changes something
	b.until(`$("#actions-tools .operations select").value === ""`)
	b.answer("#actions-tools .operations li", "verified")
	b.press("#actions-tools", "Add what is chosen")
	b.until(`/give_points \(waits for your yes\)(?! \(paused)/.test(text("#ai-actions"))`)
	b.run(`$("#actions-tools").open = false`)
}

// tools is the shop's server of the Model Context Protocol.
func tools() http.Handler {
	server := mcp.NewServer(&mcp.Implementation{Name: "shop", Version: "1"}, nil)
	mcp.AddTool(server, &mcp.Tool{Name: "give_points", Description: "Gives a customer points."},
		func(context.Context, *mcp.CallToolRequest, struct{ Points int }) (*mcp.CallToolResult, any, error) {
			return nil, nil, nil
		})
	return mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, nil)
}

// document is what the shop's API says of itself.
const document = `{"openapi":"3.1.0","info":{"title":"The shop"},"servers":[{"url":"/api"}],"paths":{
	"/points":{"get":{"operationId":"sayPoints","summary":"Says how many points a customer has.","parameters":[{"name":"customer","in":"query","required":true,"schema":{"type":"string"}}]}},
	"/orders":{"post":{"summary":"Orders something.","servers":[{"url":"https://elsewhere.example/"}],"requestBody":{"content":{"application/json":{"schema":{"type":"object","properties":{"what":{"type":"string"}}}}}}}},
	"/admin":{"get":{"summary":"Shows all.","parameters":[{"name":"X-Admin","in":"header","required":true,"schema":{"type":"string"}}]}}}}`

// testActions: an owner declares in the console what the AI may do, tries it, says yes to what waits, and
// sees what came of it.
func testActions(t *testing.T, s *fixture) {
	var refunds atomic.Int64
	given := tools()
	shop := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/mcp" {
			given.ServeHTTP(w, r)
			return
		}
		if r.Method == http.MethodPost {
			refunds.Add(1)
		}
		if r.URL.Path == "/openapi.json" {
			fmt.Fprint(w, document)
			return
		}
		fmt.Fprint(w, `{"status":"shipped"}`)
	}))
	t.Cleanup(shop.Close)
	model := aitest.New(t, aitest.Says(`{"sentences":[],"handOver":"no","act":{"name":"refund","arguments":"{\"order\":\"4711\"}"}}`))
	s.stop()
	s.instance = bootIn(t, s.dir, "WEBHOOK_ALLOW_CIDRS=127.0.0.0/8", "AI_BASE_URL="+model.Listen(), "AI_MODEL=m", "AI_MODE=answer", "AI_TAKEOVER_DELAY=0")
	b := &actionsPage{s.newOperator(t, "Ada"), shop.URL}
	folder := cmp.Or(os.Getenv("RELAY_SCREENSHOTS"), t.TempDir())
	b.declare()
	b.choose(folder)
	s.call(t, http.MethodPost, s.base+"/api/admin/operator/status", s.secret, map[string]any{"online": false}, nil)
	session := s.say(t, "Please refund my order 4711.")
	r := &refunding{instance: s.instance, t: t}
	eventually(t, "it waits", func() bool { return r.act(session).State == "waiting" })
	b.until(`text("#ai-acts").includes("Waits for your yes") && text("#ai-acts").includes("/refunds/4711")`)
	b.run(`$("#ai-acts").scrollIntoView({block: "end"})`)
	b.shot(folder, "ai-actions")
	b.accessible("actions")
	b.press("#ai-acts", "Yes, do it")
	b.until(`text("#ai-acts .tag") === "Done" && text("#ai-acts").includes("status: shipped") && !text("#ai-acts").includes("Yes, do it")`)
	eventually(t, "people are told", func() bool { return strings.Contains(r.notes(session), "status: shipped") })
	if n := refunds.Load(); n != 1 {
		t.Errorf("the shop refunds %d times", n)
	}
	b.look(folder)
	b.clean("400 (Bad Request)")
}
