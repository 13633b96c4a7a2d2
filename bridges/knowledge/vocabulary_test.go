package knowledge

import (
	"fmt"
	"slices"
	"testing"

	"github.com/relay-chat/relay/server/chat"
)

// TestAlike: a word that is misspelt, or part of a longer one, leads to the words of the pages.
func TestAlike(t *testing.T) {
	var list []chat.WordCount
	for _, word := range []string{"delivery", "deliv·", "receive", "invoices", "colleague", "lieferzeit", "ruckgabefrist", "gewahrleistung", "movil", "garantie", "2024", "送料", "versand", "доставка"} {
		list = append(list, chat.WordCount{Word: word, Passages: 2})
	}
	v := newVocabulary("", list)
	for asked, want := range map[string]string{"delivry": "delivery", "recieve": "receive", "invoises": "invoices", "collegue": "colleague", "ruckgabe": "ruckgabefrist",
		"garantei": "garantie", "достафка": "доставка", "gewahrleistungsfrist": "gewahrleistung", "2023": "", "送": "", "zebra": "", "ok": ""} {
		if got := v.alike(asked); want == "" && len(got) > 0 || want != "" && !slices.Contains(got, want) {
			t.Errorf("%s is like %v, want %q", asked, got, want)
		}
	}
	if got := v.alike("versand"); len(got) > 0 {
		t.Errorf("a word that is there is like %v", got)
	}
}

// TestSlips: slips are counted as people make them.
func TestSlips(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want int
	}{{"word", "word", 0}, {"wrod", "word", 1}, {"wor", "word", 1}, {"worrd", "word", 1}, {"ward", "word", 1}, {"drow", "word", 3}, {"", "ab", 2}} {
		if got := slips([]rune(tt.a), []rune(tt.b)); got != tt.want {
			t.Errorf("%s, %s: %d slips, want %d", tt.a, tt.b, got, tt.want)
		}
	}
}

// TestNewerFirst: of two pages about the same the newer one comes first; one without a date is not old.
func TestNewerFirst(t *testing.T) {
	passage := func(page int64, title string, dated chat.Time) chat.FoundPassage {
		return chat.FoundPassage{Page: page, Passage: chat.Passage{Title: title, Dated: dated}}
	}
	now := chat.Time(1_800_000_000_000)
	old, recent := now.Add(-3*longAgo), now.Add(-longAgo/12)
	for _, tt := range []struct {
		list []chat.FoundPassage
		want string
	}{
		{[]chat.FoundPassage{passage(1, "Prices 2022", old), passage(2, "Hours", 0), passage(3, "Prices", recent)}, "[3 2 1]"},
		{[]chat.FoundPassage{passage(1, "Prices 2022", old), passage(2, "Prices", 0)}, "[2 1]"},
		{[]chat.FoundPassage{passage(1, "Prices", 0), passage(2, "Prices", recent)}, "[2 1]"},
		{[]chat.FoundPassage{passage(1, "Prices", 0), passage(2, "Prices", 0)}, "[1 2]"},
		{[]chat.FoundPassage{passage(1, "Prices", old), passage(1, "Prices", old), passage(2, "Hours", recent)}, "[1 1 2]"},
	} {
		var pages []int64
		for _, p := range newerFirst(tt.list, now) {
			pages = append(pages, p.Page)
		}
		if got := fmt.Sprint(pages); got != tt.want {
			t.Errorf("%v is put as %s, want %s", tt.list, got, tt.want)
		}
	}
}

// TestChoose: of one page come a few before others, and what is around the best ones comes behind the sixth.
func TestChoose(t *testing.T) {
	var found []chat.FoundPassage
	for page := range int64(3) {
		for i := range int64(10) {
			found = append(found, chat.FoundPassage{Number: 10*page + i, Page: page})
		}
	}
	var got []int64
	for _, p := range choose(found, []int64{5, 7, 9, 2, 15, 25, 11, 17, 19}, 12) {
		got = append(got, p.Number)
	}
	if want := []int64{5, 7, 9, 15, 25, 11, 4, 6, 8, 17, 2, 19}; !slices.Equal(got, want) {
		t.Errorf("chosen are %v, want %v", got, want)
	}
}
