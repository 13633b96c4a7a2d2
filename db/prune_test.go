package db_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/relay-chat/relay/db"
	"github.com/relay-chat/relay/db/dbtest"
	"github.com/relay-chat/relay/server/chat"
)

func TestPrune(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		const old, recent = 1000, 500_000
		sessions := []string{"quiet", "busy", "waits"}
		apply(t, d, func(tx chat.Tx) error {
			for _, id := range sessions {
				s := newSession(id, 1)
				s.Rev = 210
				if err := tx.CreateSession(s); err != nil {
					return err
				}
				for rev := range int64(210) {
					e := newEvent(id, rev+1, "m")
					e.At = old
					if id == "busy" && rev >= 160 {
						e.At = recent
					}
					if err := tx.Append(e, []chat.Destination{{Dest: "hook"}, {Dest: "bridge"}}); err != nil {
						return err
					}
					for i, dest := range []string{"hook", "bridge"} {
						state := []chat.DeliveryState{chat.DeliveryDone, chat.DeliveryFailed}[i]
						if id == "waits" && rev == 149 {
							state = chat.DeliverySending
						}
						if err := tx.SaveDelivery(&chat.Delivery{Dest: dest, SessionID: id, Rev: rev + 1, State: state}); err != nil {
							return err
						}
					}
				}
			}
			for i := range 6 {
				u := chat.Update{Bridge: "bridge", Key: fmt.Sprint(i), State: chat.UpdateState(i % 3), ReceivedAt: chat.Time(old + i/3*recent)}
				if _, err := tx.PutUpdate(&u); err != nil {
					return err
				}
			}
			return nil
		})
		for range 2 {
			if err := d.Prune(t.Context(), 2000); err != nil {
				t.Fatal(err)
			}
		}
		read(t, d, func(r chat.Reader) error {
			for id, first := range map[string]int64{"quiet": 0, "busy": 161, "waits": 150} {
				events, err := r.Events(id, 0, 0)
				if err != nil {
					return err
				}
				count := 0
				if first > 0 {
					count = int(211 - first)
				}
				if len(events) != count || count > 0 && events[0].Rev != first {
					t.Errorf("%s: %d events, want %d", id, len(events), count)
				}
			}
			list, err := r.Deliveries(chat.DeliveryQuery{})
			if len(list) != 102 {
				t.Errorf("%d deliveries, want 100 recent and 2 that wait", len(list))
			}
			return err
		})
		fresh := 0
		apply(t, d, func(tx chat.Tx) error {
			fresh = 0
			for i := range 6 {
				ok, err := tx.PutUpdate(&chat.Update{Bridge: "bridge", Key: fmt.Sprint(i)})
				if err != nil {
					return err
				}
				if ok {
					fresh++
				}
			}
			return nil
		})
		if fresh != 2 {
			t.Errorf("%d updates were removed, want 2: the old ones that were worked on", fresh)
		}
	})
}

func TestSweepEmpty(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		apply(t, d, func(tx chat.Tx) error {
			for i := range 500 {
				s := visitorSession(fmt.Sprintf("empty%d", i))
				s.LastActivity = chat.Time(i) // its visitor was there
				if err := tx.CreateSession(s); err != nil {
					return err
				}
			}
			back := visitorSession("back") // begun long ago, its visitor came back
			back.LastActivity = 460
			if err := errors.Join(tx.CreateSession(back), tx.CreateSession(newSession("started", 1))); err != nil {
				return err
			}
			holds := visitorSession("holds") // a file was uploaded, its message may still come
			if err := errors.Join(tx.CreateSession(holds), tx.CreateFile(&chat.File{ID: "waits", SessionID: "holds", CreatedAt: 800})); err != nil {
				return err
			}
			for i, f := range []chat.File{{ID: "orphan"}, {ID: "taken", MessageID: "m"}, {ID: "young", CreatedAt: 900}} {
				f.SessionID = "started"
				if err := errors.Join(tx.CreateFile(&f), tx.PutChunk(f.ID, i, []byte("x"))); err != nil {
					return err
				}
			}
			return nil
		})
		if err := errors.Join(d.SweepEmpty(t.Context(), nil, 450), d.SweepOrphans(t.Context(), nil, 450)); err != nil {
			t.Fatal(err)
		}
		apply(t, d, func(tx chat.Tx) error {
			list, err := tx.Sessions(chat.SessionQuery{Empty: true})
			if len(list) != 53 {
				t.Errorf("%d sessions are left, want 53", len(list))
			}
			_, kept := tx.Lock("holds")
			want(t, kept, nil)
			_, alive := tx.Lock("back")
			want(t, alive, nil)
			_, gone := tx.Lock("empty449")
			want(t, gone, chat.ErrSessionNotFound)
			_, gone = tx.File("orphan")
			want(t, gone, chat.ErrAttachmentNotFound)
			_, err2 := tx.File("taken")
			_, err3 := tx.File("young")
			return errors.Join(err, err2, err3)
		})
	})
}
