package schema_test

import (
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/relay-chat/relay/schema"
)

// read returns a file's text, also of one that is compressed.
func read(file string) ([]byte, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if filepath.Ext(file) != ".gz" {
		return io.ReadAll(f)
	}
	text, err := gzip.NewReader(f)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(text)
}

// TestVersion: whatever names relay's version names the same one.
func TestVersion(t *testing.T) {
	t.Parallel()
	for file, pattern := range map[string]string{
		"openapi.yaml":                   `(?m)^  version: (\S+)$`,
		"../assets/npm/package.json":     `"version": "([^"]+)"`,
		"../assets/dist/widget.js.gz":    `version:"([^"]+)"`,
		"../assets/dist/widget.mjs.gz":   `version:"([^"]+)"`,
		"../README.md":                   `(?:relay_|relay v|download/v)(\d+\.\d+\.\d+)`,
		"../assets/guides/operations.md": "(?:install ./relay_|VERSION=v)(\\d+\\.\\d+\\.\\d+)(?:_linux_amd64.deb +# or|` in a)",
	} {
		data, err := read(file)
		if err != nil {
			t.Fatal(err)
		}
		found := regexp.MustCompile(pattern).FindAllStringSubmatch(string(data), -1)
		if len(found) == 0 {
			t.Errorf("%s names no version", file)
		}
		for _, m := range found {
			if m[1] != schema.Version {
				t.Errorf("%s: %s, want %s", file, strings.TrimSpace(m[0]), schema.Version)
			}
		}
	}
}
