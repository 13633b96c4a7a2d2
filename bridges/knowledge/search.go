package knowledge

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/words"
)

// The bounds of a search: how many passages each ranking brings, how many of one page come before
// those of others, and how many of the best ones bring the passages around them, behind how many.
const (
	ranked     = 50
	ofPage     = 3
	accompany  = 3
	aroundFrom = 6
)

// embedTime bounds how long the model is asked for the meaning of a question.
const embedTime = 5 * time.Second

// Passages returns at most n passages that a question may be about, best first; of sources
// for a site's visitors, or of all with nil. What has the words, what has words that are written much the
// same and, with an embedding model, what means the same are ranked together; while that fails, the words
// alone decide. With more than six, the passages around the best ones come along.
func (k *Knowledge) Passages(ctx context.Context, site *string, question string, n int) ([]chat.Passage, error) {
	question = clip(clean(question), 2000)
	v, err := k.vocabulary(ctx)
	if err != nil {
		return nil, err
	}
	asked := askedWords(question)
	byWords, err := k.store.FindPassages(ctx, site, asked, ranked)
	if err != nil {
		return nil, err
	}
	rankings := [][]int64{byWords}
	near := v.around(asked)
	if len(near) > 0 {
		byNear, err := k.store.FindPassages(ctx, site, unique(append(slices.Clone(asked), flat(near)...)), ranked)
		if err != nil {
			return nil, err
		}
		rankings = append(rankings, byNear)
	}
	byMeaning, err := k.nearest(ctx, site, question)
	if err != nil {
		k.reportFailing(err)
	}
	numbers := fuse(append(rankings, byMeaning)...)
	found, err := k.store.Passages(ctx, withNeighbours(numbers))
	if err != nil {
		return nil, err
	}
	c := coverage{v: v, asked: asked, near: near}
	return c.judged(newerFirst(choose(found, numbers, n), k.now()), byMeaning == nil), nil
}

// mostCorrected is for how many words of a question others are looked for.
const mostCorrected = 16

// around are the words that are written much like those that were asked, by word.
func (v *vocabulary) around(asked []string) map[string][]string {
	near := map[string][]string{}
	for _, word := range asked {
		if len(near) == mostCorrected {
			break
		}
		if alike := v.alike(word); len(alike) > 0 {
			near[word] = alike
		}
	}
	return near
}

func flat(near map[string][]string) (list []string) {
	for _, words := range near {
		list = append(list, words...)
	}
	slices.Sort(list)
	return list[:min(len(list), maxAsked)]
}

// withNeighbours adds to ranked numbers those before and behind the first ones.
func withNeighbours(numbers []int64) []int64 {
	list := slices.Clone(numbers[:min(len(numbers), ranked)])
	for _, n := range numbers[:min(len(numbers), accompany)] {
		list = append(list, n-1, n+1)
	}
	return list
}

// choose picks n of the passages that were read: the ranked ones, at first a few of a page, behind the
// sixth what is around the best ones.
func choose(found []chat.FoundPassage, numbers []int64, n int) (list []chat.FoundPassage) {
	read := map[int64]chat.FoundPassage{}
	for _, p := range found {
		read[p.Number] = p
	}
	taken, pages := map[int64]bool{}, map[int64]int{}
	var late []chat.FoundPassage
	take := func(p chat.FoundPassage, there bool) {
		if there && !taken[p.Number] && len(list) < n {
			taken[p.Number], list = true, append(list, p)
		}
	}
	around := func() {
		for _, p := range slices.Clone(list[:min(len(list), accompany)]) {
			for _, number := range []int64{p.Number - 1, p.Number + 1} {
				other, there := read[number]
				take(other, there && other.Page == p.Page)
			}
		}
	}
	for _, number := range numbers {
		p, there := read[number]
		if there && pages[p.Page] == ofPage {
			late = append(late, p)
			continue
		}
		pages[p.Page]++
		if take(p, there); len(list) == aroundFrom {
			around()
		}
	}
	around()
	for _, p := range late {
		take(p, true)
	}
	return list
}

// longAgo is how old a page is that gives way to one that does not say how old it is.
const longAgo = 365 * 24 * time.Hour

// newerFirst puts the newer one of two pages about the same in front of the older one.
func newerFirst(list []chat.FoundPassage, now chat.Time) []chat.FoundPassage {
	age := func(p *chat.FoundPassage) chat.Time {
		if p.Dated == 0 {
			return now.Add(-longAgo)
		}
		return p.Dated
	}
	subjects := make([]string, len(list))
	for i := range list {
		subjects[i] = subject(list[i].Title)
	}
	for i := range list {
		newest := i
		for j := i + 1; j < len(list); j++ {
			if subjects[j] == subjects[i] && list[j].Page != list[i].Page && (list[j].Dated != 0 || list[i].Dated != 0) && age(&list[j]) > age(&list[newest]) {
				newest = j
			}
		}
		list[i], list[newest] = list[newest], list[i]
		subjects[i], subjects[newest] = subjects[newest], subjects[i]
	}
	return list
}

// subject is a title without numbers: years and versions.
func subject(title string) string {
	var list []string
	for _, run := range words.Runs(title) {
		if strings.Trim(run.Text, "0123456789") != "" {
			list = append(list, words.Fold(run.Text))
		}
	}
	return strings.Join(list, " ")
}

// fuse joins rankings: a passage counts by its reciprocal ranks.
func fuse(rankings ...[]int64) (numbers []int64) {
	const damping = 60
	scores := map[int64]float64{}
	for _, ranking := range rankings {
		for rank, number := range ranking {
			if _, known := scores[number]; !known {
				numbers = append(numbers, number)
			}
			scores[number] += 1 / float64(damping+rank+1)
		}
	}
	slices.SortStableFunc(numbers, func(a, b int64) int { return cmp.Compare(scores[b], scores[a]) })
	return numbers
}

// coverage measures how much of a question passages have.
type coverage struct {
	v     *vocabulary
	asked []string
	near  map[string][]string
}

// The shares of a question's words, by what they say, that a passage has to have. Where words are pairs of
// characters, most of these say nothing.
const (
	enoughWords = 0.3
	enoughPairs = 0.2
)

// measured is how many passages are read for it: the others come behind.
const measured = 6

func (c *coverage) least() float64 {
	pairs := 0
	for _, word := range c.asked {
		if runs := words.Runs(word); len(runs) > 0 && runs[0].Paired {
			pairs++
		}
	}
	if 2*pairs > len(c.asked) {
		return enoughPairs
	}
	return enoughWords
}

// judged marks the passages that have little of what was asked. Those that mean the same are never
// weak: they need not have its words.
func (c *coverage) judged(found []chat.FoundPassage, byWords bool) []chat.Passage {
	least := c.least()
	list := make([]chat.Passage, len(found))
	for i := range found {
		list[i] = found[i].Passage
		list[i].Weak = byWords && (i >= measured || c.of(&list[i]) < least)
	}
	return list
}

// of is the share of what was asked that a passage has. A word with its stem counts once, and a stem
// or a word that is written much the same for less.
func (c *coverage) of(p *chat.Passage) float64 {
	has := map[string]bool{}
	for _, word := range words.WithStems(p.Title + " " + p.Text) {
		has[word] = true
	}
	all, got := 0.0, 0.0
	for _, word := range c.asked {
		if isStem(word) {
			continue
		}
		weight := c.v.weight(word)
		all += weight
		switch stem := words.Stem(word); {
		case has[word]:
			got += weight
		case stem != "" && has[stem]:
			got += 0.8 * weight
		case slices.ContainsFunc(c.near[word], func(w string) bool { return has[w] }):
			got += 0.8 * weight
		}
	}
	if all == 0 {
		return 0
	}
	return got / all
}

// mostTitles is of how many titles some are picked.
const mostTitles = 2000

// Titles lists titles of pages, so many at most, from all of the alphabet: in which languages and words
// sources are.
func (k *Knowledge) Titles(ctx context.Context, site *string, n int) ([]string, error) {
	all, err := k.store.PageTitles(ctx, site, mostTitles)
	if err != nil || len(all) <= n {
		return all, err
	}
	list := make([]string, n)
	for i := range list {
		list[i] = all[i*len(all)/n]
	}
	return list, nil
}

// reportFailing logs once a minute that the embedding model fails.
func (k *Knowledge) reportFailing(err error) {
	if n := k.failing.Allow(); n > 0 {
		k.opts.Log.Warn("the embedding model fails; questions are matched by their words alone", "err", err, "count", n)
	}
}
