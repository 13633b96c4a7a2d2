package assets_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestStyleIsDocumented: the guide names the variables and the parts that the widget's
// sources have, and no others.
func TestStyleIsDocumented(t *testing.T) {
	t.Parallel()
	guide, err := os.ReadFile("guides/widget.md")
	if err != nil {
		t.Fatal(err)
	}
	_, chapter, _ := strings.Cut(string(guide), "## Style it")
	chapter, _, _ = strings.Cut(chapter, "\n## ")
	_, parts, _ := strings.Cut(chapter, "style the parts ")
	parts, _, _ = strings.Cut(parts, "with ")
	var sources strings.Builder
	err = filepath.WalkDir("widget", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !slices.Contains([]string{".css", ".ts"}, filepath.Ext(path)) {
			return err
		}
		data, err := os.ReadFile(path)
		sources.Write(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for what, pair := range map[string][2][]string{
		"variables": {all(`--relay-([a-z-]+)`, chapter), all(`var\(--relay-([a-z-]+)`, sources.String())},
		"parts":     {all("`([a-z]+)`", parts), append(all(`part: "([a-z]+)"`, sources.String()), all(`"part", "([a-z]+)"`, sources.String())...)},
	} {
		told, there := sorted(pair[0]), sorted(pair[1])
		if len(there) == 0 || !slices.Equal(told, there) {
			t.Errorf("%s: the guide has %q, the sources %q", what, told, there)
		}
	}
}

func all(pattern, text string) (found []string) {
	for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(text, -1) {
		found = append(found, m[1])
	}
	return found
}

func sorted(list []string) []string { return slices.Compact(slices.Sorted(slices.Values(list))) }
