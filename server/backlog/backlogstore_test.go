package backlog

import (
	"context"
	"io"
	"log/slog"
	"testing"
	"time"

	"github.com/relay-chat/relay/db"
	"github.com/relay-chat/relay/db/dbtest"
	"github.com/relay-chat/relay/server/chat"
)

// opened is a backlog of a database.
func opened(t *testing.T, d *db.DB) *Backlog {
	t.Helper()
	b, err := Open(t.Context(), chat.NewFileLinks("key", ""), d, true, slog.New(slog.NewTextHandler(io.Discard, nil)))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// stored puts an operator's message into the database alone, as another node does.
func stored(t *testing.T, d *db.DB, content string) *chat.Event {
	t.Helper()
	e := chat.Event{SessionID: "s1", Rev: 1, Type: chat.EventMessage, Source: "telegram", MessageID: content,
		Payload: chat.Raw(`{"id":"m","content":"` + content + `","sender":"operator","attachments":[]}`)}
	err := d.Apply(t.Context(), func(tx chat.Tx) error {
		if _, err := tx.Session("s1"); err != nil {
			if err := tx.CreateSession(&chat.Session{ID: "s1", Status: chat.StatusOpen}); err != nil {
				return err
			}
		}
		return tx.AppendBacklog([]chat.Event{e})
	})
	if err != nil {
		t.Fatal(err)
	}
	return &e
}

// TestSavedBacklogHoldsAtEveryNode resumes by ids of another node, of one that is ahead
// and of a database that lost its newest events.
func TestSavedBacklogHoldsAtEveryNode(t *testing.T) {
	d := dbtest.Memory(t)
	a, b := opened(t, d), opened(t, d)
	for _, text := range []string{"one", "two", "three"} {
		stored(t, d, text)
	}
	read := func(b *Backlog, after string) (n int, place string) {
		t.Helper()
		r := b.reading(t, after)
		n, _ = r.readAll(t)
		return n, r.Place()
	}
	n, at := read(a, a.id(0))
	if n != 3 || at != a.id(3) {
		t.Fatalf("a brings %d up to %s", n, at)
	}
	stored(t, d, "four")
	if n, place := read(b, at); n != 1 || place != a.id(4) {
		t.Errorf("b brings %d up to %s", n, place)
	}
	if n, _ := read(b, a.id(9)); n != 4 {
		t.Errorf("of an id that the database does not know, %d", n)
	}
	if n, place := read(opened(t, d), a.id(2)); n != 2 || place != a.id(4) {
		t.Errorf("one that starts now brings %d up to %s", n, place)
	}
	read(a, at)
	a.Publish(&chat.Event{SessionID: "s1", Type: chat.StateTyping, Source: "telegram", Payload: chat.Raw(`{"isTyping":true}`)})
	r, err := a.Read(t.Context(), a.id(3), "", true)
	if err != nil {
		t.Fatal(err)
	}
	if n, frames := r.readAll(t); n != 2 || r.Place() != a.id(4) {
		t.Errorf("with typing %d up to %s: %s", n, r.Place(), frames)
	}
}

// TestSavedBacklogRuns follows another node's events, announced and missed, and forgets what
// nobody holds.
func TestSavedBacklogRuns(t *testing.T) {
	d := dbtest.Memory(t)
	b := opened(t, d)
	now := time.Now()
	b.now = func() time.Time { return now }
	r := b.reading(t, "")
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- b.Run(ctx) }()
	b.Publish(stored(t, d, "announced"))
	<-r.Bell
	if n, _ := r.readAll(t); n != 1 {
		t.Errorf("%d events", n)
	}
	stored(t, d, "missed")
	<-r.Bell // of the sweep
	if n, _ := r.readAll(t); n != 1 {
		t.Errorf("%d events", n)
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	now = now.Add(life + time.Second)
	if err := b.prune(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n, _ := opened(t, d).reading(t, b.id(0)).readAll(t); n != 0 {
		t.Errorf("%d old events are left", n)
	}
	stored(t, d, "new")
	if n, _ := opened(t, d).reading(t, b.id(2)).readAll(t); n != 1 {
		t.Errorf("%d new events", n)
	}
}
