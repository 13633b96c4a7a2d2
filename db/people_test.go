package db_test

import (
	"context"
	"reflect"
	"sync"
	"testing"
	"time"

	"github.com/relay-chat/relay/db"
	"github.com/relay-chat/relay/db/dbtest"
	"github.com/relay-chat/relay/server/chat"
)

func newPerson(id, name string) *chat.Person {
	return &chat.Person{ID: id, Name: name, Email: id + "@example.com", Role: chat.RoleOperator, Password: "hash", Face: "f", CreatedAt: 7,
		Preferences: chat.Of(chat.Preferences{Notify: chat.NotifyMine, PushContent: true}), PlatformNames: []chat.PlatformName{{Bridge: "slack", Name: "u1"}, {Bridge: "telegram", Name: id}}}
}

func TestPeople(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		ada, mia := newPerson("a", "ada"), newPerson("m", "Mia")
		mia.PlatformNames = mia.PlatformNames[1:]
		apply(t, d, func(tx chat.Tx) error { return firstOf(tx.PutPerson(mia), tx.PutPerson(ada)) })
		read(t, d, func(r chat.Reader) error {
			got, err := r.People()
			if !reflect.DeepEqual(got, []chat.Person{*ada, *mia}) {
				t.Errorf("people are %+v", got)
			}
			byName, err2 := r.PersonByName("mia")
			byEmail, err3 := r.PersonByEmail("m@example.com")
			if !reflect.DeepEqual(byName, *mia) || !reflect.DeepEqual(byEmail, *mia) {
				t.Errorf("Mia is %+v and %+v", byName, byEmail)
			}
			names, err4 := r.NamesOnPlatforms()
			if names["telegram m"].ID != "m" || names["slack u1"].ID != "a" || len(names) != 3 {
				t.Errorf("names on platforms are %v", names)
			}
			return firstOf(err, err2, err3, err4)
		})
		mia.Name, mia.Role, mia.PlatformNames = "Mia B", chat.RoleAdministrator, []chat.PlatformName{{Bridge: "slack", Name: "u1"}}
		apply(t, d, func(tx chat.Tx) error { return tx.PutPerson(mia) })
		read(t, d, func(r chat.Reader) error {
			n, admins, err := r.CountPeople()
			names, err2 := r.NamesOnPlatforms()
			if n != 2 || admins != 1 || names["slack u1"].ID != "m" || len(names) != 2 {
				t.Errorf("%d people, %d administrators, names %v", n, admins, names)
			}
			return firstOf(err, err2)
		})
		apply(t, d, func(tx chat.Tx) error {
			return firstOf(tx.PutFace("a", &chat.Face{MimeType: "image/png", Data: []byte{1, 2}}),
				tx.PutSignIn(&chat.SignIn{ID: "s", Hash: "h", Person: "a", SeenAt: 5}),
				tx.PutInvitation(&chat.Invitation{ID: "i", Hash: "hi", Role: chat.RoleOperator, Person: "a", ExpiresAt: 9}))
		})
		apply(t, d, func(tx chat.Tx) error { return tx.DeletePerson("a") })
		read(t, d, func(r chat.Reader) error {
			face, err := r.Face("a")
			if len(face.Data) > 0 || err != nil {
				t.Errorf("the face stays: %v %v", face, err)
			}
			_, err = r.SignIn("h")
			want(t, err, chat.ErrSignInNotFound)
			_, err = r.Invitation("hi")
			want(t, err, chat.ErrInvitationNotFound)
			_, err = r.Person("a")
			want(t, err, chat.ErrPersonNotFound)
			return nil
		})
		want(t, d.Apply(t.Context(), func(tx chat.Tx) error { return tx.DeletePerson("a") }), chat.ErrPersonNotFound)
	})
}

// firstOf returns the first error.
func firstOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func TestSignInsAndInvitations(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		first := chat.SignIn{ID: "s1", Hash: "h1", Person: "a", CreatedAt: 1, SeenAt: 5, Agent: "Firefox", Address: "192.0.2.1"}
		second := chat.SignIn{ID: "s2", Hash: "h2", Person: "a", CreatedAt: 2, SeenAt: 6}
		open := chat.Invitation{ID: "i1", Hash: "x1", Role: chat.RoleOperator, Email: "e", InvitedBy: "Ada", CreatedAt: 1, ExpiresAt: 10}
		reset := chat.Invitation{ID: "i2", Hash: "x2", Role: chat.RoleAdministrator, Person: "a", CreatedAt: 2, ExpiresAt: 20}
		apply(t, d, func(tx chat.Tx) error {
			return firstOf(tx.PutPerson(newPerson("a", "Ada")), tx.PutSignIn(&first), tx.PutSignIn(&second), tx.PutInvitation(&open), tx.PutInvitation(&reset))
		})
		check := func(signIns []chat.SignIn, links []chat.Invitation) {
			t.Helper()
			read(t, d, func(r chat.Reader) error {
				own, err := r.SignIns("a")
				all, err2 := r.SignIns("")
				got, err3 := r.Invitations(5)
				if !reflect.DeepEqual(own, signIns) || !reflect.DeepEqual(all, signIns) || !reflect.DeepEqual(got, links) {
					t.Errorf("sign-ins %+v, all %+v, links %+v", own, all, got)
				}
				return firstOf(err, err2, err3)
			})
		}
		check([]chat.SignIn{second, first}, []chat.Invitation{reset, open})
		first.SeenAt, first.Address = 9, "192.0.2.2"
		apply(t, d, func(tx chat.Tx) error {
			return firstOf(tx.SeenSignIn("s1", 9, "192.0.2.2"), tx.DropSignIns(7), tx.DropInvitations(10))
		})
		check([]chat.SignIn{first}, []chat.Invitation{reset})
		apply(t, d, func(tx chat.Tx) error { return firstOf(tx.DeleteSignIn("s1"), tx.DeleteInvitation("i2")) })
		check(nil, nil)
		want(t, d.Apply(t.Context(), func(tx chat.Tx) error { return tx.DeleteSignIn("s1") }), chat.ErrSignInNotFound)
	})
}

func TestAuditEntries(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		entries := []chat.AuditEntry{{At: 1, Action: chat.AuditSignIn, Person: "a", Name: "Ada", Count: 1}, {At: 2, Action: chat.AuditBackup, Name: "Mia", Target: "t", Detail: "d", Address: "x", Count: 1}}
		apply(t, d, func(tx chat.Tx) error {
			return firstOf(tx.PutPerson(newPerson("a", "Ada")), tx.PutAudit(&entries[0]), tx.PutAudit(&entries[1]), tx.CountAudit(2, 8))
		})
		entries[1].At, entries[1].Count = 8, 2
		read(t, d, func(r chat.Reader) error {
			all, err2 := r.Audit(chat.AuditQuery{})
			if !reflect.DeepEqual(all, []chat.AuditEntry{entries[1], entries[0]}) {
				t.Errorf("the audit list is %+v", all)
			}
			some, err3 := r.Audit(chat.AuditQuery{Person: "a", Action: chat.AuditSignIn, Before: 2, Limit: 1})
			if !reflect.DeepEqual(some, entries[:1]) {
				t.Errorf("a part of it is %+v", some)
			}
			return firstOf(err2, err3)
		})
		apply(t, d, func(tx chat.Tx) error { return tx.DropAudit(2) })
		read(t, d, func(r chat.Reader) error {
			left, err := r.Audit(chat.AuditQuery{})
			if len(left) != 1 || left[0].Name != "Mia" {
				t.Errorf("left are %+v", left)
			}
			return err
		})
	})
}

// TestAssignWhileRemoving removes a person while a transaction assigns a session: nobody
// is assigned who does not exist, whichever comes first.
func TestAssignWhileRemoving(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		apply(t, d, func(tx chat.Tx) error {
			return firstOf(tx.PutPerson(&chat.Person{ID: "p", Name: "Pia", Email: "p@example.com", Role: chat.RoleOperator}), tx.CreateSession(newSession("s", 1)))
		})
		removed := make(chan error, 1)
		begin := sync.OnceFunc(func() {
			go func() {
				removed <- d.Apply(context.Background(), func(tx chat.Tx) error { return tx.DeletePerson("p") })
			}()
		})
		apply(t, d, func(tx chat.Tx) error {
			s, err := tx.Lock("s")
			if err != nil {
				return err
			}
			if _, err := tx.LockPerson("p"); err != nil {
				return err
			}
			begin()
			select {
			case err := <-removed:
				t.Errorf("removed while it is assigned: %v", err)
			case <-time.After(100 * time.Millisecond): // it must wait
			}
			s.Assignee = "p"
			return tx.SaveSession(&s)
		})
		if err := <-removed; err != nil {
			t.Fatal(err)
		}
		read(t, d, func(r chat.Reader) error {
			s, err := r.Session("s")
			if s.Assignee != "" {
				t.Errorf("assigned to %q, who was removed", s.Assignee)
			}
			return err
		})
		want(t, d.Apply(t.Context(), func(tx chat.Tx) error { _, err := tx.LockPerson("p"); return err }), chat.ErrPersonNotFound)
	})
}
