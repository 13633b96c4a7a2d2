package knowledge_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/relay-chat/relay/server/chat"
)

// goldenSite is a site of another kind than the shop, whose questions name the passage that
// answers them.
type goldenSite struct {
	name  string
	pages int
	// blind: which questions fail is not printed, so that nobody tunes to them.
	blind bool
	least int // right passages among the first six
}

var goldenSites = []goldenSite{
	{name: "helpcentre", pages: 13, least: 42},
	{name: "clinic", pages: 14, blind: true, least: 39},
}

// siteQuestion is answered by a passage of a page that has all of some texts.
type siteQuestion struct {
	Question, Page string
	Has            []string
}

// TestGoldenSites counts the right passages among those for the questions of a software's help
// centre (accordions, tabs, code, JSON-LD) and of a clinic (tables, definition lists), each in three
// languages with outdated twins of pages.
func TestGoldenSites(t *testing.T) {
	for _, site := range goldenSites {
		t.Run(site.name, func(t *testing.T) {
			folder := filepath.Join("../../testdata", site.name)
			data, err := os.ReadFile(filepath.Join(folder, "questions.json"))
			var questions []siteQuestion
			if err == nil {
				err = json.Unmarshal(data, &questions)
			}
			if err != nil {
				t.Fatal(err)
			}
			server := openSite(t, folder, site.pages)
			each(t, func(t *testing.T, b *base) {
				s := b.crawl(server.URL+"/sitemap.xml", false)
				right := 0
				for _, q := range questions {
					if q.place(b.ask(q.Question)) > 0 {
						right++
					} else if !site.blind {
						t.Logf("not found: %s (%s)", q.Question, q.Page)
					}
				}
				t.Logf("right passage among the first six: %d of %d; %d passages", right, len(questions), s.Passages)
				if right < site.least {
					t.Errorf("%d right passages, %d before", right, site.least)
				}
			})
		})
	}
}

// place is the place of the right passage, 0 if it is not there.
func (q *siteQuestion) place(passages []chat.Passage) int {
	for i, p := range passages {
		if text := oneSpace(p.Title + " " + p.Text); strings.HasSuffix(p.URL, "/"+q.Page+".html") && hasAll(text, q.Has) {
			return i + 1
		}
	}
	return 0
}

func hasAll(text string, parts []string) bool {
	for _, part := range parts {
		if !strings.Contains(text, oneSpace(part)) {
			return false
		}
	}
	return true
}

func oneSpace(text string) string { return strings.Join(strings.Fields(text), " ") }
