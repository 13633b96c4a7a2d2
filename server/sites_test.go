package server_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/relay-chat/relay/bridges/ai/aitest"
	"github.com/relay-chat/relay/db"
	"github.com/relay-chat/relay/db/dbtest"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/config"
)

// addSite adds a website and returns its public key.
func (s *site) addSite(name string, more ...any) string {
	s.t.Helper()
	in := object{"name": name}
	for i := 0; i+1 < len(more); i += 2 {
		in[more[i].(string)] = more[i+1]
	}
	return s.must("POST", "/api/admin/sites", secretKey, in).text("publicKey")
}

// openAt opens the session of a visitor at the site with a key.
func (s *site) openAt(key, visitor string) string {
	s.t.Helper()
	return s.must("POST", "/api/widget/init", key, object{"visitorId": visitor}).text("sessionId")
}

// TestOneSite: nobody reads of sites before there is a second one.
func TestOneSite(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		id := s.open("v1")
		s.say(id, "hello")
		view := s.must("GET", "/api/admin/sessions/"+id, secretKey, nil)
		if strings.Contains(string(view.body), "site") {
			t.Errorf("a session of the only site is %s", view.body)
		}
		list := s.must("GET", "/api/admin/sites", secretKey, nil).get("sites").([]any)
		if first := list[0].(map[string]any); len(list) != 1 || first["id"] != "main" || first["publicKey"] != publicKey {
			t.Errorf("the sites are %v", list)
		}
		s.addSite("Berlin")
		if got := s.must("GET", "/api/admin/sessions/"+id, secretKey, nil).text("site"); got != "main" {
			t.Errorf("beside a second site, the session is of %q", got)
		}
	})
}

// TestSitesAreApart: the same visitor at two sites is two people, to visitors, in lists, in
// counts and when one is blocked.
func TestSitesAreApart(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		berlin := s.addSite("Shop Berlin", "address", "https://berlin.example.com/")
		here, there := s.open("v1"), s.openAt(berlin, "v1")
		if here == there {
			t.Fatal("both sites have one session")
		}
		if again := s.openAt(berlin, "v1"); again != there {
			t.Errorf("the visitor's session is %s after a reload, want %s", again, there)
		}
		s.say(here, "hello")
		s.must("POST", "/api/widget/messages", berlin, object{"sessionId": there, "content": "Guten Tag"})
		s.refused(s.call("POST", "/api/widget/messages", berlin, object{"sessionId": here, "content": "x"}), 404, "Session not found")
		s.refused(s.call("GET", "/api/widget/messages?sessionId="+there, publicKey, nil), 404, "Session not found")
		of := func(query string) (ids []string) {
			for _, v := range s.must("GET", "/api/admin/sessions?"+query, secretKey, nil).get("sessions").([]any) {
				ids = append(ids, v.(map[string]any)["id"].(string))
			}
			return ids
		}
		for query, want := range map[string][]string{"site=main": {here}, "site=shop-berlin": {there}, "site=shop-berlin&status=waiting": {there},
			"site=shop-berlin&q=v1": {there}, "site=main&status=waiting": {here}} {
			if got := of(query); !slices.Equal(got, want) {
				t.Errorf("%s lists %v, want %v", query, got, want)
			}
		}
		if both := of(""); len(both) != 2 {
			t.Errorf("all sites list %v", both)
		}
		s.refused(s.call("GET", "/api/admin/sessions?site=none", secretKey, nil), 400, "site must be the id of a site")
		s.must("POST", "/api/admin/sessions/"+there+"/block", secretKey, nil)
		s.must("POST", "/api/widget/init", publicKey, object{"visitorId": "v1"})
		s.refused(s.call("POST", "/api/widget/init", berlin, object{"visitorId": "v1"}), 403, "Blocked")
		s.must("PATCH", "/api/admin/sessions/"+here, secretKey, object{"tags": []string{"refund"}})
		if a := s.must("GET", "/api/admin/widget?site=shop-berlin", secretKey, nil); !strings.Contains(a.text("snippet"), berlin) || strings.Contains(a.text("snippet"), publicKey) {
			t.Errorf("the site's snippet is %s", a.body)
		}
		counts := s.must("GET", "/api/admin/counts?site=shop-berlin", secretKey, nil)
		if counts.get("open") != 1.0 || counts.get("waiting") != 0.0 || len(counts.get("tags").([]any)) != 0 ||
			counts.get("sites.main") != 1.0 || counts.get("sites.shop-berlin") != 0.0 {
			t.Errorf("the counts of the site are %s", counts.body)
		}
	})
}

// TestTokenOfAnotherSite: what another site's token opens is a new session, which is not
// joined with that one.
func TestTokenOfAnotherSite(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		berlin := s.addSite("Berlin")
		first := s.must("POST", "/api/widget/init", publicKey, object{"visitorId": "v1", "useSessionToken": true})
		second := s.must("POST", "/api/widget/init", berlin, object{"visitorId": "v1", "sessionToken": first.text("sessionToken")})
		if first.text("sessionId") == second.text("sessionId") || second.text("sessionToken") == "" {
			t.Fatalf("the other site answers %s", second.body)
		}
		s.must("POST", "/api/admin/sessions/"+first.text("sessionId")+"/block", secretKey, nil)
		s.must("GET", "/api/widget/messages?sessionId="+second.text("sessionId"), berlin, nil, "X-Session-Token", second.text("sessionToken"))
	})
}

// TestSiteSettings: what a site sets wins over what all share, for its visitors alone, and
// each value says where it comes from.
func TestSiteSettings(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		s.must("PATCH", "/api/admin/settings", secretKey, object{"welcomeMessage": "Welcome"})
		berlin := s.addSite("Berlin")
		there := s.openAt(berlin, "v1")
		next := s.stream("/api/widget/stream?sessionId="+there, berlin)
		next()
		own := "/api/admin/sites/berlin/settings"
		welcome := func(key string) string {
			return s.must("GET", "/api/widget/config", key, nil).text("welcomeMessage")
		}
		if got := welcome(berlin); got != "Welcome" {
			t.Errorf("a new site welcomes with %q", got)
		}
		if got := s.must("PATCH", own, secretKey, object{"welcomeMessage": "Willkommen"}); got.text("sources.welcomeMessage") != "site" || got.text("sources.theme") != "default" {
			t.Errorf("the sources are %v", got.get("sources"))
		}
		if got := next().get("config.welcomeMessage"); got != "Willkommen" {
			t.Errorf("the open widget is told %v", got)
		}
		s.must("PATCH", "/api/admin/settings", secretKey, object{"welcomeMessage": "Hi"})
		if got := welcome(publicKey) + ", " + welcome(berlin); got != "Hi, Willkommen" {
			t.Errorf("the sites welcome with %s", got)
		}
		s.must("PATCH", own, secretKey, object{"welcomeMessage": nil})
		if got := welcome(berlin); got != "Welcome" {
			t.Errorf("without a value of its own the site welcomes with %q, want what all share", got)
		}
		s.must("PATCH", "/api/admin/sites/all/settings", secretKey, object{"welcomeMessage": "Servus"})
		if got := welcome(publicKey) + ", " + welcome(berlin); got != "Hi, Servus" {
			t.Errorf("the sites welcome with %s", got)
		}
		perSite := s.must("GET", own, secretKey, nil).get("perSite").([]any)
		if !slices.Contains(perSite, any("welcomeMessage")) || slices.Contains(perSite, any("aiModel")) {
			t.Errorf("a site may have %v of its own", perSite)
		}
		s.refused(s.call("PATCH", own, secretKey, object{"aiModel": "x"}), 400, "aiModel is relay's")
		s.refused(s.call("PATCH", own, secretKey, object{"theme": "red"}), 400, "theme must be one of")
		s.refused(s.call("GET", "/api/admin/sites/none/settings", secretKey, nil), 404, "Site not found")
	})
}

// TestSiteRequests: bad input is named, and nothing changes.
func TestSiteRequests(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		s.addSite("Shop Berlin", "publicKey", "pk_berlin_1")
		for _, tt := range []struct {
			in   object
			code int
			want string
		}{
			{object{}, 400, "name is required"}, {object{"name": "x", "id": "main"}, 400, "has a meaning of its own"},
			{object{"name": "x", "id": "A b"}, 400, "id must be 1 to 40 small letters"}, {object{"name": "x", "id": "shop-berlin"}, 409, "has the id shop-berlin"},
			{object{"name": " shop  BERLIN"}, 409, "There is a site called “Shop Berlin”"}, {object{"name": strings.Repeat("x", 61)}, 400, "name must be at most 60 characters"},
			{object{"name": "x", "publicKey": "pk_berlin_1"}, 409, "has this public key"}, {object{"name": "x", "publicKey": publicKey}, 409, "The first site has this public key"},
			{object{"name": "x", "publicKey": "short"}, 400, "publicKey must be 8 to 200"}, {object{"name": "x", "publicKey": ""}, 400, "publicKey must not be empty"}, {object{"name": "x", "address": "berlin"}, 400, "address must be the website's"},
			{object{"name": "x", "origins": []string{"https://a.example/path"}}, 400, "origins must be origins like"}, {object{"name": "x", "color": "red"}, 400, "color must be a colour"},
		} {
			s.refused(s.call("POST", "/api/admin/sites", secretKey, tt.in), tt.code, tt.want)
		}
		s.refused(s.call("PATCH", "/api/admin/sites/shop-berlin", secretKey, object{"id": "other"}), 400, "id is kept for ever")
		s.refused(s.call("PATCH", "/api/admin/sites/shop-berlin", secretKey, object{"publicKey": ""}), 400, "publicKey must not be empty")
		s.refused(s.call("PATCH", "/api/admin/sites/main", secretKey, object{"archived": true}), 409, "The first site cannot be archived")
		s.refused(s.call("DELETE", "/api/admin/sites/main?name=First+site", secretKey, nil), 409, "The first site cannot be erased")
		if n := len(s.must("GET", "/api/admin/sites", secretKey, nil).get("sites").([]any)); n != 2 {
			t.Errorf("there are %d sites", n)
		}
		if got := s.must("POST", "/api/admin/sites", secretKey, object{"name": "Größe & Maß"}).text("id"); got != "grosse-mass" {
			t.Errorf("the id is %q", got)
		}
		s.must("PATCH", "/api/admin/sites/main", secretKey, object{"name": "Headquarters"})
		s.refused(s.call("PATCH", "/api/admin/sites/shop-berlin", secretKey, object{"name": "headquarters"}), 409, "There is a site called")
	})
}

// TestSiteKeys: a site's key opens its site alone, from its origins, until it is rotated or
// the site is archived.
func TestSiteKeys(t *testing.T) {
	s := newSite(t, dbtest.Memory(t), func(c *config.Config) { c.AllowedOrigins = []string{"https://shop.test"} })
	berlin := s.addSite("Berlin", "origins", []string{"https://Berlin.test:443/"})
	from := func(key, origin string) answer {
		return s.call("GET", "/api/widget/config", key, nil, "Origin", origin)
	}
	if a := from(berlin, "https://berlin.test"); a.status != 200 || a.header.Get("Access-Control-Allow-Origin") != "https://berlin.test" {
		t.Errorf("the site's own page is answered %d %v", a.status, a.header)
	}
	for key, origin := range map[string]string{berlin: "https://shop.test", publicKey: "https://berlin.test"} {
		if a := from(key, origin); a.status != 403 || a.header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s from %s is answered %d %v", key, origin, a.status, a.header)
		}
	}
	for _, origin := range []string{"https://shop.test", "https://berlin.test"} {
		if a := s.call("OPTIONS", "/api/widget/config", "", nil, "Origin", origin); a.header.Get("Access-Control-Allow-Origin") != origin {
			t.Errorf("the preflight from %s is answered %v", origin, a.header)
		}
	}
	if a := s.call("OPTIONS", "/api/widget/config", "", nil, "Origin", "https://evil.test"); a.header.Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("a foreign preflight is answered %v", a.header)
	}
	key := s.must("POST", "/api/admin/sites/berlin/key", secretKey, nil).text("publicKey")
	s.refused(s.call("GET", "/api/widget/config", berlin, nil), 401, "Unauthorized")
	s.must("GET", "/api/widget/config", key, nil)
	s.must("GET", "/api/widget/config", publicKey, nil)
	s.must("PATCH", "/api/admin/sites/berlin", secretKey, object{"archived": true})
	s.refused(s.call("POST", "/api/widget/init", key, object{"visitorId": "v"}), 403, "This chat is closed")
	s.must("PATCH", "/api/admin/sites/berlin", secretKey, object{"archived": false})
	s.must("GET", "/api/widget/config", key, nil)
}

// TestEraseSite: a site goes with its conversations, those of others stay, and a restart in
// the middle changes nothing.
func TestEraseSite(t *testing.T) {
	dbtest.EachLasting(t, func(t *testing.T, store *db.DB) {
		s := newSite(t, store)
		berlin := s.addSite("Berlin")
		kept := s.open("v")
		s.say(kept, "hello")
		for i := range 120 {
			id := s.openAt(berlin, fmt.Sprint("v", i))
			s.must("POST", "/api/widget/messages", berlin, object{"sessionId": id, "content": "hello"})
		}
		s.must("PATCH", "/api/admin/sites/berlin/settings", secretKey, object{"welcomeMessage": "x"})
		s.refused(s.call("DELETE", "/api/admin/sites/berlin?name=Paris", secretKey, nil), 400, "name must be the site's")
		if got := s.must("DELETE", "/api/admin/sites/berlin?name=berlin", secretKey, nil); got.get("conversations") != 120.0 {
			t.Errorf("the answer is %s", got.body)
		}
		s.refused(s.call("GET", "/api/widget/config", berlin, nil), 403, "This chat is closed")
		s.refused(s.call("PATCH", "/api/admin/sites/berlin", secretKey, object{"archived": false}), 409, "is being erased")
		_, stop := s.serve() // only now does anything work on it
		defer stop()
		for deadline := time.Now().Add(20 * time.Second); len(s.must("GET", "/api/admin/sites", secretKey, nil).get("sites").([]any)) > 1; time.Sleep(20 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatal("the site is still there")
			}
		}
		left := s.must("GET", "/api/admin/sessions", secretKey, nil)
		if list := left.get("sessions").([]any); len(list) != 1 || left.get("sessions").([]any)[0].(map[string]any)["id"] != kept {
			t.Errorf("what is left is %s", left.body)
		}
		if again := s.addSite("Berlin"); s.must("GET", "/api/widget/config", again, nil).text("welcomeMessage") == "x" {
			t.Error("a new site of that name has the old one's settings")
		}
	})
}

// TestSiteHours: a site's business hours decide for its visitors alone whether somebody is
// there, and its open widgets are told when they change.
func TestSiteHours(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		berlin := s.addSite("Berlin")
		id := s.openAt(berlin, "v1")
		next := s.stream("/api/widget/stream?sessionId="+id, berlin)
		if connected := next(); connected.get("operatorOnline") != false {
			t.Errorf("the stream begins with %v", connected)
		}
		always := object{}
		for _, day := range []string{"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"} {
			always[day] = []string{"00:00-24:00"}
		}
		s.must("PATCH", "/api/admin/sites/berlin/settings", secretKey, object{"businessHours": object{"timezone": "UTC", "weekly": always}})
		for {
			if e := next(); e.event == "operator_status" {
				if e.get("online") != true {
					t.Errorf("the widget is told %v", e)
				}
				break
			}
		}
		online := func(key string) any {
			return s.must("POST", "/api/widget/init", key, object{"visitorId": "v1"}).get("operatorOnline")
		}
		if here, there := online(publicKey), online(berlin); here != false || there != true {
			t.Errorf("somebody is there at the first site: %v, at the second: %v", here, there)
		}
		views := s.must("GET", "/api/admin/sessions/"+id, secretKey, nil)
		if views.get("operatorOnline") != true {
			t.Errorf("operators read %s", views.body)
		}
	})
}

// TestSitesAreFiltered: search, numbers and export are of one site, when asked for it.
func TestSitesAreFiltered(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		berlin := s.addSite("Berlin")
		here, there := s.open("v1"), s.openAt(berlin, "v1")
		s.say(here, "umbrella")
		s.must("POST", "/api/widget/messages", berlin, object{"sessionId": there, "content": "umbrella please"})
		for _, id := range []string{here, there} {
			s.search.Notice(&chat.Event{Type: chat.EventMessage, SessionID: id})
		}
		s.indexed()
		for site, want := range map[string]int{"": 2, "main": 1, "berlin": 1} {
			asked := "&site=" + site
			if found := s.must("GET", "/api/admin/search?q=umbrella"+asked, secretKey, nil).get("messages").([]any); len(found) != want {
				t.Errorf("site %q: the search finds %v", site, found)
			}
			if n := s.must("GET", "/api/admin/statistics?"+asked, secretKey, nil).get("totals.conversations"); n != float64(want) {
				t.Errorf("site %q: statistics count %v conversations", site, n)
			}
			if n := s.must("GET", "/api/admin/statistics?"+asked, secretKey, nil).get("waiting.count"); n != float64(want) {
				t.Errorf("site %q: %v wait", site, n)
			}
			if n := s.must("GET", "/api/admin/stats?"+asked, secretKey, nil).get("sessions"); n != float64(want) {
				t.Errorf("site %q: stats count %v sessions", site, n)
			}
			if n := strings.Count(string(s.must("GET", "/api/admin/export?"+asked, secretKey, nil).body), `"type":"session"`); n != want {
				t.Errorf("site %q: %d sessions are exported", site, n)
			}
		}
		for _, path := range []string{"search?q=x&", "statistics?", "statistics.csv?", "stats?", "export?", "counts?", "sessions?"} {
			s.refused(s.call("GET", "/api/admin/"+path+"site=none", secretKey, nil), 400, "site must be the id of a site")
		}
	})
}

// TestAIOfSites: where it is on, the AI answers under the site's own name and instructions;
// where it is off, nobody answers.
func TestAIOfSites(t *testing.T) {
	model := aitest.New(t, aitest.Says("Guten Tag!"))
	s := newSite(t, dbtest.Memory(t), withModel(model))
	s.must("PATCH", "/api/admin/settings", secretKey, object{"aiMode": "off"})
	berlin := s.addSite("Berlin")
	s.must("PATCH", "/api/admin/sites/berlin/settings", secretKey, object{"aiMode": "answer", "aiName": "Berolina", "aiSystemPrompt": "We sell umbrellas in Berlin."})
	for site, text := range map[string]string{"main": "Umbrellas at home are of silk.", "berlin": "Umbrellas in Berlin are of nylon."} {
		s.must("POST", knowledgePath+"?site="+site, secretKey, object{"title": "Umbrellas", "text": text})
	}
	here, there := s.open("v"), s.openAt(berlin, "v")
	s.say(here, "hi")
	next := s.stream("/api/widget/stream?sessionId="+there, berlin)
	s.must("POST", "/api/widget/messages", berlin, object{"sessionId": there, "content": "hi, of what are your umbrellas?"})
	for f := next(); !strings.Contains(f.data, `"content":"Guten Tag!","sender":"ai"`); f = next() {
	}
	asked := model.Asked()
	if len(asked) != 1 || !strings.Contains(asked[0].System, "Berolina") || !strings.Contains(asked[0].System, "umbrellas in Berlin") {
		t.Errorf("the model is asked %v", asked)
	}
	if whole := fmt.Sprint(asked); !strings.Contains(whole, "of nylon") || strings.Contains(whole, "of silk") {
		t.Errorf("the model may answer from %s", whole)
	}
	if history := s.must("GET", "/api/admin/sessions/"+here+"/messages", secretKey, nil); strings.Contains(string(history.body), `"sender":"ai"`) {
		t.Errorf("where it is off: %s", history.body)
	}
}

// TestSitesInBridgeMode: a backend says in a session's first request to which of the declared
// sites it belongs; what it says later changes nothing.
func TestSitesInBridgeMode(t *testing.T) {
	url, posts := receiver(t, nil)
	s := newBridgeSite(t, webhookTo(url))
	name := "Shop Berlin"
	if err := s.DeclareSites(t.Context(), &chat.SitesFile{Name: "sites.yaml", Sites: []chat.DeclaredSite{{ID: "berlin", Name: &name}}}); err != nil {
		t.Fatal(err)
	}
	s.serveWebhook()
	s.refused(s.call("POST", "/api/sessions", "", object{"id": "s1", "site": "paris"}), 400, "site must be the id of a site that SITES_FILE declares")
	of := func(body object, want string) {
		t.Helper()
		s.must("POST", "/api/messages", "", body)
		var got struct{ Data struct{ Site string } }
		if err := json.Unmarshal(arrived(t, posts).body, &got); err != nil || got.Data.Site != want {
			t.Errorf("%v is at %q (%v), want %q", body["session"], got.Data.Site, err, want)
		}
	}
	message := func(session object, id string) object {
		return object{"session": session, "message": object{"id": id, "content": "Hello", "sender": "visitor"}}
	}
	of(message(object{"id": "s1", "site": "berlin"}, "m1"), "berlin")
	of(message(object{"id": "s1"}, "m2"), "berlin")
	of(message(object{"id": "s1", "site": "main"}, "m3"), "berlin")
	of(message(object{"id": "s2"}, "m4"), "main")
}

// TestSiteCommand: !site tells which site a thread's visitor is at, unless somebody saved an
// answer of that name; where there is one site, there is no such command.
func TestSiteCommand(t *testing.T) {
	s := newSite(t, dbtest.Memory(t))
	run := func(id, text string) string {
		t.Helper()
		return s.must("POST", "/api/admin/sessions/"+id+"/commands", secretKey, object{"command": text}).text("answer")
	}
	here := s.open("v1")
	if got := run(here, "!site") + run(here, "!help"); !strings.Contains(got, "There is no command !site") || strings.Contains(got, "website") {
		t.Errorf("with one site the answer is %q", got)
	}
	there := s.openAt(s.addSite("Shop Berlin", "address", "https://berlin.example.com"), "v1")
	if got := run(there, "!site"); got != "This conversation is at Shop Berlin · shop-berlin · https://berlin.example.com" {
		t.Errorf("the answer is %q", got)
	}
	if got := run(here, "!site"); got != "This conversation is at First site · main" {
		t.Errorf("the answer is %q", got)
	}
	if got := run(here, "!help"); !strings.Contains(got, "!site – ") {
		t.Errorf("the list is %q", got)
	}
	s.must("PUT", "/api/admin/saved-answers/site", secretKey, object{"content": "Our site is closed today."})
	if got := run(there, "!site"); got != "!site is sent." {
		t.Errorf("with a saved answer of that name the answer is %q", got)
	}
}

// TestKnowledgeOfSites: a source answers the visitors of its site alone, or of all; it moves,
// and goes with its site.
func TestKnowledgeOfSites(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		common := s.must("POST", knowledgePath, secretKey, object{"title": "Delivery", "text": "We deliver lamps within two days."}).text("id")
		if got := s.must("GET", knowledgePath, secretKey, nil); got.get("sources").([]any)[0].(map[string]any)["site"] != nil {
			t.Errorf("with one site a source has one: %s", got.body)
		}
		s.addSite("Berlin")
		s.addSite("Paris")
		add := func(site, title, text string) string {
			t.Helper()
			return s.must("POST", knowledgePath+"?site="+site, secretKey, object{"title": title, "text": text}).text("id")
		}
		berlin := add("berlin", "Lamps in Berlin", "Berlin sells lamps of steel.")
		add("main", "Lamps at home", "We sell lamps of oak.")
		found := func(query string) string {
			t.Helper()
			titles := []string{}
			for _, p := range s.must("GET", knowledgePath+"/search?q=lamps"+query, secretKey, nil).get("passages").([]any) {
				titles = append(titles, p.(map[string]any)["title"].(string))
			}
			slices.Sort(titles)
			return strings.Join(titles, ", ")
		}
		for query, want := range map[string]string{"": "Delivery, Lamps at home, Lamps in Berlin", "&site=berlin": "Delivery, Lamps in Berlin",
			"&site=main": "Delivery, Lamps at home", "&site=paris": "Delivery"} {
			if got := found(query); got != want {
				t.Errorf("%q finds %s, want %s", query, got, want)
			}
		}
		if n := len(s.must("GET", knowledgePath+"?site=berlin", secretKey, nil).get("sources").([]any)); n != 2 {
			t.Errorf("Berlin's visitors are answered from %d sources", n)
		}
		if got := s.must("PATCH", knowledgePath+"/sources/"+common, secretKey, object{"site": "paris"}); got.text("site") != "paris" {
			t.Errorf("it was moved to %s", got.body)
		}
		if got := found("&site=berlin") + "; " + found("&site=paris"); got != "Lamps in Berlin; Delivery" {
			t.Errorf("after the move they find %s", got)
		}
		s.refused(s.call("PATCH", knowledgePath+"/sources/"+common, secretKey, object{"site": "none"}), 400, "site must be the id of a site")
		s.refused(s.call("PATCH", knowledgePath+"/sources/"+common, secretKey, object{}), 400, "site must be the id of a site, or null")
		s.refused(s.call("POST", knowledgePath+"?site=none", secretKey, object{"title": "x", "text": "y"}), 400, "site must be the id of a site")
		s.must("PATCH", knowledgePath+"/sources/"+common, secretKey, object{"site": nil})
		s.must("DELETE", "/api/admin/sites/berlin?name=Berlin", secretKey, nil)
		_, stop := s.serve()
		defer stop()
		for deadline := time.Now().Add(20 * time.Second); s.call("GET", knowledgePath+"/sources/"+berlin, secretKey, nil).status != 404; time.Sleep(20 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatal("the erased site's source is still there")
			}
		}
		if got := found(""); got != "Delivery, Lamps at home" {
			t.Errorf("of the others there is %s", got)
		}
	})
}

// TestAnswersOfSites: of a name a site's own answer is sent to its visitors, and elsewhere
// that of all.
func TestAnswersOfSites(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		const path = "/api/admin/saved-answers/hours"
		s.must("PUT", path, secretKey, object{"content": "We open at nine."})
		s.addSite("Paris")
		here, there := s.open("v"), s.openAt(s.addSite("Berlin"), "v")
		if a := s.must("PUT", path+"?site=berlin", secretKey, object{"content": "Berlin opens at ten."}); a.text("site") != "berlin" {
			t.Errorf("it is saved as %s", a.body)
		}
		sent := func(id string) string {
			t.Helper()
			s.must("POST", "/api/admin/sessions/"+id+"/commands", secretKey, object{"command": "!hours"})
			list := s.must("GET", "/api/admin/sessions/"+id+"/messages", secretKey, nil).get("messages").([]any)
			return list[len(list)-1].(map[string]any)["content"].(string)
		}
		if got := sent(here) + " " + sent(there); got != "We open at nine. Berlin opens at ten." {
			t.Errorf("they are sent %s", got)
		}
		for query, want := range map[string]int{"": 2, "?site=berlin": 2, "?site=paris": 1} {
			if n := len(s.must("GET", "/api/admin/saved-answers"+query, secretKey, nil).get("savedAnswers").([]any)); n != want {
				t.Errorf("%q lists %d answers, want %d", query, n, want)
			}
		}
		s.refused(s.call("PUT", path+"?site=none", secretKey, object{"content": "x"}), 400, "site must be the id of a site")
		s.refused(s.call("DELETE", path+"?site=paris", secretKey, nil), 404, "Saved answer not found")
		s.must("DELETE", path+"?site=berlin", secretKey, nil)
		if got := sent(there); got != "We open at nine." {
			t.Errorf("without its own it is sent %s", got)
		}
	})
}
