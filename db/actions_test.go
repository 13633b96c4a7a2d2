package db_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/relay-chat/relay/db"
	"github.com/relay-chat/relay/db/dbtest"
	"github.com/relay-chat/relay/server/chat"
)

// TestActsHaveIndexes: what waits too long or runs is found without a look at all that was done.
func TestActsHaveIndexes(t *testing.T) {
	d := dbtest.Open(t, dbtest.FileURL(t))
	for query, indexes := range db.ActQueries() {
		steps, err := d.Plan(t.Context(), query, strings.Count(query, "?"))
		plan := strings.Join(steps, "; ")
		for _, index := range indexes {
			if err != nil || !strings.Contains(plan, index) {
				t.Errorf("%s: %s, %v", query, plan, err)
			}
		}
	}
}

// TestActsExpire: what was asked or begun long ago ends, and relay writes only when there is some: pages
// that are open ask again and again.
func TestActsExpire(t *testing.T) {
	d := dbtest.Open(t, dbtest.FileURL(t))
	idle := func(asked, begun chat.Time) {
		t.Helper()
		apply(t, d, func(chat.Tx) error { // which nobody else can write in
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
			defer cancel()
			return d.ExpireActs(ctx, asked, begun)
		})
	}
	state := func(id, want string) {
		t.Helper()
		if a, err := d.Act(t.Context(), id); err != nil || a.State != want {
			t.Errorf("%s is %s, %v, want %s", id, a.State, err, want)
		}
	}
	apply(t, d, func(tx chat.Tx) error { return tx.CreateSession(newSession("a", 1000)) })
	idle(5000, 5000)
	for id, a := range map[string]chat.Act{"waits": {State: chat.ActWaiting, Changes: true}, "looks": {State: chat.ActRunning},
		"changes": {State: chat.ActRunning, Changes: true}} {
		a.ID, a.SessionID, a.Asked, a.AskedAt = id, "a", id, 2000
		if begun, err := d.BeginAct(t.Context(), &a, 0, 9, 9); err != nil || !begun {
			t.Fatal(begun, err)
		}
	}
	idle(2000, 2000)
	want(t, d.ExpireActs(t.Context(), 2001, 2000), nil)
	state("waits", chat.ActExpired)
	state("looks", chat.ActRunning)
	want(t, d.ExpireActs(t.Context(), 2001, 2001), nil)
	state("looks", chat.ActFailed)
	state("changes", chat.ActRunning)
	idle(5000, 5000)
}
