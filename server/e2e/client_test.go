package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// request makes a request with a bearer key and decodes the JSON answer. It
// returns the status.
func request(ctx context.Context, method, url, key string, body, answer any, headers ...string) (status int, err error) {
	var data []byte
	if body != nil {
		if data, err = json.Marshal(body); err != nil {
			return 0, err
		}
	}
	url = strings.Replace(url, "//localhost", "//127.0.0.1", 1)
	req, err := http.NewRequestWithContext(ctx, method, url, bytes.NewReader(data))
	if err != nil {
		return 0, err
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("Content-Type", "application/json")
	if key != "" {
		req.Header.Set("Authorization", "Bearer "+key)
	}
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return 0, err
	}
	if answer != nil && json.Unmarshal(text, answer) != nil {
		return 0, fmt.Errorf("%s %s answers %s", method, url, text)
	}
	return resp.StatusCode, nil
}

// call is request, and fails the test without an answer.
func (in *instance) call(t *testing.T, method, url, key string, body, answer any) int {
	t.Helper()
	status, err := request(t.Context(), method, url, key, body, answer)
	if err != nil {
		t.Fatal(err)
	}
	return status
}

func (in *instance) get(t *testing.T, url, key string, answer any) int {
	t.Helper()
	return in.call(t, http.MethodGet, url, key, nil, answer)
}

// say lets a new visitor write and returns its session.
func (in *instance) say(t *testing.T, content string) (sessionID string) {
	t.Helper()
	var opened struct{ SessionID string }
	in.call(t, "POST", in.base+"/api/widget/init", in.public, map[string]any{"visitorId": "visitor-" + content}, &opened)
	if code := in.call(t, "POST", in.base+"/api/widget/messages", in.public,
		map[string]any{"sessionId": opened.SessionID, "content": content}, nil); code != 200 {
		t.Fatalf("sending answers %d", code)
	}
	return opened.SessionID
}

// history returns what was said in a session.
func (in *instance) history(t *testing.T, sessionID string) string {
	t.Helper()
	var list struct{ Messages []struct{ Content string } }
	in.get(t, in.base+"/api/widget/messages?sessionId="+sessionID, in.public, &list)
	var said []string
	for _, m := range list.Messages {
		said = append(said, m.Content)
	}
	return strings.Join(said, "|")
}

// eventually waits until ok returns true.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	deadline := time.Now().Add(patience)
	for !ok() {
		if time.Now().After(deadline) {
			t.Fatalf("not within %s: %s", patience, what)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

func containsAll(text string, parts ...string) bool {
	for _, part := range parts {
		if !strings.Contains(text, part) {
			return false
		}
	}
	return true
}
