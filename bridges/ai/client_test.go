package ai

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/relay-chat/relay/bridges/ai/aitest"
	"github.com/relay-chat/relay/server/chat"
)

var question1 = Prompt{System: "rules", Data: "When do you open?"}

func clientOf(model *aitest.Model, base string) *Client {
	return NewClient(chat.AI{BaseURL: base, Key: "sk-secret", Model: "m", EmbeddingModel: "e"}, model)
}

// TestEndpoint: addresses work as people write them.
func TestEndpoint(t *testing.T) {
	for given, want := range map[string]string{
		"http://localhost:11434": "http://localhost:11434/v1", "http://localhost:11434/": "http://localhost:11434/v1",
		"https://api.openai.com/v1": "https://api.openai.com/v1", "https://api.openai.com/v1/": "https://api.openai.com/v1",
		"https://x.example/v1/chat/completions": "https://x.example/v1", "https://x.example/openai/v1/": "https://x.example/openai/v1",
	} {
		if got := endpoint(given); got != want {
			t.Errorf("%s becomes %s, want %s", given, got, want)
		}
	}
}

func TestComplete(t *testing.T) {
	model := aitest.New(t, aitest.Says("<think>secret plans</think>\nWe open at 7."))
	done, err := clientOf(model, "http://model.example").Complete(t.Context(), question1)
	if err != nil || done.Text != "We open at 7." || done.Tokens != 100 {
		t.Errorf("%+v, %v", done, err)
	}
	asked := model.Asked()[0]
	if asked.Path != "/v1/chat/completions" || asked.Key != "sk-secret" || asked.Model != "m" || asked.System != "rules" || asked.Data != question1.Data || asked.MaxTokens != answerTokens {
		t.Errorf("asked %+v", asked)
	}
	model.Script(func(aitest.Request) aitest.Answer { return aitest.Answer{Text: "Hello there, visitor."} })
	if done, _ := clientOf(model, "http://model.example").Complete(t.Context(), question1); done.Tokens < 5 || done.Tokens > 20 {
		t.Errorf("an endpoint that does not count used %d", done.Tokens)
	}
}

// TestThinkingModels: models that think take their limit under another name only.
func TestThinkingModels(t *testing.T) {
	model := aitest.New(t, func(r aitest.Request) aitest.Answer {
		if r.MaxTokens != 0 {
			return aitest.Answer{Status: 400, Error: "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."}
		}
		return aitest.Answer{Text: "Yes.", Tokens: 9}
	})
	client := clientOf(model, "http://model.example")
	for range 2 {
		if done, err := client.Complete(t.Context(), question1); err != nil || done.Text != "Yes." {
			t.Fatalf("%+v, %v", done, err)
		}
	}
	if n := len(model.Asked()); n != 3 {
		t.Errorf("asked %d times: the name of the limit was not remembered", n)
	}
}

// TestFailures: whatever an endpoint does ends in words that say what to do, and
// never in the key or the endpoint's own words.
func TestFailures(t *testing.T) {
	tests := []struct {
		name   string
		answer aitest.Answer
		want   string
		final  bool
		wait   time.Duration
	}{
		{"bad key", aitest.Answer{Status: 401, Error: "Incorrect API key provided: sk-secret"}, "refuses the API key (401)", true, 0},
		{"no such model", aitest.Answer{Status: 404, Error: "model m"}, "does not know the address or the model", true, 0},
		{"unpaid", aitest.Answer{Status: 402, Error: "pay"}, "wants to be paid", true, 0},
		{"moved", aitest.Answer{Status: 302, Error: "moved"}, "follows no redirects", true, 0},
		{"broken", aitest.Answer{Status: 500, Error: "sk-secret"}, "answered 500", false, 0},
		{"too many", aitest.Answer{Status: 429, RetryAfter: "7"}, "429", false, 7 * time.Second},
		{"too many, without saying", aitest.Answer{Status: 429}, "429", false, 0},
		{"garbage", aitest.Answer{Body: "<html>Welcome</html>"}, "cannot be read", false, 0},
		{"other JSON", aitest.Answer{Body: `{"choices":"none"}`}, "cannot be read", false, 0},
		{"nothing", aitest.Answer{Body: `{}`}, "has no text", false, 0},
		{"empty", aitest.Answer{Text: "<think>hm</think>"}, "the model's answer is empty", false, 0},
		{"refused", aitest.Answer{Status: 400, Error: "This model's maximum context length is 8192 tokens (sk-secret)."}, "(400): This model's maximum context length is 8192 tokens ([key])", true, 0},
		{"refused at another", aitest.Answer{Status: 422, Error: "model m is not a chat model\n" + strings.Repeat("x", 900)}, "(422): model m is not a chat model xxx", true, 0},
		{"refused without a word", aitest.Answer{Status: 400}, "answered 400", false, 0},
		{"filtered", aitest.Answer{Body: `{"choices":[{"finish_reason":"content_filter","message":{"content":""}}]}`}, "content filter stopped", true, 0},
		{"filtered question", aitest.Answer{Status: 400, Body: `{"error":{"code":"content_filter","message":"The prompt was filtered"}}`}, "content filter stopped", true, 0},
		{"huge", aitest.Answer{Body: `{"choices":[{"message":{"content":"` + strings.Repeat("a", maxAnswer) + `"}}]}`}, "too large", false, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			model := aitest.New(t, func(aitest.Request) aitest.Answer { return tt.answer })
			_, err := clientOf(model, "http://model.example/v1").Complete(t.Context(), question1)
			var f *Failure
			if !errors.As(err, &f) || !strings.Contains(f.Problem, tt.want) || f.Final != tt.final || f.Wait != tt.wait || f.Fix == "" {
				t.Fatalf("got %+v (%v)", f, err)
			}
			if strings.Contains(f.Problem+f.Fix, "sk-secret") {
				t.Errorf("it names the key: %+v", f)
			}
		})
	}
}

// TestHalfAnswer: an answer that breaks off is none.
func TestHalfAnswer(t *testing.T) {
	model := aitest.New(t, func(aitest.Request) aitest.Answer { return aitest.Answer{Text: "Half of it", Half: true} })
	client := NewClient(chat.AI{BaseURL: model.Listen(), Model: "m"}, http.DefaultTransport)
	_, err := client.Complete(t.Context(), question1)
	var f *Failure
	if !errors.As(err, &f) || f.Final {
		t.Errorf("got %v", err)
	}
	if key := model.Asked()[0].Key; key != "" {
		t.Errorf("without a key it sends %q", key)
	}
}

// TestStall: an endpoint that says nothing is given up after 30 s.
func TestStall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		model := aitest.New(t, func(aitest.Request) aitest.Answer { return aitest.Answer{Wait: make(chan struct{})} })
		begun := time.Now()
		_, err := clientOf(model, "http://model.example").Complete(context.Background(), question1)
		var f *Failure
		if !errors.As(err, &f) || !strings.Contains(f.Problem, "within 30s") || time.Since(begun) != callTimeout {
			t.Errorf("after %s: %v", time.Since(begun), err)
		}
	})
}

func TestEmbed(t *testing.T) {
	model := aitest.New(t, func(aitest.Request) aitest.Answer {
		return aitest.Answer{Vector: func(text string) []float32 { return []float32{float32(len(text)), 1} }}
	})
	client := clientOf(model, "http://model.example")
	vectors, err := client.Embed(t.Context(), []string{"one", "three"})
	if err != nil || len(vectors) != 2 || vectors[0][0] != 3 || vectors[1][0] != 5 {
		t.Errorf("%v, %v", vectors, err)
	}
	for _, body := range []string{`{"data":[]}`, `{"data":[{"index":7,"embedding":[1]}]}`, `{"data":[{"index":0,"embedding":[]},{"index":1,"embedding":[1]}]}`} {
		model.Script(func(aitest.Request) aitest.Answer { return aitest.Answer{Body: body} })
		if _, err := client.Embed(t.Context(), []string{"one", "two"}); err == nil {
			t.Errorf("%s is accepted", body)
		}
	}
}
