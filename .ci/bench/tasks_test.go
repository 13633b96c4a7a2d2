package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"github.com/relay-chat/relay/assets/browsertest"
)

const (
	listedSessions = 10_000
	longMessages   = 10_000
	taskRounds     = 5
	slowdown       = 4 // of the browser's processor
)

// BenchmarkTasks reports the longest tasks of the browser's main thread with
// 10,000 conversations and one of 10,000 messages, in the console and in the widget.
func BenchmarkTasks(b *testing.B) {
	programs := os.Getenv("BENCH_PROGRAMS")
	if programs == "" {
		b.Skip("this needs the programs that make bench builds, and Chromium")
	}
	for b.Loop() {
		site := startSite(b, programs, "tasks", "sqlite://"+filepath.Join(b.TempDir(), "relay.db"), 1)
		base := "http://" + site.nodes[0].address
		check(b, each(listedSessions-1, 8, func(i int) error { _, err := newVisitor(site.nodes[0].address, i); return err }))
		browser := startBrowser(b)
		w := newTaskTab(b, browser)
		session := w.converse(base)
		var steps steps
		for range taskRounds {
			w.measureWidget(&steps, base, session)
		}
		w.close()
		c := newTaskTab(b, browser)
		c.signIn(base)
		for range taskRounds {
			c.measureConsole(&steps, base, session)
		}
		c.close()
		steps.print()
		site.stop(b)
	}
}

// steps are what was measured, by name, in the order of the first round.
type steps struct {
	names []string
	tasks map[string][]task
}

func (s *steps) add(name string, t task) {
	if s.tasks == nil {
		s.tasks = map[string][]task{}
	}
	if s.tasks[name] == nil {
		s.names = append(s.names, name)
	}
	s.tasks[name] = append(s.tasks[name], t)
	fmt.Printf("%s: %.0f ms, %.0f by the clock\n", name, t.used, t.wall)
}

// print prints the medians: processor time says more than the clock where others use the machine too.
func (s *steps) print() {
	t := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	load, _ := os.ReadFile("/proc/loadavg")
	fmt.Fprintf(t, "\nlongest task at %d× slower processor, ms, median of %d; load %s\tprocessor\tclock\n", slowdown, taskRounds, strings.TrimSpace(string(load)))
	for _, name := range s.names {
		var used, wall []float64
		for _, task := range s.tasks[name] {
			used, wall = append(used, task.used), append(wall, task.wall)
		}
		fmt.Fprintf(t, "%s\t%.0f\t%.0f\n", name, median(used), median(wall))
	}
	t.Flush()
}

func startBrowser(b *testing.B) context.Context {
	b.Helper()
	browser, err := browsertest.Start()
	check(b, err)
	b.Cleanup(func() { _ = chromedp.Cancel(browser) })
	return browser
}

// taskTab is a page under measurement.
type taskTab struct {
	*testing.B
	ctx   context.Context
	close func()
}

func newTaskTab(b *testing.B, browser context.Context) *taskTab {
	b.Helper()
	ctx, cancel := chromedp.NewContext(browser, chromedp.WithNewBrowserContext())
	check(b, chromedp.Do(ctx))
	check(b, chromedp.Do(ctx, chromedp.EmulateViewport(1280, 800)))
	_, err := chromedp.Call(ctx, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true})
	check(b, err)
	return &taskTab{b, ctx, cancel}
}

func (t *taskTab) visit(url string) {
	t.Helper()
	check(t.B, chromedp.Do(t.ctx, chromedp.Navigate(url)))
}

// words are for expressions about a page; in one with the widget, about its shadow root.
const words = `(async () => {
	const root = document.querySelector("relay-chat")?.shadowRoot || document;
	const $ = (s) => root.querySelector(s), $$ = (s) => [...root.querySelectorAll(s)];
	const text = (s) => ($(s)?.textContent || "").trim(), shown = (s) => !!$(s)?.checkVisibility();
	const frame = () => new Promise(requestAnimationFrame);
	const until = async (is) => { for (const end = Date.now() + 20000; !is(); await frame()) if (Date.now() > end) throw new Error("never: " + is); return true; };
	return (%s);
})()`

// eval runs an expression in the page; it may be a promise.
func (t *taskTab) eval(format string, values ...any) string {
	t.Helper()
	expr := fmt.Sprintf(format, values...)
	value, err := chromedp.Run(t.ctx, chromedp.Evaluate[any](fmt.Sprintf(words, expr), chromedp.EvalAwaitPromise))
	if err != nil {
		t.Fatalf("%s: %v", expr, err)
	}
	return fmt.Sprint(value)
}

// slow makes the page's processor slower while do runs, and returns its longest task.
func (t *taskTab) slow(do func()) task {
	t.Helper()
	rate := func(rate float64) {
		_, err := chromedp.Call(t.ctx, emulation.SetCPUThrottlingRate, emulation.SetCPUThrottlingRateParams{Rate: rate})
		check(t.B, err)
	}
	time.Sleep(settle / 2) // until the page is quiet
	rate(slowdown)
	longest, err := trace(t.ctx, func() {
		do()
		time.Sleep(settle / 2)
	})
	rate(1)
	check(t.B, err)
	return longest
}

// step measures an expression, until another is true.
func (t *taskTab) step(s *steps, name, do, until string) {
	t.Helper()
	s.add(name, t.slow(func() { t.eval(`(%s, await until(() => %s))`, do, until) }))
}

// admin makes a request of the API.
func (t *taskTab) admin(method, url, body string, answer any) {
	t.Helper()
	request, err := http.NewRequest(method, url, strings.NewReader(body))
	check(t.B, err)
	request.Header.Set("Authorization", "Bearer "+secretKey)
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	check(t.B, err)
	defer response.Body.Close()
	if response.StatusCode > 299 {
		t.Fatalf("%s %s: %s", method, url, response.Status)
	}
	if answer != nil {
		check(t.B, json.NewDecoder(response.Body).Decode(answer))
	}
}
