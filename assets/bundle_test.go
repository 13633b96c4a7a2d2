package assets_test

import (
	"bytes"
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/relay-chat/relay/assets"
	"github.com/relay-chat/relay/assets/build/bundle"
)

// The budgets of the widget and the inbox, gzipped, in bytes.
const (
	loaderBudget = 3 << 10
	firstBudget  = 22 << 10 // loader, core and panel
	partBudget   = 6 << 10  // each file that is loaded when it is first needed
	partsBudget  = 30 << 10
	hidingBudget = 800
	ownBudget    = 1100
	liveBudget   = 1200
	seenBudget   = 700
	inboxBudget  = 22 << 10 // the console's script, without the parts that load when they are opened
)

// build bundles the sources afresh.
func build(t *testing.T) []bundle.File {
	t.Helper()
	files, err := bundle.Build(".")
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func TestDistIsFresh(t *testing.T) {
	committed := map[string][]byte{}
	entries, err := os.ReadDir("dist")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		name := strings.TrimSuffix(e.Name(), ".gz")
		committed[name], err = assets.File(name) // compressed data may differ between versions of Go
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range build(t) {
		if !bytes.Equal(committed[f.Name], f.Data) {
			t.Errorf("dist/%s is not what the sources give: run go generate ./assets", f.Name)
		}
		delete(committed, f.Name)
	}
	for name := range committed {
		t.Errorf("dist/%s is left over: run go generate ./assets", name)
	}
}

func TestBuildIsDeterministic(t *testing.T) {
	first, second := build(t), build(t)
	for i, f := range first {
		if f.Name != second[i].Name || !bytes.Equal(f.Data, second[i].Data) {
			t.Errorf("%s differs between two builds", f.Name)
		}
	}
}

func TestBudgets(t *testing.T) {
	var first, parts, language int
	for _, f := range build(t) {
		size, most := len(bundle.Gzip(f.Data)), partBudget
		if f.Name == "console.js" && size > inboxBudget {
			t.Errorf("console.js: %d bytes gzipped, at most %d", size, inboxBudget)
		}
		if !f.Widget {
			continue
		}
		name, _, _ := strings.Cut(f.Name, "-")
		switch name {
		case "widget.js":
			most = loaderBudget
			first += size
		case "widget.mjs": // instead of the loader
			most = loaderBudget + 100
		case "hiding.js": // behind the loader, where a website has rules for its pages or hides its widget
			most = hidingBudget
		case "own.js": // before the loader, where a website has a launcher of its own
			most = ownBudget
		case "live.js": // behind the loader, where a website shows who is on it
			most = liveBudget
		case "seen": // where the team sees what is being written
			most = seenBudget
		case "core", "panel":
			most = firstBudget
			first += size
		case "lang": // a visitor loads one
			language = max(language, size)
		default:
			parts += size
		}
		t.Logf("%-24s %5d bytes gzipped", f.Name, size)
		if size > most {
			t.Errorf("%s: %d bytes gzipped, at most %d", f.Name, size, most)
		}
	}
	parts += language
	t.Logf("first open %d, parts %d", first, parts)
	if first > firstBudget {
		t.Errorf("the first open: %d bytes gzipped, at most %d", first, firstBudget)
	}
	if parts > partsBudget {
		t.Errorf("all parts: %d bytes gzipped, at most %d", parts, partsBudget)
	}
}

func TestWidgetAvoidsForbiddenCalls(t *testing.T) {
	forbidden := []string{"innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(",
		"new Function", "console.log", "document.cookie"}
	for _, f := range build(t) {
		if !f.Widget {
			continue
		}
		for _, word := range forbidden {
			if strings.Contains(string(f.Data), word) {
				t.Errorf("%s contains %s", f.Name, word)
			}
		}
	}
}

// TestOwnNames: what the build renames is neither a name of the browser, nor one of the API,
// of the page's RelayChat or of a text.
func TestOwnNames(t *testing.T) {
	t.Parallel()
	b := newTab(t, newSite(t, "", ""))
	b.visit("/")
	list, _ := json.Marshal(bundle.OwnNames)
	taken := eval[[]string](b, string(list)+`.filter((name) => Object.getOwnPropertyNames(window).some((one) => {
		const known = window[one];
		return one === name || (typeof known === "function" && (name in known || (known.prototype && name in known.prototype)));
	}))`)
	if len(taken) > 0 {
		t.Errorf("names of the browser: %q", taken)
	}
	for _, path := range []string{"../schema/openapi.yaml", "widget/relay-chat.d.ts", "widget/lang/en.json"} {
		source, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range bundle.OwnNames {
			if regexp.MustCompile(`\b` + name + `"?\??[:(]`).Match(source) {
				t.Errorf("%s is a name in %s", name, path)
			}
		}
	}
	if sorted := slices.Compact(slices.Sorted(slices.Values(bundle.OwnNames))); len(sorted) != len(bundle.OwnNames) {
		t.Error("a name stands twice")
	}
}
