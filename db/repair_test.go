package db_test

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/relay-chat/relay/db"
	"github.com/relay-chat/relay/db/dbtest"
	"github.com/relay-chat/relay/server/chat"
)

// TestRepair: a session that is behind its events takes the next one again, with
// whatever of them is stored; the others stay as they are.
func TestRepair(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		var log bytes.Buffer
		repair := func() string {
			log.Reset()
			want(t, d.Repair(t.Context(), slog.New(slog.NewTextHandler(&log, nil))), nil)
			return log.String()
		}
		if said := repair(); said != "" {
			t.Errorf("an empty database: %s", said)
		}
		apply(t, d, func(tx chat.Tx) error {
			for _, id := range []string{"fine", "event", "message", "delivery"} { // each at revision 3
				if err := tx.CreateSession(newSession(id, 1)); err != nil {
					return err
				}
			}
			return errors.Join(bring(tx, newMessage("fine", "m3", 3)), tx.Append(newEvent("event", 4, "x"), nil), tx.Append(newEvent("event", 5, "x"), nil),
				bring(tx, newMessage("message", "m4", 4)), tx.Append(newEvent("delivery", 6, "x"), []chat.Destination{{Dest: "hook"}}))
		})
		said := repair()
		if n := strings.Count(said, "\n"); n != 3 || strings.Contains(said, "session=fine") {
			t.Errorf("it says: %s", said)
		}
		for id, rev := range map[string]int64{"fine": 3, "event": 5, "message": 4, "delivery": 6} {
			apply(t, d, func(tx chat.Tx) error {
				s, err := tx.Lock(id)
				if err != nil {
					return err
				}
				if s.Rev != rev {
					t.Errorf("%s is at revision %d, want %d", id, s.Rev, rev)
				}
				s.Rev++
				return errors.Join(tx.Append(newEvent(id, s.Rev, "y"), nil), tx.SaveSession(&s))
			})
		}
		if said := repair(); said != "" {
			t.Errorf("the second time: %s", said)
		}
	})
}
