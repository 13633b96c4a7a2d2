package assets_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/relay-chat/relay/assets/axetest"
)

// A sight is how a visitor's browser shows what is there.
type sight struct {
	name          string
	width, height int64
	scale         float64
	phone         bool
	scheme        string // of the page
	media         []string
	// rules are those of axe-core that can find in it what they do not in light, none means all.
	rules []string
}

// sights follow each other in one tab, so each is told in full. At 320 px the widget
// shows other parts than in a wide window, which no rule has seen yet.
var sights = []sight{
	{name: "light", width: 1000, height: 800},
	{name: "dark", width: 1000, height: 800, scheme: "dark", rules: axetest.Colours},
	{name: "forced colours", width: 1000, height: 800, media: []string{"forced-colors", "active", "prefers-color-scheme", "dark"}, rules: axetest.Colours},
	{name: "reduced motion", width: 1000, height: 800, media: []string{"prefers-reduced-motion", "reduce"}, rules: axetest.Colours},
	{name: "320 px", width: 320, height: 640, phone: true},
	{name: "400 %", width: 320, height: 256, scale: 4, rules: slices.Concat(axetest.Colours, axetest.Layout)}, // of a window of 1280 × 1024
}

// TestEveryStateInEverySight: whatever the widget shows, in whatever medium, has
// no violation that axe-core finds, nothing that runs out of the window, targets
// that can be hit, a focus that is seen, and no motion that nobody wants.
func TestEveryStateInEverySight(t *testing.T) {
	t.Parallel()
	mirrored := []sight{sights[0], sights[4]} // the others know no direction
	for name, seen := range map[string][]sight{"en": sights, "ar": mirrored} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newTab(t, "")
			for _, s := range states {
				t.Run(s.name, func(t *testing.T) {
					b.T = t
					f := newFake(t)
					if s.settings != nil {
						s.settings(f)
					}
					b.site = newSite(t, f.url(), snippet(f.url(), s.attributes+` data-locale="`+name+`"`))
					b.in(sights[0])
					b.visit("/?dir=" + map[string]string{"ar": "rtl"}[name])
					b.until(`RelayChat.version`)
					s.make(f, b)
					for _, at := range seen {
						b.in(at)
						b.examine(at)
					}
				})
			}
		})
	}
}

// in changes what the browser shows the page in.
func (b *tab) in(s sight) {
	b.Helper()
	options := []chromedp.EmulateViewportOption{}
	if s.phone {
		options = append(options, chromedp.EmulateMobile, chromedp.EmulateTouch)
	}
	if s.scale > 0 {
		options = append(options, chromedp.EmulateScale(s.scale))
	}
	b.do(chromedp.EmulateViewport(s.width, s.height, options...))
	b.media(s.media...)
	b.run(`(document.documentElement.style = "background: Canvas; color-scheme: ` + s.scheme + `", $(".panel, .badge") && RelayChat.setTheme())`)
	b.run(`document.querySelector("a")?.style.setProperty("color", "LinkText")`)
	b.run(`new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))`)
}

// moving lists what is animated; a delay alone is no motion.
const moving = `[...document.getAnimations(), ...root.getAnimations()].filter((a) => a.effect.getComputedTiming().duration > 0)`

// examine looks for all that can be wrong.
func (b *tab) examine(s sight) {
	b.Helper()
	if s.name == "reduced motion" {
		b.is(moving + `.length === 0`)
	}
	b.run(`Promise.all(` + moving + `.filter((a) => a.effect.getTiming().iterations < 9).map((a) => a.finished))`)
	b.shot(strings.NewReplacer(" ", "", "%", "").Replace(s.name))
	for _, wrong := range eval[[]string](b, `(`+faults+`)(root)`) {
		b.Errorf("%s: %s", s.name, wrong)
	}
	found, err := axetest.Violations(b.ctx, s.rules...)
	if err != nil {
		b.Fatal(err)
	}
	for _, violation := range found {
		b.Errorf("%s: %s", s.name, violation)
	}
}

// faults looks for what axe-core does not: what is cut off or beside the window,
// small targets, icons, borders and focus that do not stand out.
const faults = `(root) => {
	const out = [];
	const nameOf = (n) => n.tagName.toLowerCase() + "." + [...n.classList].join(".") + " " + (n.ariaLabel || n.textContent).slice(0, 40);
	const colour = (text) => (/rgb/.test(text) && text.match(/[\d.]+/g) || [0, 0, 0, 0]).map(Number);
	const bright = (text) => {
		const [r, g, b] = colour(text).map((v) => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
		return 0.2126 * r + 0.7152 * g + 0.0722 * b;
	};
	const contrast = (a, b) => { const [x, y] = [bright(a), bright(b)].sort((p, q) => q - p); return (x + 0.05) / (y + 0.05); };
	const ground = (n) => {
		for (; n instanceof Element; n = n.parentNode) {
			const { backgroundColor } = getComputedStyle(n);
			if ((colour(backgroundColor)[3] ?? 1) > 0.5) return backgroundColor;
		}
		return getComputedStyle(document.documentElement).backgroundColor;
	};
	const all = [...root.querySelectorAll("*")].filter((n) => n.checkVisibility() && !n.closest(".sr") && !n.parentNode.closest?.("svg"));
	const active = root.activeElement;
	if (document.scrollingElement.scrollWidth > innerWidth) out.push("the page scrolls sideways");
	for (const n of all) {
		if (!n.isConnected) continue; // the buttons of a message come and go with the focus
		const style = getComputedStyle(n), box = n.getBoundingClientRect();
		const short = n.closest("h2, .quote, .editbar, .name, .chip, .chat span, .words, input, textarea, select");
		if ((box.left < -0.5 || box.right > innerWidth + 0.5) && !short) out.push(nameOf(n) + " is beside the window");
		if (n.scrollWidth > n.clientWidth + 1 && style.overflowX !== "visible" && !short) out.push(nameOf(n) + " is wider than its place");
		if (n.scrollHeight > n.clientHeight + 1 && style.overflowY === "hidden" && !short && !n.matches(".panel")) out.push(nameOf(n) + " is higher than its place");
		if (!n.matches("button, a[href], input, select, textarea, summary")) continue;
		const target = (n.matches("[type=checkbox]") ? n.labels[0] : n).getBoundingClientRect();
		if (Math.min(target.width, target.height) < 24 && !n.matches(".text a")) out.push(nameOf(n) + " is " + target.width + " × " + target.height);
		const icon = n.querySelector("svg");
		if (icon && !n.ariaDisabled && contrast(getComputedStyle(icon).color, ground(n)) < 3) out.push(nameOf(n) + " has a pale icon");
		if (n.matches("input:not([type=checkbox], [type=radio]), select, textarea") && contrast(style.borderTopColor, ground(n.parentNode)) < 3) out.push(nameOf(n) + " has a pale border");
		n.focus({ focusVisible: true, preventScroll: true });
		if (root.activeElement !== n) continue; // it is inert
		const ring = n.matches("[type=radio]") ? n.parentNode : n;
		const { outlineStyle, outlineWidth, outlineColor, outlineOffset, borderTopColor, boxShadow } = getComputedStyle(ring);
		const beside = ground(parseFloat(outlineOffset) < 0 ? ring : ring.parentNode);
		const ringed = outlineStyle !== "none" && parseFloat(outlineWidth) >= 2 &&
			[outlineColor, ring.matches(".launcher") ? boxShadow : ""].some((c) => contrast(c, beside) >= 3); // the launcher has two rings, as it stands on any page
		const field = n.matches("input, select, textarea") && contrast(borderTopColor, beside) >= 3;
		if (!ringed && !field) out.push(nameOf(n) + " has a focus that is not seen: " + [outlineStyle, outlineWidth, outlineColor, "on", beside].join(" "));
	}
	active?.focus({ preventScroll: true });
	return out;
}`
