package e2e

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/relay-chat/relay/db/dbtest"
)

// anAgent connects the SDK's client to a front door.
func anAgent(t *testing.T, base, key string) (*mcp.ClientSession, error) {
	client := mcp.NewClient(&mcp.Implementation{Name: "agent", Version: "1"}, nil)
	return client.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: base + "/agents/" + key, DisableStandaloneSSE: true, MaxRetries: -1}, nil)
}

// useAtDoor uses a tool and reads what it says.
func useAtDoor(t *testing.T, agent *mcp.ClientSession, tool string, arguments map[string]any, said any) error {
	result, err := agent.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		return err
	}
	data, err := json.Marshal(result.StructuredContent)
	if err == nil && result.IsError {
		err = fmt.Errorf("%s is refused: %v", tool, result.Content[0])
	}
	if err != nil {
		return err
	}
	return json.Unmarshal(data, said)
}

// answerOnce answers the newest conversation as soon as there is one, after a while.
func answerOnce(t *testing.T, in *instance, base, content string, after time.Duration) {
	t.Helper()
	var list struct {
		Sessions []struct {
			ID           string
			WaitingSince string
		}
	}
	eventually(t, "a conversation that waits", func() bool {
		in.get(t, in.base+"/api/admin/sessions?status=waiting", in.secret, &list)
		return len(list.Sessions) > 0
	})
	time.Sleep(after) // what the waiting agent hears meanwhile is the test's subject
	if code := in.call(t, "POST", base+"/api/admin/sessions/"+list.Sessions[0].ID+"/messages", in.secret, map[string]any{"content": content}, nil); code != 200 {
		t.Errorf("the answer answers %d", code)
	}
}

// TestAgentsOfOthers: clients that nobody here wrote use the front door, each with its own checks
// of the protocol and of the schemas.
func TestAgentsOfOthers(t *testing.T) {
	if testing.Short() {
		t.Skip("the race detector has nothing to find in other programs")
	}
	t.Parallel()
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("this machine has no node")
	}
	packages := foreignPackages(t)
	in := boot(t, "DATABASE_URL=sqlite://"+t.TempDir()+"/relay.db", "AGENTS_ENABLED=true")
	door := in.base + "/agents/" + in.public
	printed := make(chan string, 1)
	go func() { printed <- node(t, nil, []string{"PACKAGES=" + packages}, "testdata/agent.mjs", door) }()
	answerOnce(t, in, in.base, "Three of them.", 6*time.Second)
	var got struct {
		Tools  []string
		Asked  struct{ Status string }
		Left   struct{ Conversation string }
		Waited struct {
			Answered bool
			Messages []struct{ Text string }
		}
		Heard int
	}
	out := <-printed
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if len(got.Tools) != 3 || got.Asked.Status != "unavailable" || !got.Waited.Answered || got.Waited.Messages[0].Text != "Three of them." || got.Heard == 0 {
		t.Errorf("the SDK for TypeScript gets %s", out)
	}
	inspector := filepath.Join(packages, "node_modules/@modelcontextprotocol/inspector-cli/build/index.js")
	for _, use := range []toolUse{{"ask", map[string]any{"question": "Is it in stock?"}}, {"leave_message", map[string]any{"text": "Thanks.", "conversation": got.Left.Conversation}},
		{"wait_for_human", map[string]any{"conversation": got.Left.Conversation, "seconds": 1}}} {
		args := []string{inspector, door, "--transport", "http", "--method", "tools/call", "--tool-name", use.Name}
		for name, value := range use.Arguments {
			args = append(args, "--tool-arg", fmt.Sprint(name, "=", value))
		}
		var said struct {
			IsError           bool
			StructuredContent map[string]any
		}
		if out := node(t, nil, nil, args...); json.Unmarshal([]byte(out), &said) != nil || said.IsError || len(said.StructuredContent) == 0 {
			t.Errorf("by the inspector, %s says %s", use.Name, out)
		}
	}
}

// TestKillNineAtTheDoor kills relay with SIGKILL while an agent writes. What got no answer the
// agent sends again with the same id: each message appears once.
func TestKillNineAtTheDoor(t *testing.T) {
	kills := 20
	if testing.Short() {
		kills = 3
	}
	t.Parallel()
	environ := []string{"DATABASE_URL=" + dbtest.FileURL(t), "HOST=127.0.0.1", "AGENTS_ENABLED=true", "RELAY_PUBLIC_KEY=" + crashPublicKey, "RELAY_SECRET_KEY=" + crashSecretKey}
	conversation, written := "", 0
	write := func(base string, first func()) {
		agent, err := anAgent(t, base, crashPublicKey)
		if err != nil {
			return
		}
		defer agent.Close()
		for {
			in := map[string]any{"text": fmt.Sprint(written), "id": fmt.Sprint("m", written)}
			if conversation != "" {
				in["conversation"] = conversation
			}
			var left struct{ Conversation string }
			if useAtDoor(t, agent, "leave_message", in, &left) != nil {
				return
			}
			conversation = left.Conversation
			written++
			first()
		}
	}
	for range kills {
		relay := launch(t, startLines, []string{"serve"}, environ)
		done, begun := make(chan struct{}), make(chan struct{})
		go func() { defer close(done); write(relay.base, sync.OnceFunc(func() { close(begun) })) }()
		select {
		case <-begun:
		case <-done:
		}
		time.Sleep(time.Duration(rand.IntN(200)) * time.Millisecond) // the moment of the kill is the test's input
		relay.kill()
		<-done
	}
	relay := launch(t, startLines, []string{"serve"}, environ)
	defer relay.kill()
	id, _, _ := strings.Cut(conversation, ".")
	(&writer{session: id, acknowledged: written}).check(t, relay.base)
	if written < kills {
		t.Errorf("only %d messages were acknowledged through %d kills: the test proves nothing", written, kills)
	}
	t.Logf("%d kills, %d messages", kills, written)
}

// TestAgentsWaitAtAnyNode: an agent waits at one relay, a person answers at another one.
func TestAgentsWaitAtAnyNode(t *testing.T) {
	t.Parallel()
	environ := []string{"DATABASE_URL=" + dbtest.PostgresURL(t), "HOST=127.0.0.1", "AGENTS_ENABLED=true", "RELAY_PUBLIC_KEY=" + crashPublicKey, "RELAY_SECRET_KEY=" + crashSecretKey}
	one, other := launch(t, startLines, []string{"serve"}, environ), launch(t, startLines, []string{"serve"}, environ)
	one.secret, other.secret = crashSecretKey, crashSecretKey
	agent, err := anAgent(t, one.base, crashPublicKey)
	if err != nil {
		t.Fatal(err)
	}
	defer agent.Close()
	var left struct{ Conversation string }
	if err := useAtDoor(t, agent, "leave_message", map[string]any{"text": "hi"}, &left); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	var waited struct {
		Answered bool
		Messages []struct{ Text string }
	}
	go func() {
		ended <- useAtDoor(t, agent, "wait_for_human", map[string]any{"conversation": left.Conversation, "seconds": 100}, &waited)
	}()
	answerOnce(t, other, other.base, "From the other one.", time.Second)
	if err := <-ended; err != nil || !waited.Answered || waited.Messages[0].Text != "From the other one." {
		t.Errorf("the agent gets %+v, %v", waited, err)
	}
}
