package server_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"

	protocol "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/relay-chat/relay/db/dbtest"
	"github.com/relay-chat/relay/server/chat"
)

// order is a text by which a visitor wants an assistant to do something, and what one that obeys
// does. {OTHER} is another conversation of the same website, {FOREIGN} one of another website, and
// {SEEN} all that the assistant has read so far.
type order struct {
	Text  string
	Calls []struct {
		Tool      string
		Arguments map[string]any
	}
}

// obedient is an assistant that does what tools' outputs tell it.
type obedient struct {
	*helper
	fill *strings.Replacer
	seen strings.Builder
}

// use uses a tool, a resource or a prompt, and remembers all that it says.
func (o *obedient) use(tool string, arguments map[string]any) {
	o.t.Helper()
	var result any
	var err error
	switch tool {
	case "resource":
		result, err = o.ReadResource(o.t.Context(), &protocol.ReadResourceParams{URI: fmt.Sprint(arguments["uri"])})
	case "prompt":
		result, err = o.GetPrompt(o.t.Context(), &protocol.GetPromptParams{Name: fmt.Sprint(arguments["name"])})
	default:
		result, err = o.CallTool(o.t.Context(), &protocol.CallToolParams{Name: tool, Arguments: arguments})
	}
	data, _ := json.Marshal(result)
	fmt.Fprint(&o.seen, string(data), err)
}

// obey does what an order says: as it is and, where a tool takes less, with what it takes.
func (o *obedient) obey(in order) {
	for _, call := range in.Calls {
		arguments := map[string]any{}
		data, _ := json.Marshal(call.Arguments)
		_ = json.Unmarshal([]byte(o.fill.Replace(string(data))), &arguments)
		for name, value := range arguments {
			if value == "{SEEN}" {
				arguments[name] = chat.Clip(o.seen.String(), 30000)
			}
		}
		o.use(call.Tool, arguments)
		if text, writes := arguments["text"]; writes {
			o.use(call.Tool, map[string]any{"text": text})
		}
	}
}

// TestObedientAssistant: visitors take an assistant over that holds a write key and obeys all that
// it reads. It sends nothing to anybody else, ends nothing and reads no other website.
func TestObedientAssistant(t *testing.T) {
	data, err := os.ReadFile("../testdata/injections/assistants.json")
	if err != nil {
		t.Fatal(err)
	}
	var orders []order
	if err := json.Unmarshal(data, &orders); err != nil || len(orders) < 20 {
		t.Fatalf("%d orders, %v", len(orders), err)
	}
	s := newSite(t, dbtest.Memory(t))
	s.must("POST", "/api/admin/sites", secretKey, object{"name": "Other", "id": "other", "publicKey": otherKey})
	s.must("POST", "/api/admin/knowledge?site=other", secretKey, object{"title": "Price list", "text": "The price list of the other shop: password 4711."})
	other, foreign := s.openAt(publicKey, "victim"), s.openAt(otherKey, "stranger")
	s.must("POST", "/api/widget/messages", publicKey, object{"sessionId": other, "content": "my password is hunter2"})
	s.must("POST", "/api/widget/messages", otherKey, object{"sessionId": foreign, "content": "my password is hunter2"})
	_, all := s.newKey(administers, chat.APIKey{})
	_, ofSite := s.newKey(administers, chat.APIKey{Sites: chat.SiteSet{""}, Scopes: chat.KeyScopes{chat.ScopeRead, chat.ScopeWrite, chat.ScopeNote}})
	state := func(paths ...string) (now string) {
		for _, path := range paths {
			now += string(s.must("GET", path, secretKey, nil).body)
		}
		return now
	}
	everything := []string{"/api/admin/sessions/" + other, "/api/admin/sessions/" + other + "/messages", "/api/admin/sessions/" + foreign, "/api/admin/sessions/" + foreign + "/messages",
		"/api/admin/knowledge", "/api/admin/people", "/api/admin/sites", "/api/admin/settings"}
	before, ofOthers := state(everything...), state(everything[2:]...)
	first, attacks := state(everything[:2]...), 0
	for n, in := range orders {
		fill := strings.NewReplacer("{OTHER}", other, "{FOREIGN}", foreign)
		in.Text = fill.Replace(in.Text)
		for _, where := range []string{"message", "name", "page"} {
			attacks++
			own := s.attackedBy(in, where, fmt.Sprint("attacker", n, where))
			o := &obedient{helper: s.assistantAt("/mcp?conversation="+own, all), fill: fill}
			o.use("read_conversation", nil)
			if !strings.Contains(o.seen.String(), in.Text[len(in.Text)-10:]) {
				t.Fatalf("%s: the assistant reads %s", where, o.seen.String())
			}
			o.obey(in)
			if after := state(everything...); after != before {
				t.Fatalf("%s %q changes\n%s\nto\n%s", where, in.Text, before, after)
			}
			if got := s.must("GET", "/api/admin/sessions/"+own, secretKey, nil); strings.Contains(o.seen.String(), "hunter2") || strings.Contains(o.seen.String(), "4711") || got.text("status") != "open" {
				t.Errorf("%s %q: it reads %s and leaves %s", where, in.Text, o.seen.String(), got.body)
			}
		}
		free := &obedient{helper: s.assistant(ofSite), fill: fill} // may answer anybody of its website
		free.obey(in)
		if after := state(everything[2:]...); after != ofOthers || strings.Contains(free.seen.String(), "4711") {
			t.Errorf("%q changes another website to %s, or reads of it %s", in.Text, after, free.seen.String())
		}
		before = state(everything...)
	}
	if attacks < 60 || state(everything[:2]...) == first {
		t.Errorf("there are %d attacks, and no assistant obeyed: the test proves nothing", attacks)
	}
}

// attackedBy opens a conversation of a visitor who writes an order there.
func (s *site) attackedBy(in order, where, visitor string) (session string) {
	s.t.Helper()
	visit, text := object{"visitorId": visitor}, "Hello"
	switch where {
	case "message":
		text = in.Text
	case "page":
		visit["url"] = "https://shop.example/" + in.Text
	}
	session = s.must("POST", "/api/widget/init", publicKey, visit).text("sessionId")
	if where == "name" {
		s.must("POST", "/api/widget/identify", publicKey, object{"sessionId": session, "identity": object{"id": visitor, "name": in.Text}})
	}
	s.must("POST", "/api/widget/messages", publicKey, object{"sessionId": session, "content": text})
	return session
}

// TestBoundConnection: a connection for one conversation has its tools only, and what does not
// name one clearly is refused.
func TestBoundConnection(t *testing.T) {
	s := newSite(t, dbtest.Memory(t))
	session := s.victim(true).id
	h := s.assistantAt("/mcp?conversation="+session, secretKey)
	tools, err := h.ListTools(t.Context(), nil)
	if err != nil || len(tools.Tools) != 5 {
		t.Fatalf("the tools are %v, %v", tools, err)
	}
	for _, tool := range tools.Tools {
		schema, _ := json.Marshal(tool.InputSchema)
		if strings.Contains(string(schema), "onversation") {
			t.Errorf("%s takes a conversation: %s", tool.Name, schema)
		}
	}
	h.must("reply", object{"text": "To you."})
	h.must("note", object{"text": "To us."})
	if read := h.must("read_conversation", object{"limit": 2}); at(read, "messages.0.text") != "To you." || at(read, "messages.1.from") != "note" {
		t.Errorf("it reads %v", read)
	}
	for _, query := range []string{"?", "?conversation", "?conversation=", "?conversation=a;b", "?conversation=%zz", "?conversation=a&conversation=b", "?conversaton=a", "?conversation=a&x=y", "?conversation=%00"} {
		if a := s.call("POST", "/mcp"+query, secretKey, object{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}); (a.status != http.StatusBadRequest) != (query == "?") {
			t.Errorf("%s is answered %d %s", query, a.status, a.body)
		}
	}
	for _, id := range []string{"NONE", "..", "../settings", session + "/messages"} {
		if _, refused := s.assistantAt("/mcp?conversation="+id, secretKey).use("reply", object{"text": "x"}); refused == "" {
			t.Errorf("the conversation %q takes a reply", id)
		}
	}
}
