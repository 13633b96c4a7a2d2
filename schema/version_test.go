package schema_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/relay-chat/relay/schema"
)

// TestVersion: whatever names relay's version names the same one.
func TestVersion(t *testing.T) {
	t.Parallel()
	for file, pattern := range map[string]string{
		"openapi.yaml":                   `(?m)^  version: (\S+)$`,
		"../assets/npm/package.json":     `"version": "([^"]+)"`,
		"../assets/dist/widget.js":       `version:"([^"]+)"`,
		"../assets/dist/widget.mjs":      `version:"([^"]+)"`,
		"../README.md":                   `(?:relay_|relay v|download/v)(\d+\.\d+\.\d+)`,
		"../assets/guides/operations.md": "(?:install ./relay_|VERSION=v)(\\d+\\.\\d+\\.\\d+)(?:_linux_amd64.deb +# or|` in a)",
	} {
		data, err := os.ReadFile(file)
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
