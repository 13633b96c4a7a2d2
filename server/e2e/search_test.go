package e2e

import (
	"fmt"
	"testing"
	"time"
)

// TestKilledMessagesAreFound kills relay as soon as it acknowledged messages, before the
// search could index them: it finds them after the next start.
func TestKilledMessagesAreFound(t *testing.T) {
	t.Chdir(t.TempDir())
	environ := []string{"HOST=127.0.0.1", "RELAY_PUBLIC_KEY=" + crashPublicKey, "RELAY_SECRET_KEY=" + crashSecretKey}
	relay := launch(t, startLines, []string{"serve"}, environ)
	var opened struct{ SessionID string }
	if err := call("POST", relay.base+"/api/widget/init", crashPublicKey, map[string]any{"visitorId": "v"}, &opened); err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		if err := call("POST", relay.base+"/api/widget/messages", crashPublicKey, map[string]any{"sessionId": opened.SessionID, "content": fmt.Sprint("Päckchen ", i)}, nil); err != nil {
			t.Fatal(err)
		}
	}
	relay.kill()
	relay = launch(t, startLines, []string{"serve"}, environ)
	defer relay.kill()
	var found struct{ Messages []struct{ ID string } }
	for deadline := time.Now().Add(30 * time.Second); len(found.Messages) < 3; time.Sleep(50 * time.Millisecond) {
		if err := call("GET", relay.base+"/api/admin/search?q=packchen", crashSecretKey, nil, &found); err != nil {
			t.Fatal(err)
		}
		if time.Now().After(deadline) {
			t.Fatalf("only %d of 3 messages are found", len(found.Messages))
		}
	}
}
