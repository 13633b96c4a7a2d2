package db_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/relay-chat/relay/db"
	"github.com/relay-chat/relay/db/dbtest"
	"github.com/relay-chat/relay/server/chat"
)

// TestFacts: statistics get every session that was active since, and the messages and
// entries of the range alone.
func TestFacts(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		apply(t, d, func(tx chat.Tx) error {
			for i, at := range []chat.Time{500, 1000, 1500, 2000} {
				id := fmt.Sprint(i)
				s := newSession(id, at)
				s.WaitingSince, s.Blocked = 2500-at, i == 3
				m, note := newMessage(id, "m", 1), newMessage(id, "n", 2)
				m.Timestamp, note.Timestamp, note.Internal = at, at, true
				m.Sender, m.OperatorName, m.SourceBridge = chat.SenderOperator, "Ada", "slack"
				closed := chat.TimelineEntry{SessionID: id, Rev: 1, Type: chat.EventSessionClosed, At: at, Data: chat.Raw("{}")}
				page := chat.TimelineEntry{SessionID: id, Rev: 1, Type: chat.EntryPage, At: at, Data: chat.Raw("{}")}
				if err := errors.Join(tx.CreateSession(s), tx.InsertMessage(m), tx.InsertMessage(note), tx.PutEntry(&closed), tx.PutEntry(&page)); err != nil {
					return err
				}
			}
			return nil
		})
		read(t, d, func(r chat.Reader) error {
			var sessions, rest []string
			err := r.Facts(1000, 2000, chat.Facts{
				Session: func(f chat.SessionFact) { sessions = append(sessions, fmt.Sprint(f.ID, " ", f.StartedAt)) },
				Message: func(f chat.MessageFact) {
					rest = append(rest, fmt.Sprint(f.At, " ", f.Sender, " ", f.Author, " ", f.Bridge))
				},
				Entry: func(f chat.EntryFact) { rest = append(rest, fmt.Sprint(f.At, " ", f.Type)) },
			})
			slices.Sort(sessions)
			slices.Sort(rest)
			wantSessions := []string{"1 " + chat.Time(1000).String(), "2 " + chat.Time(1500).String(), "3 " + chat.Time(2000).String()}
			want := []string{chat.Time(1000).String() + " operator Ada slack", chat.Time(1000).String() + " session_closed",
				chat.Time(1500).String() + " operator Ada slack", chat.Time(1500).String() + " session_closed"}
			if !slices.Equal(sessions, wantSessions) || !slices.Equal(rest, want) {
				t.Errorf("sessions %q, rest %q", sessions, rest)
			}
			waiting, failed := r.WaitingSessions()
			if waiting != (chat.Waiting{Count: 3, Since: 1000}) {
				t.Errorf("waiting: %+v", waiting)
			}
			return errors.Join(err, failed)
		})
	})
}
