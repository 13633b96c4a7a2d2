package assets_test

import (
	"bytes"
	"io/fs"
	"os"
	"strings"
	"testing"

	"github.com/relay-chat/relay/assets"
	"github.com/relay-chat/relay/assets/build/bundle"
)

// The budgets of the widget and the inbox, gzipped, in bytes.
const (
	loaderBudget = 3 << 10
	lazyBudget   = 19 << 10
	totalBudget  = 22 << 10
	formsBudget  = 6 << 10  // loaded when one is due
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
		name, packed := strings.CutSuffix(e.Name(), ".gz")
		if packed { // compressed data may differ between versions of Go
			committed[name], err = assets.Page(name)
		} else {
			committed[name], err = fs.ReadFile(assets.Dist(), name)
		}
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
	var loader, lazy, forms, inbox int
	for _, f := range build(t) {
		switch {
		case f.Name == "widget.js":
			loader = len(bundle.Gzip(f.Data))
		case strings.HasPrefix(f.Name, "forms-"):
			forms = len(bundle.Gzip(f.Data))
		case f.Name == "console.js":
			inbox = len(bundle.Gzip(f.Data))
		case isWidget(f.Name):
			lazy += len(bundle.Gzip(f.Data))
		}
	}
	t.Logf("loader %d, core and panel %d, together %d bytes gzipped, forms %d, inbox %d", loader, lazy, loader+lazy, forms, inbox)
	for _, c := range []struct {
		name       string
		size, most int
	}{
		{"widget.js", loader, loaderBudget},
		{"core and panel", lazy, lazyBudget},
		{"forms", forms, formsBudget},
		{"all of the widget", loader + lazy, totalBudget},
		{"console.js", inbox, inboxBudget},
	} {
		if c.size > c.most {
			t.Errorf("%s: %d bytes gzipped, at most %d", c.name, c.size, c.most)
		}
	}
}

func TestWidgetAvoidsForbiddenCalls(t *testing.T) {
	forbidden := []string{"innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(",
		"new Function", "console.log", "document.cookie"}
	for _, f := range build(t) {
		if !isWidget(f.Name) {
			continue
		}
		for _, word := range forbidden {
			if strings.Contains(string(f.Data), word) {
				t.Errorf("%s contains %s", f.Name, word)
			}
		}
	}
}

func isWidget(name string) bool {
	return name == "widget.js" || strings.HasPrefix(name, "core-") || strings.HasPrefix(name, "panel-") || strings.HasPrefix(name, "forms-")
}
