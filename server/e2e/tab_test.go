package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// tab is a page in a browser profile of its own. Its methods end the test when
// something does not become true in time.
type tab struct {
	*testing.T
	ctx  context.Context
	mu   sync.Mutex
	said []chromedp.ConsoleMessage
}

// onLoad reports what a page tells only to itself.
const onLoad = `addEventListener("securitypolicyviolation", (e) => console.error("policy", e.violatedDirective, e.blockedURI))`

// newTab opens a blank tab. Focus is emulated, as if each tab were the one
// that somebody looks at.
func (s *fixture) newTab(t *testing.T) *tab {
	t.Helper()
	ctx, cancel := chromedp.NewContext(s.browser, chromedp.WithNewBrowserContext())
	t.Cleanup(cancel)
	b := &tab{T: t, ctx: ctx}
	messages := chromedp.Console(ctx) // the tab lives as long as this context
	go func() {
		for m, err := range messages {
			if err != nil {
				return
			}
			b.mu.Lock()
			b.said = append(b.said, m)
			b.mu.Unlock()
		}
	}()
	b.do(chromedp.EmulateViewport(1280, 800))
	protocol(b, log.Enable, cdp.Empty{})
	protocol(b, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true})
	protocol(b, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: onLoad})
	return b
}

// protocol sends one command of the browser's protocol.
func protocol[P, R any](b *tab, c cdp.Command[P, R], params P) R {
	b.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	result, err := chromedp.Call(ctx, c, params)
	if err != nil {
		b.Fatalf("%s: %v", c.Method, err)
	}
	return result
}

func (b *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	b.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	if err := chromedp.Do(ctx, steps...); err != nil {
		b.Fatal(err)
	}
}

func (b *tab) visit(url string) {
	b.Helper()
	b.do(chromedp.Navigate(url))
}

// prelude is for expressions about the widget's shadow root or, on a page
// without the widget, about the page. lines is the conversation as it is seen.
const prelude = `(async () => {
	const root = document.querySelector("relay-chat")?.shadowRoot || document;
	const $ = (s) => root.querySelector(s), $$ = (s) => [...root.querySelectorAll(s)];
	const text = (s) => ($(s)?.textContent || "").trim(), shown = (s) => !!$(s)?.checkVisibility();
	const frame = () => new Promise(requestAnimationFrame);
	const who = (n) => n.closest(".own, .from-visitor") ? "visitor: " : "operator: ";
	const lines = () => $$(".row .bubble, .message .bubble").map((n) => who(n) + n.textContent);
	return (%s);
})()`

// eval gives the value of an expression; it may be a promise.
func eval[T any](b *tab, expr string) T {
	b.Helper()
	value, err := attempt[T](b, expr)
	if err != nil {
		b.Fatalf("%s: %v", expr, err)
	}
	return value
}

func attempt[T any](b *tab, expr string) (T, error) {
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	return chromedp.Run(ctx, chromedp.Evaluate[T](fmt.Sprintf(prelude, expr), chromedp.EvalAwaitPromise))
}

// look is eval for those who ask again: a page that is just being left for
// another one answers nothing, nor does one without the element that is asked about.
func look[T any](b *tab, expr string) T {
	b.Helper()
	value, err := attempt[T](b, expr)
	if err != nil && !notYet.MatchString(err.Error()) {
		b.Fatalf("%s: %v", expr, err)
	}
	return value
}

// notYet are the words of Chromium for a page that went away under a question, and for
// what is read of an element that is not there.
var notYet = regexp.MustCompile(`navigated or closed|context was destroyed|[Cc]annot find (default execution )?context|context with specified id|Cannot read properties of (null|undefined)`)

// run evaluates an expression for its effect.
func (b *tab) run(expr string) {
	b.Helper()
	eval[bool](b, "(await ("+expr+"), true)")
}

// wait asks again until ok says yes.
func (b *tab) wait(what string, ok func() bool) {
	b.Helper()
	for deadline := time.Now().Add(patience); !ok(); time.Sleep(15 * time.Millisecond) {
		if time.Now().After(deadline) {
			b.Fatalf("not within %s: %s\nthe page: %s\nthe console: %s", patience, what,
				eval[string](b, "(root === document ? document.body : $('.panel'))?.innerText || ''"), b.console())
		}
	}
}

// until waits for an expression to become true.
func (b *tab) until(format string, values ...any) {
	b.Helper()
	for i, value := range values {
		literal, err := json.Marshal(value)
		if err != nil {
			b.Fatal(err)
		}
		values[i] = string(literal)
	}
	expr := fmt.Sprintf(format, values...)
	b.wait(expr, func() bool { return look[bool](b, "!!("+expr+")") })
}

// sees waits until the conversation consists of these lines.
func (b *tab) sees(lines ...string) {
	b.Helper()
	var got []string
	defer func() {
		if b.Failed() {
			b.Logf("it showed %q", got)
		}
	}()
	b.wait(fmt.Sprintf("lines %q", lines), func() bool {
		got = look[[]string](b, "lines()")
		return slices.Equal(got, lines)
	})
}

// point moves the mouse to an element that stands still with nothing over it, until the
// page knows of it: the browser may still have another size of the page in mind.
func (b *tab) point(selector string) (x, y float64) {
	b.Helper()
	name, err := json.Marshal(selector)
	if err != nil {
		b.Fatal(err)
	}
	var at []float64
	b.wait("pointing at "+selector, func() bool {
		at = look[[]float64](b, fmt.Sprintf(`(async (n) => {
			if (!n?.checkVisibility() || n.closest("[inert]")) return [];
			n.scrollIntoView({block: "nearest"});
			const a = n.getBoundingClientRect(), _ = await frame(), z = n.getBoundingClientRect();
			const x = z.x + z.width / 2, y = z.y + z.height / 2, top = root.elementFromPoint(x, y);
			return a.x === z.x && a.y === z.y && (n.contains(top) || top?.contains(n)) ? [x, y] : [];
		})($(%s))`, name))
		if len(at) != 2 {
			return false
		}
		b.do(chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, at[0], at[1]))
		return look[bool](b, fmt.Sprintf(`!!$(%[1]s)?.matches(":hover") || !!root.elementFromPoint(%[2]v, %[3]v)?.matches(":hover")`, name, at[0], at[1]))
	})
	return at[0], at[1]
}

func (b *tab) click(selector string) {
	b.Helper()
	x, y := b.point(selector)
	b.do(chromedp.MouseClickXY(x, y))
}

// enter types a text into a field in the place of what is there.
func (b *tab) enter(selector, text string) {
	b.Helper()
	b.paste(selector, text)
	b.until(`$(%s).value.includes(%s)`, selector, text)
}

// paste is enter for fields that act on a text at once, and may be gone then.
func (b *tab) paste(selector, text string) {
	b.Helper()
	b.until(`shown(%[1]s) && ($(%[1]s).focus(), $(%[1]s).select(), root.activeElement === $(%[1]s))`, selector)
	protocol(b, input.InsertText, input.InsertTextParams{Text: text})
}

// press presses one named key. A key event that carries text would add it.
func (b *tab) press(name string, code int64, modifiers ...int64) {
	b.Helper()
	held := int64(0)
	for _, m := range modifiers {
		held |= m
	}
	for _, kind := range []input.DispatchKeyEventType{input.DispatchKeyEventTypeRawKeyDown, input.DispatchKeyEventTypeKeyUp} {
		protocol(b, input.DispatchKeyEvent, input.DispatchKeyEventParams{Type: kind, Key: name, Code: name, WindowsVirtualKeyCode: code, Modifiers: held})
	}
}

// write sends a message from either composer.
func (b *tab) write(text string) {
	b.Helper()
	b.enter("textarea", text)
	b.press("Enter", 13)
}

func (b *tab) console() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	var all strings.Builder
	for _, m := range b.said {
		fmt.Fprintf(&all, "\n  %s %s", m, m.URL)
	}
	return all.String()
}

// clean fails if the browser had anything to complain about, but for what is
// expected. A mark on the console proves that everything before it was heard.
func (b *tab) clean(expected ...string) {
	b.Helper()
	b.run(`console.debug("end of test")`)
	b.wait("the console's end", func() bool { return strings.Contains(b.console(), "end of test") })
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, m := range b.said {
		isExpected := func(part string) bool { return strings.Contains(m.Text, part) }
		loud := m.Type != chromedp.ConsoleDebug && m.Type != chromedp.ConsoleInfo
		if loud && !slices.ContainsFunc(expected, isExpected) {
			b.Errorf("the browser says: %s %s", m, m.URL)
		}
	}
}

func (b *tab) cookies() []*network.Cookie {
	b.Helper()
	return protocol(b, network.GetCookies, network.GetCookiesParams{}).Cookies
}

// shot keeps a picture of what is seen, when animations have ended.
func (b *tab) shot(folder, name string) {
	b.Helper()
	b.until(`document.getAnimations().every((a) => a.playState !== "running" || a.effect.getTiming().iterations === Infinity)`)
	b.run(`frame().then(frame)`)
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	picture, err := chromedp.Run(ctx, chromedp.CaptureScreenshot())
	if err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, name+".png"), picture, 0o644); err != nil {
		b.Fatal(err)
	}
}
