package server_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"reflect"
	"strings"
	"testing"

	"github.com/relay-chat/relay/db/dbtest"
	"github.com/relay-chat/relay/server/config"
	"github.com/relay-chat/relay/server/engine"
)

func TestPreChat(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		refused := func(text string, fields ...object) {
			t.Helper()
			patch := object{"preChatForm": object{"timing": "before_first_message", "fields": fields}}
			s.refused(s.call("PATCH", "/api/admin/settings", secretKey, patch), 400, text)
		}
		refused("every field", object{"name": "topic", "type": "text"})
		refused("two fields called topic", object{"name": "topic", "type": "text", "label": "A"}, object{"name": "topic", "type": "text", "label": "B"})
		refused("nothing to choose", object{"name": "topic", "type": "select", "label": "A", "options": []string{}})
		refused("preChatForm.fields.topic.type must be one of", object{"name": "topic", "type": "hologram", "label": "A"})
		form := object{"required": true, "timing": "before_first_message", "fields": []object{
			{"name": "email", "type": "email", "label": "E-mail", "required": true}, {"name": "topic", "type": "text", "label": "Topic", "required": false}}}
		s.must("PATCH", "/api/admin/settings", secretKey, object{"preChatForm": form})
		id := s.open("v")
		s.refused(s.call("POST", "/api/widget/prechat", publicKey, object{"sessionId": id}), 400, "fields is required")
		s.refused(s.call("POST", "/api/widget/prechat", publicKey, object{"sessionId": id, "fields": object{"topic": "x"}}), 400, "fields.email is required")
		s.refused(s.call("POST", "/api/widget/prechat", publicKey, object{"sessionId": id, "fields": object{"email": []int{1}}}), 400, "fields.email must be")
		for range 10 { // of several mistakes it is always the same one that is reported
			s.refused(s.call("POST", "/api/widget/prechat", publicKey, object{"sessionId": id, "fields": object{"topic": nil, "email": nil}}), 400, "fields.email must be")
		}
		s.must("POST", "/api/widget/prechat", publicKey, object{"sessionId": id, "fields": object{"email": "ada@example.com", "topic": "prices"}})
		view := s.must("GET", "/api/admin/sessions/"+id, secretKey, nil)
		if view.text("identity.email") != "ada@example.com" || view.text("preChat.topic") != "prices" || view.get("verified") != false {
			t.Errorf("operators see %s", view.body)
		}
	})
}

// TestPreChatAnswers holds answers to what the form declares.
func TestPreChatAnswers(t *testing.T) {
	form := object{"required": true, "timing": "before_first_message", "fields": []object{
		{"name": "email", "type": "email", "label": "E-mail", "required": true},
		{"name": "topic", "type": "select", "label": "Topic", "options": []string{"Order", "Return"}},
		{"name": "orders", "type": "number", "label": "How many"},
		{"name": "terms", "type": "checkbox", "label": "I agree", "required": true}}}
	eachSite(t, func(t *testing.T, s *site) {
		s.must("PATCH", "/api/admin/settings", secretKey, object{"preChatForm": form})
		id := s.open("v")
		fill := func(changes object) answer {
			fields := object{"email": "ada@example.com", "topic": "", "terms": true}
			maps.Copy(fields, changes)
			return s.call("POST", "/api/widget/prechat", publicKey, object{"sessionId": id, "fields": fields})
		}
		message := object{"sessionId": id, "content": "hi", "clientId": "1"}
		s.refused(s.call("POST", "/api/widget/messages", publicKey, message), 400, "fields.email is required")
		for _, tt := range []struct {
			fields object
			want   string
		}{
			{object{"email": "nope"}, "fields.email must be an e-mail address"},
			{object{"email": 5}, "fields.email must be an e-mail address"},
			{object{"email": " "}, "fields.email is required"},
			{object{"topic": "Refund"}, "fields.topic must be one of Order, Return"},
			{object{"topic": true}, "fields.topic must be one of"},
			{object{"orders": "many"}, "fields.orders must be a number"},
			{object{"terms": false}, "fields.terms is required"},
			{object{"terms": "yes"}, "fields.terms must be true or false"},
			{object{"size": "XL"}, "fields.size is not a field"},
		} {
			s.refused(fill(tt.fields), 400, tt.want)
		}
		if view := s.must("GET", "/api/admin/sessions/"+id, secretKey, nil); view.get("preChat") != nil {
			t.Errorf("what was refused is stored: %s", view.body)
		}
		for _, changes := range []object{{}, {"topic": "Order", "orders": 2}, {"orders": "2"}} {
			if a := fill(changes); a.status != 200 {
				t.Errorf("%v: %d %s", changes, a.status, a.body)
			}
		}
		s.must("POST", "/api/widget/messages", publicKey, message)
		s.must("PATCH", "/api/admin/settings", secretKey, object{"preChatForm": nil})
		s.refused(fill(object{"email": "nope"}), 400, "fields.email must be")
		if a := fill(object{"size": 42}); a.status != 200 {
			t.Errorf("without a form: %d %s", a.status, a.body)
		}
	})
}

// TestPageFacts: what an init does not name stays known, and a page that changes
// its address reports it.
func TestPageFacts(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		first := object{"visitorId": "v", "url": "https://shop.example/a", "referrer": "https://search.example/", "language": "de",
			"userAgent": "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"}
		id := s.must("POST", "/api/widget/init", publicKey, first).text("sessionId")
		facts := func() string {
			view := s.must("GET", "/api/admin/sessions/"+id, secretKey, nil)
			return view.text("metadata.url") + " " + view.text("metadata.referrer") + " " + view.text("metadata.language")
		}
		s.must("POST", "/api/widget/init", publicKey, object{"visitorId": "v"})
		if got := facts(); got != "https://shop.example/a https://search.example/ de" {
			t.Errorf("after an init that names nothing: %s", got)
		}
		next := s.stream("/api/admin/stream", secretKey)
		next() // connected
		for range 2 {
			s.must("POST", "/api/widget/page", publicKey, object{"sessionId": id, "url": "https://shop.example/b"})
		}
		s.must("POST", "/api/widget/typing", publicKey, object{"sessionId": id})
		if f := next(); f.event != "visitor_page" || f.get("url") != "https://shop.example/b" {
			t.Errorf("operators get %+v", f)
		}
		if f := next(); f.event != "typing" {
			t.Errorf("the same page again is news: %+v", f)
		}
		if got := facts(); got != "https://shop.example/b https://search.example/ de" {
			t.Errorf("on the next page: %s", got)
		}
		s.refused(s.call("POST", "/api/widget/page", publicKey, object{"sessionId": id}), 400, "url is required")
		s.refused(s.call("POST", "/api/widget/page", publicKey, object{"sessionId": "nope", "url": "x"}), 404, "Session not found")
	})
}

func TestCSAT(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		s.must("PATCH", "/api/admin/settings", secretKey, object{"csatEnabled": true, "csatTrigger": "on_close"})
		id := s.open("v")
		admin := "/api/admin/sessions/" + id
		s.say(id, "hello")
		s.refused(s.call("POST", admin+"/csat", secretKey, nil), 409, "answered")
		s.must("POST", admin+"/close", secretKey, nil) // unanswered: not asked
		s.must("POST", admin+"/reopen", secretKey, nil)
		s.must("POST", admin+"/messages", secretKey, object{"content": "hi"})
		next := s.stream("/api/widget/stream?lastEventId=0&sessionId="+id, publicKey)
		s.must("POST", admin+"/close", secretKey, nil)
		s.must("POST", admin+"/csat", secretKey, nil) // asked before: nothing happens
		asked := 0
		for f := next(); ; f = next() {
			if f.event == "csat_request" {
				asked++
				break
			}
		}
		if init := s.must("POST", "/api/widget/init", publicKey, object{"visitorId": "v"}); init.text("session.csat.askedAt") == "" || asked != 1 {
			t.Errorf("asked %d times; init says %s", asked, init.body)
		}
		rate := func(score any, comment string) answer {
			return s.call("POST", "/api/widget/csat", publicKey, object{"sessionId": id, "score": score, "comment": comment})
		}
		s.refused(rate(nil, ""), 400, "score is required")
		s.refused(rate(0, ""), 400, "from 1 to 5")
		s.refused(rate(6, ""), 400, "from 1 to 5")
		s.refused(rate(4.5, ""), 400, "score must be a whole number")
		s.refused(rate(5, strings.Repeat("x", 2001)), 400, "comment")
		if a := rate(5, "great"); string(a.body) != `{"ok":true}` {
			t.Errorf("first rating: %s", a.body)
		}
		if a := rate(1, "no"); a.get("alreadyRated") != true {
			t.Errorf("second rating: %s", a.body)
		}
		view := s.must("GET", admin, secretKey, nil)
		if view.get("csat.score") != 5.0 || view.text("csat.comment") != "great" {
			t.Errorf("operators see %s", view.body)
		}
	})
}

// TestCSATTriggers: who was answered is asked at the moment that the settings
// name, once, and never again after a rating.
func TestCSATTriggers(t *testing.T) {
	for _, tt := range []struct {
		enabled           bool
		trigger           string
		atLeave, atTheEnd bool
	}{
		{true, "off", false, false}, {true, "manual", false, false}, {false, "on_close", false, false},
		{true, "on_close", false, true}, {true, "on_disconnect", true, true},
	} {
		t.Run(fmt.Sprint(tt.enabled, tt.trigger), func(t *testing.T) {
			s := newSite(t, dbtest.Memory(t))
			s.must("PATCH", "/api/admin/settings", secretKey, object{"csatEnabled": tt.enabled, "csatTrigger": tt.trigger})
			id := s.open("v")
			admin := "/api/admin/sessions/" + id
			s.say(id, "hello")
			s.must("POST", admin+"/messages", secretKey, object{"content": "hi"})
			asked := func() bool { return s.must("GET", admin, secretKey, nil).text("csat.askedAt") != "" }
			s.must("POST", "/api/widget/disconnect", publicKey, object{"sessionId": id})
			s.leave(id)
			if asked() != tt.atLeave {
				t.Errorf("asked when the visitor left: %v", asked())
			}
			s.must("POST", admin+"/close", secretKey, nil)
			if asked() != tt.atTheEnd {
				t.Errorf("asked in the end: %v", asked())
			}
		})
	}
	s := newSite(t, dbtest.Memory(t))
	for _, rated := range []bool{false, true} {
		id := s.open(fmt.Sprint("v", rated))
		admin := "/api/admin/sessions/" + id
		s.say(id, "hello")
		s.must("POST", admin+"/messages", secretKey, object{"content": "hi"})
		if rated {
			s.must("POST", "/api/widget/csat", publicKey, object{"sessionId": id, "score": 1})
		}
		for range 2 {
			s.must("POST", admin+"/csat", secretKey, nil)
		}
		history := s.must("GET", "/api/widget/messages?sessionId="+id, publicKey, nil)
		if history.text("lastEventId") != "4" { // one event behind the messages: the rating, or that it was asked for
			t.Errorf("rated before: %v, the last event is %s", rated, history.text("lastEventId"))
		}
	}
}

func TestCustomEvents(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		id := s.open("v")
		next := s.stream("/api/widget/stream?sessionId="+id, publicKey)
		operators := s.stream("/api/admin/stream", secretKey)
		next()
		operators()
		s.refused(s.call("POST", "/api/widget/events", publicKey, object{"sessionId": id}), 400, "name is required")
		s.refused(s.call("POST", "/api/widget/events", publicKey, object{"sessionId": id, "name": "x", "data": "text"}), 400, "data must be an object")
		s.must("POST", "/api/widget/events", publicKey, object{"sessionId": id, "name": "cart", "data": object{"sum": 42}})
		if f := operators(); f.event != "custom_event" || f.get("name") != "cart" || f.get("data.sum") != 42.0 || f.get("timestamp") == nil {
			t.Errorf("operators got %+v", f)
		}
		s.must("POST", "/api/admin/sessions/"+id+"/events", secretKey, object{"name": "coupon", "data": object{"code": "X"}})
		if f := next(); f.event != "custom_event" || f.id != "2" || f.get("name") != "coupon" {
			t.Errorf("the page got %+v: its own event must not come back", f)
		}
	})
}

// A field of an identity that is null counts as left out, like everywhere.
func TestIdentityWithNulls(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		id := s.open("v")
		for _, body := range []object{
			{"identity": object{"id": 7, "name": nil, "plan": "pro"}, "userHash": nil}, // a whole number names a person, too
			{"identity": nil, "name": "Ada", "email": nil},
			{"identity": object{"id": nil, "phone": "1", "plan": nil}, "name": "not this"},
		} {
			body["sessionId"] = id
			s.must("POST", "/api/widget/identify", publicKey, body)
		}
		for text, identity := range map[string]object{"identity is required": {"name": nil}, "at most 8192 bytes": {"plan": strings.Repeat("x", 8<<10)},
			"identity.id must be": {"id": 7.5}, "identity.email must be": {"email": 7}, "identity.name must be": {"name": 7}, "identity.phone must be": {"phone": 7}} {
			s.refused(s.call("POST", "/api/widget/identify", publicKey, object{"sessionId": id, "identity": identity}), 400, text)
		}
		view := s.must("GET", "/api/admin/sessions/"+id, secretKey, nil)
		if want := (object{"id": "7", "name": "Ada", "phone": "1", "plan": "pro"}); !reflect.DeepEqual(object(view.get("identity").(map[string]any)), want) {
			t.Errorf("operators see %s", view.body)
		}
	})
}

func TestVerifiedIdentity(t *testing.T) {
	mac := hmac.New(sha256.New, []byte("identity-secret"))
	mac.Write([]byte("7"))
	hash := hex.EncodeToString(mac.Sum(nil))
	secret := func(c *config.Config) { c.IdentitySecret = "identity-secret" }
	identify := func(s *site, id string, body object) answer {
		body["sessionId"] = id
		return s.call("POST", "/api/widget/identify", publicKey, body)
	}
	t.Run("offered", func(t *testing.T) {
		eachSite(t, func(t *testing.T, s *site) {
			id := s.open("v")
			if a := identify(s, id, object{"name": "Ada"}); a.get("verified") != false {
				t.Errorf("%d %s", a.status, a.body)
			}
			s.refused(identify(s, id, object{"id": "7", "userHash": "00"}), 403, "userHash")
			if a := identify(s, id, object{"id": "7", "userHash": hash}); a.get("verified") != true {
				t.Errorf("%d %s", a.status, a.body)
			}
			s.refused(identify(s, id, object{"name": "Mallory"}), 403, "verified")
			// Inside the identity it is the same proof, and no attribute of the visitor.
			s.refused(identify(s, id, object{"identity": object{"id": "7", "userHash": "00"}}), 403, "userHash")
			s.refused(identify(s, id, object{"identity": object{"id": "7", "userHash": "00"}, "userHash": hash}), 400, "send one")
			s.refused(identify(s, id, object{"identity": object{"id": "7", "userHash": 7}}), 400, "userHash must be a string")
			if a := identify(s, id, object{"identity": object{"id": "7", "plan": "pro", "userHash": hash}}); a.get("verified") != true {
				t.Errorf("inside: %d %s", a.status, a.body)
			}
			if view := s.must("GET", "/api/admin/sessions/"+id, secretKey, nil); strings.Contains(string(view.body), "userHash") || view.text("identity.plan") != "pro" {
				t.Errorf("operators see %s", view.body)
			}
			if again := s.open("v"); again == id {
				t.Error("a visitorId alone resumed a session with a verified identity")
			}
		}, secret)
	})
	t.Run("required", func(t *testing.T) {
		eachSite(t, func(t *testing.T, s *site) {
			id := s.open("v")
			s.refused(identify(s, id, object{"name": "Ada"}), 403, "verified identity is required")
			s.must("POST", "/api/widget/prechat", publicKey, object{"sessionId": id, "fields": object{"email": "ceo@corp.test"}})
			if view := s.must("GET", "/api/admin/sessions/"+id, secretKey, nil); view.get("identity") != nil || view.text("preChat.email") != "ceo@corp.test" {
				t.Errorf("the form is a way around: %s", view.body)
			}
		}, secret, func(c *config.Config) { c.IdentityRequired = true })
	})
}

func TestRequireSessionToken(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		a := s.must("POST", "/api/widget/init", publicKey, object{"visitorId": "v"})
		if a.text("sessionToken") == "" {
			t.Fatalf("init answers %s", a.body)
		}
		s.refused(s.call("POST", "/api/widget/messages", publicKey, object{"sessionId": a.text("sessionId"), "content": "x"}), 404, "Session not found")
		v, err := s.Init(t.Context(), engine.Visit{VisitorID: "from before it was required"})
		if err != nil {
			t.Fatal(err)
		}
		s.refused(s.call("GET", "/api/widget/messages?sessionId="+v.Session.ID, publicKey, nil), 404, "Session not found")
	}, func(c *config.Config) { c.RequireSessionToken = true })
}
