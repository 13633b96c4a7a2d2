package server_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	protocol "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/relay-chat/relay/db/dbtest"
	"github.com/relay-chat/relay/server/chat"
)

// carrying brings a key along.
type carrying string

func (k carrying) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(k))
	return http.DefaultTransport.RoundTrip(r)
}

// helper is an assistant with a key.
type helper struct {
	*protocol.ClientSession
	t       *testing.T
	answers map[string]*jsonschema.Resolved // what the tools say that they answer, once one was used
}

// assistant connects the SDK's client.
func (s *site) assistant(key string) *helper {
	s.t.Helper()
	return s.assistantAt("/mcp", key)
}

func (s *site) assistantAt(path, key string) *helper {
	s.t.Helper()
	client := protocol.NewClient(&protocol.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(s.t.Context(), &protocol.StreamableClientTransport{Endpoint: s.url + path,
		HTTPClient: &http.Client{Transport: carrying(key)}, DisableStandaloneSSE: true}, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { session.Close() })
	return &helper{ClientSession: session, t: s.t}
}

// asDescribed checks an answer against what its tool says that it answers, and that it says the
// same as text.
func (h *helper) asDescribed(name string, result *protocol.CallToolResult, said map[string]any) {
	h.t.Helper()
	if h.answers == nil {
		h.answers = map[string]*jsonschema.Resolved{}
		for tool, err := range h.Tools(h.t.Context(), nil) {
			var schema jsonschema.Schema
			data, failed := json.Marshal(tool.OutputSchema)
			if err = cmp.Or(err, failed, json.Unmarshal(data, &schema)); err == nil {
				h.answers[tool.Name], err = schema.Resolve(nil)
			}
			if err != nil {
				h.t.Fatal(tool.Name, err)
			}
		}
	}
	if err := h.answers[name].Validate(said); err != nil {
		h.t.Errorf("%s answers %v, which is not what it says: %v", name, said, err)
	}
	var asText map[string]any
	text, is := result.Content[0].(*protocol.TextContent)
	if !is || len(result.Content) != 1 || json.Unmarshal([]byte(text.Text), &asText) != nil || !reflect.DeepEqual(asText, said) {
		h.t.Errorf("%s answers as structure %v, and as text %+v", name, said, result.Content)
	}
}

// use calls a tool and returns what it says, and its refusal.
func (h *helper) use(name string, arguments object) (said map[string]any, refused string) {
	h.t.Helper()
	result, err := h.CallTool(h.t.Context(), &protocol.CallToolParams{Name: name, Arguments: arguments})
	if err != nil {
		return nil, err.Error()
	}
	if result.IsError {
		text, _ := result.Content[0].(*protocol.TextContent)
		return nil, text.Text
	}
	data, err := json.Marshal(result.StructuredContent)
	if err == nil {
		err = json.Unmarshal(data, &said)
	}
	if err != nil {
		h.t.Fatal(err)
	}
	h.asDescribed(name, result, said)
	return said, ""
}

// must calls a tool that nothing refuses.
func (h *helper) must(name string, arguments object) map[string]any {
	h.t.Helper()
	said, refused := h.use(name, arguments)
	if refused != "" {
		h.t.Fatalf("%s is refused: %s", name, refused)
	}
	return said
}

// at reads from what a tool says, by a path like conversations.0.id.
func at(said map[string]any, path string) any {
	var now any = said
	for step := range strings.SplitSeq(path, ".") {
		switch v := now.(type) {
		case map[string]any:
			now = v[step]
		case []any:
			i := 0
			if _, err := fmt.Sscan(step, &i); err != nil || i >= len(v) {
				return nil
			}
			now = v[i]
		}
	}
	return now
}

// everyTool is a right use of each tool; $S is a conversation.
var everyTool = map[string]struct {
	scope     chat.KeyScope
	arguments object
}{
	"list_conversations":   {chat.ScopeRead, object{"status": "open"}},
	"read_conversation":    {chat.ScopeRead, object{"conversation": "$S"}},
	"search":               {chat.ScopeRead, object{"query": "lamp"}},
	"statistics":           {chat.ScopeRead, object{}},
	"list_people":          {chat.ScopeRead, object{}},
	"ask_knowledge":        {chat.ScopeRead, object{"question": "lamp"}},
	"unanswered_questions": {chat.ScopeRead, object{}},
	"reply":                {chat.ScopeWrite, object{"conversation": "$S", "text": "Yes."}},
	"note":                 {chat.ScopeNote, object{"conversation": "$S", "text": "VIP"}},
	"draft":                {chat.ScopeWrite, object{"conversation": "$S"}},
	"assign":               {chat.ScopeWrite, object{"conversation": "$S"}},
	"tag":                  {chat.ScopeWrite, object{"conversation": "$S", "add": []string{"vip"}}},
	"snooze":               {chat.ScopeWrite, object{"conversation": "$S", "until": "$T"}},
	"close":                {chat.ScopeWrite, object{"conversation": "$S"}},
	"reopen":               {chat.ScopeWrite, object{"conversation": "$S"}},
	"add_knowledge":        {chat.ScopeSettings, object{"title": "Lamps", "text": "Lamps are in stock."}},
	"doctor":               {chat.ScopeSettings, object{}},
}

// alsoOpens is a second scope that opens a tool: that of whoever changes what it reads.
var alsoOpens = map[string]chat.KeyScope{"list_people": chat.ScopePeople, "ask_knowledge": chat.ScopeSettings, "unanswered_questions": chat.ScopeSettings}

func usable(arguments object, session string) object {
	out := object{}
	for name, value := range arguments {
		switch value {
		case "$S":
			value = session
		case "$T":
			value = chat.Now().Add(3600_000_000_000).String()
		}
		out[name] = value
	}
	return out
}

// TestAssistantTools uses every tool with every single scope: it works with its own, and names
// that with another; and every one says what it does to the world.
func TestAssistantTools(t *testing.T) {
	s := newSite(t, dbtest.Memory(t))
	session := s.victim(true).id
	tools, err := s.assistant(secretKey).ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range tools.Tools {
		use, known := everyTool[tool.Name]
		if !known {
			t.Errorf("%s is not tried", tool.Name)
			continue
		}
		if tool.OutputSchema == nil || tool.Description == "" || tool.Annotations.Title == "" || tool.Annotations.ReadOnlyHint != (use.scope == chat.ScopeRead || tool.Name == "doctor") ||
			*tool.Annotations.DestructiveHint != (tool.Name == "reply") {
			t.Errorf("%s says of itself %+v", tool.Name, tool.Annotations)
		}
	}
	if len(tools.Tools) != len(everyTool) {
		t.Errorf("there are %d tools", len(tools.Tools))
	}
	for _, scope := range chat.AllScopes {
		_, key := s.newKey(administers, chat.APIKey{Scopes: chat.KeyScopes{scope}})
		h := s.assistant(key)
		for name, use := range everyTool {
			s.must("POST", "/api/admin/sessions/"+session+"/reopen", secretKey, nil) // another tool has closed it
			_, refused := h.use(name, usable(use.arguments, session))
			opens := scope == use.scope || scope == alsoOpens[name]
			switch {
			case !opens && (!strings.Contains(refused, "lacks the scope") || !strings.Contains(refused, string(use.scope))):
				t.Errorf("%s with %s answers %q", name, scope, refused)
			case opens && refused != "":
				t.Errorf("%s with its scope answers %q", name, refused)
			}
		}
	}
}

// TestAssistant does a morning's work: who waits, what was said, a note, an answer once.
func TestAssistant(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		session := s.victim(true).id
		s.must("POST", "/api/admin/sessions/"+session+"/messages", secretKey, object{"content": "secret of the team", "internal": true})
		h := s.assistant(secretKey)
		list := h.must("list_conversations", object{"limit": 1})
		if at(list, "conversations.0.id") != session || !strings.Contains(fmt.Sprint(list["notice"]), "data") {
			t.Errorf("the list is %v", list)
		}
		for range 2 {
			h.must("reply", object{"conversation": session, "text": "It is in stock.", "id": "answer-1"})
		}
		read := h.must("read_conversation", object{"conversation": session})
		var said []string
		messages, _ := read["messages"].([]any)
		for _, m := range messages {
			m, _ := m.(map[string]any)
			said = append(said, fmt.Sprint(m["from"], ": ", m["text"]))
		}
		if want := []string{"visitor: hi", "operator: hi", "note: secret of the team", "operator: It is in stock."}; !slices.Equal(said, want) {
			t.Errorf("it reads %q, want %q", said, want)
		}
		if tagged := h.must("tag", object{"conversation": session, "add": []string{"vip"}}); at(tagged, "conversation.tags.0") != "vip" {
			t.Errorf("tagged it is %v", tagged)
		}
		resource, err := h.ReadResource(t.Context(), &protocol.ReadResourceParams{URI: "relay://conversation/" + session})
		if err != nil || !strings.Contains(resource.Contents[0].Text, "It is in stock.") {
			t.Errorf("the resource is %v, %v", resource, err)
		}
		prompts, err := h.ListPrompts(t.Context(), nil)
		if err != nil || len(prompts.Prompts) != 3 {
			t.Errorf("the prompts are %v, %v", prompts, err)
		}
		for name, arguments := range map[string]object{"read_conversation": {"conversation": "NONE"}, "reply": {"conversation": session, "text": ""},
			"snooze": {"conversation": session, "until": "tomorrow"}, "tag": {"conversation": 7}, "no_such_tool": {}, "search": {},
			"list_conversations": {"status": "sleeping"}, "close": {"conversation": "../settings?x=#"}} {
			if _, refused := h.use(name, arguments); refused == "" {
				t.Errorf("%s takes %v", name, arguments)
			}
		}
	})
}

// TestAssistantOfOneSite: a key of a site finds and answers nothing of another one.
func TestAssistantOfOneSite(t *testing.T) {
	s := newSite(t, dbtest.Memory(t))
	s.must("POST", "/api/admin/sites", secretKey, object{"name": "Other", "id": "other", "publicKey": otherKey})
	foreign := s.victim(true).id
	other, err := s.Sites().Named("other")
	if err != nil {
		t.Fatal(err)
	}
	_, key := s.newKey(administers, chat.APIKey{Sites: chat.SiteSet{other.ID}})
	h := s.assistant(key)
	if list := h.must("list_conversations", object{"status": "all"}); at(list, "conversations.0") != nil {
		t.Errorf("it lists %v", list)
	}
	for name, use := range everyTool {
		if use.arguments["conversation"] == nil {
			continue
		}
		if _, refused := h.use(name, usable(use.arguments, foreign)); !strings.Contains(refused, "not found") {
			t.Errorf("%s of another site answers %q", name, refused)
		}
	}
}

// TestAssistantsAreHostile: what is no message of the protocol is refused with a sentence, and
// nobody gets in without a key.
func TestAssistantsAreHostile(t *testing.T) {
	s := newSite(t, dbtest.Memory(t))
	s.refused(s.call("POST", "/mcp", "", object{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}), 401, "Unauthorized")
	s.refused(s.call("POST", "/mcp", chat.APIKeyPrefix+chat.NewToken(), object{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}), 401, "Unauthorized")
	for _, body := range []any{"x", []int{1}, object{"jsonrpc": "1.0"}, object{}, object{"jsonrpc": "2.0", "id": object{}, "method": "ping"}, nil} {
		if a := s.call("POST", "/mcp", secretKey, body); a.status != 400 || a.text("error") == "" {
			t.Errorf("%v is answered %d %s", body, a.status, a.body)
		}
	}
	if a := s.call("POST", "/mcp", secretKey, object{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": object{"name": "reply", "arguments": strings.Repeat("x", 600<<10)}}); a.status != 413 {
		t.Errorf("a huge one is answered %d %s", a.status, a.body)
	}
	if a := s.call("POST", "/mcp", secretKey, object{"jsonrpc": "2.0", "id": 1, "method": "no/such"}); a.status != 400 || !strings.Contains(a.text("error"), "no/such") {
		t.Errorf("an unknown method is answered %d %s", a.status, a.body)
	}
}
