package db_test

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"sync"
	"testing"

	"github.com/relay-chat/relay/db"
	"github.com/relay-chat/relay/db/dbtest"
	"github.com/relay-chat/relay/server/chat"
)

func TestMessage(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		m := &chat.Message{ID: "m", SessionID: "a", Seq: 7, Content: "Hi 👋", Sender: chat.SenderOperator, Timestamp: 10,
			ReplyTo: "l", Attachments: chat.Of(chat.Attachments{{ID: "f", Filename: "ä.png", MimeType: "image/png", Size: 3}}),
			OperatorName: "Olga", SourceBridge: "telegram", ClientID: "c", EditedAt: 11, DeletedAt: 12, DeliveredAt: 13, ReadAt: 14}
		apply(t, d, func(tx chat.Tx) error {
			if err := tx.CreateSession(newSession("a", 1)); err != nil {
				return err
			}
			if err := tx.CreateSession(newSession("b", 1)); err != nil {
				return err
			}
			return tx.InsertMessage(m)
		})
		same := func() {
			t.Helper()
			read(t, d, func(r chat.Reader) error {
				byID, err := r.Message("a", "m")
				byClient, err2 := r.MessageByClientID("a", chat.SenderOperator, "c")
				if !reflect.DeepEqual(&byID, m) || !reflect.DeepEqual(&byClient, m) {
					t.Errorf("\n got %+v\n and %+v\nwant %+v", byID, byClient, *m)
				}
				return errors.Join(err, err2)
			})
		}
		same()
		m.Content, m.Attachments, m.EditedAt, m.ReadAt = "", chat.Of(chat.Attachments{}), 20, 0
		apply(t, d, func(tx chat.Tx) error { return tx.SaveMessage(m) })
		same()
		apply(t, d, func(tx chat.Tx) error {
			_, err := tx.Message("b", "m")
			want(t, err, chat.ErrMessageNotFound)
			_, err = tx.Message("nobody", "m")
			want(t, err, chat.ErrMessageNotFound)
			_, err = tx.MessageByClientID("a", chat.SenderVisitor, "")
			want(t, err, chat.ErrMessageNotFound)
			want(t, tx.SaveMessage(newMessage("a", "other", 8)), chat.ErrMessageNotFound)
			return nil
		})
		apply(t, d, func(tx chat.Tx) error {
			twin := newMessage("a", "twin", 8)
			twin.ClientID, twin.Sender = "c", chat.SenderOperator
			want(t, tx.InsertMessage(twin), chat.ErrMessageExists)
			_, err := tx.Message("a", "twin")
			want(t, err, chat.ErrMessageNotFound)
			twin.Sender = chat.SenderVisitor // whose client chooses its own ids
			want(t, tx.InsertMessage(twin), nil)
			return nil
		})
	})
}

// TestFreshMessage: what most messages have not is read as not there.
func TestFreshMessage(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		m := chat.Message{ID: chat.NewID() + "5", SessionID: "a", Seq: 5, Content: "Hällo", Sender: chat.SenderVisitor,
			Timestamp: 1000, ClientID: "c", Attachments: chat.Of(chat.Attachments{})}
		apply(t, d, func(tx chat.Tx) error {
			if err := tx.CreateSession(newSession("a", 1)); err != nil {
				return err
			}
			return tx.InsertMessage(&m)
		})
		read(t, d, func(r chat.Reader) error {
			byID, err := r.Message("a", m.ID)
			byClient, err2 := r.MessageByClientID("a", chat.SenderVisitor, "c")
			if !reflect.DeepEqual(byID, m) || !reflect.DeepEqual(byClient, m) {
				t.Errorf("got %+v and %+v, want %+v", byID, byClient, m)
			}
			return errors.Join(err, err2)
		})
	})
}

func TestMessages(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		apply(t, d, func(tx chat.Tx) error {
			for _, id := range []string{"a", "b", "none"} {
				if err := tx.CreateSession(newSession(id, 1)); err != nil {
					return err
				}
			}
			for i := range int64(10) {
				m := newMessage("a", fmt.Sprint("m", 2*i+1), 2*i+1)
				m.ReadAt, m.DeletedAt = chat.Time(i%2), chat.Time(i/8)
				if i == 4 {
					m.Sender = chat.SenderOperator
				}
				if err := tx.InsertMessage(m); err != nil {
					return err
				}
			}
			return tx.InsertMessage(newMessage("b", "m1", 1))
		})
		for _, c := range []struct {
			q      chat.MessageQuery
			wanted []int64
		}{
			{chat.MessageQuery{Limit: 3}, []int64{15, 17, 19}},
			{chat.MessageQuery{Before: 15, Limit: 3}, []int64{9, 11, 13}},
			{chat.MessageQuery{Before: 4, Limit: 9}, []int64{1, 3}},
			{chat.MessageQuery{After: 15, Limit: 9}, []int64{17, 19}},
			{chat.MessageQuery{After: 2, Limit: 2}, []int64{3, 5}},
			{chat.MessageQuery{After: 2, Before: 6, Limit: 9}, []int64{3, 5}},
			{chat.MessageQuery{After: 19}, nil},
		} {
			c.q.SessionID = "a"
			read(t, d, func(r chat.Reader) error {
				list, err := r.Messages(c.q)
				if got := seqs(list); !slices.Equal(got, c.wanted) {
					t.Errorf("%+v: got %v, want %v", c.q, got, c.wanted)
				}
				return err
			})
		}
		read(t, d, func(r chat.Reader) error {
			last, err := r.LastMessages([]string{"a", "b", "none", "nobody"})
			if len(last) != 2 || last["a"].ID != "m19" || last["b"].ID != "m1" || last["b"].SessionID != "b" {
				t.Errorf("last messages: %v", last)
			}
			var err2 error
			for _, q := range []struct {
				after, upTo int64
				limit       int
				want        []int64
			}{{0, 99, 9, []int64{1, 5, 13}}, {1, 99, 9, []int64{5, 13}}, {0, 5, 9, []int64{1, 5}}, {0, 99, 1, []int64{1}}} {
				unread, failed := r.UnreadMessages("a", chat.SenderVisitor, q.after, q.upTo, q.limit)
				if got := seqs(unread); !slices.Equal(got, q.want) {
					t.Errorf("unread behind %d up to %d: %v", q.after, q.upTo, got)
				}
				err2 = errors.Join(err2, failed)
			}
			nobody, err3 := r.Messages(chat.MessageQuery{SessionID: "nobody", Limit: 5})
			if len(nobody) > 0 {
				t.Error(nobody)
			}
			return errors.Join(err, err2, err3)
		})
	})
}

func seqs(list []chat.Message) (seqs []int64) {
	for _, m := range list {
		seqs = append(seqs, m.Seq)
	}
	return seqs
}

func TestFiles(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		f := &chat.File{ID: "f", SessionID: "a", Uploader: chat.SenderVisitor, Size: 0, CreatedAt: 5, MimeType: "image/png", Filename: "ä.png"}
		data := []byte{0, 1, 2, 255, 0}
		apply(t, d, func(tx chat.Tx) error {
			if err := tx.CreateSession(newSession("a", 1)); err != nil {
				return err
			}
			if err := tx.CreateFile(f); err != nil {
				return err
			}
			return tx.PutChunk("f", 0, data)
		})
		f.Complete, f.Size, f.MessageID, f.Sound = true, 5, "m", chat.Sound{DurationMs: 1200, Waveform: "AID/"}
		apply(t, d, func(tx chat.Tx) error { return tx.SaveFile(f) })
		read(t, d, func(r chat.Reader) error {
			got, err := r.File("f")
			chunk, err2 := r.Chunk("f", 0)
			if got != *f || !slices.Equal(chunk, data) {
				t.Errorf("got %+v and %v", got, chunk)
			}
			_, none := r.Chunk("f", 1)
			want(t, none, chat.ErrAttachmentNotFound)
			return errors.Join(err, err2)
		})
		apply(t, d, func(tx chat.Tx) error {
			want(t, tx.SaveFile(&chat.File{ID: "g"}), chat.ErrAttachmentNotFound)
			loose := &chat.File{ID: "loose", SessionID: "a"}
			return errors.Join(tx.CreateFile(loose), tx.DeleteFiles("a", "m"), tx.DeleteFiles("a", ""))
		})
		apply(t, d, func(tx chat.Tx) error {
			_, err := tx.File("f")
			want(t, err, chat.ErrAttachmentNotFound)
			_, err = tx.File("loose")
			return errors.Join(err, tx.DeleteFile("loose"))
		})
		read(t, d, func(r chat.Reader) error {
			_, err := r.File("loose")
			want(t, err, chat.ErrAttachmentNotFound)
			return nil
		})
	})
}

// TestErasedMeanwhile: what is erased after an operation looked at it is not
// found. Only Postgres lets operations run side by side.
func TestErasedMeanwhile(t *testing.T) {
	d := dbtest.Open(t, dbtest.MigratedURL(t))
	apply(t, d, func(tx chat.Tx) error {
		return errors.Join(tx.CreateSession(newSession("a", 1)), tx.CreateFile(&chat.File{ID: "f", SessionID: "a"}))
	})
	var erase sync.Once
	err := d.Apply(t.Context(), func(tx chat.Tx) error {
		if _, err := tx.File("f"); err != nil {
			return err
		}
		erase.Do(func() { apply(t, d, func(tx chat.Tx) error { return tx.EraseSession("a") }) })
		return tx.PutChunk("f", 0, []byte("x"))
	})
	want(t, err, chat.ErrAttachmentNotFound)
}
