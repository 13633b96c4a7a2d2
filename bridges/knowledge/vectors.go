package knowledge

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
)

// embedBatch is how many passages the model reads at once.
const embedBatch = 32

// maxEmbedded is how much of a passage the model reads, in characters.
const maxEmbedded = 2000

// embed has the model read the next passages that it has not read yet, and then the questions that
// had no answer. It reports whether there were any.
func (k *Knowledge) embed(ctx context.Context) (worked bool, err error) {
	embedder, model := k.opts.Embedding()
	if embedder == nil || model == "" {
		return false, nil
	}
	numbers, texts, err := k.meanings.Unembedded(ctx, model, embedBatch)
	if err == nil && len(numbers) > 0 {
		packed := k.vectorsOf(ctx, embedder, texts)
		if packed == nil {
			return false, nil
		}
		return true, k.meanings.PutVectors(ctx, model, numbers, packed)
	}
	if err != nil {
		return false, err
	}
	ids, texts, err := k.meanings.UnembeddedQuestions(ctx, model, embedBatch)
	if err != nil || len(ids) == 0 {
		return false, err
	}
	packed := k.vectorsOf(ctx, embedder, texts)
	if packed == nil {
		return false, nil
	}
	return true, k.meanings.PutQuestionVectors(ctx, model, ids, packed)
}

// vectorsOf asks the model for the packed vectors of texts, nil when it fails, which is logged.
func (k *Knowledge) vectorsOf(ctx context.Context, embedder Embedder, texts []string) [][]byte {
	for i := range texts {
		texts[i] = clip(texts[i], maxEmbedded)
	}
	vectors, err := embedder.Embed(ctx, texts)
	if err == nil && len(vectors) != len(texts) {
		err = fmt.Errorf("%d vectors for %d texts", len(vectors), len(texts))
	}
	if err != nil {
		if ctx.Err() == nil {
			k.reportFailing(err)
		}
		return nil
	}
	packed := make([][]byte, len(vectors))
	for i, v := range vectors {
		packed[i] = pack(v)
	}
	return packed
}

// pack renders a vector with a byte for each number, which keeps its direction well
// enough and takes a quarter of the space.
func pack(v []float32) []byte {
	largest := float32(0)
	for _, x := range v {
		largest = max(largest, float32(math.Abs(float64(x))))
	}
	packed := make([]byte, len(v))
	if largest > 0 && !math.IsInf(float64(largest), 0) {
		for i, x := range v {
			packed[i] = byte(int8(math.Round(float64(x / largest * 127))))
		}
	}
	return packed
}

// unpack is a packed vector with the length 1, nil where there is none.
func unpack(packed []byte) []float32 {
	v, square := make([]float32, len(packed)), 0.0
	for i, b := range packed {
		v[i] = float32(int8(b))
		square += float64(v[i]) * float64(v[i])
	}
	if square == 0 {
		return nil
	}
	for i := range v {
		v[i] /= float32(math.Sqrt(square))
	}
	return v
}

// likeness is the cosine between a vector and a packed one, 0 for those of another
// length.
func likeness(v []float32, packed []byte) float64 {
	if len(v) != len(packed) {
		return 0
	}
	var product, length float32
	for i, x := range v {
		y := float32(int8(packed[i]))
		product += x * y
		length += y * y
	}
	if length == 0 {
		return 0
	}
	return float64(product) / math.Sqrt(float64(length))
}

// nearest ranks the passages by how near their meaning is to the question's. Without
// a model there are none.
func (k *Knowledge) nearest(ctx context.Context, site *string, question string) ([]int64, error) {
	embedder, model := k.opts.Embedding()
	if embedder == nil || model == "" {
		return nil, nil
	}
	asking, cancel := context.WithTimeout(ctx, embedTime)
	defer cancel()
	vectors, err := embedder.Embed(asking, []string{question})
	if err != nil || len(vectors) != 1 {
		return nil, cmp.Or(err, fmt.Errorf("%d vectors for one text", len(vectors)))
	}
	type scored struct {
		number int64
		score  float64
	}
	var best []scored
	k.vectors.Lock()
	defer k.vectors.Unlock()
	err = k.meanings.EachVector(ctx, site, model, func(number int64, vector []byte) {
		s := scored{number, likeness(vectors[0], vector)}
		if len(best) == ranked && s.score <= best[ranked-1].score {
			return
		}
		at, _ := slices.BinarySearchFunc(best, s, func(a, b scored) int { return cmp.Compare(b.score, a.score) })
		best = slices.Insert(best[:min(len(best), ranked-1)], min(at, ranked-1), s)
	})
	numbers := make([]int64, len(best))
	for i, s := range best {
		numbers[i] = s.number
	}
	return numbers, err
}
