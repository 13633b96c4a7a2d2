package db_test

import (
	"fmt"
	"log/slog"
	"testing"

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
