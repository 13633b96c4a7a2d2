package db_test

import (
	"testing"

	"relay/db"
	"relay/db/dbtest"
	"relay/server/chat"
)

// apply runs op in a transaction that must succeed.
func apply(t testing.TB, d *db.DB, op func(chat.Tx) error) {
	t.Helper()
	if err := d.Apply(t.Context(), op); err != nil {
		t.Fatal(err)
	}
}

// read runs op on a snapshot that must be readable.
func read(t testing.TB, d *db.DB, op func(chat.Reader) error) {
	t.Helper()
	if err := d.Read(t.Context(), op); err != nil {
		t.Fatal(err)
	}
}

// newSession is a started session with every field set.
func newSession(id string, at chat.Time) *chat.Session {
	return &chat.Session{ID: id, VisitorID: "visitor-" + id, TokenHash: "hash-" + id, Status: chat.StatusOpen, Rev: 3,
		InitRev: 2, LeavingRev: 1, StartedAt: at, AnsweredAt: at + 1, Unread: 4, AIActive: true,
		Metadata: chat.Of(chat.Metadata{URL: "https://shop.example/Größe?" + id, Country: "DE"}),
		Identity: chat.Raw(`{"email":"a@example.com","name":"Ann"}`), Verified: true, PreChat: chat.Raw(`{"topic":"Pärchen"}`),
		CSAT:      chat.CSAT{AskedAt: at + 2, Score: 5, Comment: "fine", RespondedAt: at + 3},
		CreatedAt: at, LastActivity: at + 4}
}

func TestSmoke(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		apply(t, d, func(tx chat.Tx) error { return tx.CreateSession(newSession("a", 1)) })
		read(t, d, func(r chat.Reader) error {
			s, err := r.Session("a")
			t.Logf("%+v", s)
			return err
		})
	})
}
