// Package browsertest finds and starts the browser of the tests. It imports chromedp only.
package browsertest

import (
	"context"
	"errors"
	"fmt"
	"os/exec"

	"github.com/chromedp/chromedp"
)

// names are the programs that drive the tests, the best first. The headless shell is the
// same engine without a browser's windows, for half the processor time. No test needs more
// than it has: passkeys, notifications, microphone and emulated screens are all there.
var names = []string{"chromium-headless-shell", "headless-shell", "headless_shell", "chromium", "chromium-browser", "google-chrome"}

// Program returns the path of the browser.
func Program() (string, error) {
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", errors.New("no Chromium: `make test` installs it, or alone: .ci/setup chromium")
}

// Start starts the browser with a blank first tab and returns the context of that tab,
// which chromedp.Cancel ends together with the browser.
func Start(options ...chromedp.ExecAllocatorOption) (context.Context, error) {
	program, err := Program()
	if err != nil {
		return nil, err
	}
	all := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(program), chromedp.NoSandbox, chromedp.DisableGPU)
	for _, flag := range []string{"disable-quic", "disable-component-update"} {
		all = append(all, chromedp.Flag(flag, true))
	}
	allocator, _ := chromedp.NewExecAllocator(context.Background(), append(all, options...)...)
	browser, _ := chromedp.NewContext(allocator)
	if err := chromedp.Do(browser); err != nil {
		return nil, fmt.Errorf("start %s: %w", program, err)
	}
	return browser, nil
}
