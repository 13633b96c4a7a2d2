package db_test

import (
	"fmt"
	"testing"

	"github.com/relay-chat/relay/db"
	"github.com/relay-chat/relay/db/dbtest"
	"github.com/relay-chat/relay/server/chat"
)

// The lists that people wait for must cost the same whatever the total is:
// compare the sizes of one benchmark with each other.

// BenchmarkHistory reads the newest 100 messages of a session.
func BenchmarkHistory(b *testing.B) {
	d := dbtest.Open(b, dbtest.FileURL(b))
	for _, total := range []int{1000, 10_000, 100_000} {
		id := fmt.Sprint("session of ", total)
		begin(b, d, id)
		for from := 0; from < total; from += 1000 {
			apply(b, d, func(tx chat.Tx) error {
				for range 1000 {
					if err := visitorMessage(id, chat.NewID())(tx); err != nil {
						return err
					}
				}
				return nil
			})
		}
		b.Run(fmt.Sprint(total), func(b *testing.B) {
			for b.Loop() {
				look(b, d, func(r chat.Reader) (int, error) {
					list, err := r.Messages(chat.MessageQuery{SessionID: id, Limit: 100})
					return len(list), err
				}, 100)
			}
		})
	}
}

// BenchmarkSessions lists the 50 sessions that were active last, and those that a search finds.
func BenchmarkSessions(b *testing.B) {
	d := dbtest.Open(b, dbtest.FileURL(b))
	made := 0
	for _, total := range []int{1000, 100_000, 1_000_000} {
		for ; made < total; made += 1000 {
			apply(b, d, func(tx chat.Tx) error {
				for i := range 1000 {
					at := chat.Time(made + i + 1)
					s := chat.Session{ID: chat.NewID(), VisitorID: "v", Status: chat.StatusOpen, CreatedAt: at, StartedAt: at, LastActivity: at}
					if err := tx.CreateSession(&s); err != nil {
						return err
					}
				}
				return nil
			})
		}
		b.Run(fmt.Sprint(total), func(b *testing.B) {
			for b.Loop() {
				look(b, d, func(r chat.Reader) (int, error) {
					list, err := r.Sessions(chat.SessionQuery{Limit: 50})
					return len(list), err
				}, 50)
			}
		})
		if total > 100_000 {
			continue // not flat: it looks through all of them, in an index a tenth as wide
		}
		b.Run(fmt.Sprint(total, " without a hit"), func(b *testing.B) {
			for b.Loop() {
				look(b, d, func(r chat.Reader) (int, error) {
					list, err := r.Sessions(chat.SessionQuery{Search: "nobody", Limit: 50})
					return len(list), err
				}, 0)
			}
		})
	}
}

// BenchmarkPending lists the 50 oldest of the deliveries, which wait behind so
// many that are done.
func BenchmarkPending(b *testing.B) {
	d := dbtest.Open(b, dbtest.FileURL(b))
	begin(b, d, "waits")
	append50 := func(id string, from int, state chat.DeliveryState) func(tx chat.Tx) error {
		return func(tx chat.Tx) error {
			for rev := int64(from + 1); rev <= int64(from+50); rev++ {
				e := chat.Event{SessionID: id, Rev: rev, Type: chat.EventCustom, At: chat.Time(rev), Payload: chat.Raw("{}")}
				if err := tx.Append(&e, []chat.Destination{{Dest: "hook"}}); err != nil {
					return err
				}
				if state == chat.DeliveryPending {
					continue
				}
				if err := tx.SaveDelivery(&chat.Delivery{Dest: "hook", SessionID: id, Rev: rev, State: state}); err != nil {
					return err
				}
			}
			return nil
		}
	}
	apply(b, d, append50("waits", 0, chat.DeliveryPending))
	begin(b, d, "done")
	made := 0
	for _, total := range []int{1000, 100_000, 500_000} {
		for ; made < total; made += 50 {
			apply(b, d, append50("done", made, chat.DeliveryDone))
		}
		b.Run(fmt.Sprint(total), func(b *testing.B) {
			for b.Loop() {
				look(b, d, func(r chat.Reader) (int, error) {
					list, err := r.Deliveries(chat.DeliveryQuery{State: new(chat.DeliveryPending), Limit: 51})
					return len(list), err
				}, 50)
			}
		})
	}
}

// begin opens a session that has an id of the benchmark's own.
func begin(b *testing.B, d *db.DB, id string) {
	b.Helper()
	apply(b, d, func(tx chat.Tx) error {
		return tx.CreateSession(&chat.Session{ID: id, VisitorID: id, Status: chat.StatusOpen, CreatedAt: 1, LastActivity: 1})
	})
}

// look reads a list of a known length.
func look(b *testing.B, d *db.DB, list func(chat.Reader) (int, error), want int) {
	b.Helper()
	err := d.Read(b.Context(), func(r chat.Reader) error {
		n, err := list(r)
		if err == nil && n != want {
			err = fmt.Errorf("%d rows, want %d", n, want)
		}
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
}
