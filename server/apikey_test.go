package server_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/relay-chat/relay/db/dbtest"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/config"
	"github.com/relay-chat/relay/server/keyring"
	"github.com/relay-chat/relay/server/team"
)

type teamReader = team.Reader

// status makes a request with a key, also beside others.
func (s *site) status(method, path, key string) int {
	req, err := http.NewRequestWithContext(contextFor(s.t), method, s.url+path, nil)
	if err != nil {
		s.t.Error(err)
		return 0
	}
	req.Header.Set("Authorization", "Bearer "+key)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		s.t.Error(err)
		return 0
	}
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, resp.Body)
	return resp.StatusCode
}

// first is a field of the first in a list of an answer, "" for none.
func (a answer) first(list, field string) string {
	all, _ := a.get(list).([]any)
	if len(all) == 0 {
		return ""
	}
	one, _ := all[0].(map[string]any)
	text, _ := one[field].(string)
	return text
}

// A key is shown once, listed, used, and ended for good.
func TestAPIKey(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		ada := s.cookieOf("Ada", chat.RoleAdministrator)
		made := s.must("POST", "/api/admin/api-keys", "", object{"name": "  CRM   sync ", "scopes": []string{"note", "read", "read"}, "expiresAt": "2999-01-31"}, "Cookie", ada)
		key, id := made.text("key"), made.text("id")
		if !strings.HasPrefix(key, "rk_") || made.text("name") != "CRM sync" || fmt.Sprint(made.get("scopes")) != "[read note]" || made.text("madeBy") != "Ada" {
			t.Errorf("made is %s", made.body)
		}
		session := s.open("v")
		if m := s.must("POST", "/api/admin/sessions/"+session+"/messages", key, object{"content": "calls tomorrow", "internal": true}); m.text("operatorName") != "CRM sync" {
			t.Errorf("the note is %s", m.body)
		}
		s.must("POST", "/api/admin/sessions/"+session+"/messages", key, object{"content": "by the boss", "internal": true, "operatorName": "Boss"})
		if used := s.must("GET", "/api/admin/audit?action=key_used", secretKey, nil); used.first("entries", "name") != "CRM sync (API key of Ada)" || used.first("entries", "target") != session || len(used.get("entries").([]any)) != 2 {
			t.Errorf("recorded is %s", used.body)
		}
		s.refused(s.call("POST", "/api/admin/sessions/"+session+"/messages", key, object{"content": "hi"}), 403, "write")
		s.refused(s.call("POST", "/api/admin/sessions/"+session+"/commands", key, object{"command": "!block"}), 403, "erase")
		s.must("POST", "/api/admin/sessions/"+session+"/commands", key, object{"command": "!note so it is"})
		s.refused(s.call("GET", "/api/admin/settings", key, nil), 403, "settings")
		me := s.must("GET", "/api/admin/me", key, nil)
		if me.text("signedInBy") != "apiKey" || fmt.Sprint(me.get("scopes")) != "[read note]" || me.text("id") != "" {
			t.Errorf("the key is %s", me.body)
		}
		list := s.must("GET", "/api/admin/api-keys", secretKey, nil)
		if strings.Contains(string(list.body), key) || list.first("keys", "id") != id || list.first("keys", "usedAt") == "" {
			t.Errorf("listed is %s", list.body)
		}
		s.team.Keys.Store(t.Context())
		if k, err := s.team.Keys.Find(t.Context(), id); err != nil || k.UsedAt == 0 {
			t.Errorf("stored is %+v: %v", k, err)
		}
		s.must("DELETE", "/api/admin/api-keys/"+id, "", nil, "Cookie", ada)
		s.refused(s.call("GET", "/api/admin/sessions", key, nil), 401, "Unauthorized")
		s.refused(s.call("DELETE", "/api/admin/api-keys/"+id, secretKey, nil), 404, "not found")
		for action, about := range map[string]string{chat.AuditKeyMade: "read, note; until 2999-01-31T00:00:00.000Z", chat.AuditKeyEnded: "read, note"} {
			entry := s.must("GET", "/api/admin/audit?action="+action, secretKey, nil)
			if entry.first("entries", "target") != "CRM sync" || !strings.Contains(entry.first("entries", "detail"), about) || entry.first("entries", "name") != "Ada" {
				t.Errorf("recorded is %s", entry.body)
			}
		}
		if strings.Contains(s.logs.String(), key) {
			t.Error("the log has the key")
		}
	})
}

// A key that only writes learns nothing of a conversation that it changes, and one for settings
// or people sees what it is about.
func TestNarrowKeys(t *testing.T) {
	s := newSite(t, dbtest.Memory(t))
	visitor := s.bound("v", "")
	s.says(visitor, object{"id": "v-1", "email": "vera@example.com"})
	session := visitor.id
	keyFor := func(scope chat.KeyScope) string {
		_, text := s.newKey(administers, chat.APIKey{Name: string(scope), Scopes: chat.KeyScopes{scope}})
		return text
	}
	path := "/api/admin/sessions/" + session
	a := s.must("PATCH", path, keyFor(chat.ScopeWrite), object{"addTags": []string{"vip"}})
	if strings.Contains(string(a.body), "hello") || strings.Contains(string(a.body), "vera@") || fmt.Sprint(a.get("tags")) != "[vip]" {
		t.Errorf("who only writes gets %s", a.body)
	}
	if a := s.must("PATCH", path, secretKey, object{"addTags": []string{"new"}}); !strings.Contains(string(a.body), "vera@") {
		t.Errorf("the secret key gets %s", a.body)
	}
	settings := keyFor(chat.ScopeSettings)
	for _, path := range []string{"/api/admin/sites", "/api/admin/knowledge", "/api/admin/saved-answers"} {
		s.must("GET", path, settings, nil)
	}
	s.refused(s.call("GET", "/api/admin/people", settings, nil), 403, "read or people")
	s.must("GET", "/api/admin/people", keyFor(chat.ScopePeople), nil)
	s.refused(s.call("POST", "/api/admin/api-keys", secretKey, object{"name": "x", "scopes": []string{"read"}, "sites": []string{}}), 400, "sites must name one or more websites")
}

// What cannot be a key is refused beside its field.
func TestHostileKeys(t *testing.T) {
	s := newSite(t, dbtest.Memory(t))
	good := func(change object) object {
		in := object{"name": "CRM", "scopes": []string{"read"}}
		for name, value := range change {
			in[name] = value
		}
		return in
	}
	for field, wrong := range map[string][]any{
		"name":      {"", " ", strings.Repeat("x", 81), "CRM\u202e", "a\u200bb", "x\u0007", "Аdmin"},
		"scopes":    {[]string{}, nil, []string{"admin"}, []string{"read", "READ"}, []string{"read write"}, []string{"widget"}},
		"sites":     {[]string{"nowhere"}, []string{"main", "' OR 1=1"}},
		"expiresAt": {"2001-01-01T00:00:00Z", "1970-01-01", chat.Now().String()},
	} {
		for _, value := range wrong {
			a := s.call("POST", "/api/admin/api-keys", secretKey, good(object{field: value}))
			if s.refused(a, 400, ""); a.text("field") != field {
				t.Errorf("%s %q: %s", field, value, a.body)
			}
		}
	}
	for _, in := range []object{{"name": 7}, {"scopes": "read"}, {"expiresAt": "soon"}, {"sites": object{}}, {"personal": "yes"}} {
		s.refused(s.call("POST", "/api/admin/api-keys", secretKey, good(in)), 400, " must be ")
	}
	s.refused(s.call("POST", "/api/admin/api-keys", secretKey, good(object{"personal": true})), 409, "no account")
	_, key := s.newKey(administers, chat.APIKey{Name: `"><script>`})
	for _, header := range [][]string{{"Authorization", "bearer " + key}, {"X-API-Key", key}} {
		s.must("GET", "/api/admin/me", "", nil, header...)
	}
	for name, header := range map[string][]string{
		"cut": {"Authorization", "Bearer " + key[:len(key)-1]}, "longer": {"Authorization", "Bearer " + key + "A"}, "in small letters": {"Authorization", "Bearer " + strings.ToLower(key)},
		"prefix alone": {"Authorization", "Bearer rk_"}, "basic": {"Authorization", "Basic " + key}, "huge": {"Authorization", "Bearer rk_" + strings.Repeat("A", 10_000)},
		"hash": {"Authorization", "Bearer rk_" + chat.Hash(key)}, "quoted": {"X-API-Key", `"` + key + `"`}, "from a page": {"Authorization", "Bearer " + key, "Origin", s.url},
	} {
		if a := s.call("GET", "/api/admin/me", "", nil, header...); a.status != 401 {
			t.Errorf("%s: %d %s", name, a.status, a.body)
		}
	}
	s.refused(s.call("GET", "/api/admin/me?apiKey="+key, "", nil), 401, "Unauthorized")
	s.refused(s.call("POST", "/api/widget/init", key, object{"visitorId": "v"}), 401, "Unauthorized")
	s.refused(s.call("GET", "/api/widget/stream?sessionId=x&apiKey="+key, "", nil), 401, "Unauthorized")
	bridge := newBridgeSite(t, func(c *config.Config) { c.APIKey = backendKey })
	bridge.refused(bridge.call("GET", "/api/stats", key, nil), 401, "community mode")
}

// A token does what its person may at the moment, writes under that name, and ends with the
// person, a new password and signing out everywhere.
func TestPersonalToken(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		ada := s.personNamed("Ada", chat.RoleAdministrator)
		s.personNamed("Bea", chat.RoleAdministrator)
		fresh := func() string {
			return s.must("POST", "/api/admin/api-keys", "", object{"name": "laptop", "scopes": []string{"read", "write", "settings"}, "personal": true}, "Cookie", s.cookieFor(ada.ID)).text("key")
		}
		token, session := fresh(), s.open("v")
		m := s.must("POST", "/api/admin/sessions/"+session+"/messages", token, object{"content": "hi", "operatorName": "Boss"})
		if m.text("operatorName") != "Ada" {
			t.Errorf("the message is of %s", m.text("operatorName"))
		}
		s.must("PATCH", "/api/admin/settings", token, object{"operatorName": "Team"})
		if e := s.must("GET", "/api/admin/audit?action=settings_changed", secretKey, nil); e.first("entries", "name") != "Ada (token laptop)" || e.first("entries", "personId") != ada.ID {
			t.Errorf("recorded is %s", e.body)
		}
		change := func(to chat.Role) {
			t.Helper()
			s.must("PATCH", "/api/admin/people/"+ada.ID, secretKey, object{"role": to})
		}
		change(chat.RoleOperator)
		s.refused(s.call("PATCH", "/api/admin/settings", token, object{}), 403, "administrators")
		own := s.must("GET", "/api/admin/api-keys", "", nil, "Cookie", s.cookieFor(ada.ID)).get("keys").([]any)
		s.newKey(administers, chat.APIKey{})
		if again := s.must("GET", "/api/admin/api-keys", "", nil, "Cookie", s.cookieFor(ada.ID)).get("keys").([]any); len(own) != 1 || len(again) != 1 {
			t.Errorf("an operator sees %v, then %v", own, again)
		}
		s.refused(s.call("POST", "/api/admin/api-keys", "", object{"name": "x", "scopes": []string{"read"}}, "Cookie", s.cookieFor(ada.ID)), 403, "Only administrators")
		change(chat.RoleAdministrator)
		s.must("PATCH", "/api/admin/settings", token, object{})

		dies := func(how string, end func()) {
			t.Helper()
			token := fresh()
			s.must("GET", "/api/admin/sessions", token, nil)
			end()
			if a := s.call("GET", "/api/admin/sessions", token, nil); a.status != 401 {
				t.Errorf("after %s: %d", how, a.status)
			}
		}
		dies("signing out everywhere else", func() { s.must("DELETE", "/api/admin/sign-ins", "", nil, "Cookie", s.cookieFor(ada.ID)) })
		dies("being signed out everywhere", func() { s.must("DELETE", "/api/admin/sign-ins?person="+ada.ID, secretKey, nil) })
		dies("a new password", func() {
			s.must("PATCH", "/api/admin/me", "", object{"password": goodPassword}, "Cookie", s.cookieFor(ada.ID))
		})
		dies("a reset", func() {
			_, link, _ := strings.Cut(s.must("POST", "/api/admin/people/"+ada.ID+"/reset", secretKey, nil).text("url"), "#")
			s.must("POST", "/console/invitation/accept", "", object{"token": link, "name": "Ada", "email": "ada@example.com", "password": goodPassword + "!"})
		})
		dies("the removal", func() { s.must("DELETE", "/api/admin/people/"+ada.ID, secretKey, nil) })
	})
}

// No key makes one that may do more than itself, or works longer; and what it made ends with
// it.
func TestKeysMakeNoMore(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		s.must("POST", "/api/admin/sites", secretKey, object{"name": "Other", "id": "other", "publicKey": otherKey})
		until := chat.Now().Add(time.Hour)
		id, key := s.newKey(administers, chat.APIKey{Name: "maker", Scopes: chat.KeyScopes{chat.ScopeRead, chat.ScopePeople}, Sites: chat.SiteSet{""}, ExpiresAt: until})
		ask := func(key string, change object) answer {
			in := object{"name": "made", "scopes": []string{"read", "people"}}
			for name, value := range change {
				in[name] = value
			}
			return s.call("POST", "/api/admin/api-keys", key, in)
		}
		s.refused(ask(key, object{"scopes": []string{"read", "write"}}), 403, "more than itself")
		s.refused(ask(key, object{"sites": []string{"other"}}), 400, "other")
		s.refused(ask(key, object{"expiresAt": until.Add(time.Second).String()}), 403, "longer than itself")
		s.refused(ask(key, object{"personal": true}), 409, "no account")
		_, reader := s.newKey(administers, chat.APIKey{Scopes: chat.KeyScopes{chat.ScopeRead}})
		s.refused(ask(reader, object{"scopes": []string{"read"}}), 403, "people")
		made := ask(key, nil)
		if made.text("expiresAt") != until.String() || fmt.Sprint(made.get("sites")) != "[main]" || made.text("madeBy") != "maker (API key)" {
			t.Errorf("made is %s", made.body)
		}
		second := ask(made.text("key"), object{"scopes": []string{"read"}}).text("key")
		s.must("GET", "/api/admin/sessions", second, nil)
		s.must("DELETE", "/api/admin/api-keys/"+id, secretKey, nil)
		for _, key := range []string{key, made.text("key"), second} {
			s.refused(s.call("GET", "/api/admin/sessions", key, nil), 401, "Unauthorized")
		}
	})
}

// The keys that the secret key made stay when it is replaced, and end if that is asked for.
// The one before makes none in its last minutes.
func TestRotationEndsKeys(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		_, secret := s.keys()
		in := object{"name": "CRM", "scopes": []string{"read"}}
		program := s.must("POST", "/api/admin/api-keys", secret, in).text("key")
		ada := s.must("POST", "/api/admin/api-keys", "", in, "Cookie", s.cookieOf("Ada", chat.RoleAdministrator)).text("key")
		fresh := s.must("POST", "/api/admin/keys/rotate", secret, object{"key": "secret"}).text("secretKey")
		s.must("GET", "/api/admin/sessions", program, nil)
		s.refused(s.call("POST", "/api/admin/api-keys", secret, in), 403, "was replaced")
		s.refused(s.call("POST", "/api/admin/keys/rotate", fresh, object{"key": "public", "endKeys": true}), 400, "endKeys")
		next := s.must("POST", "/api/admin/keys/rotate", fresh, object{"key": "secret", "endKeys": true}).text("secretKey")
		s.refused(s.call("GET", "/api/admin/sessions", program, nil), 401, "Unauthorized")
		s.must("GET", "/api/admin/sessions", ada, nil)
		s.must("GET", "/api/admin/sessions", next, nil)
		s.refused(s.call("POST", "/api/admin/keys/rotate", ada, object{"key": "secret"}), 403, "No API key")
	}, unset)
}

// While a key is ended a hundred programs use it, at two nodes: none succeeds with a request
// that it begins after the answer.
func TestEndedUnderWay(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		other := newSite(t, s.store)
		id, key := s.newKey(administers, chat.APIKey{})
		var ended atomic.Bool
		var worked, late atomic.Int64
		var all sync.WaitGroup
		for n := range 100 {
			at := []*site{s, other}[n%2]
			all.Go(func() {
				for refused := 0; refused < 3; {
					after := ended.Load()
					switch status := at.status("GET", "/api/admin/me", key); {
					case status == http.StatusOK && after:
						late.Add(1)
						return
					case status == http.StatusOK:
						worked.Add(1)
					case status == http.StatusUnauthorized && after:
						refused++
					case status != http.StatusUnauthorized:
						t.Errorf("answered %d", status)
						return
					}
				}
			})
		}
		for worked.Load() < 200 {
			time.Sleep(time.Millisecond)
		}
		s.must("DELETE", "/api/admin/api-keys/"+id, secretKey, nil)
		ended.Store(true)
		all.Wait()
		if late.Load() > 0 {
			t.Errorf("%d requests succeeded after the end", late.Load())
		}
	})
}

// Open streams end with the key, whatever ends it.
func TestStreamsEndWithTheKey(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		id, key := s.newKey(administers, chat.APIKey{Scopes: chat.KeyScopes{chat.ScopeRead}})
		_, soon := s.newKey(administers, chat.APIKey{Scopes: chat.KeyScopes{chat.ScopeRead}, ExpiresAt: chat.Now().Add(2 * time.Second)})
		mia := s.personNamed("Mia", chat.RoleOperator)
		_, token := s.tokenOf(mia, chat.ScopeRead)
		var streams []io.Reader
		for _, key := range []string{key, soon, token} {
			streams = append(streams, s.body("/api/admin/stream", key))
		}
		s.must("DELETE", "/api/admin/api-keys/"+id, secretKey, nil)
		s.must("DELETE", "/api/admin/people/"+mia.ID, secretKey, nil)
		for i, stream := range streams {
			if _, err := io.ReadAll(stream); err != nil {
				t.Errorf("stream %d: %v", i, err)
			}
		}
	})
}

// A key has its own number of requests a minute.
func TestKeyRate(t *testing.T) {
	s := newSite(t, dbtest.Memory(t), func(c *config.Config) { c.RateLimit = true })
	_, key := s.newKey(administers, chat.APIKey{})
	_, other := s.newKey(administers, chat.APIKey{})
	refused := 0
	for range 1300 { // the minute may turn
		if s.status("GET", "/api/admin/me", key) == http.StatusTooManyRequests {
			refused++
		}
	}
	a := s.call("GET", "/api/admin/me", key, nil)
	if s.refused(a, 429, "Too many"); a.header.Get("Retry-After") == "" || refused < 50 {
		t.Errorf("%d of 1300 were refused, with Retry-After %q", refused, a.header.Get("Retry-After"))
	}
	s.must("GET", "/api/admin/me", other, nil)
}

// BenchmarkAPIKey checks a key as every request with one does, a right one and a wrong one.
func BenchmarkAPIKey(b *testing.B) {
	d := dbtest.Memory(b)
	keys := team.New(d, nil, nil, discard).Keys
	right, _, err := keys.Add(b.Context(), administers, chat.APIKey{Name: "x", Scopes: chat.AllScopes}, func(team.Reader) error { return nil })
	if err != nil {
		b.Fatal(err)
	}
	for name, key := range map[string]string{"right": right, "wrong": chat.APIKeyPrefix + chat.NewToken()} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				_, _, _ = keys.Open(b.Context(), key)
			}
		})
	}
	b.Run("without database", func(b *testing.B) {
		k := chat.APIKey{Scopes: chat.AllScopes}
		for b.Loop() {
			if chat.Hash(right) == "" || !k.Works(chat.Now()) || !k.Scopes.Meets(chat.AllScopes[5:]) {
				b.Fatal("closed")
			}
		}
	})
}

// Whoever makes keys while the own one is ended, or the secret key replaced, makes none that
// stays.
func TestNoKeyOutlivesItsMaker(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		id, _ := s.newKey(administers, chat.APIKey{Name: "maker"})
		parent, err := s.team.Keys.Find(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		withKey := administers
		withKey.Key = &parent
		_, secret := s.keys()
		// In this order: a replaced secret key ends the maker's as well.
		for _, race := range []struct {
			name  string
			by    chat.Author
			valid func(team.Reader) error
			end   func() error
		}{
			{"ended", withKey, func(team.Reader) error { return nil }, func() error { return s.team.Keys.End(t.Context(), id, "Ada") }},
			{"replaced", administers, s.ring.Still(secret), func() error {
				_, err := s.ring.ReplaceSecret(t.Context(), keyring.Replacement{EndKeys: true})
				return err
			}},
		} {
			var all sync.WaitGroup
			var made atomic.Int64
			enough := make(chan struct{})
			for range 8 {
				all.Go(func() {
					for {
						if _, _, err := s.team.Keys.Add(t.Context(), race.by, chat.APIKey{Name: "child", Scopes: chat.AllScopes}, race.valid); err != nil {
							return
						}
						if made.Add(1) == 20 {
							close(enough)
						}
					}
				})
			}
			select {
			case <-enough:
			case <-time.After(time.Minute):
				t.Fatalf("%s: only %d keys could be made", race.name, made.Load())
			}
			if err := race.end(); err != nil {
				t.Fatal(err)
			}
			all.Wait()
			list, err := s.team.Keys.List(t.Context())
			if err != nil || len(list) > 0 {
				t.Errorf("%s: %d of %d keys are left: %v", race.name, len(list), made.Load(), err)
			}
		}
	}, unset)
}

// TestLinksOfKeys: an invitation that a key made ends with the key, and so does one of a token.
func TestLinksOfKeys(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		ada := s.personNamed("Ada", chat.RoleAdministrator)
		key, text := s.newKey(administers, chat.APIKey{Scopes: chat.KeyScopes{chat.ScopePeople}})
		token, own := s.tokenOf(ada, chat.ScopePeople)
		links := map[string]string{}
		for id, with := range map[string]string{key: text, token: own} {
			made := s.must("POST", "/api/admin/invitations", with, object{"role": "operator"})
			links[id] = made.text("url")[strings.Index(made.text("url"), "#")+1:]
			s.must("POST", "/console/invitation/check", "", object{"token": links[id]})
		}
		for id, link := range links {
			s.must("DELETE", "/api/admin/api-keys/"+id, secretKey, nil)
			s.refused(s.call("POST", "/console/invitation/check", "", object{"token": link}), 404, "")
		}
		if list, _ := s.must("GET", "/api/admin/invitations", secretKey, nil).get("invitations").([]any); len(list) != 0 {
			t.Errorf("these invitations are left: %v", list)
		}
	})
}

// TestPresenceOfKeys: a key of a site sets the status there alone, and what an API key does in
// conversations is no sign that somebody is there.
func TestPresenceOfKeys(t *testing.T) {
	s := newSite(t, dbtest.Memory(t))
	s.must("POST", "/api/admin/sites", secretKey, object{"name": "Other", "id": "other", "publicKey": otherKey})
	other, err := s.Sites().Named("other")
	if err != nil {
		t.Fatal(err)
	}
	_, everywhere := s.newKey(administers, chat.APIKey{})
	s.must("POST", "/api/admin/sessions/"+s.victim(true).id+"/messages", everywhere, object{"content": "synced", "internal": true})
	s.must("POST", "/api/admin/operator/status", secretKey, object{"online": false})
	_, there := s.newKey(administers, chat.APIKey{Sites: chat.SiteSet{other.ID}})
	s.must("POST", "/api/admin/operator/status", there, object{"online": true})
	if s.PresenceAt("").Online || !s.PresenceAt(other.ID).Online {
		t.Errorf("at the first site %v, at its own %v", s.PresenceAt(""), s.PresenceAt(other.ID))
	}
}
