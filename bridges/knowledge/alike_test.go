package knowledge_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/relay-chat/relay/bridges/knowledge"
	"github.com/relay-chat/relay/db"
	"github.com/relay-chat/relay/db/dbtest"
	"github.com/relay-chat/relay/server/chat"
)

// groups tells a list as "question (how often): others; …".
func groups(list []chat.Question) string {
	var texts []string
	for _, q := range list {
		text := fmt.Sprintf("%s (%d)", q.Question, q.Count)
		for _, a := range q.Alike {
			text += ": " + a.Question
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, "; ")
}

// TestGroup: what asks the same stands together, whatever the order of its words, and what merely
// has some of the same words does not.
func TestGroup(t *testing.T) {
	b := knowledge.New(knowledge.Options{})
	of := func(site string, count int, texts ...string) (list []chat.Question) {
		for _, text := range texts {
			context, question, follows := strings.Cut(text, " / ")
			if !follows {
				context, question = "", text
			}
			list = append(list, chat.Question{Question: question, Context: context, Count: count, Site: site, SessionID: "s"})
		}
		return list
	}
	for _, tt := range []struct {
		name string
		list []chat.Question
		want string
	}{
		{"none", nil, ""},
		{"other words around it", of("", 2, "How much is shipping to France?", "What does shipping to France cost?", "Do you have a parking space?"),
			"How much is shipping to France? (4): What does shipping to France cost?; Do you have a parking space? (2)"},
		{"forms of words", of("", 2, "Do you sell gift cards?", "are gift cards sold?", "gift card?"),
			"Do you sell gift cards? (4): are gift cards sold?; gift card? (2)"},
		{"the order of words", of("", 1, "parking, for bikes", "Bikes parking?"), "parking, for bikes (2): Bikes parking?"},
		{"other things", of("", 1, "Do you ship to France?", "Do you ship to Poland?"), "Do you ship to France? (1); Do you ship to Poland? (1)"},
		{"the most asked first", append(of("", 1, "Who is your boss?"), append(of("", 1, "parking"), of("", 1, "Parking?!")...)...), "parking (2): Parking?!; Who is your boss? (1)"},
		{"another site", append(of("", 1, "parking"), of("berlin", 1, "parking")...), "parking (1); parking (1)"},
		{"what goes on", of("", 1, "When are you open? / And on Sundays?", "Do you deliver? / And on Sundays?", "When are you open? / On Sundays?"),
			"And on Sundays? (2): On Sundays?; And on Sundays? (1)"},
		{"only common words", of("", 1, "What is this?", "what is this", "who are you?"), "What is this? (2): what is this; who are you? (1)"},
		{"a script without spaces", of("", 1, "営業時間を教えてください", "営業時間は？", "返品できますか"), "営業時間を教えてください (2): 営業時間は？; 返品できますか (1)"},
	} {
		if got := groups(b.Group(tt.list)); got != tt.want {
			t.Errorf("%s:\n got %s\nwant %s", tt.name, got, tt.want)
		}
	}
}

// TestGroupByMeaning: with an embedding model, questions in other words stand together, too.
func TestGroupByMeaning(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, store *db.DB) {
		model := &topics{}
		b := newBase(t, store, func(o *knowledge.Options) { o.Embedding = func() (knowledge.Embedder, string) { return model, "one" } })
		session := chat.Session{ID: chat.NewID(), VisitorID: "ann", Status: chat.StatusOpen, CreatedAt: 1, LastActivity: 1}
		if err := store.Apply(t.Context(), func(tx chat.Tx) error { return tx.CreateSession(&session) }); err != nil {
			t.Fatal(err)
		}
		for _, q := range []chat.Question{{Question: "Do you have a couch?"}, {Question: "Any sofa?"}, {Question: "A lamp?"}, {Question: "In red?", Context: "Is there a light?"}} {
			q.SessionID = session.ID
			if err := b.Unanswered(t.Context(), q); err != nil {
				t.Fatal(err)
			}
		}
		b.work()
		list, err := b.Questions(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		got := b.Group(list)
		if len(got) != 2 || len(got[0].Alike) != 1 || len(got[1].Alike) != 1 {
			t.Errorf("the groups are %s", groups(got))
		}
		before := model.asked
		b.work()
		if model.asked != before {
			t.Error("the model is asked twice of a question")
		}
	})
}
