package knowledge

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/relay-chat/relay/server/chat"
)

// The bounds of a search: how many passages each ranking brings, and how many of one
// page are answered, so that others have room.
const (
	ranked = 50
	ofPage = 3
)

// embedTime bounds how long the model is asked for the meaning of a question.
const embedTime = 5 * time.Second

// Passages returns at most n passages that a question may be about, best first; of sources
// for a site's visitors, or of all with nil. With
// an embedding model, what has the words and what means the same are ranked
// together; while that fails, the words alone decide.
func (k *Knowledge) Passages(ctx context.Context, site *string, question string, n int) ([]chat.Passage, error) {
	question = clip(clean(question), 2000)
	byWords, err := k.store.FindPassages(ctx, site, askedWords(question), ranked)
	if err != nil {
		return nil, err
	}
	byMeaning, err := k.nearest(ctx, site, question)
	if err != nil {
		k.reportFailing(err)
	}
	return k.store.Passages(ctx, fuse(byWords, byMeaning), ofPage, n)
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

// reportFailing logs once a minute that the embedding model fails.
func (k *Knowledge) reportFailing(err error) {
	if n := k.failing.Allow(); n > 0 {
		k.opts.Log.Warn("the embedding model fails; questions are matched by their words alone", "err", err, "count", n)
	}
}
