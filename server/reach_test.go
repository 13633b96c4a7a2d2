package server_test

import (
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
)

// someOf adds a person who answers some sites, and returns the person and a cookie.
func (s *site) someOf(name string, role chat.Role, sites ...string) (chat.Person, string) {
	s.t.Helper()
	p := s.personNamed(name, role)
	s.must("PATCH", "/api/admin/people/"+p.ID, secretKey, object{"sites": sites})
	return p, s.cookieFor(p.ID)
}

// sitesWithPeople is a relay with three sites, a conversation at each, and people of some.
type sitesWithPeople struct {
	*site
	here, berlin, cologne string // conversations
	admin, operator       string // cookies of people of Berlin alone
	adminID               string
}

func newSitesWithPeople(s *site) sitesWithPeople {
	s.t.Helper()
	berlin, cologne := s.addSite("Shop Berlin", "id", "berlin"), s.addSite("Zoo Cologne", "id", "cologne")
	w := sitesWithPeople{site: s, here: s.open("visitor-here"), berlin: s.openAt(berlin, "visitor-berlin"), cologne: s.openAt(cologne, "visitor-cologne")}
	s.say(w.here, "umbrella here")
	s.must("POST", "/api/widget/messages", berlin, object{"sessionId": w.berlin, "content": "umbrella berlin"})
	s.must("POST", "/api/widget/messages", cologne, object{"sessionId": w.cologne, "content": "umbrella cologne"})
	s.personNamed("Ada", chat.RoleAdministrator) // of all sites
	var p chat.Person
	p, w.admin = s.someOf("Bea", chat.RoleAdministrator, "berlin")
	w.adminID = p.ID
	_, w.operator = s.someOf("Otto", chat.RoleOperator, "berlin")
	for _, id := range []string{w.here, w.berlin, w.cologne} {
		s.search.Notice(&chat.Event{Type: chat.EventMessage, SessionID: id})
	}
	s.indexed()
	return w
}

// forAllSites are the routes that only people of all sites may use: they concern relay.
var forAllSites = []string{
	"POST /api/admin/sites", "POST /api/admin/site-imports", "DELETE /api/admin/sites/{site}",
	"POST /api/admin/bridges/{name}/test", "POST /api/admin/bridges/{name}/connect", "DELETE /api/admin/bridges/{name}",
	"POST /api/admin/ai/test", "POST /api/admin/ai/private-host",
	"GET /api/admin/deliveries", "POST /api/admin/deliveries/retry", "POST /api/admin/deliveries/discard",
	"GET /api/admin/system", "GET /api/admin/system/backup", "POST /api/admin/system/backups", "GET /api/admin/system/backups/{name}",
	"POST /api/admin/keys/rotate", "POST /api/admin/mail/consent", "POST /api/admin/mail/consent/redeem", "POST /api/admin/sign-on/test",
}

// TestForeignSitesDoNotExist asks every route for operators, as people of Berlin, for what is
// of other sites. What is named is answered as if it never was, and nothing of them is in
// any answer.
func TestForeignSitesDoNotExist(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		w := newSitesWithPeople(s)
		message := s.must("POST", "/api/admin/sessions/"+w.here+"/messages", secretKey, object{"content": "answer here"}).text("id")
		dee, _ := s.someOf("Dee", chat.RoleOperator, "cologne")
		source := s.must("POST", "/api/admin/knowledge?site=cologne", secretKey, object{"title": "Lions", "text": "The lions eat at nine."}).text("id")
		s.must("PUT", "/api/admin/saved-answers/lions?site=cologne", secretKey, object{"content": "At nine."})
		foreign := []string{w.here, w.cologne, "Cologne", "cologne", "Zoo", `"main"`, "umbrella here", "visitor-here", "isitor-c", dee.ID, "Dee", source, "Lions", "lions"}
		asked := 0
		for _, rt := range s.server.Routes() {
			e := matrix[rt]
			method, path, _ := strings.Cut(rt, " ")
			if e.kind != operator && e.kind != administrator || path == "/api/admin/stream" {
				continue
			}
			for _, cookie := range []string{w.admin, w.operator} {
				ask := func(session, person, site, source string) answer {
					at := strings.NewReplacer("$S", session, "$M", message, "$F", "x").Replace(e.path)
					at = strings.NewReplacer("/people/x", "/people/"+person, "/sites/main", "/sites/"+site, "/sites/none", "/sites/"+site, "/sources/x", "/sources/"+source).Replace(at)
					in := e.body
					if _, is := in.(object); !is {
						in = nil
					}
					asked++
					return s.call(method, at, "", in, "Cookie", cookie)
				}
				got := ask(w.here, dee.ID, "cologne", source)
				switch named := strings.Contains(path, "{session}") || strings.Contains(path, "/people/{id}") || strings.Contains(path, "{site}") || strings.Contains(path, "/sources/{id}") || strings.Contains(path, "/deliveries/{id}"); {
				case e.kind == administrator && cookie == w.operator:
					s.refused(got, 403, "Only administrators may do this")
				case slices.Contains(forAllSites, rt):
					s.refused(got, 403, "Only people of all sites may do this")
				case named:
					if never := ask("never", "never", "never", "never"); got.status != 404 || string(got.body) != string(never.body) {
						t.Errorf("%s of another site answers %d %s, and %d %s for what never was", rt, got.status, got.body, never.status, never.body)
					}
				case got.status >= 500 || got.status == 403:
					t.Errorf("%s answers %d %s", rt, got.status, got.body)
				}
				for _, text := range foreign {
					if strings.Contains(string(got.body), text) {
						t.Errorf("%s tells of %q: %.300s", rt, text, got.body)
					}
				}
			}
		}
		if asked < 100 {
			t.Errorf("only %d requests were made", asked)
		}
		s.must("GET", "/api/admin/sessions/"+w.here, secretKey, nil) // nothing happened to it
	})
}

// TestOwnSites: people of a site see and do there what those of all do.
func TestOwnSites(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		w := newSitesWithPeople(s)
		as := func(method, path string, body any) answer {
			return s.must(method, path, "", body, "Cookie", w.admin)
		}
		if me := as("GET", "/api/admin/me", nil).get("sites").([]any); len(me) != 1 || me[0] != "berlin" {
			t.Errorf("the own sites are %v", me)
		}
		list := as("GET", "/api/admin/sessions", nil).get("sessions").([]any)
		if len(list) != 1 || list[0].(map[string]any)["id"] != w.berlin {
			t.Errorf("the list has %v", list)
		}
		if waiting := as("GET", "/api/admin/sessions?status=waiting", nil).get("sessions").([]any); len(waiting) != 1 {
			t.Errorf("%v wait", waiting)
		}
		if n := as("GET", "/api/admin/counts", nil).get("waiting"); n != 1.0 {
			t.Errorf("%v wait", n)
		}
		if found := as("GET", "/api/admin/search?q=umbrella", nil).get("messages").([]any); len(found) != 1 {
			t.Errorf("the search finds %v", found)
		}
		if n := as("GET", "/api/admin/statistics", nil).get("totals.conversations"); n != 1.0 {
			t.Errorf("statistics count %v", n)
		}
		as("POST", "/api/admin/sessions/"+w.berlin+"/messages", object{"content": "hello from Bea"})
		for _, viewed := range []struct {
			id string
			is bool
		}{{w.berlin, true}, {w.here, false}, {"", false}, {w.berlin, true}} {
			as("POST", "/api/admin/operator/activity", object{"viewing": viewed.id})
			if got := s.Engine.Viewed(viewed.id); got != viewed.is || viewed.id == "" && s.Engine.Viewed(w.berlin) {
				t.Errorf("%q is on the screen: %v", viewed.id, got)
			}
		}
		if kinds := as("GET", "/api/admin/bridges", nil).get("kinds").([]any); len(kinds) != 3 { // the console asks for people's names on each
			t.Errorf("the kinds of channels are %v", kinds)
		}
		if sites := as("GET", "/api/admin/sites", nil).get("sites").([]any); len(sites) != 1 {
			t.Errorf("the sites are %v", sites)
		}
		as("PATCH", "/api/admin/settings", object{"welcomeMessage": "Guten Tag"})
		if got := s.must("GET", "/api/admin/sites/berlin/settings", secretKey, nil).text("welcomeMessage"); got != "Guten Tag" {
			t.Errorf("the welcome is %v", got)
		}
		s.refused(s.call("PATCH", "/api/admin/settings", "", object{"aiBaseUrl": "https://ai.example.com"}, "Cookie", w.admin), 400, "is relay's")
		s.refused(s.call("PATCH", "/api/admin/sites/berlin", "", object{"name": "Zoo Cologne"}, "Cookie", w.admin), 403, "all sites")
		entries := as("GET", "/api/admin/audit", nil).get("entries").([]any)
		if len(entries) == 0 {
			t.Error("the own changes are not in the audit list")
		}
		for _, e := range entries {
			if e.(map[string]any)["site"] != "berlin" {
				t.Errorf("the audit list has %v", e)
			}
		}
		for who, n := range map[string]int{"visitor-berlin": 1, "visitor-here": 0, w.cologne: 0} {
			if found := as("GET", "/api/admin/visitors?visitor="+who, nil).get("conversations").([]any); len(found) != n {
				t.Errorf("of %s there is %v", who, found)
			}
		}
		s.refused(s.call("DELETE", "/api/admin/visitors?visitor=visitor-here", "", nil, "Cookie", w.admin), 404, "")
		if out := as("DELETE", "/api/admin/visitors?visitor=visitor-berlin", nil); out.get("conversations") != 1.0 {
			t.Errorf("erasing an own visitor answers %s", out.body)
		}
	})
}

// TestPeopleOfSites: who administers some sites manages people of these alone.
func TestPeopleOfSites(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		w := newSitesWithPeople(s)
		all, both := s.personNamed("Ada", chat.RoleAdministrator), s.personNamed("Carl", chat.RoleOperator)
		s.must("PATCH", "/api/admin/people/"+both.ID, secretKey, object{"sites": []string{"berlin", "main"}})
		as := func(method, path string, body any) answer { return s.call(method, path, "", body, "Cookie", w.admin) }
		for id, status := range map[string]int{all.ID: 403, both.ID: 403} {
			s.refused(as("PATCH", "/api/admin/people/"+id, object{"role": "operator"}), status, "also answers sites that you do not administer")
			s.refused(as("DELETE", "/api/admin/people/"+id, nil), status, "also answers sites")
			s.refused(as("POST", "/api/admin/people/"+id+"/reset", nil), status, "also answers sites")
		}
		dee, _ := s.someOf("Dee", chat.RoleOperator, "cologne")
		s.must("PATCH", "/api/admin/people/"+all.ID, secretKey, object{"platformNames": []object{{"bridge": "telegram", "name": "@ada"}}})
		s.refused(as("PATCH", "/api/admin/people/"+w.adminID, object{"platformNames": []object{{"bridge": "telegram", "name": "Ada"}}}), 409, "has this name there already")
		otto, _ := s.team.People.ByEmail(t.Context(), "otto@example.com")
		for id, status := range map[string]int{all.ID: 403, dee.ID: 404, "never": 404, "all": 403, "key": 403, otto.ID: 200, w.adminID: 200} {
			for _, ask := range []string{"GET /api/admin/sign-ins?person=", "GET /api/admin/passkeys?person=", "DELETE /api/admin/sign-ins?person="} {
				method, path, _ := strings.Cut(ask, " ")
				want := status
				if strings.Contains(path, "passkeys") && (id == "all" || id == "key") || method == "DELETE" && id == "all" {
					want = 404 // nobody has such an id
				}
				if method == "DELETE" && id == w.adminID {
					continue // the own other sign-ins
				}
				if got := as(method, path+id, nil); got.status != want {
					t.Errorf("%s%s answers %d %s, want %d", ask, id, got.status, got.body, want)
				}
			}
		}
		for _, of := range []string{all.ID, dee.ID} {
			s.cookieFor(of)
			ins, err := s.team.SignIns.List(t.Context(), of)
			if err != nil || len(ins) == 0 {
				t.Fatal(ins, err)
			}
			s.refused(as("DELETE", "/api/admin/sign-ins/"+ins[0].ID, nil), 404, "Sign-in not found")
		}
		for _, p := range as("GET", "/api/admin/people", nil).get("people").([]any) {
			view := p.(map[string]any)
			if name := view["name"]; (name == "Ada" || name == "Carl") && view["email"] != nil {
				t.Errorf("the address of %v is told", name)
			}
			if view["name"] == "Carl" && len(view["sites"].([]any)) != 1 {
				t.Errorf("Carl's sites are %v", view["sites"])
			}
		}
		for _, sites := range [][]string{{"cologne"}, {"berlin", "main"}, {"never"}, {}} {
			s.refused(as("POST", "/api/admin/invitations", object{"role": "operator", "sites": sites}), 400, "site")
		}
		link := as("POST", "/api/admin/invitations", object{"role": "administrator", "sites": nil})
		_, secret, _ := strings.Cut(link.text("url"), "#")
		joined := s.accept(secret, "Newt", "newt@example.com", goodPassword)
		if joined.status != 200 {
			t.Fatalf("joining answers %d %s", joined.status, joined.body)
		}
		p, err := s.team.People.ByEmail(t.Context(), "newt@example.com")
		if err != nil || !slices.Equal(p.Sites, chat.SiteSet{"berlin"}) {
			t.Errorf("who was invited answers %v, %v", p.Sites, err)
		}
		s.must("PATCH", "/api/admin/people/"+p.ID, "", object{"sites": nil}, "Cookie", w.admin)
		if p, err = s.team.People.Find(t.Context(), p.ID); err != nil || p.Sites == nil {
			t.Errorf("an administrator of Berlin gives %v, %v", p.Sites, err)
		}
		s.refused(s.call("PATCH", "/api/admin/people/"+all.ID, secretKey, object{"sites": []string{"main"}}), 409, "last administrator")
		// Who loses a site can use no link for it any more.
		open := as("POST", "/api/admin/invitations", object{"role": "operator"})
		s.must("PATCH", "/api/admin/people/"+w.adminID, secretKey, object{"sites": []string{"cologne"}})
		_, secret, _ = strings.Cut(open.text("url"), "#")
		s.refused(s.accept(secret, "Late", "late@example.com", goodPassword), 404, "does not work any more")
	})
}

// TestSitesOfAPersonChange: what somebody had at a site goes with it, and streams begin again.
func TestSitesOfAPersonChange(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		w := newSitesWithPeople(s)
		p, cookie := s.someOf("Mia", chat.RoleOperator, "berlin", "cologne")
		for _, id := range []string{w.berlin, w.cologne} {
			s.must("PATCH", "/api/admin/sessions/"+id, secretKey, object{"assignee": p.ID})
		}
		s.refused(s.call("PATCH", "/api/admin/sessions/"+w.here, secretKey, object{"assignee": p.ID}), 409, "does not answer the visitors of this site")
		stream := s.seat(cookie)
		s.must("PATCH", "/api/admin/people/"+p.ID, secretKey, object{"sites": []string{"cologne"}})
		if _, err := io.ReadAll(stream); err != nil {
			t.Errorf("the stream: %v", err)
		}
		if got := s.must("GET", "/api/admin/sessions/"+w.berlin, secretKey, nil).get("assignee"); got != nil {
			t.Errorf("the conversation at the site that was left is %v's", got)
		}
		if got := s.must("GET", "/api/admin/sessions/"+w.cologne, secretKey, nil).get("assignee.id"); got != p.ID {
			t.Errorf("the conversation at the site that stayed is %v's", got)
		}
		s.must("DELETE", "/api/admin/sites/cologne?name=Zoo+Cologne", secretKey, nil)
		_, stop := s.serve() // which erases it
		defer stop()
		eventually(t, "the erased site is nobody's", func() bool {
			left, err := s.team.People.Find(t.Context(), p.ID)
			return err == nil && left.Sites != nil && len(left.Sites) == 0
		})
		if list := s.must("GET", "/api/admin/sessions", "", nil, "Cookie", cookie).get("sessions").([]any); len(list) != 0 {
			t.Errorf("who answers no site sees %v", list)
		}
		s.refused(s.call("GET", "/api/admin/settings", "", nil, "Cookie", cookie), 403, "You answer no site")
	})
}

// TestStreamOfSites: people of a site are told what happens there, and nothing else.
func TestStreamOfSites(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		w := newSitesWithPeople(s)
		next := s.stream("/api/admin/stream", "", "Cookie", w.operator)
		next()
		s.say(w.here, "foreign words")
		s.must("POST", "/api/widget/typing", publicKey, object{"sessionId": w.here, "active": true})
		s.must("DELETE", "/api/admin/sessions/"+w.here, secretKey, nil)
		s.must("POST", "/api/admin/sessions/"+w.berlin+"/messages", secretKey, object{"content": "own words"})
		until := func(event chat.EventType) {
			for {
				f := next()
				if strings.Contains(f.data, w.here) || strings.Contains(f.data, "foreign") {
					t.Errorf("told of another site: %s", f.data)
				}
				if f.event == string(event) {
					return
				}
			}
		}
		until(chat.EventMessage)
		s.must("DELETE", "/api/admin/sessions/"+w.berlin, secretKey, nil)
		until(chat.StateSessionErased)
	})
}

// TestPresenceOfSites: somebody is there for the sites that the person answers.
func TestPresenceOfSites(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		w := newSitesWithPeople(s)
		online := func(site string) bool { return s.Engine.PresenceAt(site).Online }
		s.stream("/api/admin/stream", "", "Cookie", w.operator)
		eventually(t, "somebody is there for Berlin", func() bool { return online("berlin") })
		if online("") || online("cologne") {
			t.Error("somebody at one site makes others look attended")
		}
		s.must("POST", "/api/admin/operator/status", "", object{"online": false}, "Cookie", w.operator)
		if online("berlin") || s.Engine.PresenceAt("cologne").Mode != engine.PresenceAutomatic {
			t.Error("away at Berlin, the presence is not")
		}
		if shown := s.must("GET", "/api/admin/operator/status", "", nil, "Cookie", w.operator); shown.text("mode") != engine.PresenceAway {
			t.Errorf("the switch is shown as %s", shown.body)
		}
		s.must("POST", "/api/admin/operator/status", secretKey, object{"online": true})
		if !online("berlin") || !online("") {
			t.Error("a status for all sites does not hold at each")
		}
	})
}
