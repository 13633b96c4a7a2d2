package e2e

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/relay-chat/relay/db/dbtest"
)

// sharing starts a world whose relays share a Postgres database, and so many of them.
func sharing(t *testing.T, visitors, nodes int, environ ...string) (*world, []*instance) {
	t.Helper()
	w := newWorld(t, visitors, append([]string{"DATABASE_URL=" + dbtest.PostgresURL(t)}, environ...)...)
	list := make([]*instance, nodes)
	for i := range list {
		list[i] = w.start()
	}
	return w, list
}

// streamed follows a session's stream, behind an event's id, and returns what it brings.
func streamed(t *testing.T, in *instance, session, after string) (frames <-chan string, end func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, in.base+"/api/widget/stream?sessionId="+session+"&lastEventId="+after, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+in.public)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	out := make(chan string, 10_000)
	go func() {
		defer close(out)
		defer resp.Body.Close()
		var frame []string
		for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
			if lines.Text() != "" {
				frame = append(frame, lines.Text())
				continue
			}
			out <- strings.Join(frame, "\n")
			frame = nil
		}
	}()
	return out, cancel
}

// await reads frames until one contains a text.
func await(t *testing.T, frames <-chan string, text string) (frame string) {
	t.Helper()
	for deadline := time.After(patience); ; {
		select {
		case frame, open := <-frames:
			if !open {
				t.Fatalf("the stream ended before %q", text)
			}
			if strings.Contains(frame, text) {
				return frame
			}
		case <-deadline:
			t.Fatalf("%q did not come", text)
		}
	}
}

// TestNodesShareADatabase lets visitors and operators meet at different nodes.
func TestNodesShareADatabase(t *testing.T) {
	t.Parallel()
	w, nodes := sharing(t, 1, 2)
	a, b := nodes[0], nodes[1]
	session := a.say(t, "hello from a")
	frames, end := streamed(t, b, session, "")
	defer end()
	await(t, frames, "connected")

	thread := ""
	eventually(t, "the thread on Discord", func() bool {
		for _, th := range w.f.Threads() {
			if strings.Contains(texts(th), "hello from a") {
				thread = th.Ref
			}
		}
		return thread != ""
	})
	begun := time.Now()
	w.f.Write(thread, "Ada", "from Discord", "")
	await(t, frames, "from Discord")
	t.Logf("Discord to the other node's stream: %s", time.Since(begun))

	send := func(in *instance, content string) {
		body := map[string]any{"content": content}
		if code := in.call(t, "POST", in.base+"/api/admin/sessions/"+session+"/messages", in.secret, body, nil); code != 200 {
			t.Fatalf("%d", code)
		}
	}
	var took []time.Duration
	for n := range 20 {
		begun = time.Now()
		send(a, fmt.Sprintf("answer-%d.", n))
		await(t, frames, fmt.Sprintf("answer-%d.", n))
		took = append(took, time.Since(begun))
	}
	t.Logf("POST at one node to the stream at the other: %s", took)
	if most := w.f.MostConnected(); most != 1 {
		t.Errorf("%d gateways at one time", most)
	}

	// The node with the leases stops: the other takes over at once.
	begun = time.Now()
	stopped := make(chan int)
	go func() { stopped <- a.stop() }()
	eventually(t, "the gateway at the other node", func() bool { ids, _, _ := w.f.Connections(); return ids == 2 })
	t.Logf("takeover after SIGTERM: %s", time.Since(begun))
	if code := <-stopped; code != 0 {
		t.Errorf("exit code %d", code)
	}
	w.f.Write(thread, "Ada", "after the takeover", "")
	await(t, frames, "after the takeover")
	send(b, "alone")
	await(t, frames, "alone")
	eventually(t, "the answer on Discord", func() bool { return strings.Contains(texts(w.f.Threads()[0]), "alone") })
	if most := w.f.MostConnected(); most != 1 {
		t.Errorf("%d gateways at one time", most)
	}
}
