package db_test

import (
	"reflect"
	"testing"

	"github.com/relay-chat/relay/db"
	"github.com/relay-chat/relay/db/dbtest"
	"github.com/relay-chat/relay/server/chat"
)

// TestAIFields: what the AI leaves in sessions and messages is read as it was stored,
// also in what is delivered of it.
func TestAIFields(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		sources := chat.Sources{{Title: "Hours & more", URL: "https://shop.example/hours"}}
		buttons := chat.Buttons{{Text: "Yes"}, {Text: "Hours & more", URL: "https://shop.example/hours"}}
		s := chat.Session{ID: "ai-session", VisitorID: "v", Status: chat.StatusOpen, CreatedAt: 1, LastActivity: 1}
		m := chat.Message{ID: "draft-1", SessionID: s.ID, Seq: 1, Content: "At nine.", Sender: chat.SenderAI, Timestamp: 5, ClientID: "ai.x.1", Internal: true,
			Draft: true, Sources: sources, Buttons: buttons, Attachments: chat.Of(chat.Attachments{})}
		err := d.Apply(t.Context(), func(tx chat.Tx) error {
			if err := tx.CreateSession(&s); err != nil {
				return err
			}
			locked, err := tx.Lock(s.ID)
			if err != nil {
				return err
			}
			if err := tx.InsertMessage(&m); err != nil {
				return err
			}
			e := chat.EventOf(m)
			e.OfMessage = true
			if err := tx.Append(&e, []chat.Destination{{Dest: "telegram"}}); err != nil {
				return err
			}
			locked.Rev, locked.AIEnded, locked.AIAnswers = 1, true, 7
			return tx.SaveSession(&locked)
		})
		if err != nil {
			t.Fatal(err)
		}
		err = d.Read(t.Context(), func(r chat.Reader) error {
			stored, err := r.Session(s.ID)
			if !stored.AIEnded || stored.AIAnswers != 7 || stored.AIActive {
				t.Errorf("the session is %+v", stored)
			}
			if err != nil {
				return err
			}
			read, err := r.Message(s.ID, m.ID)
			if !read.Draft || read.SentAt != 0 || !reflect.DeepEqual(read.Sources, sources) || !reflect.DeepEqual(read.Buttons, buttons) {
				t.Errorf("the message is %+v", read)
			}
			if err != nil {
				return err
			}
			lane, err := r.Lane("telegram", s.ID, 0)
			if len(lane) != 1 || lane[0].Event.Type != chat.EventNote {
				t.Fatalf("%d deliveries, %v", len(lane), err)
			}
			told, err := lane[0].Event.Message()
			if !told.Draft || !reflect.DeepEqual(told.Sources, sources) || !reflect.DeepEqual(told.Buttons, buttons) {
				t.Errorf("the delivery tells %+v", told)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		m.SentAt, m.Buttons = 9, nil
		err = d.Apply(t.Context(), func(tx chat.Tx) error {
			if err := tx.SaveMessage(&m); err != nil {
				return err
			}
			read, err := tx.Message(s.ID, m.ID)
			if read.SentAt != 9 || len(read.Buttons) != 0 || !reflect.DeepEqual(read.Sources, sources) {
				t.Errorf("the sent draft is %+v", read)
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	})
}
