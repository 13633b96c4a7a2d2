package e2e

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/relay-chat/relay/db/dbtest"
	"github.com/relay-chat/relay/server/remote"
)

// TestKillNineInReply kills relay with SIGKILL while an assistant replies. The assistant does what
// its tool says: what got no answer it sends again with the same id. Each reply appears once.
func TestKillNineInReply(t *testing.T) {
	kills := 30
	if testing.Short() {
		kills = 3
	}
	t.Parallel()
	environ := []string{"DATABASE_URL=" + dbtest.FileURL(t), "HOST=127.0.0.1", "RELAY_PUBLIC_KEY=" + crashPublicKey, "RELAY_SECRET_KEY=" + crashSecretKey}
	a := &replier{t: t}
	killed, longest := 0, 200 // milliseconds: a busy machine needs more of them for a reply
	for ; killed < kills || a.replied < kills && killed < 10*kills; killed++ {
		before := a.replied
		relay := launch(t, startLines, []string{"serve"}, environ)
		replied := make(chan struct{})
		go func() { defer close(replied); a.reply(relay.base) }()
		time.Sleep(time.Duration(50+rand.IntN(longest)) * time.Millisecond) // the moment of the kill is the test's input
		relay.kill()
		<-replied
		if a.replied == before {
			longest = min(2*longest, 10_000)
		}
	}
	relay := launch(t, startLines, []string{"serve"}, environ)
	defer relay.kill()
	(&writer{session: a.session, acknowledged: a.replied}).check(t, relay.base)
	if a.replied < kills {
		t.Errorf("only %d replies were acknowledged through %d kills: the test proves nothing", a.replied, killed)
	}
	t.Logf("%d kills, %d replies", killed, a.replied)
}

// replier is an assistant that replies 0, 1, 2, … and never goes on to a number before the one
// before it is acknowledged.
type replier struct {
	t       *testing.T
	session string
	replied int
}

// reply replies until relay is gone.
func (a *replier) reply(url string) {
	if a.session == "" {
		var answer struct{ SessionID string }
		if call("POST", url+"/api/widget/init", crashPublicKey, map[string]any{"visitorId": "v"}, &answer) != nil {
			return
		}
		a.session = answer.SessionID
	}
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(a.t.Context(), &mcp.StreamableClientTransport{Endpoint: url + "/mcp", HTTPClient: remote.WithKey(crashSecretKey, time.Minute), DisableStandaloneSSE: true, MaxRetries: -1}, nil)
	if err != nil {
		return
	}
	defer session.Close()
	for {
		n := fmt.Sprint(a.replied)
		result, err := session.CallTool(a.t.Context(), &mcp.CallToolParams{Name: "reply", Arguments: map[string]any{"conversation": a.session, "text": n, "id": "r" + n}})
		if err != nil || result.IsError {
			return
		}
		a.replied++
	}
}
