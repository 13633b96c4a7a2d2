package db

import (
	"context"

	"github.com/relay-chat/relay/server/chat"
)

// Unembedded lists passages of which the model was not asked yet.
func (d *DB) Unembedded(ctx context.Context, model string, limit int) (numbers []int64, texts []string, err error) {
	err = d.backend.look(ctx, func(t *tx) error {
		numbers, texts = nil, nil
		return t.q.rows(func() []any {
			numbers, texts = append(numbers, 0), append(texts, "")
			return []any{&numbers[len(numbers)-1], &texts[len(texts)-1]}
		}, limited(`SELECT number, title || ' ' || text FROM passages WHERE model <> ? ORDER BY number LIMIT ?`, limit), model)
	})
	return numbers, texts, err
}

// PutVectors stores what the model said of passages. Those that are gone are left
// out.
func (d *DB) PutVectors(ctx context.Context, model string, numbers []int64, vectors [][]byte) error {
	return d.backend.apply(ctx, func(t *tx) error {
		for i, n := range numbers {
			if _, err := t.q.exec(`UPDATE passages SET model = ?, vector = ? WHERE number = ?`, model, vectors[i], n); err != nil {
				return err
			}
		}
		return nil
	})
}

// EachVector calls with the vector of every passage that has one of the model; with a site,
// of the sources for its visitors. It is valid until with returns.
func (d *DB) EachVector(ctx context.Context, site *string, model string, with func(number int64, vector []byte)) error {
	query, args := `SELECT g.number, g.vector FROM passages g`, []any{}
	if site != nil {
		query, args = query+forSite, append(args, *site)
	}
	return d.backend.look(ctx, func(t *tx) error {
		var number, before int64
		var vector []byte
		err := t.q.rows(func() []any {
			if before = number; before != 0 {
				with(before, vector)
			}
			return []any{&number, &vector}
		}, limited(query+` WHERE g.model = ? LIMIT ?`, chat.MaxPassages), append(args, model)...)
		if err == nil && number != 0 {
			with(number, vector)
		}
		return err
	})
}
