package server_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	protocol "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/relay-chat/relay/bridges/ai/aitest"
	"github.com/relay-chat/relay/db/dbtest"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/config"
)

const door = "/agents/" + publicKey

// letsIn lets agents in at every website.
func letsIn(c *config.Config) {
	if c.Settings == nil {
		c.Settings = map[string]chat.Raw{}
	}
	c.Settings["agentsEnabled"] = chat.Raw("true")
}

// from brings an address along, as a proxy says it.
type from string

func (f from) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("X-Forwarded-For", string(f))
	return http.DefaultTransport.RoundTrip(r)
}

// agent connects a visitor's agent to a website's front door.
func (s *site) agent(path, address string) *helper {
	s.t.Helper()
	client := protocol.NewClient(&protocol.Implementation{Name: "agent", Version: "1"}, nil)
	session, err := client.Connect(s.t.Context(), &protocol.StreamableClientTransport{Endpoint: s.url + path,
		HTTPClient: &http.Client{Transport: from(address)}, DisableStandaloneSSE: true, MaxRetries: -1}, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { session.Close() })
	return &helper{ClientSession: session, t: s.t}
}

var ping = object{"jsonrpc": "2.0", "id": 1, "method": "ping"}

// TestFrontDoorIsShut: nobody comes in where a website does not let agents in, with a wrong key,
// from a page elsewhere, or as a blocked program; and only messages of the protocol are read.
func TestFrontDoorIsShut(t *testing.T) {
	s := newSite(t, dbtest.Memory(t), func(c *config.Config) {
		filter, _, err := config.Declare(nil).Load(config.Flags{}, []string{"UA_FILTER_ENABLED=true", "UA_FILTER_BLOCKLIST=BadBot"})
		if err != nil {
			t.Fatal(err)
		}
		c.AllowedOrigins, c.UAFilterEnabled, c.UAFilterMode, c.UAFilterBlocklist = []string{"https://shop.test"}, true, filter.UAFilterMode, filter.UAFilterBlocklist
	})
	s.refused(s.call("POST", door, "", ping), 404, "lets no agents in")
	s.refused(s.call("GET", door+"/llms.txt", "", nil), 404, "lets no agents in")
	s.must("PATCH", "/api/admin/settings", secretKey, object{"agentsEnabled": true})
	if a := s.call("POST", door, "", ping); a.status != 200 || !strings.Contains(string(a.body), `"result":{}`) {
		t.Errorf("an open door answers %d %s", a.status, a.body)
	}
	s.refused(s.call("POST", "/agents/pk_wrong", "", ping), 401, "Unauthorized")
	s.refused(s.call("POST", "/agents/"+secretKey, "", ping), 401, "Unauthorized")
	s.refused(s.call("POST", door, "", ping, "Origin", "https://evil.test"), 403, "Forbidden")
	s.refused(s.call("POST", door, "", ping, "User-Agent", "BadBot/1"), 403, "Forbidden")
	for _, body := range []string{"", "[]", "nonsense", `{"jsonrpc":2}`, `{"method":"x\u0000"}`, "{\"method\":\"\xff\"}", strings.Repeat("[", 100)} {
		s.refused(s.call("POST", door, "", body), 400, "")
	}
	s.refused(s.call("POST", door, "", object{"jsonrpc": "2.0", "method": strings.Repeat("x", 70<<10)}), 413, "too large")
	s.refused(s.call("GET", door, "", nil), 405, "")
	text := s.must("GET", door+"/llms.txt", "", nil)
	if !strings.Contains(string(text.body), s.url+door) || text.header.Get("Content-Type") != "text/plain; charset=utf-8" {
		t.Errorf("agents read %s", text.body)
	}
	if link := s.must("GET", "/chat", "", nil).header.Get("Link"); !strings.Contains(link, door+"/llms.txt") {
		t.Errorf("the chat page links to %q", link)
	}
	shop := s.addSite("Shop")
	s.must("PATCH", "/api/admin/sites/shop/settings", secretKey, object{"agentsEnabled": false})
	s.refused(s.call("POST", "/agents/"+shop, "", ping), 404, "lets no agents in")
	s.must("PATCH", "/api/admin/sites/shop", secretKey, object{"archived": true})
	s.refused(s.call("POST", "/agents/"+shop, "", ping), 403, "")
	s.refused(s.call("PATCH", "/api/admin/settings", secretKey, object{"agentsEnabled": "yes"}), 400, "agentsEnabled")
}

// TestAgentsReachPeople: an agent's message is marked for the team everywhere, a person's answer
// ends the wait, and the same id sends nothing twice.
func TestAgentsReachPeople(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		operators := s.stream("/api/admin/stream", secretKey)
		a := s.agent(door, "203.0.113.1")
		left := a.must("leave_message", object{"text": "Is the lamp in stock?", "name": "Ada", "email": "ada@example.com", "page": "https://shop.test/lamp", "language": "de"})
		secret, _ := at(left, "conversation").(string)
		id, _, _ := strings.Cut(secret, ".")
		f := operators()
		for f.event != "message" {
			f = operators()
		}
		if f.get("sourceBridge") != "agent" || f.get("sender") != "visitor" || f.get("content") != "Is the lamp in stock?" {
			t.Errorf("operators get %+v", f)
		}
		path := "/api/admin/sessions/" + id
		if view := string(s.must("GET", path, secretKey, nil).body); !strings.Contains(view, `"deviceType":"agent"`) || !strings.Contains(view, `"email":"ada@example.com"`) || !strings.Contains(view, `"verified":false`) {
			t.Errorf("the conversation is %s", view)
		}
		for range 2 {
			a.must("leave_message", object{"text": "The red one.", "conversation": secret, "id": "2"})
		}
		answered := make(chan map[string]any, 1)
		go func() {
			said, refused := s.agent(door, "203.0.113.1").use("wait_for_human", object{"conversation": secret, "seconds": 60})
			if refused != "" {
				t.Error(refused)
			}
			answered <- said
		}()
		eventually(t, "the wait", func() bool { return s.VisitorOnline(id) })
		s.must("POST", path+"/messages", secretKey, object{"content": "A note.", "internal": true})
		s.must("POST", path+"/messages", secretKey, object{"content": "Three of them.", "operatorName": "Grace", "buttons": []object{{"text": "Yes"}}})
		said := <-answered
		if at(said, "answered") != true || at(said, "messages.0.text") != "Three of them." || at(said, "messages.0.from") != "person" || at(said, "messages.0.name") != "Grace" || at(said, "messages.0.choices.0") != "Yes" || at(said, "messages.1") != nil {
			t.Errorf("the agent gets %v", said)
		}
		if strings.Contains(fmt.Sprint(said), "note") {
			t.Errorf("the agent reads a note: %v", said)
		}
		later := a.must("wait_for_human", object{"conversation": secret, "cursor": at(said, "cursor"), "seconds": 1})
		if at(later, "answered") != false || len(at(later, "messages").([]any)) != 0 {
			t.Errorf("it hears twice: %v", later)
		}
		if got := strings.Join(s.contents(id), "|"); strings.Count(got, "|") != 3 || !strings.Contains(got, "The red one.") {
			t.Errorf("the conversation is %s", got)
		}
		s.must("POST", path+"/close", secretKey, nil)
		if closed := a.must("wait_for_human", object{"conversation": secret, "cursor": at(later, "cursor"), "seconds": 60}); at(closed, "closed") != true {
			t.Errorf("of a closed conversation it says %v", closed)
		}
		if export := string(s.must("GET", "/api/admin/export", secretKey, nil).body); strings.Count(export, `"sourceBridge":"agent"`) != 2 {
			t.Errorf("the export is %s", export)
		}
	}, letsIn)
}

// bothTools are uses of the tools that take a conversation.
func bothTools(secret string) map[string]object {
	return map[string]object{"leave_message": {"text": "x", "conversation": secret}, "wait_for_human": {"conversation": secret, "seconds": 1}}
}

// TestAgentsKeepToTheirConversation: without its secret nobody continues one or waits there, at no
// website, and a blocked one is shut.
func TestAgentsKeepToTheirConversation(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		a := s.agent(door, "203.0.113.1")
		mine, _ := at(a.must("leave_message", object{"text": "mine"}), "conversation").(string)
		theirs, _ := at(a.must("leave_message", object{"text": "theirs"}), "conversation").(string)
		id, token, _ := strings.Cut(mine, ".")
		other, _, _ := strings.Cut(theirs, ".")
		open := s.open("a client without a token")
		s.say(open, "unbound")
		shop := s.agent("/agents/"+s.addSite("Shop"), "203.0.113.1")
		for _, secret := range []string{other + "." + token, id, id + ".", "." + token, open, open + ".", open + "." + token, "x.y", "\u202e" + mine, mine + "x", strings.Repeat("x", 5000)} {
			for tool, in := range bothTools(secret) {
				if said, refused := a.use(tool, in); !strings.Contains(refused, "not found") {
					t.Errorf("%s with %.80q says %v %q", tool, secret, said, refused)
				}
			}
		}
		if _, refused := shop.use("wait_for_human", object{"conversation": mine}); !strings.Contains(refused, "not found") {
			t.Errorf("another website's door says %q", refused)
		}
		s.must("POST", "/api/admin/sessions/"+id+"/block", secretKey, nil)
		for tool, in := range bothTools(mine) {
			if _, refused := a.use(tool, in); !strings.Contains(refused, "Blocked") {
				t.Errorf("%s of a blocked visitor says %q", tool, refused)
			}
		}
		if got := s.contents(other); len(got) != 1 {
			t.Errorf("the other conversation is %q", got)
		}
	}, letsIn)
}

// TestAgentsAsk: an answer is the one that visitors would get, with its sources; where there is none,
// the agent is sent to people.
func TestAgentsAsk(t *testing.T) {
	model := aitest.New(t, aitest.Says("We open at nine. [1]"))
	with := withModel(model)
	s := newSite(t, dbtest.Memory(t), with, letsIn, limited(t), func(c *config.Config) { c.Settings["aiCallsPerAddress"] = chat.Raw("3") })
	a := s.agent(door, "203.0.113.1")
	asks := func(a *helper, question, status string) map[string]any {
		t.Helper()
		said := a.must("ask", object{"question": question})
		if at(said, "status") != status || (status != "answered") != strings.Contains(fmt.Sprint(at(said, "nextStep")), "leave_message") {
			t.Errorf("%q: %v, want %s", question, said, status)
		}
		return said
	}
	asks(a, "When do you open?", "unknown")
	if n := len(model.Asked()); n != 0 {
		t.Errorf("without knowledge the model was asked %d times", n)
	}
	s.must("POST", knowledgePath, secretKey, object{"title": "Hours", "text": "We open at nine.", "url": "https://shop.test/hours"})
	s.read()
	if said := asks(a, "When do you open?", "answered"); at(said, "sources.0.url") != "https://shop.test/hours" || !strings.Contains(fmt.Sprint(at(said, "answer")), "We open at nine.") {
		t.Errorf("it says %v", said)
	}
	asks(a, "I want to talk to a human", "unknown")
	asks(a, "When do you open?", "unavailable") // the address has used its questions up
	fresh := s.agent(door, "203.0.113.2")
	asks(fresh, "When do you open?", "answered")
	s.must("PATCH", "/api/admin/settings", secretKey, object{"aiMode": "draft"})
	asks(fresh, "When do you open?", "unavailable")
	for _, question := range []string{"", "  ", strings.Repeat("x", 4001)} {
		if _, refused := fresh.use("ask", object{"question": question}); !strings.Contains(refused, "question") {
			t.Errorf("%.20q: %q", question, refused)
		}
	}
}

// TestAgentsHaveLimits: however often one address waits, it holds a hundred places; others wait on,
// and all are free again when their agents have gone.
func TestAgentsHaveLimits(t *testing.T) {
	s := newSite(t, dbtest.Memory(t), letsIn, limited(t))
	const crowd = 8
	secrets := make([]string, crowd)
	for i := range secrets {
		secrets[i], _ = at(s.agent(door, fmt.Sprintf("203.0.113.%d", i+1)).must("leave_message", object{"text": "hi"}), "conversation").(string)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	wait := func(ctx context.Context, secret, address, seconds string) (status int, text string) {
		body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"wait_for_human","arguments":{"conversation":%q,"seconds":%s}}}`, secret, seconds)
		r, err := http.NewRequestWithContext(ctx, "POST", s.url+door, strings.NewReader(body))
		if err != nil {
			return 0, err.Error()
		}
		r.Header.Set("X-Forwarded-For", address)
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			return 0, err.Error()
		}
		defer resp.Body.Close()
		data, err := io.ReadAll(resp.Body)
		if err != nil {
			return 0, err.Error()
		}
		return resp.StatusCode, string(data)
	}
	var waiting sync.WaitGroup
	for n := range 10 * crowd { // of one address, 10 in each conversation, and then 20 more in the last
		waiting.Go(func() { wait(ctx, secrets[n%crowd], "198.51.100.1", "100") })
	}
	eventually(t, "the waits", func() bool { return s.server.Streams()["visitor"] == 10*crowd })
	for range 12 {
		waiting.Go(func() { wait(ctx, secrets[0], "198.51.100.1", "100") })
	}
	eventually(t, "the conversation's places", func() bool { return s.server.Streams()["visitor"] == 10*crowd+10 })
	if status, text := wait(ctx, secrets[0], "198.51.100.2", "1"); status != 200 || !strings.Contains(text, "Too many requests") {
		t.Errorf("the 21st in a conversation: %d %s", status, text)
	}
	if status, text := wait(ctx, secrets[1], "198.51.100.2", "1"); status != 200 || !strings.Contains(text, `"answered":false`) {
		t.Errorf("another address: %d %s", status, text)
	}
	for range 10 {
		waiting.Go(func() { wait(ctx, secrets[1], "198.51.100.1", "100") })
	}
	eventually(t, "the address's places", func() bool { return s.server.Streams()["visitor"] == 100 })
	if status, text := wait(ctx, secrets[2], "198.51.100.1", "1"); status != 200 || !strings.Contains(text, "Too many requests") {
		t.Errorf("the 101st of an address: %d %s", status, text)
	}
	refused := 0
	for range 250 { // whatever comes then is refused by its rate
		if status, _ := wait(ctx, secrets[2], "198.51.100.1", "-1"); status == 429 {
			refused++
		}
	}
	if refused == 0 {
		t.Error("an address has no rate")
	}
	cancel()
	waiting.Wait()
	eventually(t, "the places are free", func() bool { return s.server.Streams()["visitor"] == 0 })
	if status, text := wait(t.Context(), secrets[0], "198.51.100.3", "1"); status != 200 || !strings.Contains(text, `"answered":false`) {
		t.Errorf("afterwards: %d %s", status, text)
	}
}

// TestAgentsFillTheForm: what a website asks before the first message, an agent is asked too.
func TestAgentsFillTheForm(t *testing.T) {
	s := newSite(t, dbtest.Memory(t), letsIn)
	s.must("PATCH", "/api/admin/settings", secretKey, object{"preChatForm": object{"required": true, "timing": "before_first_message",
		"fields": []object{{"name": "email", "label": "E-mail", "type": "email", "required": true}, {"name": "order", "label": "Order", "type": "text", "required": true}}}})
	a := s.agent(door, "203.0.113.1")
	for refusal, in := range map[string]object{"email": {"text": "hi"}, "order": {"text": "hi", "email": "ada@example.com"}, "must be": {"text": "hi", "email": "nobody", "form": object{"order": "1"}}} {
		if _, refused := a.use("leave_message", in); !strings.Contains(refused, refusal) {
			t.Errorf("%v: %q", in, refused)
		}
	}
	a.must("leave_message", object{"text": "hi", "email": "ada@example.com", "form": object{"order": "1042"}})
	list := string(s.must("GET", "/api/admin/sessions", secretKey, nil).body)
	if strings.Count(list, `"id"`) < 1 || !strings.Contains(list, `"order":"1042"`) {
		t.Errorf("the conversations are %s", list)
	}
}

// TestWaitsEndWithRelay: who waits is told when relay stops, and holds it up no longer.
func TestWaitsEndWithRelay(t *testing.T) {
	s := newSite(t, dbtest.Memory(t), letsIn)
	a := s.agent(door, "203.0.113.1")
	secret, _ := at(a.must("leave_message", object{"text": "hi"}), "conversation").(string)
	ended := make(chan string, 1)
	go func() {
		_, refused := a.use("wait_for_human", object{"conversation": secret, "seconds": 100})
		ended <- refused
	}()
	id, _, _ := strings.Cut(secret, ".")
	eventually(t, "the wait", func() bool { return s.VisitorOnline(id) })
	s.Hub.Close()
	select {
	case refused := <-ended:
		if !strings.Contains(refused, "wait again") {
			t.Errorf("it hears %q", refused)
		}
	case <-time.After(20 * time.Second):
		t.Error("it waits on")
	}
}
