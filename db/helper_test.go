package db_test

import (
	"errors"
	"testing"

	"github.com/relay-chat/relay/db"
	"github.com/relay-chat/relay/server/chat"
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

// want fails unless an error is the wanted one.
func want(t testing.TB, err, wanted error) {
	t.Helper()
	if !errors.Is(err, wanted) {
		t.Errorf("got error %v, want %v", err, wanted)
	}
}

// newSession is a started session with every field set.
func newSession(id string, at chat.Time) *chat.Session {
	return &chat.Session{ID: id, VisitorID: "visitor-" + id, TokenHash: "hash-" + id, Status: chat.StatusOpen, Rev: 3,
		InitRev: 2, LeavingRev: 1, StartedAt: at, AnsweredAt: at + 1, Unread: 4, AIActive: true,
		Metadata: chat.Of(chat.Metadata{URL: "https://shop.example/Größe?" + id, Country: "DE"}),
		Identity: chat.Raw(`{"email":"a@example.com","name":"Ann"}`), Verified: true, PreChat: chat.Raw(`{"topic":"Pärchen"}`),
		CSAT:      chat.CSAT{AskedAt: at + 2, Score: 5, Comment: "fine", RespondedAt: at + 3},
		CreatedAt: at, LastActivity: at}
}

// newMessage is a visitor's message.
func newMessage(sessionID, id string, seq int64) *chat.Message {
	return &chat.Message{ID: id, SessionID: sessionID, Seq: seq, Content: "Hällo " + id, Sender: chat.SenderVisitor,
		Timestamp: chat.Time(1000 + seq), Attachments: chat.Of(chat.Attachments{})}
}

// newEvent is an event about a message.
func newEvent(sessionID string, rev int64, messageID string) *chat.Event {
	return &chat.Event{SessionID: sessionID, Rev: rev, Type: chat.EventMessage, Source: "widget", MessageID: messageID,
		Payload: chat.Raw(`{"type":"message","id":"` + messageID + `"}`), At: chat.Time(1000 + rev)}
}

// text is a message of the usual size.
const text = "Where is my parcel? It should have come yesterday, and the page of the parcel service says nothing at all. Can you help?"

// visitorSession is a session as a widget opens it.
func visitorSession(id string) *chat.Session {
	return &chat.Session{ID: id, VisitorID: "visitor-" + id, TokenHash: chat.Hash(id), Status: chat.StatusOpen,
		Metadata: chat.Of(chat.Metadata{URL: "https://shop.example/products/42?color=blue", Language: "de-DE",
			UserAgent: "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36"}),
		Identity: chat.Raw(`{"id":"u-4711","email":"ann@example.com","name":"Ann Example"}`)}
}

// newSessions makes sessions at once and returns their ids.
func newSessions(t testing.TB, d *db.DB, n int) []string {
	t.Helper()
	ids := make([]string, n)
	apply(t, d, func(tx chat.Tx) error {
		for i := range ids {
			ids[i] = chat.NewID()
			if err := tx.CreateSession(visitorSession(ids[i])); err != nil {
				return err
			}
		}
		return nil
	})
	return ids
}

// sendMessage is what the database does for a visitor's message.
func sendMessage(t testing.TB, d *db.DB, sessionID string) error {
	t.Helper()
	return d.Apply(t.Context(), visitorMessage(sessionID, chat.NewID()))
}

// visitorMessage is the operation of a visitor's message.
func visitorMessage(sessionID, id string) func(chat.Tx) error {
	m := chat.Message{ID: id, SessionID: sessionID, Content: text, Sender: chat.SenderVisitor, Timestamp: chat.Now()}
	return func(tx chat.Tx) error {
		s, err := tx.Lock(sessionID)
		if err != nil {
			return err
		}
		s.Rev++
		s.Unread++
		s.StartedAt, s.LastActivity = max(s.StartedAt, 1), m.Timestamp
		m.Seq = s.Rev
		if err := tx.InsertMessage(&m); err != nil {
			return err
		}
		e := chat.Event{SessionID: sessionID, Rev: s.Rev, Type: chat.EventMessage, Source: chat.SourceWidget, MessageID: m.ID,
			At: m.Timestamp, Payload: chat.Raw(`{"type":"message","id":"` + m.ID + `","sessionId":"` + sessionID + `","content":"` + text + `"}`)}
		if err := tx.Append(&e, nil); err != nil {
			return err
		}
		return tx.SaveSession(&s)
	}
}
