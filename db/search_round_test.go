package db_test

import (
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/relay-chat/relay/db"
	"github.com/relay-chat/relay/db/dbtest"
	"github.com/relay-chat/relay/server/chat"
)

// TestSearchRoundBesideNewMessage begins a round while somebody writes, as after a start:
// the new message is indexed first, and the round goes on with the others.
func TestSearchRoundBesideNewMessage(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		for i := range 5 {
			store(t, d, fmt.Sprint("S", i), "parcel")
		}
		s := db.NewSearch(d, slog.New(slog.DiscardHandler))
		s.BeginRound()
		s.Notice(&chat.Event{Type: chat.EventMessage, SessionID: "S3"})
		indexMore(t, s)
		if got := len(find(t, s, "parcel")); got != 5 {
			t.Errorf("found %d of 5", got)
		}
		if p, err := s.Progress(t.Context()); err != nil || !p.Complete() {
			t.Error(p, err)
		}
	})
}

// TestSearchFindsOfWrongClock: what a node stored whose clock is ten minutes behind is
// indexed, though nobody told of it.
func TestSearchFindsOfWrongClock(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := db.NewSearch(d, slog.New(slog.DiscardHandler))
		s.Recent(t.Context())
		indexMore(t, s)
		store(t, d, "S", "parcel")
		apply(t, d, func(tx chat.Tx) error {
			session, err := tx.Lock("S")
			session.LastActivity = chat.Now().Add(-10 * time.Minute)
			return firstOf(err, tx.SaveSession(&session))
		})
		s.PassMinute()
		s.Recent(t.Context())
		indexMore(t, s)
		if got := len(find(t, s, "parcel")); got != 1 {
			t.Errorf("found %d of 1", got)
		}
	})
}
