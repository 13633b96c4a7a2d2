package db_test

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/relay-chat/relay/db"
	"github.com/relay-chat/relay/db/dbtest"
	"github.com/relay-chat/relay/server/chat"
)

func TestSession(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newSession("a", 100)
		apply(t, d, func(tx chat.Tx) error { return tx.CreateSession(s) })
		same := func(name string, get func(chat.Reader) (chat.Session, error)) {
			t.Helper()
			var got chat.Session
			read(t, d, func(r chat.Reader) (err error) { got, err = get(r); return err })
			if !reflect.DeepEqual(&got, s) {
				t.Errorf("%s:\n got %+v\nwant %+v", name, got, *s)
			}
		}
		same("by id", func(r chat.Reader) (chat.Session, error) { return r.Session("a") })
		header := chat.Session{ID: "a", TokenHash: s.TokenHash, Status: s.Status, Blocked: s.Blocked, Rev: s.Rev, InitRev: s.InitRev,
			LeavingRev: s.LeavingRev}
		read(t, d, func(r chat.Reader) error {
			got, err := r.SessionHeader("a")
			if !reflect.DeepEqual(got, header) {
				t.Errorf("header: got %+v, want %+v", got, header)
			}
			return err
		})
		same("by token", func(r chat.Reader) (chat.Session, error) { return r.SessionByToken("hash-a") })
		*s = chat.Session{ID: "a", VisitorID: "vivian", Resumable: true, Status: chat.StatusClosed, Blocked: true, Rev: 4,
			Metadata: chat.Of(chat.Metadata{Language: "de"}), CreatedAt: 99, LastActivity: 200}
		apply(t, d, func(tx chat.Tx) error {
			if _, err := tx.Lock("a"); err != nil {
				return err
			}
			return tx.SaveSession(s)
		})
		same("saved", func(r chat.Reader) (chat.Session, error) { return r.Session("a") })
		same("by visitor", func(r chat.Reader) (chat.Session, error) { return r.SessionByVisitor("", "vivian") })
		s.Unread, s.Identity = 7, chat.Raw(`{}`)
		apply(t, d, func(tx chat.Tx) error { return tx.SaveSession(s) }) // also without Lock
		same("saved again", func(r chat.Reader) (chat.Session, error) { return r.Session("a") })
	})
}

// TestSessionHeaderIsCommitted: who looks at a session sees it as it is stored, never
// as an operation under way is about to make it, nor as one left it that was
// taken back.
func TestSessionHeaderIsCommitted(t *testing.T) {
	dbtest.EachURL(t, func(t *testing.T, url string) {
		d := dbtest.Open(t, url)
		s := newSession("a", 1)
		apply(t, d, func(tx chat.Tx) error { return tx.CreateSession(s) })
		look := func(when string, want int64) {
			t.Helper()
			err := d.ReadOne(t.Context(), func(r chat.Reader) error {
				got, err := r.SessionHeader("a")
				if err == nil && (got.Rev != want || got.TokenHash != s.TokenHash) {
					t.Errorf("%s: got %+v, want rev %d", when, got, want)
				}
				return err
			})
			if err != nil {
				t.Errorf("%s: %v", when, err)
			}
		}
		change := func(rev int64, outcome error) {
			t.Helper()
			err := d.Apply(t.Context(), func(tx chat.Tx) error {
				locked, err := tx.Lock("a")
				if err != nil {
					return err
				}
				was := locked.Rev
				if locked.Rev = rev; tx.SaveSession(&locked) != nil {
					return errors.New("not saved")
				}
				look("meanwhile", was)
				return outcome
			})
			want(t, err, outcome)
		}
		look("new", 3)
		change(4, nil)
		look("changed", 4)
		undone := errors.New("undone")
		change(5, undone)
		look("taken back", 4)
		change(6, nil)
		look("changed again", 6)
		apply(t, d, func(tx chat.Tx) error { return tx.EraseSession("a") })
		err := d.ReadOne(t.Context(), func(r chat.Reader) error { _, err := r.SessionHeader("a"); return err })
		want(t, err, chat.ErrSessionNotFound)
	})
}

func TestSessionNotFound(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		apply(t, d, func(tx chat.Tx) error { return tx.CreateSession(newSession("a", 1)) })
		apply(t, d, func(tx chat.Tx) error {
			_, err := tx.Session("b")
			want(t, err, chat.ErrSessionNotFound)
			_, err = tx.SessionHeader("b")
			want(t, err, chat.ErrSessionNotFound)
			_, err = tx.Lock("b")
			want(t, err, chat.ErrSessionNotFound)
			_, err = tx.SessionByToken("")
			want(t, err, chat.ErrSessionNotFound)
			_, err = tx.SessionByVisitor("", "visitor-a") // it is bound to a token
			want(t, err, chat.ErrSessionNotFound)
			want(t, tx.SaveSession(newSession("b", 1)), chat.ErrSessionNotFound)
			return tx.EraseSession("b")
		})
		for name, op := range map[string]func(chat.Tx) error{
			"message": func(tx chat.Tx) error { return tx.InsertMessage(newMessage("b", "m", 1)) },
			"event":   func(tx chat.Tx) error { return tx.Append(newEvent("b", 1, ""), nil) },
			"file":    func(tx chat.Tx) error { return tx.CreateFile(&chat.File{ID: "f", SessionID: "b"}) },
		} {
			t.Run(name, func(t *testing.T) { want(t, d.Apply(t.Context(), op), chat.ErrSessionNotFound) })
		}
	})
}

func TestVisitorBlocked(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		apply(t, d, func(tx chat.Tx) error {
			for _, s := range []*chat.Session{{ID: "a", VisitorID: "v"}, {ID: "b", VisitorID: "v", Blocked: true}, {ID: "c", VisitorID: "w"},
				{ID: "t", VisitorID: "w", TokenHash: "t", Blocked: true}, {ID: "u", VisitorID: "x", TokenHash: "u", Browser: "t", Blocked: true}, {ID: "z", TokenHash: "z", Browser: "y"}} {
				if err := tx.CreateSession(s); err != nil {
					return err
				}
			}
			return nil
		})
		for visitor, blocked := range map[string]bool{"v": true, "w": false, "x": false} {
			read(t, d, func(r chat.Reader) error {
				got, err := r.VisitorBlocked("", visitor)
				if got != blocked {
					t.Errorf("%s: blocked %v", visitor, got)
				}
				return err
			})
		}
		for _, tt := range []struct {
			blocked bool
			want    string
		}{{true, "[b]"}, {false, "[a]"}} {
			read(t, d, func(r chat.Reader) error {
				got, err := r.SessionsOfVisitor("", "v", tt.blocked, 10)
				if fmt.Sprint(got) != tt.want {
					t.Errorf("blocked %v: %v, want %s", tt.blocked, got, tt.want)
				}
				return err
			})
		}
		for browser, want := range map[string]string{"t": "[t u]", "y": "[]", "": "[]"} {
			read(t, d, func(r chat.Reader) error {
				got, err := r.SessionsOfBrowser(browser, true, 10)
				if fmt.Sprint(got) != want {
					t.Errorf("browser %q: %v, want %s", browser, got, want)
				}
				return err
			})
		}
	})
}

// TestSessions pages through lists in every way.
func TestSessions(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		var all []chat.Session
		apply(t, d, func(tx chat.Tx) error {
			all = nil
			for i := range 40 {
				s := newSession(fmt.Sprintf("s%02d", i), chat.Time(1+i/3)) // some at the same time
				if i%4 == 0 {
					s.Status = chat.StatusClosed
				}
				if i%5 == 0 {
					s.StartedAt = 0
				}
				all = append(all, *s)
				if err := tx.CreateSession(s); err != nil {
					return err
				}
			}
			return nil
		})
		slices.Reverse(all)
		slices.SortStableFunc(all, func(a, b chat.Session) int { return int(b.LastActivity - a.LastActivity) })
		for _, status := range []chat.Status{"", chat.StatusOpen, chat.StatusClosed} {
			for _, empty := range []bool{false, true} {
				for _, limit := range []int{0, 1, 7, 100} {
					var wanted []string
					for _, s := range all {
						if (status == "" || s.Status == status) && (empty || s.Started()) {
							wanted = append(wanted, s.ID)
						}
					}
					q := chat.SessionQuery{Status: status, Empty: empty, Limit: limit}
					if got := pageThrough(t, d, q); !slices.Equal(got, wanted) {
						t.Errorf("%+v:\n got %v\nwant %v", q, got, wanted)
					}
				}
			}
		}
	})
}

// pageThrough lists all pages of a query.
func pageThrough(t *testing.T, d *db.DB, q chat.SessionQuery) (ids []string) {
	t.Helper()
	for {
		var page []chat.Session
		read(t, d, func(r chat.Reader) (err error) { page, err = r.Sessions(q); return err })
		for _, s := range page {
			ids = append(ids, s.ID)
		}
		if len(page) == 0 || q.Limit == 0 {
			return ids
		}
		if len(page) > q.Limit {
			t.Fatalf("a page of %d", len(page))
		}
		last := page[len(page)-1]
		q.Before = chat.Cursor{At: last.LastActivity, ID: last.ID}
	}
}

func TestSearch(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		apply(t, d, func(tx chat.Tx) error {
			for i, s := range []chat.Session{
				{ID: "ann", VisitorID: "v-Ann_1", Identity: chat.Raw(`{"name":"Ann Ärmel","email":"Ann@Example.com","age":7}`)},
				{ID: "bob", VisitorID: "v-bob", PreChat: chat.Raw(`{"name":"Bob 100%"}`), Metadata: chat.Of(chat.Metadata{URL: "https://shop.example/Shoes"}), Tags: `["größe"]`},
				{ID: "cat", VisitorID: "v-cat", Metadata: chat.Of(chat.Metadata{UserAgent: "Mozilla"})},
			} {
				s.Status, s.StartedAt, s.LastActivity = chat.StatusOpen, 1, chat.Time(i)
				if err := tx.CreateSession(&s); err != nil {
					return err
				}
			}
			return nil
		})
		for part, wanted := range map[string][]string{
			"ann": {"ann"}, "ÄRMEL": {"ann"}, "ann@ex": {"ann"}, "V-": {"cat", "bob", "ann"}, "shoes": {"bob"}, "%": {"bob"},
			"n_1": {"ann"}, "_": {"ann"}, `\`: nil, "mozilla": nil, "7": nil, "o_": nil,
			"armel": {"ann"}, "GROSSE": {"bob"}, "größe": {"bob"}, strings.ToLower(chat.Nickname("v-cat")): {"cat"},
		} {
			if got := pageThrough(t, d, chat.SessionQuery{Search: part, Limit: 2, Empty: true}); !slices.Equal(got, wanted) {
				t.Errorf("search for %q: got %v, want %v", part, got, wanted)
			}
		}
		apply(t, d, func(tx chat.Tx) error { // the text follows the session
			s, err := tx.Lock("cat")
			if err != nil {
				return err
			}
			s.Identity = chat.Raw(`{"name":"Kitty"}`)
			return tx.SaveSession(&s)
		})
		if err := d.Exec(t.Context(), "UPDATE sessions SET search = 'søren' WHERE id = 'bob'"); err != nil { // as stored before accents did not matter
			t.Fatal(err)
		}
		if got := pageThrough(t, d, chat.SessionQuery{Search: "Søren"}); !slices.Equal(got, []string{"bob"}) {
			t.Errorf("search in an older text: got %v", got)
		}
		if got := pageThrough(t, d, chat.SessionQuery{Search: "kitty"}); !slices.Equal(got, []string{"cat"}) {
			t.Errorf("search for a new name: got %v", got)
		}
	})
}

func TestEraseSession(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		fill := func(id string) {
			apply(t, d, func(tx chat.Tx) error {
				if err := tx.CreateSession(newSession(id, 1)); err != nil {
					return err
				}
				if err := tx.InsertMessage(newMessage(id, "m", 1)); err != nil {
					return err
				}
				if err := tx.CreateFile(&chat.File{ID: "f-" + id, SessionID: id, MessageID: "m"}); err != nil {
					return err
				}
				if err := tx.PutChunk("f-"+id, 0, []byte{1}); err != nil {
					return err
				}
				return tx.Append(newEvent(id, 1, "m"), []chat.Destination{{Dest: "hook"}})
			})
		}
		fill("a")
		fill("b")
		apply(t, d, func(tx chat.Tx) error {
			if _, err := tx.Lock("a"); err != nil {
				return err
			}
			return tx.EraseSession("a")
		})
		apply(t, d, func(tx chat.Tx) error {
			_, err := tx.Lock("a")
			want(t, err, chat.ErrSessionNotFound)
			_, err = tx.Message("a", "m")
			want(t, err, chat.ErrMessageNotFound)
			_, err = tx.File("f-a")
			want(t, err, chat.ErrAttachmentNotFound)
			_, err = tx.Chunk("f-a", 0)
			want(t, err, chat.ErrAttachmentNotFound)
			events, err := tx.Events("a", 0, 10)
			if len(events) > 0 || err != nil {
				t.Error(events, err)
			}
			list, err := tx.Deliveries(chat.DeliveryQuery{})
			if len(list) != 1 || list[0].SessionID != "b" {
				t.Error(list)
			}
			// One that was under way comes back to nothing.
			return errors.Join(err, tx.SaveDelivery(&chat.Delivery{Dest: "hook", SessionID: "a", Rev: 1, State: chat.DeliveryDone}))
		})
		fill("a") // the name is free again
	})
}

// TestFindOrCreate: parallel visits of one visitor make one session.
func TestFindOrCreate(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		var wg sync.WaitGroup
		ids := make([]string, 8)
		for i := range ids {
			fresh := &chat.Session{ID: chat.NewID(), VisitorID: "v", Resumable: true, Status: chat.StatusOpen}
			wg.Go(func() {
				err := d.Apply(t.Context(), func(tx chat.Tx) error {
					s, err := tx.SessionByVisitor("", "v")
					if err == nil {
						ids[i] = s.ID
						return nil
					}
					want(t, err, chat.ErrSessionNotFound)
					ids[i] = fresh.ID
					return tx.CreateSession(fresh)
				})
				if err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if len(slices.Compact(ids)) != 1 {
			t.Errorf("several sessions: %v", ids)
		}
	})
}
