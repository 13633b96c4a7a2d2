package assets_test

import (
	"testing"

	"github.com/relay-chat/relay/assets/axetest"
)

// accessible fails for each fault that axe-core finds in the page as it is now.
func (b *tab) accessible() {
	b.Helper()
	found, err := axetest.Violations(b.ctx)
	if err != nil {
		b.Fatal(err)
	}
	for _, violation := range found {
		b.Errorf("axe: %s", violation)
	}
}

// TestAxeFinds: the check itself notices a fault, also under a strict policy.
func TestAxeFinds(t *testing.T) {
	b := newTab(t, newSite(t, "http://127.0.0.1:1", `<!-- no widget -->`))
	b.visit("/")
	b.accessible()
	b.run(`document.body.append(document.createElement("button"))`)
	found, err := axetest.Violations(b.ctx)
	if err != nil || len(found) == 0 {
		t.Fatalf("a button without a name is no fault: %v, %v", found, err)
	}
}

// TestAxeRemembers: what has passed in a medium is not looked at again, and what is new or has
// changed is, until it passes.
func TestAxeRemembers(t *testing.T) {
	t.Parallel()
	b := newTab(t, newSite(t, "http://127.0.0.1:1", `<!-- no widget -->`))
	b.visit("/")
	const pale = `document.querySelector("h1").style.color = "#ccc"`
	const text = `((i) => (i.append("new"), (i.style.color = "#ddd"), document.querySelector("main").append(i)))(document.createElement("i"))`
	const button = `(document.querySelector("main").style = "", document.querySelector("main").append(document.createElement("button")))`
	for _, step := range []struct {
		what, change string
		wrong        bool
	}{
		{"a page without faults", `document.title`, false},
		{"a colour that became pale", "(" + pale + ")", true},
		{"the same again", `document.title`, true},
		{"the right colour", `(document.querySelector("h1").style.color = "")`, false},
		{"a new text that is pale", text, true},
		{"without it", `document.querySelector("i").remove()`, false},
		{"a ground that became dark", `(document.querySelector("main").style.background = "#111")`, true},
		{"a button without a name", button, true},
	} {
		b.run(step.change)
		found, err := axetest.Changes(b.ctx, "light")
		if err != nil || len(found) > 0 != step.wrong {
			t.Errorf("%s: %v, %v", step.what, found, err)
		}
	}
	b.run(`(document.querySelector("button").remove(), document.querySelector("h1").style.color = "#ccc")`)
	if found, err := axetest.Changes(b.ctx, "dark", axetest.Colours...); err != nil || len(found) == 0 {
		t.Errorf("pale in another medium: %v, %v", found, err)
	}
}
