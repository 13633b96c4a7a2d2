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
