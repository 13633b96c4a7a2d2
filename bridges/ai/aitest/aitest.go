// Package aitest has an OpenAI-compatible API for tests. It answers by a script
// and records what it was asked. It imports nothing of relay.
package aitest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

// Model is a fake endpoint, reached over the network at the address that Listen
// returns, or used directly as a transport.
type Model struct {
	t      testing.TB
	mu     sync.Mutex
	answer func(Request) Answer
	asked  []Request
	bell   chan struct{} // closed with the next request
}

// Request is a request to the endpoint.
type Request struct {
	Path, Key, Model string
	MaxTokens        int // max_tokens
	MaxCompletion    int // max_completion_tokens
	System, Data     string
	Input            []string // of embeddings
	Raw              string
}

// Answer is what the endpoint does with a request.
type Answer struct {
	Text   string
	Tokens int // 0: the endpoint does not count
	// Status is a status other than 200, with Error as its text.
	Status     int
	Error      string
	RetryAfter string
	// Body is the raw body of the answer.
	Body string
	// Cut: finish_reason is length.
	Cut bool
	// Half closes the connection in the middle of the answer.
	Half bool
	// Wait holds the answer back until it is closed.
	Wait <-chan struct{}
	// Vector makes the vector of a text.
	Vector func(text string) []float32
}

// New makes an endpoint whose answers come from a function.
func New(t testing.TB, answer func(Request) Answer) *Model {
	return &Model{t: t, answer: answer, bell: make(chan struct{})}
}

// Listen serves the endpoint until the end of the test and returns its base address,
// which ends in /v1.
func (s *Model) Listen() string {
	hs := httptest.NewServer(s)
	s.t.Cleanup(func() {
		hs.CloseClientConnections()
		hs.Close()
	})
	return hs.URL + "/v1"
}

// RoundTrip implements [http.RoundTripper]. The answer's body is never half.
func (s *Model) RoundTrip(r *http.Request) (*http.Response, error) {
	out := httptest.NewRecorder()
	s.ServeHTTP(out, r)
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	return out.Result(), nil
}

// Says returns a script that always answers the same text.
func Says(text string) func(Request) Answer {
	return func(Request) Answer { return Answer{Text: text, Tokens: 100} }
}

// Script replaces how the endpoint answers.
func (s *Model) Script(answer func(Request) Answer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answer = answer
}

// Asked returns every request so far.
func (s *Model) Asked() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request{}, s.asked...)
}

// Await waits until the endpoint was asked n times.
func (s *Model) Await(n int) {
	s.t.Helper()
	limit := time.After(20 * time.Second)
	for {
		s.mu.Lock()
		count, bell := len(s.asked), s.bell
		s.mu.Unlock()
		if count >= n {
			return
		}
		select {
		case <-bell:
		case <-limit:
			s.t.Fatalf("the model was asked %d times, not %d", count, n)
		}
	}
}

// ServeHTTP implements [http.Handler].
func (s *Model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	raw, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	request := parse(r, raw)
	s.mu.Lock()
	s.asked = append(s.asked, request)
	answer := s.answer(request)
	close(s.bell)
	s.bell = make(chan struct{})
	s.mu.Unlock()
	if answer.Wait != nil {
		select {
		case <-answer.Wait:
		case <-r.Context().Done():
			return
		}
	}
	answer.write(w, request)
}

func parse(r *http.Request, raw []byte) Request {
	var body struct {
		Model               string
		MaxTokens           int `json:"max_tokens"`
		MaxCompletionTokens int `json:"max_completion_tokens"`
		Messages            []struct{ Role, Content string }
		Input               []string
	}
	_ = json.Unmarshal(raw, &body) // the test notices missing fields
	out := Request{Path: r.URL.Path, Key: strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "), Model: body.Model,
		MaxTokens: body.MaxTokens, MaxCompletion: body.MaxCompletionTokens, Input: body.Input, Raw: string(raw)}
	for _, m := range body.Messages {
		if m.Role == "system" {
			out.System += m.Content
		} else {
			out.Data += m.Content
		}
	}
	return out
}

func (a *Answer) write(w http.ResponseWriter, request Request) {
	w.Header().Set("Content-Type", "application/json")
	if a.RetryAfter != "" {
		w.Header().Set("Retry-After", a.RetryAfter)
	}
	if a.Status != 0 {
		w.WriteHeader(a.Status)
		body := a.Body
		if body == "" {
			body = fmt.Sprintf(`{"error":{"message":%q,"type":"error"}}`, a.Error)
		}
		_, _ = io.WriteString(w, body)
		return
	}
	body := a.Body
	switch {
	case body != "":
	case a.Vector != nil:
		body = a.vectors(request.Input)
	default:
		body = a.completion(request.Model)
	}
	if a.Half {
		w.Header().Set("Content-Length", fmt.Sprint(len(body)))
		_, _ = io.WriteString(w, body[:len(body)/2])
		panic(http.ErrAbortHandler)
	}
	_, _ = io.WriteString(w, body) // relay may be gone
}

func (a *Answer) completion(model string) string {
	reason := "stop"
	if a.Cut {
		reason = "length"
	}
	out := map[string]any{"id": "1", "object": "chat.completion", "model": model,
		"choices": []any{map[string]any{"index": 0, "finish_reason": reason, "message": map[string]string{"role": "assistant", "content": a.Text}}}}
	if a.Tokens > 0 {
		out["usage"] = map[string]int{"total_tokens": a.Tokens}
	}
	data, _ := json.Marshal(out) // always succeeds
	return string(data)
}

func (a *Answer) vectors(texts []string) string {
	list := []any{}
	for i, text := range texts {
		list = append(list, map[string]any{"object": "embedding", "index": i, "embedding": a.Vector(text)})
	}
	data, _ := json.Marshal(map[string]any{"object": "list", "data": list}) // always succeeds
	return string(data)
}
