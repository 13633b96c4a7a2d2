package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// toolUse is one use of a tool.
type toolUse struct {
	Name      string         `json:"name"`
	Arguments map[string]any `json:"arguments"`
}

// usesOf are a right use of each tool.
func usesOf(session string) []toolUse {
	own := func(more ...any) map[string]any {
		arguments := map[string]any{"conversation": session}
		for i := 0; i < len(more); i += 2 {
			arguments[more[i].(string)] = more[i+1]
		}
		return arguments
	}
	return []toolUse{
		{"list_conversations", map[string]any{"status": "open", "limit": 5}},
		{"read_conversation", own("limit", 10)},
		{"search", map[string]any{"query": "lamp"}},
		{"statistics", map[string]any{}},
		{"list_people", map[string]any{}},
		{"ask_knowledge", map[string]any{"question": "lamp"}},
		{"unanswered_questions", map[string]any{}},
		{"reply", own("text", "Three of them.", "id", "foreign-reply")},
		{"note", own("text", "VIP", "id", "foreign-note")},
		{"draft", own()},
		{"assign", own()},
		{"tag", own("add", []string{"vip"})},
		{"snooze", own("until", time.Now().Add(time.Hour).UTC().Format(time.RFC3339))},
		{"close", own()},
		{"reopen", own()},
		{"add_knowledge", map[string]any{"title": "Lamps", "text": "Lamps are in stock."}},
		{"doctor", map[string]any{}},
	}
}

// foreignPackages is where the clients are that others wrote.
func foreignPackages(t *testing.T) string {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(cache, "relay", "assistants-1")
	if _, err := os.Stat(folder); err != nil {
		t.Fatal("this test needs two clients of the Model Context Protocol: run it by `make test`, which fetches them: ", err)
	}
	return folder
}

// node runs a program.
func node(t *testing.T, stdin []byte, environ []string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "node", args...)
	cmd.Env = append(slices.Clone(environ), "PATH="+os.Getenv("PATH"), "HOME="+t.TempDir())
	cmd.Stdin = bytes.NewReader(stdin)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("node %q: %v\n%s%s", args, err, stdout.String(), stderr.String())
	}
	return stdout.String()
}

// TestAssistantsOfOthers: clients that nobody here wrote use every tool, with their own checks of the
// protocol and of the schemas: one over both transports, the other over HTTP, and some over the other.
func TestAssistantsOfOthers(t *testing.T) {
	if testing.Short() {
		t.Skip("the race detector has nothing to find in other programs")
	}
	t.Parallel()
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("this machine has no node")
	}
	packages := foreignPackages(t)
	in := boot(t, "DATABASE_URL=sqlite://"+t.TempDir()+"/relay.db")
	session := in.say(t, "Is the lamp in stock?")
	for way, to := range map[string][]string{"http": {in.base + "/mcp", in.secret}, "stdio": {binary, "mcp", in.base}} {
		t.Run("typescript by "+way, func(t *testing.T) { testTypeScriptSDK(t, packages, in, session, append([]string{way}, to...)) })
	}
	for way, to := range map[string][]string{"http": {in.base + "/mcp", "--transport", "http", "--header", "Authorization: Bearer " + in.secret},
		"stdio": {"/usr/bin/env", "RELAY_API_KEY=" + in.secret, binary, "mcp", in.base}} {
		uses := usesOf(session)
		if way == "stdio" { // each use starts a program, and the transport is the same for all
			uses = slices.DeleteFunc(uses, func(use toolUse) bool {
				return !slices.Contains([]string{"read_conversation", "search", "reply"}, use.Name)
			})
		}
		t.Run("inspector by "+way, func(t *testing.T) { testInspector(t, packages, uses, to) })
	}
	if got := in.history(t, session); got != "Is the lamp in stock?|Three of them." {
		t.Errorf("all have sent the same reply, and the visitor reads %q", got)
	}
}

func testTypeScriptSDK(t *testing.T, packages string, in *instance, session string, to []string) {
	uses := usesOf(session)
	stdin, err := json.Marshal(uses)
	if err != nil {
		t.Fatal(err)
	}
	out := node(t, stdin, []string{"PACKAGES=" + packages, "RELAY_API_KEY=" + in.secret}, append([]string{"testdata/assistant.mjs"}, to...)...)
	var got struct {
		Tools    []string
		Prompts  int
		Resource string
		Said     map[string]struct {
			IsError           bool
			StructuredContent map[string]any
			Content           []struct{ Text string }
		}
	}
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if len(got.Tools) != len(uses) || got.Prompts != 3 || !strings.Contains(got.Resource, "Is the lamp in stock?") {
		t.Errorf("it finds %v, %d prompts and the conversation %s", got.Tools, got.Prompts, got.Resource)
	}
	for _, use := range uses {
		if said := got.Said[use.Name]; said.IsError || len(said.StructuredContent) == 0 {
			t.Errorf("%s says %+v", use.Name, said)
		}
	}
}

func testInspector(t *testing.T, packages string, uses []toolUse, to []string) {
	inspector := filepath.Join(packages, "node_modules/@modelcontextprotocol/inspector-cli/build/index.js")
	for _, use := range uses {
		args := append(append([]string{inspector}, to...), "--method", "tools/call", "--tool-name", use.Name)
		for name, value := range use.Arguments {
			text, ok := value.(string)
			if !ok {
				data, err := json.Marshal(value)
				if err != nil {
					t.Fatal(err)
				}
				text = string(data)
			}
			args = append(args, "--tool-arg", fmt.Sprint(name, "=", text))
		}
		var said struct {
			IsError           bool
			StructuredContent map[string]any
		}
		out := node(t, nil, nil, args...)
		if err := json.Unmarshal([]byte(out), &said); err != nil || said.IsError || len(said.StructuredContent) == 0 {
			t.Errorf("%s says %s, %v", use.Name, out, err)
		}
	}
}
