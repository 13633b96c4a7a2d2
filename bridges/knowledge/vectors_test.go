package knowledge_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/relay-chat/relay/bridges/knowledge"
	"github.com/relay-chat/relay/db"
	"github.com/relay-chat/relay/db/dbtest"
	"github.com/relay-chat/relay/server/chat"
)

// topics is an embedding model that knows what a few words are about.
type topics struct {
	err   error
	asked int
}

func (m *topics) Embed(_ context.Context, texts []string) ([][]float32, error) {
	vectors := make([][]float32, len(texts))
	for i, text := range texts {
		m.asked++
		vectors[i] = make([]float32, 3)
		for topic, words := range [][]string{{"sofa", "couch"}, {"lamp", "light"}, {"bill", "invoice"}} {
			for _, word := range words {
				vectors[i][topic] += float32(strings.Count(text, word))
			}
		}
	}
	return vectors, m.err
}

// TestVectors: with an embedding model, passages are found that mean the same in
// other words; while it fails, by their words alone.
func TestVectors(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, store *db.DB) {
		model, name := &topics{}, "one"
		b := newBase(t, store, func(o *knowledge.Options) {
			o.Embedding = func() (knowledge.Embedder, string) { return model, name }
		})
		for title, text := range map[string]string{"Seats": "Every sofa is made by hand.", "Glow": "A lamp for each room.", "Money": "The invoice comes by mail."} {
			if _, err := b.AddText(t.Context(), chat.AllSites, title, text, ""); err != nil {
				t.Fatal(err)
			}
		}
		b.work()
		if model.asked != 3 {
			t.Errorf("the model read %d passages", model.asked)
		}
		if got := b.ask("couch"); len(got) == 0 || got[0].Title != "Seats" {
			t.Errorf("by meaning: %v", got)
		}
		if got := b.ask("lamp"); len(got) == 0 || got[0].Title != "Glow" {
			t.Errorf("by both: %v", got)
		}
		if _, err := b.AddText(t.Context(), "berlin", "Benches", "Each sofa there is of steel.", ""); err != nil {
			t.Fatal(err)
		}
		b.work()
		for site, want := range map[string]bool{"berlin": true, "paris": false, "": false} { // "" is the first site
			found, err := b.Passages(t.Context(), &site, "couch", 6)
			if has := slices.ContainsFunc(found, func(p chat.Passage) bool { return p.Title == "Benches" }); err != nil || has != want || len(found) < 3 {
				t.Errorf("visitors of %q get %v (%v)", site, found, err)
			}
		}
		model.err = errors.New("overloaded")
		if got := b.ask("couch invoice"); len(got) != 1 || got[0].Title != "Money" {
			t.Errorf("while the model fails: %v", got)
		}
		model.err, model.asked, name = nil, 0, "two"
		b.work()
		if model.asked != 4 {
			t.Errorf("another model read %d passages", model.asked)
		}
	})
}
