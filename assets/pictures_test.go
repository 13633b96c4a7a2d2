package assets_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/relay-chat/relay/assets"
)

// mostPictures is how many bytes all pictures may have: they are in the program.
const mostPictures = 1_000_000

// TestPictures: the pictures that guides show are all there in light and dark, with words
// for those who do not see them; none is left over, and together they are small.
func TestPictures(t *testing.T) {
	unused, size := map[string]bool{}, 0
	for _, file := range assets.Pictures() {
		data, err := assets.Picture(file)
		if err != nil {
			t.Fatal(err)
		}
		unused[file], size = true, size+len(data)
	}
	if size > mostPictures {
		t.Errorf("the pictures have %d bytes, more than %d", size, mostPictures)
	}
	guides, err := filepath.Glob("guides/*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, guide := range guides {
		for _, name := range shownPictures(t, guide) {
			for _, file := range []string{name + ".webp", name + "-dark.webp"} {
				if _, err := assets.Picture(file); err != nil {
					t.Errorf("%s: %v", guide, err)
				}
				delete(unused, file)
			}
		}
	}
	for file := range unused {
		t.Errorf("no guide shows %s", file)
	}
}

var pictureOfGuide = regexp.MustCompile(`!\[([^]]*)\]\(([^)]*)\)`)

// shownPictures names the pictures of a guide, which its page must have.
func shownPictures(t *testing.T, guide string) (names []string) {
	t.Helper()
	text, err := os.ReadFile(guide)
	if err != nil {
		t.Fatal(err)
	}
	page, err := assets.File("guide-" + strings.TrimSuffix(filepath.Base(guide), ".md") + ".html")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range pictureOfGuide.FindAllStringSubmatch(string(text), -1) {
		name := strings.TrimSuffix(strings.TrimPrefix(m[2], "pictures/"), ".webp")
		if len(m[1]) < 20 {
			t.Errorf("%s: the alternative text %q says too little", guide, m[1])
		}
		tag := regexp.MustCompile(fmt.Sprintf(`<picture><source srcset="/static/%[1]s-dark\.webp" media="[^"]+">`+
			`<img src="/static/%[1]s\.webp" alt="[^"]{20,}" width="\d+" height="\d+" loading="lazy"></picture>`, name))
		if !tag.Match(page) {
			t.Errorf("the page of %s does not show %s", guide, name)
		}
		names = append(names, name)
	}
	return names
}
