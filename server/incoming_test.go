package server_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/relay-chat/relay/db/dbtest"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/config"
)

// incoming adds an incoming hook and returns its path, its id and its secret.
func (s *site) incoming(change object) (path, id, secret string) {
	s.t.Helper()
	in := object{"name": "Orders", "may": []string{"message", "note", "tag", "open"}}
	for name, value := range change {
		in[name] = value
	}
	made := s.must("POST", "/api/admin/incoming-hooks", secretKey, in)
	return "/hooks/" + made.text("token"), made.text("id"), made.text("secret")
}

// contents lists what a session has, oldest first: sender, note or not, text.
func (s *site) contents(session string) (list []string) {
	s.t.Helper()
	for _, m := range s.must("GET", "/api/admin/sessions/"+session+"/messages", secretKey, nil).get("messages").([]any) {
		one := m.(map[string]any)
		list = append(list, fmt.Sprint(one["sender"], " ", one["operatorName"], " ", one["internal"] == true, " ", one["content"]))
	}
	return list
}

// TestIncomingHookWrites: a program writes messages, notes and tags at its address, once for each
// idempotency key, under the hook's name, and the audit log names the hook.
func TestIncomingHookWrites(t *testing.T) { eachSite(t, testIncomingHookWrites) }

func testIncomingHookWrites(t *testing.T, s *site) {
	path, id, _ := s.incoming(nil)
	session := s.begins("where is my parcel?")
	note := object{"action": "note", "sessionId": session, "content": "Order 7 was shipped", "idempotencyKey": "7"}
	first := s.must("POST", path, "", note)
	if again := s.must("POST", path, "", note); string(again.body) != string(first.body) || first.text("messageId") == "" {
		t.Errorf("twice the same answers %s, then %s", first.body, again.body)
	}
	delete(note, "idempotencyKey")
	s.must("POST", path, "", note, "Idempotency-Key", "7")
	s.refused(s.call("POST", path, "", object{"action": "note", "sessionId": session, "content": "other", "idempotencyKey": "7"}), 409, "idempotencyKey")
	s.refused(s.call("POST", path, "", object{"action": "note", "sessionId": session, "content": "x", "idempotencyKey": "8"}, "Idempotency-Key", "9"), 400, "must not differ")
	s.must("POST", path, "", object{"action": "message", "sessionId": session, "content": "It is on its way", "operatorName": "Shipping"})
	s.must("POST", path, "", object{"action": "message", "sessionId": session, "content": "It is on its way"})
	s.must("POST", path, "", object{"action": "tag", "sessionId": session, "addTags": []string{"order"}})
	want := "visitor <nil> false where is my parcel?|operator Orders true Order 7 was shipped|operator Shipping false It is on its way|operator Orders false It is on its way"
	if got := strings.Join(s.contents(session), "|"); got != want {
		t.Errorf("the session has %s, want %s", got, want)
	}
	if view := s.must("GET", "/api/admin/sessions/"+session, secretKey, nil); fmt.Sprint(view.get("tags")) != "[order]" || view.get("operatorOnline") != false {
		t.Errorf("the session is %s", view.body)
	}
	used := s.must("GET", "/api/admin/audit?action=hook_used", secretKey, nil)
	if used.first("entries", "name") != "Orders (incoming hook)" || used.first("entries", "target") != session {
		t.Errorf("the audit list has %s", used.body)
	}
	list := s.must("GET", "/api/admin/incoming-hooks", secretKey, nil)
	if list.first("hooks", "usedAt") == "" || list.first("hooks", "id") != id || strings.Contains(string(list.body), "hk_") || strings.Contains(string(list.body), "whsec_") {
		t.Errorf("the list is %s", list.body)
	}
}

// TestIncomingHookRepeats: what relay has written and not yet answered is not written again.
func TestIncomingHookRepeats(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		path, _, _ := s.incoming(nil)
		session := s.begins("hi")
		in := object{"action": "message", "sessionId": session, "content": "once", "idempotencyKey": "k"}
		var running sync.WaitGroup
		for range 8 {
			running.Go(func() { s.call("POST", path, "", in) })
		}
		running.Wait()
		answer := s.must("POST", path, "", in).text("messageId")
		s.forgetAnswers() // as if relay had been killed before it kept the answer
		if again := s.must("POST", path, "", in).text("messageId"); again != answer || len(s.contents(session)) != 2 {
			t.Errorf("message %s, then %s: %v", answer, again, s.contents(session))
		}
	})
}

// forgetAnswers forgets what came of requests.
func (s *site) forgetAnswers() {
	s.t.Helper()
	if err := s.store.Apply(s.t.Context(), func(tx chat.Tx) error { return tx.DropIncomingAnswers(chat.Now().Add(time.Hour)) }); err != nil {
		s.t.Fatal(err)
	}
}

// TestIncomingHookRefuses: what a hook may not do, odd requests, a paused hook, and addresses that
// lead nowhere any more.
func TestIncomingHookRefuses(t *testing.T) {
	s := newSite(t, dbtest.Memory(t))
	path, id, _ := s.incoming(object{"may": []string{"note"}})
	session := s.begins("hi")
	for _, tt := range []struct {
		in     object
		status int
		text   string
	}{
		{object{}, 400, "action must be"},
		{object{"action": "erase", "sessionId": session}, 400, "action must be"},
		{object{"action": "message", "sessionId": session, "content": "x"}, 403, "may not do that"},
		{object{"action": "tag", "sessionId": session, "addTags": []string{"x"}}, 403, "may not do that"},
		{object{"action": "open", "email": "ada@example.com", "content": "x"}, 403, "may not do that"},
		{object{"action": "note", "content": "x"}, 400, "sessionId is required"},
		{object{"action": "note", "sessionId": session}, 400, "content is required"},
		{object{"action": "note", "sessionId": "nothing", "content": "x"}, 404, "not found"},
		{object{"action": "note", "sessionId": session, "content": strings.Repeat("x", 40001)}, 400, "at most"},
		{object{"action": "note", "sessionId": session, "content": "x", "operatorName": strings.Repeat("x", 101)}, 400, "operatorName"},
		{object{"action": "note", "sessionId": session, "content": "x", "idempotencyKey": strings.Repeat("x", 201)}, 400, "idempotencyKey"},
		{object{"action": 7}, 400, "action must be"},
		{object{"action": "note", "sessionId": session, "content": "a\x00b"}, 400, "NUL"},
	} {
		s.refused(s.call("POST", path, "", tt.in), tt.status, tt.text)
	}
	if got := s.contents(session); len(got) != 1 {
		t.Errorf("the session has %v", got)
	}
	s.refused(s.call("POST", "/hooks/hk_other", "", object{"action": "note"}), 404, "not found")
	s.refused(s.call("GET", path, "", nil), 405, "not allowed")
	good := object{"action": "note", "sessionId": session, "content": "x"}
	s.must("PATCH", "/api/admin/incoming-hooks/"+id, secretKey, object{"paused": true})
	s.refused(s.call("POST", path, "", good), 409, "paused")
	s.must("PATCH", "/api/admin/incoming-hooks/"+id, secretKey, object{"paused": false})
	s.must("POST", path, "", good)
	renewed := "/hooks/" + s.must("POST", "/api/admin/incoming-hooks/"+id+"/token", secretKey, nil).text("token")
	s.refused(s.call("POST", path, "", good), 404, "not found")
	s.must("POST", renewed, "", good)
	s.must("DELETE", "/api/admin/incoming-hooks/"+id, secretKey, nil)
	s.refused(s.call("POST", renewed, "", good), 404, "not found")
	for field, values := range map[string][]any{"name": {"", strings.Repeat("x", 81)}, "may": {[]string{}, []string{"erase"}}} {
		for _, value := range values {
			a := s.call("POST", "/api/admin/incoming-hooks", secretKey, object{"name": "x", "may": []string{"note"}, field: value})
			if fields, _ := a.get("fields").(map[string]any); a.status != 400 || fields[field] == nil {
				t.Errorf("%s %.20v answers %d %s", field, value, a.status, a.body)
			}
		}
	}
	key := s.must("POST", "/api/admin/api-keys", secretKey, object{"name": "x", "scopes": []string{"settings"}}).text("key")
	s.refused(s.call("POST", "/api/admin/incoming-hooks", key, object{"name": "x", "may": []string{"message"}}), 403, "No API key")
}

// TestIncomingHookSignature: where requests are signed, only what the signature covers counts, and
// nothing works twice.
func TestIncomingHookSignature(t *testing.T) {
	s := newSite(t, dbtest.Memory(t))
	path, _, secret := s.incoming(object{"signed": true})
	session := s.begins("hi")
	body := func(key string) string {
		in := object{"action": "note", "sessionId": session, "content": "paid"}
		if key != "" {
			in["idempotencyKey"] = key
		}
		return string(chat.MustJSON(in))
	}
	own := func(secret, body string) string { return fmt.Sprintf("sha256=%x", chat.MAC([]byte(secret), body)) }
	const header = "X-Service-Signature"
	s.must("POST", path, "", json.RawMessage(body("1")), header, own(secret, body("1")))
	s.must("POST", path, "", json.RawMessage(body("1")), header, own(secret, body("1")))
	s.refused(s.call("POST", path, "", json.RawMessage(body("")), header, own(secret, body("")), "Idempotency-Key", "2"), 400, "idempotencyKey is required")
	for _, signature := range []string{"", "sha256=", own("other", body("3")), own(secret, body("4")), strings.ToUpper(own(secret, body("3")))} {
		s.refused(s.call("POST", path, "", json.RawMessage(body("3")), header, signature), 401, "signature")
	}
	wh, err := standardwebhooks.NewWebhook(secret)
	if err != nil {
		t.Fatal(err)
	}
	standard := func(id string, at time.Time, body string) answer {
		signature, err := wh.Sign(id, at, []byte(body))
		if err != nil {
			t.Fatal(err)
		}
		return s.call("POST", path, "", json.RawMessage(body), "webhook-id", id, "webhook-timestamp", fmt.Sprint(at.Unix()), "webhook-signature", signature)
	}
	now := time.Now()
	for range 2 {
		if a := standard("msg_1", now, body("")); a.status != http.StatusOK {
			t.Errorf("signed as Standard Webhooks says, it answers %d %s", a.status, a.body)
		}
	}
	s.refused(standard("msg_2", now.Add(-10*time.Minute), body("")), 401, "signature")
	s.refused(s.call("POST", path, "", json.RawMessage(body("")), "webhook-id", "msg_1", "webhook-timestamp", fmt.Sprint(now.Unix()), "webhook-signature", "v1,AAAA"), 401, "signature")
	if got := s.contents(session); len(got) != 3 {
		t.Errorf("the session has %v", got)
	}
}

// TestIncomingHookEnds: while many requests run, none succeeds after the answer to its end;
// and each hook has a rate of its own.
func TestIncomingHookEnds(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		path, id, _ := s.incoming(nil)
		session := s.begins("hi")
		ended, late := make(chan struct{}), make(chan int, 200)
		var running sync.WaitGroup
		for i := range 100 {
			running.Go(func() {
				after := false
				select {
				case <-ended:
					after = true
				default:
				}
				a := s.call("POST", path, "", object{"action": "note", "sessionId": session, "content": fmt.Sprint(i)})
				if after && a.status == http.StatusOK {
					late <- i
				}
			})
			if i == 50 {
				s.must("DELETE", "/api/admin/incoming-hooks/"+id, secretKey, nil)
				close(ended)
			}
		}
		running.Wait()
		if len(late) > 0 {
			t.Errorf("%d requests succeeded after the end", len(late))
		}
	})
	s := newSite(t, dbtest.Memory(t), func(c *config.Config) { c.RateLimit = true })
	path, _, _ := s.incoming(nil)
	session := s.begins("hi")
	tag := func() answer {
		return s.call("POST", path, "", object{"action": "tag", "sessionId": session, "addTags": []string{"x"}})
	}
	a, allowed := tag(), 0
	for ; a.status == http.StatusOK && allowed < 300; a = tag() { // the minute may turn
		allowed++
	}
	if s.refused(a, 429, "Too many"); allowed < 120 || a.header.Get("Retry-After") == "" {
		t.Errorf("after %d there is no room, with Retry-After %q", allowed, a.header.Get("Retry-After"))
	}
	other, _, _ := s.incoming(nil)
	s.must("POST", other, "", object{"action": "tag", "sessionId": session, "addTags": []string{"x"}})
}

// TestIncomingHookOfSecretKey: what the secret key made ends with its rotation, if that is asked for.
func TestIncomingHookOfSecretKey(t *testing.T) {
	s := newSite(t, dbtest.Memory(t), unset)
	public, key := s.keys()
	made := s.must("POST", "/api/admin/incoming-hooks", key, object{"name": "Orders", "may": []string{"note"}, "signed": true})
	session := s.openAt(public, "v")
	s.must("POST", "/api/widget/messages", public, object{"sessionId": session, "content": "hi"})
	note := func() answer {
		body := string(chat.MustJSON(object{"action": "note", "sessionId": session, "content": "x", "idempotencyKey": chat.NewID()}))
		return s.call("POST", "/hooks/"+made.text("token"), "", json.RawMessage(body), "X-Service-Signature", fmt.Sprintf("sha256=%x", chat.MAC([]byte(made.text("secret")), body)))
	}
	fresh := s.must("POST", "/api/admin/keys/rotate", key, object{"key": "secret"}).text("secretKey")
	if a := note(); a.status != http.StatusOK {
		t.Errorf("after a new secret key it answers %d %s", a.status, a.body)
	}
	s.refused(s.call("POST", "/api/admin/incoming-hooks", key, object{"name": "x", "may": []string{"note"}}), 403, "was replaced")
	s.must("POST", "/api/admin/keys/rotate", fresh, object{"key": "secret", "endKeys": true})
	s.refused(note(), 404, "not found")
}
