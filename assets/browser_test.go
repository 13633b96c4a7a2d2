package assets_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/relay-chat/relay/assets/browsertest"
)

// patience bounds every wait of a browser test.
const patience = time.Minute

// chrome starts one browser for all tests of the package, when one needs it.
var chrome = sync.OnceValues(func() (context.Context, error) {
	return browsertest.Start(chromedp.WindowSize(1000, 800),
		chromedp.Flag("use-fake-device-for-media-stream", true), chromedp.Flag("use-fake-ui-for-media-stream", true))
})

func TestMain(m *testing.M) {
	code := m.Run()
	if browserStarted.Load() {
		if ctx, err := chrome(); err == nil {
			chromedp.Cancel(ctx)
		}
	}
	os.Exit(code)
}

var browserStarted atomic.Bool

// tab is one page of a site that carries the widget.
type tab struct {
	*testing.T
	ctx  context.Context
	site string
	mu   sync.Mutex
	said []string
}

// policy is as strict as a page can be that carries the widget.
func policy(api string) string {
	return fmt.Sprintf("default-src 'none'; script-src %[1]s; connect-src %[1]s; img-src %[1]s; "+
		"require-trusted-types-for 'script'; trusted-types 'none'", api)
}

// newSite serves a page with the snippet under the policy, or a bare one.
func newSite(t *testing.T, api, snippet string) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/favicon.ico" {
			return
		}
		dir := r.URL.Query().Get("dir")
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		if snippet != "" {
			w.Header().Set("Content-Security-Policy", policy(api))
		}
		if r.URL.Path == "/sandboxed" { // the browser blocks storage, and what hangs on it
			w.Header().Add("Content-Security-Policy", "sandbox allow-scripts")
		}
		fmt.Fprintf(w, `<!doctype html><html lang="en" dir="%s"><title>Shop</title><meta name="viewport" content="width=device-width">`+
			`<body><main><h1>Shop</h1><p><a href="#x">A link</a></p></main>%s`, dir, snippet)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

func snippet(api, attributes string) string {
	return fmt.Sprintf(`<script async src="%s/widget.js" data-api-key="pk_test" %s></script>`, api, attributes)
}

// newTab opens a blank tab in a browser profile of its own.
func newTab(t *testing.T, site string) *tab {
	t.Helper()
	browserStarted.Store(true)
	browser, err := chrome()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := chromedp.NewContext(browser, chromedp.WithNewBrowserContext())
	t.Cleanup(cancel)
	return startTab(t, ctx, site)
}

// sibling opens another tab of the same visitor.
func (b *tab) sibling() *tab {
	b.Helper()
	ctx, cancel := chromedp.NewContext(b.ctx)
	b.Cleanup(cancel)
	return startTab(b.T, ctx, b.site)
}

func startTab(t *testing.T, ctx context.Context, site string) *tab {
	t.Helper()
	// The tab lives as long as the context of this first step.
	if err := chromedp.Do(ctx); err != nil {
		t.Fatal(err)
	}
	b := &tab{T: t, ctx: ctx, site: site}
	b.do(chromedp.EmulateViewport(1000, 800))
	entries := chromedp.Events(ctx, log.EntryAdded)
	thrown := chromedp.Events(ctx, runtime.ExceptionThrown)
	if _, err := chromedp.Call(ctx, log.Enable, cdp.Empty{}); err != nil {
		t.Fatal(err)
	}
	go func() {
		for e, err := range entries {
			if err != nil {
				return
			}
			b.note(e.Entry.Text)
		}
	}()
	go func() {
		for e, err := range thrown {
			if err != nil {
				return
			}
			b.note(fmt.Sprint(e.ExceptionDetails.Text, " ", e.ExceptionDetails.Exception))
		}
	}()
	return b
}

func (b *tab) note(text string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.said = append(b.said, text)
}

// clean fails if the browser had anything to complain about.
func (b *tab) clean() {
	b.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, text := range b.said {
		b.Errorf("the browser says: %s", text)
	}
}

func (b *tab) do(actions ...chromedp.Action[chromedp.Void]) {
	b.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, 3*patience)
	defer cancel()
	if err := chromedp.Do(ctx, actions...); err != nil {
		b.Fatal(err)
	}
}

func (b *tab) visit(path string) {
	b.Helper()
	b.do(chromedp.Navigate(b.site + path))
}

// prelude gives expressions $ and $$ for the widget's shadow root.
const prelude = `(async () => {
	const host = document.querySelector("relay-chat"), root = host?.shadowRoot;
	const $ = (s) => root?.querySelector(s), $$ = (s) => [...(root?.querySelectorAll(s) || [])];
	const shown = (s) => !!$(s)?.checkVisibility();
	const rows = () => $$(".row .text").map((n) => n.textContent);
	const wait = (ms) => new Promise((r) => setTimeout(r, ms));
	return (%s);
})()`

// eval runs an expression in the page; it may be a promise.
func eval[T any](b *tab, expr string) T {
	b.Helper()
	value, err := attempt[T](b, expr)
	if err != nil {
		b.Fatalf("%s: %v", expr, err)
	}
	return value
}

// attempt is eval for pages that may be left meanwhile.
func attempt[T any](b *tab, expr string) (T, error) {
	ctx, cancel := context.WithTimeout(b.ctx, 3*patience)
	defer cancel()
	return chromedp.Run(ctx, chromedp.Evaluate[T](fmt.Sprintf(prelude, expr), chromedp.EvalAwaitPromise))
}

func (b *tab) run(expr string) {
	b.Helper()
	eval[bool](b, "(await ("+expr+"), true)")
}

// until waits for an expression to become true; what throws is not.
func (b *tab) until(expr string) {
	b.Helper()
	guarded := "(() => { try { return !!(" + expr + ") } catch { return false } })()"
	b.eventually(expr, func() bool {
		is, err := attempt[bool](b, guarded)
		return err == nil && is
	})
}

// is checks an expression right now.
func (b *tab) is(expr string) {
	b.Helper()
	if !eval[bool](b, "!!("+expr+")") {
		b.Errorf("not true: %s\n%s", expr, b.look())
	}
}

func (b *tab) eventually(what string, ok func() bool) {
	b.Helper()
	for end := time.Now().Add(patience); !ok(); time.Sleep(15 * time.Millisecond) {
		if time.Now().After(end) {
			b.shot("failed")
			b.Fatalf("never: %s\n%s\n%q", what, b.look(), b.said)
		}
	}
}

// look describes the panel for a failed test.
func (b *tab) look() string {
	return eval[string](b, `$(".panel") ? $(".panel").textContent : "no panel, launcher: " + $(".launcher")?.ariaLabel`)
}

// click clicks in the middle of an element of the widget, once it stands
// still there and nothing covers it: a list that scrolls to a card that has
// just grown would move it from under the pointer.
func (b *tab) click(selector string) {
	b.Helper()
	quoted, _ := json.Marshal(selector)
	b.until(fmt.Sprintf("shown(%s)", quoted))
	var at []float64
	b.eventually("pointing at "+selector, func() bool {
		at = eval[[]float64](b, fmt.Sprintf(`(async (n) => {
			if (!n?.checkVisibility()) return [];
			n.scrollIntoView({block: "nearest"});
			const a = n.getBoundingClientRect(), _ = await wait(50), z = n.getBoundingClientRect();
			const x = z.x + z.width / 2, y = z.y + z.height / 2, top = root.elementFromPoint(x, y);
			return a.x === z.x && a.y === z.y && (n.contains(top) || top?.contains(n)) ? [x, y] : [];
		})($(%s))`, quoted))
		return len(at) == 2
	})
	b.do(chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, at[0], at[1]), chromedp.MouseClickXY(at[0], at[1]))
}

// text types as a keyboard with a full vocabulary does.
func (b *tab) text(s string) {
	b.Helper()
	if _, err := chromedp.Call(b.ctx, input.InsertText, input.InsertTextParams{Text: s}); err != nil {
		b.Fatal(err)
	}
}

// key presses one named key.
func (b *tab) key(name string, code int64) {
	b.Helper()
	for _, kind := range []input.DispatchKeyEventType{input.DispatchKeyEventTypeRawKeyDown, input.DispatchKeyEventTypeKeyUp} {
		_, err := chromedp.Call(b.ctx, input.DispatchKeyEvent, input.DispatchKeyEventParams{
			Type: kind, Key: name, Code: name, WindowsVirtualKeyCode: code})
		if err != nil {
			b.Fatal(err)
		}
	}
}

func (b *tab) enter()  { b.Helper(); b.key("Enter", 13) }
func (b *tab) escape() { b.Helper(); b.key("Escape", 27) }
func (b *tab) up()     { b.Helper(); b.key("ArrowUp", 38) }

// open opens the chat by its button and waits until it can be used.
func (b *tab) open() {
	b.Helper()
	b.click(".launcher")
	b.until(`shown(".panel") && $(".presence").textContent !== "Connecting…" && $(".smile")`)
}

// write sends a message by the keyboard.
func (b *tab) write(text string) {
	b.Helper()
	b.run(`$("textarea").focus()`)
	b.text(text)
	b.enter()
}

// shot keeps a picture in the directory RELAY_SHOTS, if that is set.
func (b *tab) shot(name string) {
	b.Helper()
	dir := os.Getenv("RELAY_SHOTS")
	if dir == "" {
		return
	}
	time.Sleep(300 * time.Millisecond) // animations
	data, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
	if err != nil {
		b.Fatal(err)
	}
	name = strings.ReplaceAll(b.Name(), "/", "-") + "-" + name + ".png"
	if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
		b.Fatal(err)
	}
}

// serveFile answers what was uploaded, or a small picture for every name that asks for one.
func (f *fake) serveFile(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	data := f.files[r.PathValue("name")]
	f.mu.Unlock()
	if len(data) > 20 {
		w.Write(data)
		return
	}
	if !strings.HasSuffix(r.PathValue("name"), ".png") {
		fmt.Fprint(w, "text")
		return
	}
	img := image.NewRGBA(image.Rect(0, 0, 320, 180))
	for i := range img.Bounds().Dx() * img.Bounds().Dy() {
		img.Set(i%320, i/320, color.RGBA{90, uint8(i / 320), 200, 255})
	}
	var out bytes.Buffer
	png.Encode(&out, img)
	w.Header().Set("Content-Type", "image/png")
	w.Write(out.Bytes())
}
