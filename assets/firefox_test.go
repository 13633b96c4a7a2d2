package assets_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"
)

// fox is one page in Firefox, driven by WebDriver BiDi.
type fox struct {
	*testing.T
	conn    *websocket.Conn
	next    int
	context string
	logged  []string
}

// newFox starts Firefox with a profile of its own and opens a page.
func newFox(t *testing.T) *fox {
	t.Helper()
	path, err := exec.LookPath("firefox-esr")
	if err != nil {
		if path, err = exec.LookPath("firefox"); err != nil {
			t.Fatal("this test needs Firefox: run it by `make test`, which installs it")
		}
	}
	b := &fox{T: t, conn: dialFox(t, startFox(t, path))}
	b.call("session.new", object{"capabilities": object{}})
	b.call("session.subscribe", object{"events": []string{"log.entryAdded"}})
	created := b.call("browsingContext.create", object{"type": "tab"})
	b.context = created["context"].(string)
	return b
}

// startFox returns the address on which Firefox listens.
func startFox(t *testing.T, path string) string {
	t.Helper()
	profile := t.TempDir()
	// Firefox requests nothing but the test's pages.
	prefs := `user_pref("app.normandy.enabled", false); user_pref("network.captive-portal-service.enabled", false);
user_pref("network.connectivity-service.enabled", false); user_pref("services.settings.server", "data:,");
user_pref("toolkit.telemetry.enabled", false); user_pref("datareporting.policy.dataSubmissionEnabled", false);
user_pref("browser.safebrowsing.malware.enabled", false); user_pref("browser.safebrowsing.phishing.enabled", false);`
	if err := os.WriteFile(profile+"/user.js", []byte(prefs), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, path, "--headless", "--no-remote", "--remote-debugging-port", "0", "--profile", profile)
	cmd.Env = append(os.Environ(), "HOME="+profile, "MOZ_CRASHREPORTER_DISABLE=1", "LANG=C.UTF-8")
	cmd.WaitDelay = 5 * time.Second
	out, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stop()
		_ = cmd.Wait() // killed
	})
	found := make(chan string, 1)
	go func() {
		lines := bufio.NewScanner(out)
		for lines.Scan() {
			if _, addr, ok := strings.Cut(lines.Text(), "WebDriver BiDi listening on "); ok {
				found <- addr
				break
			}
		}
		_, _ = io.Copy(io.Discard, out)
	}()
	select {
	case addr := <-found:
		return addr
	case <-time.After(time.Minute):
		t.Fatal("Firefox does not start")
		return ""
	}
}

func dialFox(t *testing.T, addr string) *websocket.Conn {
	t.Helper()
	conn, answer, err := websocket.DefaultDialer.Dial(addr+"/session", http.Header{})
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	t.Cleanup(func() { conn.Close() })
	return conn
}

// call sends one command and returns its result; log entries are collected.
func (b *fox) call(method string, params object) object {
	b.Helper()
	b.next++
	if err := b.conn.WriteJSON(object{"id": b.next, "method": method, "params": params}); err != nil {
		b.Fatal(err)
	}
	for {
		var answer struct {
			ID                    int
			Type, Method, Message string
			Result, Params        object
		}
		b.conn.SetReadDeadline(time.Now().Add(3 * patience))
		if err := b.conn.ReadJSON(&answer); err != nil {
			b.Fatalf("%s: %v", method, err)
		}
		if answer.Method == "log.entryAdded" {
			b.logged = append(b.logged, fmt.Sprint(answer.Params["level"], " ", answer.Params["text"]))
		}
		if answer.ID != b.next {
			continue
		}
		if answer.Type == "error" {
			b.Fatalf("%s: %s", method, answer.Message)
		}
		return answer.Result
	}
}

func (b *fox) visit(url string) {
	b.Helper()
	b.call("browsingContext.navigate", object{"context": b.context, "url": url, "wait": "complete"})
}

// until waits for an expression to become true; one that throws is false.
func (b *fox) until(expr string) {
	b.Helper()
	guarded := fmt.Sprintf(prelude, "(() => { try { return !!("+expr+") } catch { return false } })()")
	for end := time.Now().Add(patience); ; time.Sleep(30 * time.Millisecond) {
		result := b.call("script.evaluate", object{"expression": guarded, "awaitPromise": true, "target": object{"context": b.context}})
		if value, ok := result["result"].(object); ok && value["value"] == true {
			return
		}
		if time.Now().After(end) {
			last, _ := json.Marshal(result)
			b.Fatalf("never: %s\n%s\n%q", expr, last, b.logged)
		}
	}
}

// press types a text; \uE007 is Enter.
func (b *fox) press(text string) {
	b.Helper()
	var keys []object
	for _, r := range text {
		keys = append(keys, object{"type": "keyDown", "value": string(r)}, object{"type": "keyUp", "value": string(r)})
	}
	b.call("input.performActions", object{"context": b.context, "actions": []object{{"type": "key", "id": "keyboard", "actions": keys}}})
}

// click clicks at a point of the page.
func (b *fox) click(x, y int) {
	b.Helper()
	b.call("input.performActions", object{"context": b.context, "actions": []object{{"type": "pointer", "id": "mouse", "actions": []object{
		{"type": "pointerMove", "x": x, "y": y}, {"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}}}}})
}

// TestFirefox runs the main scenario in Firefox: open, send, receive, reload.
func TestFirefox(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	b := newFox(t)
	b.call("browsingContext.setViewport", object{"context": b.context, "viewport": object{"width": 1000, "height": 800}})
	site := newSite(t, f.url(), snippet(f.url(), ""))
	b.visit(site + "/shop")
	b.until(`shown(".launcher")`)
	b.click(950, 750) // the launcher
	b.until(`shown(".panel") && root.activeElement === $("textarea") && $(".presence").textContent === "Online now"`)
	b.press("Hello from Firefox\uE007")
	b.until(`rows().at(-1) === "Hello from Firefox" && $(".own.sent")`)
	f.reply(t, "Hello, **Fox**")
	b.until(`rows().at(-1).startsWith("Hello, ")`)
	f.state(t, "typing", object{"active": true, "operatorName": "Ana"})
	b.until(`shown(".typing")`)
	b.visit(site + "/shop")
	b.until(`shown(".panel") && rows().length === 3`) // an open chat stays open
	f.reply(t, "still here")
	b.until(`rows().at(-1) === "still here"`)
	b.click(950, 750)
	b.until(`!shown(".panel")`)
	for _, text := range b.logged {
		if !strings.Contains(text, "/favicon.ico") { // the page's own, which its policy forbids
			t.Errorf("Firefox logged: %s", text)
		}
	}
}
