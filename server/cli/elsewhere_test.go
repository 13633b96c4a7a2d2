package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// use runs a command against a server.
func use(t *testing.T, usage string, handler http.HandlerFunc, call Call) (out string, err error) {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	var stdout bytes.Buffer
	call.Out, call.Err, call.Environ = &stdout, &stdout, []string{"RELAY_URL=" + server.URL + "/", "RELAY_API_KEY= rk_test "}
	i := slices.IndexFunc(Elsewhere, func(c Command) bool { return c.Usage == usage })
	err = Elsewhere[i].Run(t.Context(), &call, "")
	return stdout.String(), err
}

// TestReplyIsSentOnce: when an answer is lost, the same message is sent again.
func TestReplyIsSentOnce(t *testing.T) {
	var mu sync.Mutex // a handler that is cut may end after its request
	var seen []string
	sent := func() []string {
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(seen)
	}
	lossy := func(loses int) http.HandlerFunc {
		mu.Lock()
		seen = nil
		mu.Unlock()
		return func(w http.ResponseWriter, r *http.Request) {
			var body struct{ ClientID, Content string }
			if json.NewDecoder(r.Body).Decode(&body) != nil || r.URL.Path != "/api/admin/sessions/S1/messages" || r.Header.Get("Authorization") != "Bearer rk_test" {
				t.Errorf("%s %v", r.URL, r.Header)
			}
			mu.Lock()
			defer mu.Unlock()
			if seen = append(seen, body.ClientID); len(seen) <= loses {
				panic(http.ErrAbortHandler)
			}
			_, _ = w.Write([]byte(`{"id":"M1"}`))
		}
	}
	words := []string{"reply", "S1", "Yes."}
	out, err := use(t, "reply CONVERSATION TEXT", lossy(2), Call{Words: words})
	if ids := sent(); err != nil || out != "M1 is sent.\n" || len(ids) != 3 || len(slices.Compact(ids)) != 1 || len(ids[0]) < 20 {
		t.Errorf("it prints %q, %v; the ids are %v", out, err, ids)
	}
	_, err = use(t, "reply CONVERSATION TEXT", lossy(9), Call{Words: words, Options: map[string][]string{"--id": {"mine"}}})
	if ids := sent(); err == nil || !strings.Contains(err.Error(), "--id mine sends it at most once") || len(ids) != 3 {
		t.Errorf("a dead server is answered by %v after %v", err, ids)
	}
}

// TestElsewhereIsHostile: another server's words are clean, and it gets a refusal once.
func TestElsewhereIsHostile(t *testing.T) {
	var asked atomic.Int64
	refusing := func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		w.WriteHeader(http.StatusForbidden)
		_, _ = w.Write([]byte(`{"error":"no\u001b[31m\nrelay: all is well"}`))
	}
	_, err := use(t, "note CONVERSATION TEXT", refusing, Call{Words: []string{"note", "S1", "-"}, In: strings.NewReader("of standard input")})
	if err == nil || err.Error() != "no�[31m relay: all is well" || asked.Load() != 1 {
		t.Errorf("asked %d times it says %v", asked.Load(), err)
	}
	elsewhere := func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/stolen" {
			t.Error("the key goes wherever it is sent")
		}
		http.Redirect(w, r, "/stolen", http.StatusTemporaryRedirect)
	}
	if _, err := use(t, "stats", elsewhere, Call{Words: []string{"stats"}}); err == nil || !strings.Contains(err.Error(), "307") {
		t.Errorf("a redirect ends with %v", err)
	}
	page := func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>")) }
	if _, err := use(t, "conversations", page, Call{Words: []string{"conversations"}}); err == nil || !strings.Contains(err.Error(), "is not relay") {
		t.Errorf("a web page ends with %v", err)
	}
}

// TestElsewhereNeedsItsPlace: a missing or wrong address or key is a wrong command line.
func TestElsewhereNeedsItsPlace(t *testing.T) {
	for _, c := range []struct {
		address, want string
		environ       []string
	}{
		{"", "RELAY_URL", []string{"RELAY_API_KEY=rk_x"}},
		{"https://chat.example.com", "RELAY_API_KEY is missing", nil},
		{"ftp://chat.example.com", "is not the address", []string{"RELAY_API_KEY=rk_x"}},
		{"https://user:pass@chat.example.com", "is not the address", []string{"RELAY_API_KEY=rk_x"}},
		{"https://chat.example.com", "is not a key", []string{"RELAY_API_KEY=rk_x\ny"}},
		{"https://chat.example.com", "no such file", []string{"RELAY_API_KEY_FILE=/nowhere/key"}},
	} {
		err := Elsewhere[0].Run(context.Background(), &Call{Words: []string{"conversations"}, Environ: c.environ}, c.address)
		if usage := (*UsageError)(nil); !errors.As(err, &usage) || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "rk_x") {
			t.Errorf("%q with %q ends with %v", c.address, c.environ, err)
		}
	}
}
