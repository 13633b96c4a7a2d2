package db_test

import (
	"errors"
	"testing"

	"github.com/relay-chat/relay/db/dbtest"
	"github.com/relay-chat/relay/server/chat"
)

// TestSentTogether: an operation whose statements are sent together has the result that it
// would have if each was sent by itself.
func TestSentTogether(t *testing.T) {
	repeated := func(tx chat.Tx, id string, seq int64) error {
		m := newMessage(id, chat.MessageID("m", seq), seq)
		m.ClientID = "repeated"
		return tx.InsertMessage(m)
	}
	for name, c := range map[string]struct {
		op     func(id string) func(chat.Tx) error
		stored int // messages
		err    error
	}{
		"reads what it wrote": {func(id string) func(chat.Tx) error {
			return func(tx chat.Tx) error {
				if err := visitorMessage(id, "m")(tx); err != nil {
					return err
				}
				s, err := tx.Session(id)
				list, err2 := tx.Messages(chat.MessageQuery{SessionID: id})
				if s.Rev != 1 || s.Unread != 1 || len(list) != 1 {
					t.Errorf("revision %d, %d unread, %d messages", s.Rev, s.Unread, len(list))
				}
				return errors.Join(err, err2)
			}
		}, 1, nil},
		"fails after it wrote": {func(id string) func(chat.Tx) error {
			return func(tx chat.Tx) error { return errors.Join(visitorMessage(id, "m")(tx), errOp) }
		}, 0, errOp},
		"meets a message that exists, and stores another": {func(id string) func(chat.Tx) error {
			return func(tx chat.Tx) error {
				err := errors.Join(repeated(tx, id, 8), visitorMessage(id, "m")(tx))
				if again := repeated(tx, id, 9); !errors.Is(again, chat.ErrMessageExists) {
					err = errors.Join(err, again)
				}
				return err
			}
		}, 2, nil},
		"ignores what the server rejected": {func(id string) func(chat.Tx) error {
			return func(tx chat.Tx) error {
				_ = visitorMessage(id, "a\x00b")(tx)
				_, _ = tx.Session(id)
				return nil
			}
		}, 0, errAny},
		"does nothing": {func(string) func(chat.Tx) error { return func(chat.Tx) error { return nil } }, 0, nil},
	} {
		t.Run(name, func(t *testing.T) {
			d := dbtest.Open(t, dbtest.MigratedURL(t))
			id := newSessions(t, d, 1)[0]
			err := d.ApplyTo(t.Context(), id, c.op(id))
			if c.err == errAny && err == nil || c.err != errAny && !errors.Is(err, c.err) {
				t.Errorf("got error %v, want %v", err, c.err)
			}
			want(t, d.ApplyTo(t.Context(), id, func(chat.Tx) error { return nil }), nil) // the connection is good
			read(t, d, func(r chat.Reader) error {
				list, err := r.Messages(chat.MessageQuery{SessionID: id})
				if len(list) != c.stored {
					t.Errorf("%d messages, want %d", len(list), c.stored)
				}
				return err
			})
		})
	}
}

// errAny stands for an error of any kind.
var errAny = errors.New("any error")
