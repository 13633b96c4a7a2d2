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
	"strconv"
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
//
// Contrast takes most of the time, and most of a page is as it was when it was looked at
// last. So in a named medium the page remembers what has passed: an element that is like
// it in all that contrast depends on, and all around it too, is not calculated again.
const report = `(async (rules, medium) => {
	const contrast = "color-contrast", passed = ((window.axePassed ||= {})[medium] ||= new Set()), kinds = new Map();
	const kindOf = (n) => {
		if (!n) return 0;
		if (kinds.has(n)) return kinds.get(n);
		const s = getComputedStyle(n);
		const named = [...n.attributes].filter((a) => /^(class|role|type|aria-.*|disabled|inert|hidden|open)$/.test(a.name));
		const text = [kindOf(n.assignedSlot ?? n.parentElement ?? n.getRootNode().host), n.tagName, ...named.map((a) => a.name + a.value),
			s.color, s.backgroundColor, s.backgroundImage, s.opacity, s.fontSize, s.fontWeight, s.textShadow, s.textIndent, s.filter,
			s.mixBlendMode, s.position, s.zIndex, s.visibility, n.control?.disabled].join("|");
		let hash = 2166136261;
		for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 16777619);
		kinds.set(n, hash);
		return hash;
	};
	const all = (root) => [...root.querySelectorAll("*")].flatMap((n) => n.shadowRoot ? [n, ...all(n.shadowRoot)] : [n]);
	const written = (n) => [...n.childNodes].some((c) => c.nodeType === 3 && c.data.trim()) || n.matches("input, select, textarea");
	// Two rules read all style sheets and media once more: again only when others are there.
	const roots = [document, ...all(document).flatMap((n) => n.shadowRoot ?? [])];
	const sheets = roots.map((r) => r.styleSheets.length + r.adoptedStyleSheets.length).join();
	const preload = sheets !== window.axeSheets || !!document.querySelector("[autoplay]");
	if (!rules) window.axeSheets = sheets;
	const found = [];
	const run = async (where, more) => {
		const got = await axe.run(where, { resultTypes: ["violations"], elementRef: false, preload, ...more });
		found.push(...got.violations);
		return got;
	};
	if (!medium) await run(document, rules && { runOnly: rules });
	else {
		const others = rules?.filter((r) => r !== contrast);
		if (!others) await run(document, { rules: { [contrast]: { enabled: false } } });
		else if (others.length) await run(document, { runOnly: others });
		const fresh = rules && !rules.includes(contrast) ? [] :
			all(document.body).filter((n) => written(n) && n.checkVisibility() && !passed.has(kindOf(n)));
		if (fresh.length) {
			const got = await run({ include: fresh }, { runOnly: [contrast], resultTypes: ["violations", "passes"], elementRef: true });
			got.passes.forEach((p) => p.nodes.forEach((n) => n.element && passed.add(kindOf(n.element))));
		}
	}
	return found.map((v) => v.id + ": " + v.help + "\n\t\t" +
		v.nodes.slice(0, 5).map((n) => n.target.flat().join(" ") + "\n\t\t\t" + n.failureSummary.replaceAll("\n", " ")).join("\n\t\t"));
})(%s, %s)`

// Violations returns what axe-core finds wrong in the tab's page as it is now:
// its media, its size, what is open: by the named rules, or all. It works under any
// Content-Security-Policy.
func Violations(ctx context.Context, rules ...string) ([]string, error) {
	return Changes(ctx, "", rules...)
}

// Changes is Violations for a page that is looked at again and again in a medium: what
// passed before as it is now need not pass once more.
func Changes(ctx context.Context, medium string, rules ...string) ([]string, error) {
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
	found, err := chromedp.Run(ctx, chromedp.Evaluate[[]string](fmt.Sprintf(report, named, strconv.Quote(medium)), chromedp.EvalAwaitPromise))
	if err != nil {
		return nil, fmt.Errorf("run axe-core: %w", err)
	}
	return found, nil
}
