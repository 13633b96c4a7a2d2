package db_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/relay-chat/relay/db"
	"github.com/relay-chat/relay/db/dbtest"
	"github.com/relay-chat/relay/server/chat"
)

// TestListsFollowActivity: lists are in the order of the last activity, although most messages
// leave the time by which indexes have a session as it is.
func TestListsFollowActivity(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		random := rand.New(rand.NewPCG(1, 2))
		ids := make([]string, 30)
		var all []chat.Session
		apply(t, d, func(tx chat.Tx) error {
			all = nil
			for i := range ids {
				ids[i] = fmt.Sprintf("s%02d", i)
				s := newSession(ids[i], chat.Time(1+i*7000))
				s.Site = []string{"", "a", "b"}[i%3]
				all = append(all, *s)
				if err := tx.CreateSession(s); err != nil {
					return err
				}
			}
			return nil
		})
		for round := range 40 {
			for range 3 {
				i := random.IntN(len(all))
				step := []int64{0, 1, 900, 20_000, 59_999, 60_000, 200_000, -30_000}[random.IntN(8)] // clocks are set back, too
				all[i].LastActivity = max(1, all[i].LastActivity+chat.Time(step))
				apply(t, d, func(tx chat.Tx) error {
					s, err := tx.Lock(all[i].ID)
					if err != nil {
						return err
					}
					s.Rev++
					s.LastActivity = all[i].LastActivity
					return tx.SaveSession(&s)
				})
			}
			for _, sites := range []chat.SiteSet{nil, {""}, {"a"}, {"a", "b"}} {
				wantPages(t, d, all, sites, 1+round%9)
			}
		}
	})
}

// wantPages checks a list from its first page to its last.
func wantPages(t *testing.T, d *db.DB, all []chat.Session, sites chat.SiteSet, size int) {
	t.Helper()
	var wanted, got []string
	sorted := slices.SortedFunc(slices.Values(all), func(a, b chat.Session) int {
		return cmp.Or(cmp.Compare(b.LastActivity, a.LastActivity), cmp.Compare(b.ID, a.ID))
	})
	for _, s := range sorted {
		if sites == nil || sites.Has(s.Site) {
			wanted = append(wanted, s.ID)
		}
	}
	for q := (chat.SessionQuery{Sites: sites, Limit: size}); ; {
		var page []chat.Session
		read(t, d, func(r chat.Reader) (err error) {
			page, err = r.Sessions(q)
			return err
		})
		for _, s := range page {
			got = append(got, s.ID)
		}
		if len(page) < size {
			break
		}
		last := page[len(page)-1]
		q.Before = chat.Cursor{At: last.LastActivity, ID: last.ID}
	}
	if !slices.Equal(got, wanted) {
		t.Errorf("sites %v, pages of %d:\n got %v\nwant %v", sites, size, got, wanted)
	}
}

// TestMessagesLeaveIndexes: messages within a minute change nothing that an index of sessions has,
// so that PostgreSQL keeps the session's forms in one page.
func TestMessagesLeaveIndexes(t *testing.T) {
	dbtest.EachURL(t, func(t *testing.T, url string) {
		d := dbtest.Open(t, url)
		apply(t, d, func(tx chat.Tx) error { return tx.CreateSession(newSession("s", 100_000)) })
		for _, c := range []struct{ after, listed int64 }{
			{30_000, 100_000}, {29_999, 100_000}, {1, 160_000}, {30_000, 160_000}, {-40_000, 150_000},
		} {
			apply(t, d, func(tx chat.Tx) error {
				s, err := tx.Lock("s")
				if err != nil {
					return err
				}
				s.Rev, s.LastActivity = s.Rev+1, s.LastActivity+chat.Time(c.after)
				return tx.SaveSession(&s)
			})
			if listed := rawNumber(t, url, `SELECT listed_at FROM sessions WHERE id = 's'`); listed != c.listed {
				t.Errorf("listed at %d, want %d", listed, c.listed)
			}
		}
	})
}

// TestListsBesideOlderRelay: what a relay of the version before stores, which does not know
// the time by which lists find sessions, is in its place in the list.
func TestListsBesideOlderRelay(t *testing.T) {
	url := dbtest.MigratedURL(t)
	d := dbtest.Open(t, url)
	all := make([]chat.Session, 4)
	apply(t, d, func(tx chat.Tx) error {
		for i := range all {
			all[i] = *newSession(fmt.Sprint("s", i), chat.Time(1+i*1000))
			if err := tx.CreateSession(&all[i]); err != nil {
				return err
			}
		}
		return nil
	})
	for i, after := range []int64{90_000, 59_999, 1000, 0} {
		all[i].LastActivity += chat.Time(after)
		rawNumber(t, url, fmt.Sprintf(`UPDATE sessions SET last_activity = last_activity + %d WHERE id = 's%d' RETURNING number`, after, i))
	}
	wantPages(t, d, all, nil, 2)
}
