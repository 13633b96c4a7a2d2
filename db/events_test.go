package db_test

import (
	"errors"
	"reflect"
	"slices"
	"testing"

	"github.com/relay-chat/relay/db"
	"github.com/relay-chat/relay/db/dbtest"
	"github.com/relay-chat/relay/server/chat"
)

func TestEvents(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		apply(t, d, func(tx chat.Tx) error {
			if err := tx.CreateSession(newSession("a", 1)); err != nil {
				return err
			}
			for rev := range int64(5) {
				if err := tx.Append(newEvent("a", rev+1, []string{"m", "n"}[rev%2]), nil); err != nil {
					return err
				}
			}
			return nil
		})
		apply(t, d, func(tx chat.Tx) error {
			return tx.Redact("a", "m", func(e chat.Event) chat.Raw { return chat.Raw(`"` + string(e.Type) + e.SessionID + `"`) })
		})
		read(t, d, func(r chat.Reader) error {
			list, err := r.Events("a", 1, 3)
			wanted := []chat.Event{*newEvent("a", 2, "n"), *newEvent("a", 3, "m"), *newEvent("a", 4, "n")}
			wanted[1].Payload = chat.Raw(`"messagea"`)
			if !reflect.DeepEqual(list, wanted) {
				t.Errorf("\n got %v\nwant %v", list, wanted)
			}
			return err
		})
		if err := d.Apply(t.Context(), func(tx chat.Tx) error { return tx.Append(newEvent("a", 5, ""), nil) }); err == nil {
			t.Error("two events of one revision")
		}
	})
}

func TestDeliveries(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		to := []chat.Destination{{Dest: "hook"}, {Dest: "bridge", Delay: 5e9}}
		apply(t, d, func(tx chat.Tx) error {
			for _, id := range []string{"a", "b"} {
				if err := tx.CreateSession(newSession(id, 1)); err != nil {
					return err
				}
				for rev := range int64(3) {
					if err := tx.Append(newEvent(id, rev+1, "m"), to); err != nil {
						return err
					}
				}
			}
			return nil
		})
		lane := func(limit int) (list []chat.Delivery) {
			t.Helper()
			read(t, d, func(r chat.Reader) (err error) { list, err = r.Lane("bridge", "a", limit); return err })
			return list
		}
		first := chat.Delivery{Dest: "bridge", SessionID: "a", VisitorID: "visitor-a", Rev: 1, NextAt: 6001, CreatedAt: 1001, Event: *newEvent("a", 1, "m")}
		if got := lane(2); len(got) != 2 || !reflect.DeepEqual(got[0], first) || got[1].Rev != 2 {
			t.Errorf("lane: %+v", got)
		}
		first.State, first.Attempts, first.NextAt, first.LastError = chat.DeliverySending, 3, 9000, "böse"
		apply(t, d, func(tx chat.Tx) error { return tx.SaveDelivery(&first) })
		if got := lane(0); len(got) != 3 || !reflect.DeepEqual(got[0], first) {
			t.Errorf("lane: %+v", got)
		}
		read(t, d, func(r chat.Reader) error {
			lanes, err := r.Lanes("bridge")
			slices.SortFunc(lanes, func(a, b chat.Lane) int { return int(b.NextAt - a.NextAt) })
			if !reflect.DeepEqual(lanes, []chat.Lane{{Key: "a", NextAt: 9000}, {Key: "b", NextAt: 6001}}) {
				t.Errorf("lanes: %+v", lanes)
			}
			return err
		})
		first.State = chat.DeliveryDone
		apply(t, d, func(tx chat.Tx) error {
			failed := chat.Delivery{Dest: "bridge", SessionID: "a", Rev: 2, State: chat.DeliveryFailed}
			return errors.Join(tx.SaveDelivery(&first), tx.SaveDelivery(&failed))
		})
		if got := lane(0); len(got) != 1 || got[0].Rev != 3 {
			t.Errorf("lane: %+v", got)
		}
		for _, c := range []struct {
			q     chat.DeliveryQuery
			count int
		}{
			{chat.DeliveryQuery{}, 12}, {chat.DeliveryQuery{Limit: 5}, 5}, {chat.DeliveryQuery{Dest: "hook"}, 6},
			{chat.DeliveryQuery{State: new(chat.DeliveryFailed)}, 1}, {chat.DeliveryQuery{State: new(chat.DeliveryDone), Dest: "bridge"}, 1},
			{chat.DeliveryQuery{State: new(chat.DeliveryDone), Dest: "hook"}, 0}, {chat.DeliveryQuery{State: new(chat.DeliverySending)}, 0},
		} {
			read(t, d, func(r chat.Reader) error {
				list, err := r.Deliveries(c.q)
				if len(list) != c.count {
					t.Errorf("%+v: %d deliveries, want %d", c.q, len(list), c.count)
				}
				if !slices.IsSortedFunc(list, func(a, b chat.Delivery) int { return int(b.CreatedAt - a.CreatedAt) }) {
					t.Errorf("%+v: not the newest first", c.q)
				}
				return err
			})
		}
	})
}

// TestDeliveriesByPages: pages behind each other are the whole list, both ways,
// also when many deliveries are of the same millisecond.
func TestDeliveriesByPages(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		apply(t, d, func(tx chat.Tx) error {
			for _, id := range []string{"a", "b"} {
				if err := tx.CreateSession(newSession(id, 1)); err != nil {
					return err
				}
				for rev := range int64(3) {
					if err := tx.Append(newEvent(id, rev+1, "m"), []chat.Destination{{Dest: "hook"}, {Dest: "bridge"}}); err != nil {
						return err
					}
				}
			}
			return nil
		})
		pages := func(next func(last chat.Cursor, begun bool) chat.DeliveryQuery) (ids []string) {
			t.Helper()
			var last chat.Cursor
			for page := []chat.Delivery{{}}; len(page) > 0 && len(ids) < 100; {
				q := next(last, len(ids) > 0)
				q.Limit = 5
				read(t, d, func(r chat.Reader) (err error) { page, err = r.Deliveries(q); return err })
				for i := range page {
					last = page[i].Cursor()
					ids = append(ids, page[i].ID())
				}
			}
			return ids
		}
		var want []string
		read(t, d, func(r chat.Reader) error {
			list, err := r.Deliveries(chat.DeliveryQuery{})
			for i := range list {
				want = append(want, list[i].ID())
			}
			return err
		})
		back := pages(func(last chat.Cursor, begun bool) (q chat.DeliveryQuery) {
			if begun {
				q.Before = &last
			}
			return q
		})
		forth := pages(func(last chat.Cursor, _ bool) chat.DeliveryQuery { return chat.DeliveryQuery{After: &last} })
		if len(want) != 12 || !slices.Equal(back, want) {
			t.Errorf("by pages, newest first:\n%v\nat once:\n%v", back, want)
		}
		slices.Reverse(forth)
		if !slices.Equal(forth, want) {
			t.Errorf("by pages, oldest first, turned round:\n%v\nat once:\n%v", forth, want)
		}
	})
}

func TestInbox(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		put := func(key, thread string, next chat.Time) (fresh bool) {
			t.Helper()
			u := chat.Update{Bridge: "bridge", Key: key, Thread: thread, Raw: chat.Raw(`{"k":"` + key + `"}`), NextAt: next, ReceivedAt: 1}
			apply(t, d, func(tx chat.Tx) (err error) { fresh, err = tx.PutUpdate(&u); return err })
			return fresh
		}
		if !put("1", "x", 10) || !put("2", "y", 20) || !put("3", "x", 5) || put("1", "z", 1) {
			t.Error("new updates must be new, and only they")
		}
		lane := func() (list []chat.Update) {
			t.Helper()
			read(t, d, func(r chat.Reader) (err error) { list, err = r.InboxLane("bridge", "x", 5); return err })
			return list
		}
		list := lane()
		if len(list) != 2 || list[0].Key != "1" || string(list[0].Raw) != `{"k":"1"}` || list[0].Seq >= list[1].Seq {
			t.Fatalf("lane: %+v", list)
		}
		head := list[0]
		head.Attempts, head.NextAt, head.LastError = 2, 30, "böse"
		apply(t, d, func(tx chat.Tx) error { return tx.SaveUpdate(&head) })
		if got := lane(); !reflect.DeepEqual(got[0], head) {
			t.Errorf("saved: %+v, want %+v", got[0], head)
		}
		read(t, d, func(r chat.Reader) error {
			lanes, err := r.InboxLanes("bridge")
			slices.SortFunc(lanes, func(a, b chat.Lane) int { return int(b.NextAt - a.NextAt) })
			if !reflect.DeepEqual(lanes, []chat.Lane{{Key: "x", NextAt: 30}, {Key: "y", NextAt: 20}}) {
				t.Errorf("lanes: %+v", lanes)
			}
			return err
		})
		head.State = chat.UpdateDone
		apply(t, d, func(tx chat.Tx) error { return tx.SaveUpdate(&head) })
		if got := lane(); len(got) != 1 || got[0].Key != "3" {
			t.Errorf("lane: %+v", got)
		}
	})
}

func TestSettings(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		apply(t, d, func(tx chat.Tx) error {
			return errors.Join(tx.PutSetting("a", chat.Raw(`1`)), tx.PutSetting("a", chat.Raw(`"ü"`)), tx.PutSetting("b", chat.Raw(`null`)),
				tx.DeleteSetting("b"), tx.DeleteSetting("c"), tx.PutMeta("k", "v"), tx.PutMeta("k", "w"))
		})
		read(t, d, func(r chat.Reader) error {
			settings, err := r.Settings()
			if !reflect.DeepEqual(settings, map[string]chat.Raw{"a": chat.Raw(`"ü"`)}) {
				t.Errorf("settings: %s", settings)
			}
			k, err2 := r.Meta("k")
			none, err3 := r.Meta("none")
			if k != "w" || none != "" {
				t.Errorf("meta: %q %q", k, none)
			}
			return errors.Join(err, err2, err3)
		})
	})
}
