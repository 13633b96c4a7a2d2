// Package axetest runs axe-core in a tab of a browser test. It imports chromedp only.
package axetest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"github.com/chromedp/chromedp"
)

// version and sum name the one file that the tests trust; .ci/setup fetches it.
const (
	version = "4.11.0"
	sum     = "e9e5863c33a874f09bc01acd9234b7e3c871479f5eef8802fa582544465e6d01"
)

// The rules of a page that has passed all of them and is only shown in another medium.
var (
	// Colours are the rules that a colour scheme can break.
	Colours = []string{"color-contrast", "link-in-text-block"}
	// Layout are those that another size of the window can break.
	Layout = []string{"target-size", "scrollable-region-focusable", "aria-hidden-focus", "landmark-one-main", "page-has-heading-one", "region"}
)

// script is axe.min.js, from the user's cache.
var script = sync.OnceValues(func() (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	data, err := os.ReadFile(filepath.Join(cache, "relay", "axe-core-"+version, "axe.min.js"))
	if err != nil {
		return "", fmt.Errorf("these tests need axe-core: run them by `make test`, which fetches it: %w", err)
	}
	if got := sha256.Sum256(data); hex.EncodeToString(got[:]) != sum {
		return "", fmt.Errorf("axe-core %s in %s is not the file that the tests know", version, cache)
	}
	return string(data), nil
})

// report runs the rules over the page, shadow roots included, and reports each
// violation in a line: rule, what to do, the elements.
const report = `(async (rules) => {
	const { violations } = await axe.run(document, { resultTypes: ["violations"], elementRef: false, ...(rules && { runOnly: rules }) });
	return violations.map((v) => v.id + ": " + v.help + "\n\t\t" +
		v.nodes.slice(0, 5).map((n) => n.target.flat().join(" ") + "\n\t\t\t" + n.failureSummary.replaceAll("\n", " ")).join("\n\t\t"));
})(%s)`

// Violations returns what axe-core finds wrong in the tab's page as it is now:
// its media, its size, what is open: by the named rules, or all. It works under any
// Content-Security-Policy.
func Violations(ctx context.Context, rules ...string) ([]string, error) {
	source, err := script()
	if err != nil {
		return nil, err
	}
	loaded, err := chromedp.Run(ctx, chromedp.Evaluate[bool](`typeof axe === "object"`))
	if err != nil {
		return nil, err
	}
	if !loaded {
		if _, err := chromedp.Run(ctx, chromedp.Evaluate[bool](source+"\n;true")); err != nil {
			return nil, fmt.Errorf("load axe-core: %w", err)
		}
	}
	named, _ := json.Marshal(rules) // no rules are null
	found, err := chromedp.Run(ctx, chromedp.Evaluate[[]string](fmt.Sprintf(report, named), chromedp.EvalAwaitPromise))
	if err != nil {
		return nil, fmt.Errorf("run axe-core: %w", err)
	}
	return found, nil
}
