package e2e

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/relay-chat/relay/db/dbtest"
)

const (
	crashPublicKey = "pk_crash_0123456789abcdef"
	crashSecretKey = "sk_crash_0123456789abcdef"
)

// TestKillNineLosesNothing kills relay with SIGKILL again and again while
// visitors write, as a power cut of the process would. Visitors do what the
// widget does: what was not acknowledged is sent again with the same clientId.
// In the end every message is there exactly once, in the order it was written.
func TestKillNineLosesNothing(t *testing.T) {
	kills, visitors := 100, 8
	if testing.Short() {
		kills = 5
	}
	t.Parallel()
	environ := []string{"DATABASE_URL=" + dbtest.FileURL(t), "HOST=127.0.0.1", "RELAY_PUBLIC_KEY=" + crashPublicKey, "RELAY_SECRET_KEY=" + crashSecretKey}
	seed := rand.Uint64()
	random := rand.New(rand.NewPCG(seed, 0))
	t.Logf("seed %d", seed)

	writers := make([]*writer, visitors)
	for i := range writers {
		writers[i] = &writer{visitor: fmt.Sprint("visitor", i)}
	}
	for range kills {
		relay := launch(t, startLines, []string{"serve"}, environ)
		var all sync.WaitGroup
		for _, w := range writers {
			all.Go(func() { w.write(relay.base) })
		}
		time.Sleep(time.Duration(10+random.IntN(90)) * time.Millisecond) // the moment of the kill is the test's input
		relay.kill()
		all.Wait()
	}

	relay := launch(t, startLines, []string{"serve"}, environ)
	defer relay.kill()
	total := 0
	for _, w := range writers {
		w.check(t, relay.base)
		total += w.acknowledged
	}
	if total < kills {
		t.Errorf("only %d messages were acknowledged through %d kills: the test proves nothing", total, kills)
	}
	t.Logf("%d kills, %d acknowledged messages, none lost, none doubled", kills, total)
}

// writer is a visitor that writes 0, 1, 2, … and never goes on to a number
// before the one before it is acknowledged.
type writer struct {
	visitor      string
	session      string
	acknowledged int
}

// write writes until relay is gone.
func (w *writer) write(url string) {
	if w.session == "" {
		var answer struct{ SessionID string }
		if call("POST", url+"/api/widget/init", crashPublicKey, map[string]any{"visitorId": w.visitor}, &answer) != nil {
			return
		}
		w.session = answer.SessionID
	}
	for {
		n := fmt.Sprint(w.acknowledged)
		body := map[string]any{"sessionId": w.session, "content": n, "clientId": "c" + n}
		if call("POST", url+"/api/widget/messages", crashPublicKey, body, nil) != nil {
			return
		}
		w.acknowledged++
	}
}

// check reads the whole history. One message more than acknowledged may be
// there: it was stored, and its acknowledgement died.
func (w *writer) check(t *testing.T, url string) {
	t.Helper()
	var contents []string
	before := ""
	for more := true; more; {
		var page struct {
			Messages []struct{ ID, Content string }
			HasMore  bool
		}
		if err := call("GET", url+"/api/admin/sessions/"+w.session+"/messages?limit=100&before="+before, crashSecretKey, nil, &page); err != nil {
			t.Fatal(err)
		}
		for _, m := range slices.Backward(page.Messages) {
			contents = append(contents, m.Content)
			before = m.ID
		}
		more = page.HasMore
	}
	slices.Reverse(contents)
	if len(contents) < w.acknowledged || len(contents) > w.acknowledged+1 {
		t.Errorf("%s: %d messages are stored, %d were acknowledged", w.visitor, len(contents), w.acknowledged)
	}
	for i, content := range contents {
		if content != fmt.Sprint(i) {
			t.Fatalf("%s: message %d is %q", w.visitor, i, content)
		}
	}
}

// call makes a request that must be answered with 200.
func call(method, url, key string, body, answer any, headers ...string) error {
	status, err := request(context.Background(), method, url, key, body, answer, headers...)
	if err == nil && status != http.StatusOK {
		err = fmt.Errorf("%s %s answers %d", method, url, status)
	}
	return err
}
