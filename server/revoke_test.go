package server_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/relay-chat/relay/bridges/push/pushtest"
	"github.com/relay-chat/relay/db"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/team"
)

// byKey signs in with a secret key and returns the cookie, "" if that is refused.
func (s *site) byKey(name, key string) string {
	s.t.Helper()
	form := url.Values{"name": {name}, "key": {key}}
	a := s.call("POST", "/console/login", "", form.Encode(), "Content-Type", "application/x-www-form-urlencoded")
	if a.status != http.StatusSeeOther {
		return ""
	}
	cookie, _, _ := strings.Cut(a.header.Get("Set-Cookie"), ";")
	return cookie
}

// subscribe has a browser notified and returns the device's id. who is a cookie, or a key.
func (s *site) subscribe(endpoint, who string) string {
	s.t.Helper()
	service := pushtest.New()
	defer service.Close()
	_, p256dh, auth := service.Subscription()
	in := object{"endpoint": "https://push.example.com/" + endpoint, "keys": object{"p256dh": p256dh, "auth": auth}, "label": endpoint}
	key := who
	if strings.HasPrefix(who, "relay_console") {
		key = ""
	}
	return s.must("POST", "/api/admin/push/devices", key, in, "Cookie", who).text("id")
}

// devices lists everybody's devices by label and owner.
func (s *site) devices(key string) string {
	s.t.Helper()
	list, _ := s.must("GET", "/api/admin/push?person=all", key, nil).get("devices").([]any)
	var out []string
	for _, d := range list {
		one, _ := d.(map[string]any)
		out = append(out, one["label"].(string)+" of "+one["owner"].(string))
	}
	slices.Sort(out) // several may have come in one millisecond
	return strings.Join(out, ", ")
}

// The secret key before works for minutes, but not for what would outlive it. A signed-in
// person leaves it no time at all.
func TestRotatedKey(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		_, stolen := s.keys()
		thief := s.byKey("Thief", stolen)
		s.subscribe("thief", thief)
		s.subscribe("program", stolen)
		_, link, _ := strings.Cut(s.must("POST", "/api/admin/invitations", stolen, object{"role": "administrator"}).text("url"), "#")

		fresh := s.must("POST", "/api/admin/keys/rotate", stolen, object{"key": "secret"}).text("secretKey")
		s.must("GET", "/api/admin/settings", stolen, nil)
		for path, body := range map[string]object{
			"/api/admin/keys/rotate":  {"key": "secret"},
			"/api/admin/invitations":  {"role": "administrator"},
			"/api/admin/push/devices": {},
			"/api/admin/people":       {"name": "Eve", "email": "eve@example.com", "password": goodPassword, "role": "administrator"},
		} {
			s.refused(s.call("POST", path, stolen, body), 403, "was replaced")
		}
		if s.byKey("Thief", stolen) != "" {
			t.Error("the key before signs in")
		}
		s.refused(s.call("GET", "/api/admin/me", "", nil, "Cookie", thief), 401, "Unauthorized")
		s.refused(s.accept(link, "Eve", "eve@example.com", goodPassword), 404, "does not work any more")
		if got := s.devices(fresh); got != "" {
			t.Errorf("notified are still %s", got)
		}
		s.refused(s.call("GET", "/api/admin/settings", stolen, nil), 401, "Unauthorized") // the new one is in use

		ada := s.cookieOf("Ada", chat.RoleAdministrator)
		next := s.must("POST", "/api/admin/keys/rotate", "", object{"key": "secret"}, "Cookie", ada).text("secretKey")
		s.refused(s.call("GET", "/api/admin/settings", fresh, nil), 401, "Unauthorized")
		s.must("GET", "/api/admin/settings", next, nil)
		s.must("GET", "/api/admin/me", "", nil, "Cookie", ada)
	}, unset)
}

// The grace of the key before ends, used or not, and one without an end has none.
func TestGraceEnds(t *testing.T) {
	for name, stored := range map[string]string{"ended": " " + chat.Now().Add(-time.Second).String(), "without end": ""} {
		t.Run(name, func(t *testing.T) {
			eachSite(t, func(t *testing.T, s *site) {
				err := s.Store.Apply(t.Context(), func(tx chat.Tx) error { return tx.PutMeta("secret_before", chat.Hash("sk_before")+stored) })
				if err != nil {
					t.Fatal(err)
				}
				again := newSite(t, s.Store.(*db.DB), unset)
				again.refused(again.call("GET", "/api/admin/settings", "sk_before", nil), 401, "Unauthorized")
			}, unset)
		})
	}
}

// A sign-in with the secret key is a row like any other: it is listed, and ends by
// signing out.
func TestKeySignIns(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		first, second, third := s.byKey("Ada", secretKey), s.byKey("Bea", secretKey), s.byKey("Cem", secretKey)
		all := s.must("GET", "/api/admin/sign-ins?person=all", "", nil, "Cookie", first)
		for _, want := range []string{`"name":"Ada"`, `"name":"Bea"`, `"name":"Cem"`} {
			if !strings.Contains(string(all.body), want) {
				t.Errorf("%s is missing in %s", want, all.body)
			}
		}
		s.call("POST", "/console/logout", "", nil, "Cookie", first)
		s.refused(s.call("GET", "/api/admin/me", "", nil, "Cookie", first), 401, "Unauthorized")
		stream := s.seat(third)
		s.must("DELETE", "/api/admin/sign-ins", "", nil, "Cookie", second)
		if _, err := io.ReadAll(stream); err != nil {
			t.Errorf("the stream of a sign-in that ended: %v", err)
		}
		s.refused(s.call("GET", "/api/admin/me", "", nil, "Cookie", third), 401, "Unauthorized")
		if me := s.must("GET", "/api/admin/me", "", nil, "Cookie", second); me.text("name") != "Bea" || me.text("signedInBy") != "key" {
			t.Errorf("left is %s", me.body)
		}
	})
}

// A notified browser ends with its sign-in, however that ends; administrators see and end
// those of all.
func TestDevicesEndWithTheirSignIn(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		mia := s.personNamed("Mia", chat.RoleOperator)
		ada := s.cookieOf("Ada", chat.RoleAdministrator)
		s.subscribe("logout", s.byKey("Somebody", secretKey))
		first, second := s.cookieFor(mia.ID), s.cookieFor(mia.ID)
		s.subscribe("first", first)
		own := s.subscribe("second", second)
		s.subscribe("ada", ada)
		if got := s.devices(secretKey); got != "ada of Ada, first of Mia, logout of Somebody (secret key), second of Mia" {
			t.Errorf("notified are %s", got)
		}
		s.refused(s.call("GET", "/api/admin/push?person=all", "", nil, "Cookie", first), 403, "administrators")
		s.call("POST", "/console/logout", "", nil, "Cookie", first)
		if got := s.devices(secretKey); got != "ada of Ada, logout of Somebody (secret key), second of Mia" {
			t.Errorf("after signing out: %s", got)
		}
		s.must("DELETE", "/api/admin/push/devices/"+own, "", nil, "Cookie", ada)
		s.subscribe("again", second)
		_, link, _ := strings.Cut(s.must("POST", "/api/admin/people/"+mia.ID+"/reset", secretKey, nil).text("url"), "#")
		s.accept(link, "", "", goodPassword)
		if got := s.devices(secretKey); got != "ada of Ada, logout of Somebody (secret key)" {
			t.Errorf("after a new password: %s", got)
		}
		if pushes := s.Settings().Pushes(); !pushes {
			t.Error("the others are not notified any more")
		}
	})
}

// A link works as long as who made it may make one, and one to a new password as long as
// the password is the same.
func TestLinksEndWithTheirMaker(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		ada := s.personNamed("Ada", chat.RoleAdministrator)
		s.personNamed("Cem", chat.RoleAdministrator)
		bea := s.personNamed("Bea", chat.RoleAdministrator)
		mia := s.personNamed("Mia", chat.RoleOperator)
		link := func(path, cookie string) string {
			_, secret, _ := strings.Cut(s.must("POST", path, "", object{"role": "administrator"}, "Cookie", cookie).text("url"), "#")
			return secret
		}
		ofAda, ofBea := link("/api/admin/invitations", s.cookieFor(ada.ID)), link("/api/admin/invitations", s.cookieFor(bea.ID))
		reset := link("/api/admin/people/"+mia.ID+"/reset", s.cookieFor(bea.ID))
		s.must("PATCH", "/api/admin/people/"+ada.ID, secretKey, object{"role": "operator"})
		s.refused(s.accept(ofAda, "Eve", "eve@example.com", goodPassword), 404, "does not work any more")
		if list := s.must("GET", "/api/admin/invitations", secretKey, nil); strings.Count(string(list.body), `"id":`) != 2 {
			t.Errorf("the links are %s", list.body)
		}
		s.must("DELETE", "/api/admin/people/"+bea.ID, secretKey, nil)
		s.refused(s.accept(ofBea, "Eve", "eve@example.com", goodPassword), 404, "does not work any more")
		s.refused(s.accept(reset, "", "", goodPassword), 404, "does not work any more")

		own := link("/api/admin/people/"+mia.ID+"/reset", s.cookieOf("Cem", chat.RoleAdministrator))
		s.must("PATCH", "/api/admin/me", "", object{"password": goodPassword + "!"}, "Cookie", s.cookieFor(mia.ID))
		s.refused(s.accept(own, "", "", goodPassword), 404, "does not work any more")
	})
}

// Administrators who remove or demote each other at the same moment leave one.
func TestOneAdministratorStays(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		for round := range 10 {
			ada, bea := s.personNamed("Ada", chat.RoleAdministrator), s.personNamed("Bea", chat.RoleAdministrator)
			var both sync.WaitGroup
			both.Go(func() {
				if _, err := s.team.People.Remove(context.Background(), ada.ID, "Eve"); err != nil && !errors.Is(err, team.ErrLastAdmin) {
					t.Error(err)
				}
			})
			both.Go(func() {
				_, err := s.team.People.Change(context.Background(), bea.ID, func(p *chat.Person) error {
					p.Role = chat.RoleOperator
					return nil
				})
				if err != nil && !errors.Is(err, team.ErrLastAdmin) {
					t.Error(err)
				}
			})
			both.Wait()
			people, err := s.team.People.List(t.Context())
			left := 0
			for i := range people {
				if people[i].Role == chat.RoleAdministrator {
					left++
				}
			}
			if err != nil || left != 1 {
				t.Fatalf("round %d leaves %d administrators, %v", round, left, err)
			}
			for i := range people { // all administrators, for the next round
				_, err := s.team.People.Change(t.Context(), people[i].ID, func(p *chat.Person) error {
					p.Role = chat.RoleAdministrator
					return nil
				})
				if err != nil {
					t.Fatal(err)
				}
			}
		}
	})
}
