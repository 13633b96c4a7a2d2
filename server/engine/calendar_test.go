package engine_test

import (
	"testing"
	"time"

	"github.com/relay-chat/relay/db"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
)

// TestCalendar: time that relay did not see pass is made up for slowly, over
// restarts too; a clock that is set back is followed at once.
func TestCalendar(t *testing.T) {
	withDatabase(t, func(t *testing.T, store *db.DB) {
		calendar := engine.NewCalendar(store, quiet)
		behind := func() time.Duration {
			t.Helper()
			at, err := calendar.Now(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			return chat.Now().Sub(at)
		}
		expect := func(when string, want time.Duration) {
			t.Helper()
			if got := behind(); got != want {
				t.Errorf("%s it is %v behind, want %v", when, got, want)
			}
		}
		expect("at first", 0)
		time.Sleep(time.Hour)
		expect("after an hour", 0)
		time.Sleep(365 * 24 * time.Hour) // off
		calendar = engine.NewCalendar(store, quiet)
		expect("after a year", 365*24*time.Hour)
		time.Sleep(time.Hour)
		expect("an hour later", 364*24*time.Hour)
		time.Sleep(time.Hour)
		calendar = engine.NewCalendar(store, quiet) // what it made up for is kept
		time.Sleep(24 * time.Hour)
		expect("a day and a restart later", 340*24*time.Hour+time.Hour)
		for range 365 {
			time.Sleep(time.Hour)
			behind()
		}
		expect("in the end", 0)
		ahead := chat.Now().Add(48 * time.Hour)
		if err := store.Apply(t.Context(), func(tx chat.Tx) error { return tx.PutMeta("calendar", `"`+ahead.Std().Format(time.RFC3339)+`"`) }); err != nil {
			t.Fatal(err)
		}
		expect("after the clock was set back", 0)
	})
}
