package server_test

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/relay-chat/relay/db/dbtest"
	"github.com/relay-chat/relay/server/chat"
)

// Every route of the admin API says which scope opens it, or that no key may; and what needs
// an administrator is opened by no scope of operators. The document says the same.
func TestEveryRouteHasAScope(t *testing.T) {
	s := newSite(t, dbtest.Memory(t))
	scopes := s.server.KeyScopes()
	for _, rt := range s.server.Routes() {
		method, path, _ := strings.Cut(rt, " ")
		of, said := scopes[rt]
		if (strings.HasPrefix(path, "/api/admin/") || path == "/mcp") != said {
			t.Errorf("%s: say in the route table which scope of API keys opens it (needs), or noKeys; other routes than the admin API's have none", rt)
		}
		if !said {
			continue
		}
		if matrix[rt].kind == administrator && slices.ContainsFunc(of, chat.KeyScope.ForOperators) {
			t.Errorf("%s is for administrators, but %v opens it", rt, of)
		}
		var documented []string
		for _, way := range *document().loose.Paths.Find(path).Operations()[method].Security {
			if names, has := way["scopedKey"]; has && len(names) == 0 {
				documented = strings.Fields("read write note settings people erase")
			} else if has {
				documented = append(documented, names...)
			}
		}
		want := []string{}
		for _, scope := range of {
			want = append(want, string(scope))
		}
		same(t, "the scopes of "+rt, documented, want)
	}
}

// keyCaller is a program with a key.
type keyCaller struct {
	credential
	unknown bool // the key opens nothing
	scopes  chat.KeyScopes
	role    chat.Role // of a token's person, "" for an API key
	foreign bool      // the sites are others than the victim's
}

// newKey makes a key as somebody and returns its id and its text.
func (s *site) newKey(by chat.Author, k chat.APIKey) (id, text string) {
	s.t.Helper()
	if k.Name == "" {
		k.Name = "Program"
	}
	if k.Scopes == nil {
		k.Scopes = chat.AllScopes
	}
	text, made, err := s.team.Keys.Add(s.t.Context(), by, k, func(_ teamReader) error { return nil })
	if err != nil {
		s.t.Fatal(err)
	}
	return made.ID, text
}

// administers is whoever has the secret key.
var administers = chat.Author{Sender: chat.SenderOperator, Source: chat.SourceAPI, Role: chat.RoleAdministrator}

// tokenOf makes a personal token.
func (s *site) tokenOf(p chat.Person, scopes ...chat.KeyScope) (id, text string) {
	s.t.Helper()
	return s.newKey(chat.Author{Person: p.ID, Name: p.Name, Role: p.Role, Sites: p.Sites}, chat.APIKey{Person: p.ID, Scopes: scopes})
}

// keyCallers are programs with all kinds of keys, named by what they bring.
func (s *site) keyCallers(other string) (list []keyCaller) {
	s.t.Helper()
	call := func(name, key string, c keyCaller) {
		c.credential = credential{name: name, key: key}
		list = append(list, c)
	}
	of := func(k chat.APIKey) string { _, text := s.newKey(administers, k); return text }
	soon := chat.Now().Add(time.Second)
	call("no key", "", keyCaller{unknown: true})
	call("a wrong key", chat.APIKeyPrefix+chat.NewToken(), keyCaller{unknown: true})
	ended, text := s.newKey(administers, chat.APIKey{})
	if err := s.team.Keys.End(s.t.Context(), ended, "Ada"); err != nil {
		s.t.Fatal(err)
	}
	call("an ended key", text, keyCaller{unknown: true})
	call("an expired key", of(chat.APIKey{ExpiresAt: soon}), keyCaller{unknown: true})
	mia, ada := s.personNamed("Mia", chat.RoleOperator), s.personNamed("Ada", chat.RoleAdministrator)
	eve := s.personNamed("Eve", chat.RoleAdministrator)
	_, text = s.tokenOf(eve)
	if _, err := s.team.People.Remove(s.t.Context(), eve.ID, "Ada"); err != nil {
		s.t.Fatal(err)
	}
	call("the token of a removed person", text, keyCaller{unknown: true})
	for _, scopes := range append([]chat.KeyScopes{chat.AllScopes}, single()...) {
		name := scopes.String()
		call("a key to "+name, of(chat.APIKey{Scopes: scopes}), keyCaller{scopes: scopes})
		_, text := s.tokenOf(ada, scopes...)
		call("an administrator's token to "+name, text, keyCaller{scopes: scopes, role: chat.RoleAdministrator})
		_, text = s.tokenOf(mia, scopes...)
		call("an operator's token to "+name, text, keyCaller{scopes: scopes, role: chat.RoleOperator})
	}
	there := chat.SiteSet{other}
	call("a key of another site", of(chat.APIKey{Sites: there}), keyCaller{scopes: chat.AllScopes, foreign: true})
	bob := s.personOf("Bob", chat.RoleAdministrator, there)
	_, text = s.tokenOf(bob)
	call("the token of an administrator of another site", text, keyCaller{scopes: chat.AllScopes, role: chat.RoleAdministrator, foreign: true})
	cid := s.personOf("Cid", chat.RoleOperator, there)
	_, text = s.tokenOf(cid)
	call("the token of an operator of another site", text, keyCaller{scopes: chat.AllScopes, role: chat.RoleOperator, foreign: true})
	time.Sleep(time.Until(soon.Std()) + time.Millisecond) // until one has expired
	return list
}

// single are the scopes one by one.
func single() (list []chat.KeyScopes) {
	for _, scope := range chat.AllScopes {
		list = append(list, chat.KeyScopes{scope})
	}
	return list
}

// personOf adds a person of some sites.
func (s *site) personOf(name string, role chat.Role, sites chat.SiteSet) chat.Person {
	s.t.Helper()
	p := s.personNamed(name, role)
	p, err := s.team.People.Change(s.t.Context(), p.ID, func(p *chat.Person) error { p.Sites = sites; return nil })
	if err != nil {
		s.t.Fatal(err)
	}
	return p
}

// judgeKey returns what a program is answered at a route: 0 stands for the route's own answer.
func judgeKey(rt string, c keyCaller, opens chat.KeyScopes) int {
	switch {
	case !strings.Contains(rt, " /api/admin/") && rt != "POST /mcp", c.unknown:
		return http.StatusUnauthorized
	case matrix[rt].kind == administrator && c.role == chat.RoleOperator, !opens.Meets(c.scopes):
		return http.StatusForbidden
	case writesOnly[rt] && !c.scopes.Has(chat.ScopeWrite):
		return http.StatusForbidden
	case ownWords[rt] && !c.foreign && (c.role == chat.RoleOperator || opens.Has(chat.ScopeWrite)):
		return http.StatusForbidden // $M was written with the secret key
	}
	return 0
}

// writesOnly are the routes that are open to note, but not with what the matrix sends.
var writesOnly = map[string]bool{"POST /api/admin/sessions/{session}/messages": true, "POST /api/admin/sessions/{session}/commands": true}

// TestKeyMatrix tries every route of the admin API and of the widget's with every kind of key,
// and expects what the route table says.
func TestKeyMatrix(t *testing.T) {
	s := newSite(t, dbtest.Memory(t))
	s.must("POST", "/api/admin/sites", secretKey, object{"name": "Other", "id": "other", "publicKey": otherKey})
	site, err := s.Sites().Named("other")
	if err != nil {
		t.Fatal(err)
	}
	callers, scopes, tried := s.keyCallers(site.ID), s.server.KeyScopes(), 0
	for _, rt := range s.server.Routes() {
		e, known := matrix[rt]
		if !known || e.kind != operator && e.kind != administrator && e.kind != widget && e.kind != session {
			continue
		}
		method, _, _ := strings.Cut(rt, " ")
		v := s.victim(true)
		for _, c := range callers {
			want := judgeKey(rt, c, scopes[rt])
			if want == 0 && method != "GET" {
				v = s.victim(true)
			}
			if want == 0 && c.foreign {
				s.asPerson(rt, e, v, c, scopes[rt])
				tried++
				continue
			}
			if want == 0 {
				want = max(e.answer, 200)
			}
			status, body := s.probe(method, e, v, origins[0], c.credential)
			if tried++; status != want {
				t.Errorf("%s with %s answers %d %.200s, want %d", rt, c.name, status, body, want)
			}
			if status == 403 && len(scopes[rt]) > 0 && !scopes[rt].Meets(c.scopes) && !(c.role == chat.RoleOperator && e.kind == administrator) && !strings.Contains(body, string(scopes[rt][0])) {
				t.Errorf("%s with %s answers %s, which does not name the scope", rt, c.name, body)
			}
		}
	}
	t.Logf("%d requests", tried)
	if tried < 3000 {
		t.Error("the matrix has fewer than 3000 cells")
	}
}

// asPerson expects of a key of another site what a person of that site is answered, who has
// the role that the route's scope gives: for reading and refusals the same bytes.
func (s *site) asPerson(rt string, e entry, v victim, c keyCaller, opens chat.KeyScopes) {
	s.t.Helper()
	method, _, _ := strings.Cut(rt, " ")
	name := "Bob"
	if c.role == chat.RoleOperator || !slices.ContainsFunc(opens, func(k chat.KeyScope) bool { return !k.ForOperators() }) {
		name = "Cid"
	}
	p, err := s.team.People.ByEmail(s.t.Context(), strings.ToLower(name)+"@example.com")
	if err != nil {
		s.t.Fatal(err)
	}
	want, bytes := s.probe(method, e, v, origins[0], credential{name: name, header: []string{"Cookie", s.cookieFor(p.ID)}})
	status, body := s.probe(method, e, v, origins[0], c.credential)
	if status != want || (method == "GET" || status >= 400) && body != bytes && !asked[rt] {
		s.t.Errorf("%s with %s answers %d %.300s, but to a person %d %.300s", rt, c.name, status, body, want, bytes)
	}
}

// asked are the routes whose answer depends on who asks, and not on sites and role alone.
var asked = map[string]bool{"GET /api/admin/me": true, "GET /api/admin/people": true, "GET /api/admin/api-keys": true, "GET /api/admin/counts": true}

// contextFor is a context for many requests at a time.
func contextFor(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}
