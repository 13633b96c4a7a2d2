package engine_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/relay-chat/relay/db"
	"github.com/relay-chat/relay/server/chat"
)

// leaving is a store whose caller is gone once its change is stored.
type leaving struct {
	chat.Store
	leave context.CancelFunc
}

func (l *leaving) Apply(ctx context.Context, op func(chat.Tx) error) error {
	defer l.leave()
	return l.Store.Apply(ctx, op)
}

// Stored settings apply and are announced, whether or not the caller is still
// there.
func TestSettingsHoldWithoutTheirCaller(t *testing.T) {
	withDatabase(t, func(t *testing.T, memory *db.DB) {
		ctx, leave := context.WithCancel(t.Context())
		h := build(t, &leaving{memory, leave})
		changed := h.SettingsChanged()
		if err := h.PatchSettings(ctx, map[string]json.RawMessage{"operatorName": json.RawMessage(`"Ada"`)}); err != nil {
			t.Error(err)
		}
		if got := h.Settings().Text("operatorName"); got != "Ada" {
			t.Errorf("operatorName is %q", got)
		}
		select {
		case <-changed:
		default:
			t.Error("nobody was notified of the change")
		}
	})
}

// A change applies whose commit was not answered, although its caller is
// told that it failed.
func TestSettingsHoldWhenTheAnswerIsLost(t *testing.T) {
	withDatabase(t, func(t *testing.T, memory *db.DB) {
		store := &mute{Store: memory}
		h := build(t, store)
		store.once.Store(true)
		err := h.PatchSettings(t.Context(), map[string]json.RawMessage{"operatorName": json.RawMessage(`"Ada"`)})
		if !errors.Is(err, chat.ErrAway) || h.Settings().Text("operatorName") != "Ada" {
			t.Errorf("%v, operatorName is %q", err, h.Settings().Text("operatorName"))
		}
	})
}
