package server_test

import (
	"strings"
	"testing"

	"github.com/relay-chat/relay/bridges/ai/aitest"
	"github.com/relay-chat/relay/db/dbtest"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/config"
)

// withModel sets an AI up by the environment.
func withModel(model *aitest.Model) func(*config.Config) {
	address := model.Listen()
	return func(c *config.Config) {
		c.Settings = map[string]chat.Raw{"aiBaseUrl": chat.Raw(`"` + address + `"`), "aiModel": chat.Raw(`"m"`), "aiTakeoverDelay": chat.Raw("0")}
	}
}

// TestAIAnswersWidget: the visitor's stream and history bring what the AI says, the
// button for a person ends it, and a second press does nothing.
func TestAIAnswersWidget(t *testing.T) {
	model := aitest.New(t, aitest.Says("Hello!"))
	s := newSite(t, dbtest.Memory(t), withModel(model))
	id := s.open("v")
	s.must("POST", "/api/widget/handoff", publicKey, object{"sessionId": id}) // nothing was written yet
	next := s.stream("/api/widget/stream?sessionId="+id, publicKey)
	s.say(id, "hi")
	for f := next(); !strings.Contains(f.data, `"content":"Hello!","sender":"ai"`); f = next() {
		if strings.Contains(f.data, "clientId") {
			t.Errorf("the visitor sees the id of a delivery: %s", f.data)
		}
	}
	for range 2 {
		s.must("POST", "/api/widget/handoff", publicKey, object{"sessionId": id})
	}
	history := string(s.must("GET", "/api/admin/sessions/"+id+"/messages", secretKey, nil).body)
	if strings.Count(history, "A colleague will answer here.") != 1 || !strings.Contains(history, `"active":false,"reason":"asked"`) {
		t.Errorf("handed over: %s", history)
	}
	if visitors := string(s.must("GET", "/api/widget/messages?sessionId="+id, publicKey, nil).body); strings.Contains(visitors, `"clientId"`) {
		t.Errorf("the visitor sees ids of deliveries: %s", visitors)
	}
	s.refused(s.call("POST", "/api/widget/handoff", publicKey, object{}), 400, "sessionId is required")
	s.refused(s.call("POST", "/api/widget/handoff", publicKey, object{"sessionId": "nobody"}), 404, "Session not found")
	s.refused(s.call("POST", "/api/widget/handoff", publicKey, object{"sessionId": 7}), 400, "sessionId must be a string")
}

// TestAITest: the admin API asks the model one question, and reports how it went.
func TestAITest(t *testing.T) {
	s := newSite(t, dbtest.Memory(t))
	s.refused(s.call("POST", "/api/admin/ai/test", secretKey, nil), 409, "The AI is not set up")
	if a := s.must("GET", "/api/admin/bridges", secretKey, nil); a.get("ai").(map[string]any)["state"] != "off" {
		t.Errorf("without an AI: %s", a.body)
	}
	model := aitest.New(t, aitest.Says("Hello!"))
	s = newSite(t, dbtest.Memory(t), withModel(model))
	if a := s.must("POST", "/api/admin/ai/test", secretKey, nil); a.get("ok") != true || a.get("answer") != "Hello!" || a.get("tokens") != 100.0 {
		t.Errorf("the test: %s", a.body)
	}
	model.Script(func(aitest.Request) aitest.Answer { return aitest.Answer{Status: 404} })
	if a := s.must("POST", "/api/admin/ai/test", secretKey, nil); a.get("ok") != false || a.get("fix") != "check AI_BASE_URL and AI_MODEL" {
		t.Errorf("the test of what fails: %s", a.body)
	}
	if state := s.must("GET", "/api/admin/bridges", secretKey, nil).get("ai").(map[string]any); state["state"] != "running" || state["tokensToday"] != 100.0 {
		t.Errorf("its state is %v", state)
	}
}

// TestAIAsk: the admin API shows how a visitor would be answered, and what becomes of each sentence.
func TestAIAsk(t *testing.T) {
	model := aitest.New(t, aitest.Says(`{"sentences":[{"text":"We open at half past eight.","passage":1,"quote":"The shop is open from 8:30.","restated":""},`+
		`{"text":"The shop is open from 8:30 on Sundays.","passage":1,"quote":"The shop is open from 8:30.","restated":""}],"handOver":"no"}`))
	s := newSite(t, dbtest.Memory(t), withModel(model))
	s.refused(s.call("POST", "/api/admin/ai/ask", secretKey, object{}), 400, "question is required")
	s.refused(s.call("POST", "/api/admin/ai/ask", secretKey, object{"question": strings.Repeat("a", 1001)}), 400, "question must have at most 1000 characters")
	if a := s.must("POST", "/api/admin/ai/ask", secretKey, object{"question": "When does the shop open?"}); a.get("handOver") != "unsure" || len(model.Asked()) != 0 {
		t.Errorf("without a page: %s", a.body)
	}
	s.must("POST", "/api/admin/knowledge", secretKey, object{"title": "Opening hours", "text": "The shop is open from 8:30."})
	a := s.must("POST", "/api/admin/ai/ask", secretKey, object{"question": "When does the shop open?"})
	sentences, passages := a.get("sentences").([]any), a.get("passages").([]any)
	if len(sentences) != 2 || len(passages) != 1 || a.get("tokens") != 100.0 || !strings.Contains(a.text("answer"), "The shop is open from 8:30.") || strings.Contains(a.text("answer"), "Sunday") {
		t.Errorf("the answer: %s", a.body)
	}
	if state := s.must("GET", "/api/admin/bridges", secretKey, nil).get("ai").(map[string]any); state["tokensToday"] != 100.0 || state["answersToday"] != 0.0 {
		t.Errorf("its state is %v", state)
	}
	model.Script(func(aitest.Request) aitest.Answer { return aitest.Answer{Status: 404} })
	if a := s.must("POST", "/api/admin/ai/ask", secretKey, object{"question": "When does the shop open?"}); a.get("fix") != "check AI_BASE_URL and AI_MODEL" {
		t.Errorf("of a model that is not there: %s", a.body)
	}
}

// TestAIAddress: an endpoint that is set through the API must not be a private one.
func TestAIAddress(t *testing.T) {
	s := newSite(t, dbtest.Memory(t))
	for address, want := range map[string]string{
		"http://127.0.0.1:11434/v1": "set the address by AI_BASE_URL", "http://localhost:11434": "set the address by AI_BASE_URL",
		"http://169.254.169.254/v1": "relay never connects to link-local and metadata addresses", "ollama": "must be an address",
		"https://ada:canary@api.example.com/v1": "no name and no password",
	} {
		s.refused(s.call("PATCH", "/api/admin/settings", secretKey, object{"aiBaseUrl": address}), 400, want)
	}
	a := s.must("PATCH", "/api/admin/settings", secretKey, object{"aiBaseUrl": "https://api.example.com/v1", "aiModel": "m", "aiApiKey": "sk-canary-0123456789"})
	if a.get("aiApiKey") != "••••6789" {
		t.Errorf("the key is shown: %v", a.get("aiApiKey"))
	}
	for name, value := range map[string]any{"aiMode": "maybe", "aiTakeoverDelay": 3601, "aiMaxAnswers": 0, "aiDailyTokens": -1, "aiName": 7} {
		s.refused(s.call("PATCH", "/api/admin/settings", secretKey, object{name: value}), 400, name)
	}
}

// TestAIPrivateHost: an administrator who proves to be one opens one private host and port
// to the AI, and nothing else.
func TestAIPrivateHost(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		model := aitest.New(t, aitest.Says("Hello!"))
		address := model.Listen()
		_, link := s.invite(object{"role": "administrator"})
		s.accept(link, "Mia", "mia@example.com", goodPassword)
		_, cookie := s.signInAs("mia@example.com", goodPassword)
		put := func(to string) answer {
			return s.call("PATCH", "/api/admin/settings", "", object{"aiBaseUrl": to, "aiModel": "m"}, "Cookie", cookie)
		}
		a := put(address)
		s.refused(a, 400, "is in a private network")
		if host := chat.HostOf(address); a.get("confirm") != host || !strings.Contains(a.text("fields.aiBaseUrl"), "private network") {
			t.Errorf("it says %s, want %s to be confirmed", a.body, host)
		}
		confirm := func(body object) answer {
			body["url"] = address
			return s.call("POST", "/api/admin/ai/private-host", "", body, "Cookie", cookie)
		}
		s.refused(confirm(object{}), 400, "currentPassword is required")
		s.refused(confirm(object{"currentPassword": "wrong wrong wrong"}), 403, "current password is wrong")
		s.refused(confirm(object{"secretKey": "sk_wrong"}), 403, "not the secret key")
		s.refused(put(address), 400, "is in a private network")
		if a := confirm(object{"currentPassword": goodPassword}); a.status != 200 || a.text("host") != chat.HostOf(address) {
			t.Fatalf("confirmed: %d %s", a.status, a.body)
		}
		if a := put(address); a.status != 200 || strings.Contains(string(a.body), "onfirmedHost") {
			t.Fatalf("set: %d %s", a.status, a.body)
		}
		if a := s.must("POST", "/api/admin/ai/test", secretKey, nil); a.get("ok") != true || a.get("answer") != "Hello!" {
			t.Errorf("the test: %s", a.body)
		}
		for _, other := range []string{"http://127.0.0.1:1/v1", "http://127.0.0.2:" + address[strings.LastIndex(address, ":")+1:], "http://localhost/v1"} {
			s.refused(put(other), 400, "is in a private network")
		}
		s.refused(s.call("PATCH", "/api/admin/settings", secretKey, object{"aiConfirmedHost": "10.0.0.1:80"}), 400, "aiConfirmedHost")
		if log := s.must("GET", "/api/admin/audit", secretKey, nil); !strings.Contains(string(log.body), "the AI may be at "+chat.HostOf(address)) {
			t.Errorf("the audit log misses it: %s", log.body)
		}
		s.refused(s.call("POST", "/api/admin/ai/private-host", secretKey, object{"url": "ollama"}), 400, "url must be an address")
		s.must("POST", "/api/admin/ai/private-host", secretKey, object{"url": "http://LOCALHOST.:11434/v1"})
		if a := s.must("PATCH", "/api/admin/settings", secretKey, object{"aiBaseUrl": "http://localhost:11434"}); a.get("aiBaseUrl") != "http://localhost:11434" {
			t.Errorf("set: %s", a.body)
		}
		s.refused(put(address), 400, "is in a private network") // one at a time
		s.must("POST", "/api/admin/ai/private-host", secretKey, object{"url": "http://169.254.169.254/v1"})
		s.refused(put("http://169.254.169.254/v1"), 400, "never connects to link-local")
	})
}

// TestAIInBridgeMode: a backend's visitors are answered while the backend says that
// nobody is there; its own word on the AI changes nothing, and the stream brings what
// the AI says to those who ask for all types.
func TestAIInBridgeMode(t *testing.T) {
	model := aitest.New(t, aitest.Says("Hello!"))
	s := newBridgeSite(t, withModel(model))
	s.runAI(discard)
	next := s.stream("/api/events/stream?types=all", "")
	say := func(id string) {
		s.must("POST", "/api/messages", "", object{"message": object{"id": id, "content": "hi"}, "session": object{"id": "s1", "aiActive": false}})
	}
	awaitFrame := func(part string) {
		t.Helper()
		for f := next(); !strings.Contains(f.data, part); f = next() {
			if strings.Contains(f.data, "ai_takeover") {
				t.Errorf("taken over again: %s", f.data)
			}
		}
	}
	say("m1")
	awaitFrame(`{"type":"ai_takeover","sessionId":"s1","sourceBridge":"ai"`)
	awaitFrame(`{"type":"ai_message","sessionId":"s1"`)
	say("m2")
	awaitFrame(`"content":"Hello!"`)
	s.must("POST", "/api/events", "", object{"type": "visitor_message", "message": object{"id": "m3", "content": "ours", "sender": "operator"}, "session": object{"id": "s1"}})
	say("m4")
	s.must("POST", "/api/operator/status", "", object{"online": true})
	s.must("POST", "/api/messages", "", object{"message": object{"id": "n1", "content": "hi"}, "session": object{"id": "s2"}})
	if n := len(model.Asked()); n != 2 {
		t.Errorf("the model was asked %d times", n)
	}
}

// TestAICallsPerAddress: beyond an address's messages of an hour people answer, and a
// visitor whom the AI was answering is told so. Other addresses have their own.
func TestAICallsPerAddress(t *testing.T) {
	model := aitest.New(t, aitest.Says("Hello!"))
	with := withModel(model)
	s := newSite(t, dbtest.Memory(t), limited(t), func(c *config.Config) {
		with(c)
		c.Settings["aiCallsPerAddress"] = chat.Raw("2")
	})
	say := func(id, from string) {
		s.must("POST", "/api/widget/messages", publicKey, object{"sessionId": id, "content": "hi"}, "X-Forwarded-For", from)
	}
	id, next := s.open("v"), s.open("w")
	say(id, "203.0.113.1")
	model.Await(1)
	say(next, "203.0.113.1")
	model.Await(2)
	other := s.open("x")
	say(other, "203.0.113.1")
	eventually(t, "the answer", func() bool {
		return strings.Contains(string(s.must("GET", "/api/admin/sessions/"+id+"/messages", secretKey, nil).body), "Hello!")
	})
	say(id, "203.0.113.1")
	history := string(s.must("GET", "/api/admin/sessions/"+id+"/messages", secretKey, nil).body)
	if !strings.Contains(history, "A colleague will answer here.") || !strings.Contains(history, `"reason":"budget"`) {
		t.Errorf("it was answering: %s", history)
	}
	say(s.open("y"), "203.0.113.2")
	model.Await(3)
	if n := len(model.Asked()); n != 3 {
		t.Errorf("the model was asked %d times", n)
	}
}
