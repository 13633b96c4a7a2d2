package bridgetest

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// testdata is the repository's folder for an adapter, seen from its package.
func testdata(name ...string) string {
	return filepath.Join(append([]string{"..", "..", "testdata"}, name...)...)
}

// Golden compares a value, as JSON, with a file of testdata.
func Golden(t *testing.T, name string, got any) {
	t.Helper()
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(got); err != nil {
		t.Fatal(err)
	}
	path := testdata(name)
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, buf.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(buf.Bytes(), want) {
		t.Errorf("%s differs:\n%s", name, &buf)
	}
}

// Recorded are the JSON files of a folder of testdata, by name.
func Recorded(t testing.TB, folder string) map[string][]byte {
	t.Helper()
	paths, err := filepath.Glob(testdata(folder, "*.json"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("nothing recorded in %s: %v", folder, err)
	}
	list := map[string][]byte{}
	for _, path := range paths {
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		list[strings.TrimSuffix(filepath.Base(path), ".json")] = raw
	}
	return list
}
