package engine

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/relay-chat/relay/server/chat"
)

// metaTokens is where the tokens of a day are stored.
const metaTokens = "ai_tokens"

// dayTokens are the tokens that the AI used on a day in UTC, and those that it may use for
// the calls that run.
type dayTokens struct {
	Day  string `json:"day"`
	Used int64  `json:"used"`
	// Answers and HandedOver are those of the day.
	Answers    int64         `json:"answers,omitempty"`
	HandedOver int64         `json:"handedOver,omitempty"`
	Calls      []plannedCall `json:"calls,omitempty"`
}

// plannedCall sets tokens aside until a call has ended, or relay with it.
type plannedCall struct {
	ID     string    `json:"id"`
	Until  chat.Time `json:"until"`
	Tokens int64     `json:"tokens"`
}

// callLife is longer than a call may take.
const callLife = 2 * time.Minute

// tokensOf reads the tokens of the day that a time is on.
func tokensOf(rd chat.MetaReader, at chat.Time) (t dayTokens, err error) {
	stored, err := rd.Meta(metaTokens)
	if err == nil && stored != "" {
		err = json.Unmarshal([]byte(stored), &t)
	}
	if day := at.Std().Format(time.DateOnly); t.Day != day {
		t.Day, t.Used, t.Answers, t.HandedOver = day, 0, 0, 0
	}
	t.Calls = slices.DeleteFunc(t.Calls, func(c plannedCall) bool { return c.Until <= at })
	return t, err
}

// aiBudget counts the tokens that the AI uses.
type aiBudget struct{ store chat.Store }

// TokensToday returns the tokens that the AI has used today.
func (b *aiBudget) TokensToday(ctx context.Context) (used int64, err error) {
	used, _, _, err = b.AIToday(ctx)
	return used, err
}

// AIToday returns the tokens that the AI has used today, and how often it has answered and handed
// over.
func (b *aiBudget) AIToday(ctx context.Context) (used, answers, handedOver int64, err error) {
	err = b.store.ReadOne(ctx, func(rd chat.Reader) error {
		t, err := tokensOf(rd, chat.Now())
		used, answers, handedOver = t.Used, t.Answers, t.HandedOver
		return err
	})
	return used, answers, handedOver, err
}

// CountAI counts an answer of the AI, or that it handed over.
func (b *aiBudget) CountAI(ctx context.Context, handedOver bool) error {
	return b.changeTokens(ctx, func(t *dayTokens, _ chat.Time) {
		if handedOver {
			t.HandedOver++
		} else {
			t.Answers++
		}
	})
}

// PlanTokens sets tokens aside for one call of the AI, so that calls at the same time do
// not exceed a day's limit together. SpendTokens ends it. ok is false when the other calls
// may use up what is left of the day.
func (b *aiBudget) PlanTokens(ctx context.Context, limit, tokens int64) (call string, ok bool, err error) {
	if limit <= 0 {
		return "", true, nil
	}
	id := chat.NewID()
	err = b.changeTokens(ctx, func(t *dayTokens, at chat.Time) {
		planned := t.Used
		for _, c := range t.Calls {
			planned += c.Tokens
		}
		if ok = planned < limit; ok {
			t.Calls = append(t.Calls, plannedCall{ID: id, Until: at.Add(callLife), Tokens: tokens})
		}
	})
	return id, ok, err
}

// SpendTokens adds to what the AI has used today, and ends the call that used it.
func (b *aiBudget) SpendTokens(ctx context.Context, call string, n int64) error {
	return b.changeTokens(ctx, func(t *dayTokens, _ chat.Time) {
		t.Used += n
		t.Calls = slices.DeleteFunc(t.Calls, func(c plannedCall) bool { return c.ID == call })
	})
}

func (b *aiBudget) changeTokens(ctx context.Context, op func(t *dayTokens, at chat.Time)) error {
	return b.store.Apply(ctx, func(tx chat.Tx) error {
		if _, err := lockSystemSession(tx); err != nil { // one at a time
			return err
		}
		at := chat.Now()
		t, err := tokensOf(tx, at)
		if err != nil {
			return err
		}
		op(&t, at)
		return tx.PutMeta(metaTokens, string(chat.MustJSON(t)))
	})
}
