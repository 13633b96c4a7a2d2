package e2e

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/relay-chat/relay/bridges/telegram/telegramtest"
	"github.com/relay-chat/relay/db/dbtest"
)

// backendStream follows the stream of bridge mode behind an event's id.
func backendStream(t *testing.T, in *instance, after string) (frames <-chan string, end func()) {
	t.Helper()
	return frameReader(t, in.base+"/api/events/stream?lastEventId="+after, func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+backendKey) })
}

var frameID = regexp.MustCompile(`(?m)^id: (\S+)$`)

// TestBridgeStreamMovesBetweenNodes resumes a backend's stream at another node, which
// was there or started later, and after a kill: nothing is missing and nothing repeated.
func TestBridgeStreamMovesBetweenNodes(t *testing.T) {
	t.Parallel()
	group, database := telegramtest.New(t), "DATABASE_URL="+dbtest.PostgresURL(t)
	nodes := []*instance{bootBridge(t, group, database), bootBridge(t, group, database)}
	var threads []string
	for i := range 3 {
		id := fmt.Sprintf("s%d", i)
		body := map[string]any{"message": map[string]any{"id": "m", "sessionId": id, "content": "hello of " + id, "sender": "visitor"},
			"session": map[string]any{"id": id, "visitorId": "v" + id}}
		if code := nodes[i%2].call(t, "POST", nodes[i%2].base+"/api/messages", backendKey, body, nil); code != 200 {
			t.Fatal(code)
		}
		eventually(t, "the thread", func() bool {
			for _, th := range group.Threads() {
				if strings.Contains(texts(th), "hello of "+id) {
					threads = append(threads, th.Ref)
					return true
				}
			}
			return false
		})
	}
	said, last := 0, ""
	answer := func(n int) {
		for range n {
			said++
			group.Write(threads[said%3], "Ada", fmt.Sprintf("answer %d.", said), "")
		}
	}
	read := 0
	// answersOf reads the answers up to the last one, each once. Telegram's threads are handled
	// at once, so that only those of one thread come in order.
	answersOf := func(in *instance) {
		t.Helper()
		frames, end := backendStream(t, in, last)
		defer end()
		if last == "" {
			last = frameID.FindStringSubmatch(await(t, frames, "id: "))[1]
			answer(3)
		}
		got := map[int]bool{}
		for len(got) < said-read {
			frame := await(t, frames, "answer ")
			var n int
			if _, err := fmt.Sscanf(frame[strings.Index(frame, "answer "):], "answer %d.", &n); err != nil {
				t.Fatal(err)
			}
			if n <= read || n > said || got[n] {
				t.Errorf("answer %d again, %d of %d were read", n, read, said)
			}
			got[n], last = true, frameID.FindStringSubmatch(frame)[1]
		}
		read = said
	}
	answersOf(nodes[0])
	answer(3)
	answersOf(nodes[1])
	hear2 := func(what string, in *instance) {
		t.Helper()
		answer(4)
		answersOf(in)
		t.Logf("%s: the stream goes on at %s", what, last)
	}
	hear2("back at the first node", nodes[0])
	nodes[0].kill()
	hear2("after a kill", nodes[1])
	answer(2)
	eventually(t, "the answers at the node that is left", func() bool {
		frames, end := backendStream(t, nodes[1], last)
		defer end()
		await(t, frames, fmt.Sprintf("answer %d.", said))
		return true
	})
	later := bootBridge(t, group, database)
	hear2("at a node that started later", later)
	nodes[1].stop()
	hear2("after a stop", later)
	later.stop()
	hear2("when all were restarted", bootBridge(t, group, database))
}
