package e2e

import (
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/relay-chat/relay/db/dbtest"
)

// signInAs signs a person in with a password.
func signInAs(t *testing.T, in *instance, email, password string) *signedIn {
	t.Helper()
	return login(t, in, url.Values{"email": {email}, "password": {password}})
}

// admitted reports whether the sign-in lets in where it belongs.
func (c *signedIn) admitted(t *testing.T) bool {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, c.in.base+"/api/admin/sessions", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.AddCookie(c.cookie)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	return resp.StatusCode == http.StatusOK
}

// TestNodesRevokeEverywhere takes rights away at one node: another knows it at once, and
// ends the streams that rest on them.
func TestNodesRevokeEverywhere(t *testing.T) {
	database := "DATABASE_URL=" + dbtest.PostgresURL(t)
	t.Chdir(t.TempDir())
	a := boot(t, database, "HOST=127.0.0.1", "RATE_LIMIT=false")
	b := boot(t, database, "HOST=127.0.0.1", "RATE_LIMIT=false")
	if a.secret == "" || a.secret != b.secret || a.public != b.public {
		t.Fatal("the nodes have other keys")
	}
	ended := func(what string, frames <-chan string) {
		t.Helper()
		begun := time.Now()
		eventually(t, "the end of the stream after "+what, func() bool { return drained(frames) })
		t.Logf("%s: the stream at the other node ended within %s", what, time.Since(begun))
	}
	const password = "correct horse battery 7"
	var person struct{ ID string }
	if code := a.call(t, "POST", a.base+"/api/admin/people", a.secret, map[string]any{"name": "Mia", "email": "mia@example.com", "password": password, "role": "operator"}, &person); code != 200 {
		t.Fatal(code)
	}
	mia := signInAs(t, b, "mia@example.com", password)
	frames, end := mia.stream(t)
	defer end()
	await(t, frames, "connected")
	again := signInAs(t, a, "mia@example.com", password).at(b)
	more, endMore := again.stream(t)
	defer endMore()
	await(t, more, "connected")

	again.at(a).signOut(t)
	ended("signing out", more)
	if again.admitted(t) || !mia.admitted(t) {
		t.Error("another sign-in ended, or none")
	}
	if code := a.call(t, "DELETE", a.base+"/api/admin/people/"+person.ID, a.secret, nil, nil); code != 200 {
		t.Fatal(code)
	}
	ended("removing the person", frames)
	if mia.admitted(t) {
		t.Error("a person who was removed is let in")
	}

	old := b.secret
	keyed, endKeyed := frameReader(t, b.base+"/api/admin/stream", func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+old) })
	defer endKeyed()
	await(t, keyed, "connected")
	var fresh struct{ SecretKey string }
	if code := a.call(t, "POST", a.base+"/api/admin/keys/rotate", a.secret, map[string]any{"key": "secret"}, &fresh); code != 200 {
		t.Fatal(code)
	}
	ended("rotating the key", keyed)
	// The key before works until the new one is used for the first time.
	if code := a.call(t, "GET", a.base+"/api/admin/sessions", fresh.SecretKey, nil, nil); code != 200 {
		t.Fatal(code)
	}
	begun := time.Now()
	eventually(t, "the refusal of the key before", func() bool { return b.call(t, "GET", b.base+"/api/admin/sessions", old, nil, nil) == 401 })
	t.Logf("the key before was refused at the other node after %s", time.Since(begun))
	if code := b.call(t, "GET", b.base+"/api/admin/sessions", fresh.SecretKey, nil, nil); code != 200 {
		t.Errorf("the new key: %d", code)
	}
}
