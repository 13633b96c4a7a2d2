package e2e

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestAssistantByStdio: relay mcp carries an assistant's tools to a relay that runs elsewhere.
func TestAssistantByStdio(t *testing.T) {
	t.Parallel()
	in := boot(t, "DATABASE_URL=sqlite://"+t.TempDir()+"/relay.db")
	session := in.say(t, "Is the lamp in stock?")
	changed := make(chan string, 99)
	connect := func(key string, more ...string) (*mcp.ClientSession, error) {
		relay := command([]string{"RELAY_API_KEY=" + key}, append([]string{"mcp", in.base}, more...)...)
		return mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, &mcp.ClientOptions{
			ResourceUpdatedHandler: func(_ context.Context, r *mcp.ResourceUpdatedNotificationRequest) { changed <- r.Params.URI }}).Connect(t.Context(), &mcp.CommandTransport{Command: relay}, nil)
	}
	client, err := connect(in.secret)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	use := func(client *mcp.ClientSession, name string, arguments map[string]any) string {
		t.Helper()
		result, err := client.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: arguments})
		if err != nil {
			t.Fatal(err)
		}
		data, err := json.Marshal(result)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	if got := use(client, "list_conversations", nil); !strings.Contains(got, session) {
		t.Errorf("the list is %s", got)
	}
	use(client, "reply", map[string]any{"conversation": session, "text": "Three of them."})
	if got := in.history(t, session); got != "Is the lamp in stock?|Three of them." {
		t.Errorf("the visitor reads %s", got)
	}
	if err := client.Subscribe(t.Context(), &mcp.SubscribeParams{URI: "relay://conversation/" + session}); err != nil {
		t.Fatal(err)
	}
	for told := false; !told; { // the stream that brings changes opens after the answer
		in.call(t, "POST", in.base+"/api/widget/messages", in.public, map[string]any{"sessionId": session, "content": "Hello?"}, nil)
		select {
		case uri := <-changed:
			told = uri == "relay://conversation/"+session
		case <-time.After(100 * time.Millisecond):
		}
	}
	one, err := connect(in.secret, "--conversation", session)
	if err != nil {
		t.Fatal(err)
	}
	defer one.Close()
	if got := use(one, "read_conversation", nil); !strings.Contains(got, "Three of them.") {
		t.Errorf("bound to the conversation it reads %s", got)
	}
	use(one, "note", map[string]any{"text": "by one of this conversation"})
	if _, err := one.CallTool(t.Context(), &mcp.CallToolParams{Name: "list_conversations"}); err == nil {
		t.Error("bound to a conversation it lists all")
	}
	for _, none := range [][]string{{"--conversation", ""}, {"--conversation="}, {"--conversation", "a", "--conversation", "b"}} {
		if code, _, stderr := runCommand(t, []string{"RELAY_API_KEY=" + in.secret}, append([]string{"mcp", in.base}, none...)...); code != 2 || !strings.Contains(stderr, "one conversation") {
			t.Errorf("%q ends with %d: %s", none, code, stderr)
		}
	}
	if code, _, stderr := runCommand(t, nil, "mcp", in.base); code != 2 || !strings.Contains(stderr, "RELAY_API_KEY is missing") {
		t.Errorf("without a key it ends with %d: %s", code, stderr)
	}
	wrong, err := connect("rk_wrong")
	if err != nil {
		t.Fatal(err)
	}
	defer wrong.Close()
	if got := use(wrong, "list_conversations", nil); !strings.Contains(got, "Unauthorized") {
		t.Errorf("with a wrong key the list is %s", got)
	}
}
