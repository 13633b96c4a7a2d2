package server_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/relay-chat/relay/db/dbtest"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/config"
)

// onThisMachine lets webhooks be on this machine.
func onThisMachine(c *config.Config) {
	c.WebhookRetries = 9
	c.WebhookAllowCIDRs = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}
}

// serveHooks delivers to the webhooks beside the first until the returned function is called.
func (s *site) serveHooks() (stop func()) {
	ctx, cancel := contextOf(s.t)
	done := make(chan error, 1)
	go func() { done <- s.hooks.Run(ctx) }()
	return func() {
		cancel()
		if err := <-done; err != nil {
			s.t.Error(err)
		}
	}
}

// addHook adds a webhook and returns its id and secret.
func (s *site) addHook(name, url string, events ...string) (id, secret string) {
	s.t.Helper()
	made := s.must("POST", "/api/admin/hooks", secretKey, object{"name": name, "url": url, "events": events})
	return made.text("id"), made.text("secret")
}

// posted waits for the next event at a receiver and returns its type.
func posted(t *testing.T, posts chan post) (kind string, p post) {
	t.Helper()
	select {
	case p = <-posts:
	case <-time.After(15 * time.Second):
		t.Fatal("nothing was posted")
	}
	var body struct{ Type string }
	if err := json.Unmarshal(p.body, &body); err != nil {
		t.Fatal(err)
	}
	if err := checkPosted(body.Type, p.body); err != nil {
		t.Errorf("%s\nis not as openapi.yaml says: %s", p.body, brief(err))
	}
	return body.Type, p
}

// TestHooksGetWhatTheyChose: each webhook gets the events that it names, signed with its own
// secret; a dead one holds up no other, and the first webhook gets what it always got.
func TestHooksGetWhatTheyChose(t *testing.T) {
	eachSite(t, testHooksGetWhatTheyChose, onThisMachine)
}

func testHooksGetWhatTheyChose(t *testing.T, s *site) {
	first, firstPosts := receiver(t, nil)
	crm, crmPosts := receiver(t, nil)
	tags, tagPosts := receiver(t, nil)
	var dead atomic.Int32
	slow, _ := receiver(t, func(w http.ResponseWriter, _ *http.Request) {
		dead.Add(1)
		w.WriteHeader(http.StatusInternalServerError)
	})
	s.must("PATCH", "/api/admin/settings", secretKey, object{"eventsWebhookUrl": first})
	_, secret := s.addHook("CRM", crm, "visitor_message", "new_session")
	s.addHook("Tags", tags, "session_tagged", "session_closed", "session_reopened")
	s.addHook("Dead", slow, "visitor_message", "session_tagged")
	s.serveWebhook()
	t.Cleanup(s.serveHooks())
	id := s.begins("hello")
	s.must("PATCH", "/api/admin/sessions/"+id, secretKey, object{"addTags": []string{"bug"}})
	s.must("POST", "/api/admin/sessions/"+id+"/close", secretKey, nil)
	s.must("POST", "/api/admin/sessions/"+id+"/reopen", secretKey, nil)
	for _, want := range []string{"new_session", "visitor_message"} {
		kind, p := posted(t, crmPosts)
		verifier, err := standardwebhooks.NewWebhook(secret)
		if err != nil {
			t.Fatal(err)
		}
		if err := verifier.Verify(p.body, p.header); err != nil || kind != want || p.header.Get("X-Service-Event") != want {
			t.Errorf("the CRM got %s %v, want %s: %v", kind, p.header, want, err)
		}
	}
	for _, want := range []string{"session_tagged", "session_closed", "session_reopened"} {
		if kind, p := posted(t, tagPosts); kind != want {
			t.Errorf("Tags got %s, want %s: %s", kind, want, p.body)
		}
	}
	for _, want := range []string{"new_session", "visitor_message", "session_closed"} {
		if kind, _ := posted(t, firstPosts); kind != want {
			t.Errorf("the first webhook got %s, want %s", kind, want)
		}
	}
	eventually(t, "the dead receiver is tried", func() bool { return dead.Load() > 0 })
	if len(crmPosts)+len(tagPosts)+len(firstPosts) > 0 {
		t.Errorf("more was posted: %d, %d, %d", len(crmPosts), len(tagPosts), len(firstPosts))
	}
}

// begins opens a session with a message.
func (s *site) begins(text string) (session string) {
	s.t.Helper()
	session = s.openAt(publicKey, chat.NewID())
	s.must("POST", "/api/widget/messages", publicKey, object{"sessionId": session, "content": text})
	return session
}

// logOf lists the states of a webhook's deliveries, newest first.
func (s *site) logOf(hook string) (states, ids []string) {
	s.t.Helper()
	for _, d := range s.must("GET", "/api/admin/hooks/"+hook+"/deliveries", secretKey, nil).get("deliveries").([]any) {
		one := d.(map[string]any)
		states, ids = append(states, fmt.Sprint(one["type"], " ", one["state"])), append(ids, one["id"].(string))
	}
	return states, ids
}

// TestHookPausesAndEnds: a paused webhook gets nothing and keeps what waits, one whose receiver
// answers 410 is paused, a delivery is sent again with the same id, and a deleted one is gone with
// what waited for it.
func TestHookPausesAndEnds(t *testing.T) {
	eachSite(t, testHookPausesAndEnds, onThisMachine)
}

func testHookPausesAndEnds(t *testing.T, s *site) {
	var answer atomic.Int32
	answer.Store(200)
	url, posts := receiver(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(int(answer.Load())) })
	id, _ := s.addHook("CRM", url, "visitor_message")
	s.begins("kept while nobody serves it")
	s.must("PATCH", "/api/admin/hooks/"+id, secretKey, object{"paused": true})
	s.begins("missed")
	stop := s.serveHooks()
	defer func() { stop() }()
	s.must("PATCH", "/api/admin/hooks/"+id, secretKey, object{"paused": false})
	_, p := posted(t, posts)
	if !strings.Contains(string(p.body), "kept while") {
		t.Errorf("it got %s", p.body)
	}
	eventually(t, "it is delivered", func() bool { states, _ := s.logOf(id); return fmt.Sprint(states) == "[visitor_message done]" })
	_, ids := s.logOf(id)
	s.must("POST", "/api/admin/hooks/"+id+"/deliveries/"+ids[0], secretKey, nil)
	if _, again := posted(t, posts); again.header.Get("webhook-id") != p.header.Get("webhook-id") {
		t.Error("a delivery that is sent again has another id")
	}
	s.refused(s.call("POST", "/api/admin/hooks/"+id+"/deliveries/webhook"+strings.TrimPrefix(ids[0], "hook-"+id), secretKey, nil), 404, "not found")
	answer.Store(410)
	s.begins("the last")
	posted(t, posts)
	eventually(t, "it is paused", func() bool {
		return s.must("GET", "/api/admin/hooks", secretKey, nil).first("hooks", "pausedFor") != ""
	})
	s.refused(s.call("POST", "/api/admin/hooks/"+id+"/deliveries/"+ids[0], secretKey, nil), 409, "paused")
	if tried := s.must("POST", "/api/admin/hooks/"+id+"/test", secretKey, nil); tried.get("ok") != false || tried.get("status") != 410.0 {
		t.Errorf("the test event: %s", tried.body)
	}
	posted(t, posts)
	answer.Store(500)
	s.must("PATCH", "/api/admin/hooks/"+id, secretKey, object{"paused": false})
	session := s.begins("waits")
	posted(t, posts)
	s.must("DELETE", "/api/admin/hooks/"+id, secretKey, nil)
	s.refused(s.call("GET", "/api/admin/hooks/"+id+"/deliveries", secretKey, nil), 404, "not found")
	eventually(t, "what waited is gone", func() bool {
		var left []chat.Delivery
		err := s.store.Read(t.Context(), func(rd chat.Reader) (err error) {
			left, err = rd.Lane("hook-"+id, session, 0)
			return err
		})
		return err == nil && len(left) == 0
	})
}

// TestHookRefusals: what a webhook may not be.
func TestHookRefusals(t *testing.T) {
	s := newSite(t, dbtest.Memory(t))
	good := func(change object) object {
		in := object{"name": "CRM", "url": "https://crm.example.com/relay", "events": []string{"new_session"}}
		for name, value := range change {
			in[name] = value
		}
		return in
	}
	for field, values := range map[string][]any{
		"name":   {"", strings.Repeat("x", 81), " \t"},
		"url":    {"", "crm.example.com", "ftp://x.example", "https://", "http://127.0.0.1/", "http://169.254.169.254/", "https://x.example/ y", "https://x.example/" + strings.Repeat("x", 2000)},
		"events": {[]string{}, []string{"note"}, []string{"new_session", "operator_status"}},
		"secret": {"", strings.Repeat("x", 501), "two words"},
	} {
		for _, value := range values {
			a := s.call("POST", "/api/admin/hooks", secretKey, good(object{field: value}))
			if fields, _ := a.get("fields").(map[string]any); a.status != 400 || fields[field] == nil {
				t.Errorf("%s %.50v answers %d %s", field, value, a.status, a.body)
			}
		}
	}
	s.refused(s.call("POST", "/api/admin/hooks", secretKey, good(object{"secret": "x", "newSecret": true})), 400, "secret")
	for range chat.MaxHooks {
		s.must("POST", "/api/admin/hooks", secretKey, good(object{"secret": "whsec_mine"}))
	}
	s.refused(s.call("POST", "/api/admin/hooks", secretKey, good(nil)), 409, "10 webhooks")
	list := s.must("GET", "/api/admin/hooks", secretKey, nil)
	if strings.Contains(string(list.body), "whsec_mine") {
		t.Error("the list shows secrets")
	}
	id := list.first("hooks", "id")
	s.refused(s.call("PATCH", "/api/admin/hooks/"+id, secretKey, object{"url": "http://10.0.0.1/"}), 400, "private network")
	if renewed := s.must("PATCH", "/api/admin/hooks/"+id, secretKey, object{"newSecret": true}).text("secret"); !strings.HasPrefix(renewed, "whsec_") {
		t.Errorf("the new secret is %q", renewed)
	}
}

// TestHooksOfSites: a webhook and an incoming hook belong to one site, and exist for nobody of
// another one.
func TestHooksOfSites(t *testing.T) {
	s := newSite(t, dbtest.Memory(t), onThisMachine)
	url, posts := receiver(t, nil)
	berlin, paris := s.addSite("Berlin"), s.addSite("Paris")
	hook := s.must("POST", "/api/admin/hooks?site=berlin", secretKey, object{"name": "CRM", "url": url, "events": []string{"visitor_message"}}).text("id")
	in := s.must("POST", "/api/admin/incoming-hooks?site=berlin", secretKey, object{"name": "Orders", "may": []string{"note"}})
	t.Cleanup(s.serveHooks())
	say := func(key, text string) string {
		id := s.openAt(key, "v")
		s.must("POST", "/api/widget/messages", key, object{"sessionId": id, "content": text})
		return id
	}
	elsewhere := say(paris, "from paris")
	here := say(berlin, "from berlin")
	if _, p := posted(t, posts); !strings.Contains(string(p.body), "from berlin") || !strings.Contains(string(p.body), `"site":"berlin"`) {
		t.Errorf("it got %s", p.body)
	}
	path := "/hooks/" + in.text("token")
	s.must("POST", path, "", object{"action": "note", "sessionId": here, "content": "paid"})
	s.refused(s.call("POST", path, "", object{"action": "note", "sessionId": elsewhere, "content": "paid"}), 404, "not found")
	s.personNamed("Root", chat.RoleAdministrator)
	person := s.personNamed("Ada", chat.RoleAdministrator)
	s.must("PATCH", "/api/admin/people/"+person.ID, secretKey, object{"sites": []string{"paris"}})
	ada := s.cookieFor(person.ID)
	for _, p := range []string{"/api/admin/hooks/" + hook, "/api/admin/incoming-hooks/" + in.text("id")} {
		for _, method := range []string{"PATCH", "DELETE"} {
			s.refused(s.call(method, p, "", object{}, "Cookie", ada), 404, "not found")
		}
	}
	if list := s.must("GET", "/api/admin/hooks", "", nil, "Cookie", ada); len(list.get("hooks").([]any)) != 0 {
		t.Errorf("Paris sees %s", list.body)
	}
	s.must("PATCH", "/api/admin/sites/berlin", secretKey, object{"archived": true})
	s.refused(s.call("POST", path, "", object{"action": "note", "sessionId": here, "content": "paid"}), 404, "not found")
}
