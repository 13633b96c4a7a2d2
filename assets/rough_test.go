package assets_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// roughSite serves pages by path, under a policy if there is one.
func roughSite(t *testing.T, policy string, pages map[string]string) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		page, ok := pages[r.URL.Path]
		if !ok {
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		if strings.HasSuffix(r.URL.Path, ".js") {
			w.Header().Set("Content-Type", "text/javascript")
		}
		if policy != "" {
			w.Header().Set("Content-Security-Policy", policy)
		}
		fmt.Fprint(w, page)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// talk opens the chat and exchanges a message each way.
func talk(f *fake, b *tab) {
	b.Helper()
	b.says("Hello, **here**")
	f.reply(b.T, "- an answer\n- with https://a.example/")
	b.until(`$(".theirs a")?.href === "https://a.example/"`)
}

// TestNonce: a policy that names no host but a nonce is enough, for the parts, too.
func TestNonce(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	for name, sources := range map[string]string{"only": "'nonce-abc123'", "strict": "'nonce-abc123' 'strict-dynamic'"} {
		policy := fmt.Sprintf("default-src 'none'; base-uri 'none'; script-src %s; connect-src %[2]s; img-src %[2]s; "+
			"require-trusted-types-for 'script'; trusted-types 'none'", sources, f.url())
		tag := strings.Replace(snippet(f.url(), ""), "<script", `<script nonce="abc123"`, 1)
		b := newTab(t, roughSite(t, policy, map[string]string{"/": `<!doctype html><title>Shop</title><h1>Shop</h1>` + tag}))
		b.visit("/")
		b.until(`window.RelayChat?.version`)
		b.opened()
		b.write("under the policy: " + name)
		b.until(`$(".own.sent")`)
		b.run(`$(".smile").click()`)
		b.until(`shown(".emoji")`)
		b.clean()
	}
}

// TestDocumentWrite: a page that rewrites itself carries the chat again if the
// snippet is in what it writes, with the conversation, and with one stream.
func TestDocumentWrite(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	tag := snippet(f.url(), "")
	b := newTab(t, roughSite(t, "", map[string]string{"/": `<!doctype html><title>Shop</title><h1>Shop</h1>` + tag}))
	b.visit("/")
	b.until(`window.RelayChat?.version`)
	talk(f, b)
	page, _ := json.Marshal("<!doctype html><title>Written</title><h1>Written</h1>" + tag)
	b.run(`(document.write(` + string(page) + `), document.close())`)
	b.until(`document.title === "Written" && document.querySelectorAll("relay-chat").length === 1`)
	b.run(`RelayChat.open()`)
	b.until(`shown(".panel") && $$(".row .text").length === 3`)
	b.write("still here")
	b.until(`$$(".own.sent").length === 2`)
	b.eventually("one stream", func() bool { return f.streams() == 1 })
	f.reply(t, "so are we")
	b.until(`rows().filter((text) => text === "so are we").length === 1`)
	b.clean()
}

// TestTwoWidgets: of two snippets with different keys and servers the first one wins,
// and the other server gets nothing.
func TestTwoWidgets(t *testing.T) {
	t.Parallel()
	f, other := newFake(t), newFake(t)
	other.key = "pk_other"
	second := strings.Replace(snippet(other.url(), ""), "pk_test", "pk_other", 1)
	b := newTab(t, roughSite(t, "", map[string]string{"/": `<!doctype html><title>Shop</title><h1>Shop</h1>` +
		strings.Replace(snippet(f.url(), ""), "async", "", 1) + strings.Replace(second, "async", "", 1)}))
	b.visit("/")
	b.until(`document.readyState === "complete"`)
	b.is(`document.querySelectorAll("relay-chat").length === 1`)
	talk(f, b)
	if n := other.total(); n != 0 {
		t.Errorf("the other server got %d calls", n)
	}
	b.clean()
}

// TestSandboxedFrame: the chat works in a frame that may run scripts and nothing else.
func TestSandboxedFrame(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	b := newTab(t, roughSite(t, "", map[string]string{
		"/": `<!doctype html><title>Shop</title><h1>Shop</h1><iframe sandbox="allow-scripts" src="/frame" width="600" height="700"></iframe>`,
		"/frame": `<!doctype html><title>Frame</title><script>addEventListener("message", async (e) =>
			e.ports[0].postMessage(await eval(e.data)))</script>` + snippet(f.url(), ""),
	}))
	b.visit("/")
	within := func(expr string) string { // the answer of an expression in the frame, which this page cannot see into
		data, _ := json.Marshal(fmt.Sprintf("(() => { const root = document.querySelector('relay-chat')?.shadowRoot; return %s })()", expr))
		return fmt.Sprintf(`await new Promise((done) => { const { port1, port2 } = new MessageChannel();
			port1.onmessage = (e) => done(e.data); document.querySelector("iframe").contentWindow.postMessage(%s, "*", [port2]); setTimeout(done, 2000) })`, data)
	}
	asks := func(expr string) {
		t.Helper()
		b.eventually(expr, func() bool {
			is, err := attempt[bool](b, within("!!("+expr+")"))
			return err == nil && is
		})
	}
	asks(`window.RelayChat?.version && document.readyState === "complete"`)
	asks(`(RelayChat.open(), root.querySelector(".panel")?.checkVisibility())`)
	asks(`(RelayChat.sendMessage("from the frame"), true)`)
	asks(`root.querySelector(".own.sent")`)
	b.eventually("the stream", func() bool { return f.streams() == 1 })
	f.reply(t, "to the frame")
	asks(`[...root.querySelectorAll(".theirs .text")].at(-1).textContent === "to the frame"`)
}

// TestServiceWorkerFails: what a broken Service Worker of the page takes away is said,
// and comes back with it; nothing that was written is lost.
func TestServiceWorkerFails(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	b := newTab(t, roughSite(t, "", map[string]string{
		"/": `<!doctype html><title>Shop</title><h1>Shop</h1>` + snippet(f.url(), ""),
		"/worker.js": `let broken = true;
			addEventListener("activate", (e) => e.waitUntil(clients.claim()));
			addEventListener("message", (e) => { broken = e.data; e.ports[0].postMessage(0); });
			addEventListener("fetch", (e) => broken && e.respondWith(Promise.reject(new Error("broken"))));`,
	}))
	worker := func(broken bool) {
		b.run(fmt.Sprintf(`new Promise((done) => { const { port1, port2 } = new MessageChannel(); port1.onmessage = done;
			navigator.serviceWorker.controller.postMessage(%t, [port2]) })`, broken))
	}
	b.visit("/")
	b.until(`window.RelayChat?.version`)
	b.run(`(navigator.serviceWorker.register("/worker.js"), new Promise((done) => (navigator.serviceWorker.oncontrollerchange = done)))`)
	b.click(".launcher")
	b.until(`$(".launcher").ariaLabel === "Chat could not be loaded. Try again" && !RelayChat.isOpen`)
	worker(false)
	b.click(".launcher")
	b.until(`shown(".panel") && $(".smile")`)
	worker(true)
	b.write("written meanwhile")
	b.until(`$$(".own").length === 1 && !$(".own.sent")`)
	worker(false)
	b.until(`$(".own.sent")`)
	f.reply(t, "heard")
	b.until(`rows().at(-1) === "heard"`)
}
