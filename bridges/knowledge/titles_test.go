package knowledge_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/relay-chat/relay/server/chat"
)

// TestTitles: titles are of sources for a site's visitors, and from all of the alphabet.
func TestTitles(t *testing.T) {
	each(t, func(t *testing.T, b *base) {
		for i := range 10 {
			if _, err := b.AddText(t.Context(), chat.AllSites, fmt.Sprint("Page ", i), "Text.", ""); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := b.AddText(t.Context(), "other", "Secret", "Text.", ""); err != nil {
			t.Fatal(err)
		}
		mine := "mine"
		got, err := b.Titles(t.Context(), &mine, 5)
		if want := []string{"Page 0", "Page 2", "Page 4", "Page 6", "Page 8"}; err != nil || !slices.Equal(got, want) {
			t.Errorf("the titles are %v, %v", got, err)
		}
		if got, err := b.Titles(t.Context(), nil, 50); err != nil || len(got) != 11 {
			t.Errorf("all titles are %v, %v", got, err)
		}
	})
}
