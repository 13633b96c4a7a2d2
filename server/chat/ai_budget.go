package chat

import (
	"context"
	"encoding/json"
	"time"
)

// metaTokens is where the tokens of a day are stored.
const metaTokens = "ai_tokens"

// dayTokens are the tokens that the AI used on a day in UTC.
type dayTokens struct {
	Day  string `json:"day"`
	Used int64  `json:"used"`
}

// tokensOf reads the tokens of the day that a time is on.
func tokensOf(rd Reader, at Time) (t dayTokens, err error) {
	stored, err := rd.Meta(metaTokens)
	if err == nil && stored != "" {
		err = json.Unmarshal([]byte(stored), &t)
	}
	if day := at.Std().Format(time.DateOnly); t.Day != day {
		t = dayTokens{Day: day}
	}
	return t, err
}

// TokensToday returns how many tokens the AI has used today.
func (r *Relay) TokensToday(ctx context.Context) (used int64, err error) {
	err = r.store.ReadOne(ctx, func(rd Reader) error {
		t, err := tokensOf(rd, Now())
		used = t.Used
		return err
	})
	return used, err
}

// SpendTokens adds to what the AI has used today.
func (r *Relay) SpendTokens(ctx context.Context, n int64) error {
	return r.store.Apply(ctx, func(tx Tx) error {
		if _, err := lockSystemSession(tx); err != nil { // one at a time
			return err
		}
		t, err := tokensOf(tx, Now())
		if err != nil {
			return err
		}
		t.Used += n
		return tx.PutMeta(metaTokens, string(mustJSON(t)))
	})
}
