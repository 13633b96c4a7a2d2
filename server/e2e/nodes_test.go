package e2e

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/relay-chat/relay/bridges/telegram/telegramtest"
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
	return frameReader(t, in.base+"/api/widget/stream?sessionId="+session+"&lastEventId="+after, func(r *http.Request) {
		r.Header.Set("Authorization", "Bearer "+in.public)
	})
}

// frameReader follows a stream.
func frameReader(t *testing.T, address string, authorise func(*http.Request)) (frames <-chan string, end func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	authorise(req)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	if resp.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s", address, resp.Status)
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

// TestNodesShareStates shows at one node what happens at another and is not stored.
func TestNodesShareStates(t *testing.T) {
	t.Parallel()
	w, nodes := sharing(t, 1, 2)
	a, b := nodes[0], nodes[1]
	session := a.say(t, "hi")
	visitor, left := streamed(t, a, session, "")
	await(t, visitor, "connected")
	console := signIn(t, b)
	operator, end := console.stream(t)
	defer end()
	await(t, operator, "connected")

	post := func(in *instance, path, key string, body any) {
		t.Helper()
		if code := in.call(t, "POST", in.base+path, key, body, nil); code != 200 {
			t.Fatalf("%s: %d", path, code)
		}
	}
	eventually(t, "what the visitor types", func() bool { // also while a does not yet know of b
		post(a, "/api/widget/typing", a.public, map[string]any{"sessionId": session})
		for {
			select {
			case frame := <-operator:
				if strings.Contains(frame, `"sender":"visitor"`) {
					return true
				}
			case <-time.After(time.Second):
				return false
			}
		}
	})
	post(b, "/api/admin/sessions/"+session+"/typing", b.secret, map[string]any{})
	await(t, visitor, `"sender":"operator"`)
	if code := b.call(t, "PATCH", b.base+"/api/admin/settings", b.secret, map[string]any{"welcomeMessage": "Welcome by b"}, nil); code != 200 {
		t.Fatal(code)
	}
	await(t, visitor, "Welcome by b")
	var config struct{ WelcomeMessage string }
	a.get(t, a.base+"/api/widget/config", a.public, &config)
	if config.WelcomeMessage != "Welcome by b" {
		t.Errorf("the settings at the other node: %+v", config)
	}
	post(b, "/api/admin/operator/status", b.secret, map[string]any{"online": false})
	await(t, visitor, `"online":false`)
	post(b, "/api/admin/operator/status", b.secret, map[string]any{"online": nil})
	await(t, visitor, `"online":true`) // somebody sits at b's console

	online := func() bool {
		var one struct{ VisitorOnline bool }
		b.get(t, b.base+"/api/admin/sessions/"+session, b.secret, &one)
		return one.VisitorOnline
	}
	if !online() {
		t.Error("the visitor is offline at the other node")
	}
	var presence struct{ Operators []struct{ Name string } }
	a.get(t, a.base+"/api/admin/operator/status", a.secret, &presence)
	if len(presence.Operators) != 1 || presence.Operators[0].Name != "Ada" {
		t.Errorf("at the consoles, as the other node sees it: %+v", presence)
	}

	// Streams end at once, wherever they are.
	post(b, "/api/admin/sessions/"+session+"/block", b.secret, map[string]any{"blocked": true})
	eventually(t, "the end of the blocked visitor's stream", func() bool {
		select {
		case _, open := <-visitor:
			return !open
		default:
			return false
		}
	})
	left()

	elsewhere := console.at(a) // the same sign-in at the other node
	also, endAlso := elsewhere.stream(t)
	defer endAlso()
	await(t, also, "connected")
	console.signOut(t)
	eventually(t, "the end of the console's streams", func() bool { return drained(operator) && drained(also) })
	for _, th := range w.f.Violations() {
		t.Error(th)
	}
}

// drained reads what there is and reports whether the stream has ended.
func drained(frames <-chan string) bool {
	for {
		select {
		case _, open := <-frames:
			if !open {
				return true
			}
		default:
			return false
		}
	}
}

// signedIn is a console.
type signedIn struct {
	in     *instance
	cookie *http.Cookie
}

func signIn(t *testing.T, in *instance) *signedIn {
	t.Helper()
	return login(t, in, url.Values{"name": {"Ada"}, "key": {in.secret}})
}

// login sends the form of the sign-in page.
func login(t *testing.T, in *instance, form url.Values) *signedIn {
	t.Helper()
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := client.PostForm(in.base+"/console/login", form)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	for _, c := range resp.Cookies() {
		if c.Value != "" {
			return &signedIn{in, c}
		}
	}
	t.Fatalf("no sign-in: %s", resp.Status)
	return nil
}

// at is the same sign-in at another node.
func (c *signedIn) at(in *instance) *signedIn { return &signedIn{in, c.cookie} }

func (c *signedIn) stream(t *testing.T) (frames <-chan string, end func()) {
	t.Helper()
	return frameReader(t, c.in.base+"/api/admin/stream", func(r *http.Request) { r.AddCookie(c.cookie) })
}

func (c *signedIn) signOut(t *testing.T) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, c.in.base+"/console/logout", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.AddCookie(c.cookie)
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
}

// TestBridgeNodesShareADatabase lets a backend speak with one relay in bridge mode and
// listen to another.
func TestBridgeNodesShareADatabase(t *testing.T) {
	t.Parallel()
	group, database := telegramtest.New(t), "DATABASE_URL="+dbtest.PostgresURL(t)
	a, b := bootBridge(t, group, database), bootBridge(t, group, database)
	frames, end := frameReader(t, b.base+"/api/events/stream", func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+backendKey) })
	defer end()
	say := func(in *instance, id, content string) {
		t.Helper()
		body := map[string]any{"message": map[string]any{"id": id, "sessionId": "s1", "content": content, "sender": "visitor"},
			"session": map[string]any{"id": "s1", "visitorId": "v1"}}
		if code := in.call(t, "POST", in.base+"/api/messages", backendKey, body, nil); code != 200 {
			t.Fatal(code)
		}
	}
	thread := func(text string) (ref string) {
		t.Helper()
		eventually(t, text+" in the group", func() bool {
			for _, th := range group.Threads() {
				if strings.Contains(texts(th), text) {
					ref = th.Ref
				}
			}
			return ref != ""
		})
		return ref
	}
	say(a, "m1", "said to a")
	say(b, "m2", "said to b")
	ref := thread("said to b")
	if th := group.Threads(); len(th) > 2 || strings.Count(texts(th[0]), "said to a") > 1 {
		t.Errorf("doubled: %+v", th)
	}
	group.Write(ref, "Ada", "the answer", "")
	await(t, frames, "the answer")
	a.stop()
	say(b, "m3", "after the takeover")
	thread("after the takeover")
	group.Write(ref, "Ada", "the second answer", "")
	await(t, frames, "the second answer")
}
