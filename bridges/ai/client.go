package ai

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"
	"unicode/utf8"

	openai "github.com/sashabaranov/go-openai"

	"github.com/relay-chat/relay/server/chat"
)

// Limits of one call.
const (
	callTimeout  = 30 * time.Second
	maxAnswer    = 1 << 20 // bytes read of what the endpoint answers
	answerTokens = 2000    // a form has each sentence's quote as well
	// Models that think first need more, and count it as output.
	thinkingTokens = 6000
)

// Client talks to one OpenAI-compatible endpoint.
type Client struct {
	api       *openai.Client
	model     string
	embedding string
	// thinking: the model takes its limit as max_completion_tokens only.
	thinking atomic.Bool
	// formless: the endpoint knows no response_format; the form is asked for in words alone.
	formless atomic.Bool
	key      string
}

// NewClient makes a client of the endpoint that the settings name. transport
// decides which addresses may be reached.
func NewClient(settings chat.AI, transport http.RoundTripper) *Client {
	config := openai.DefaultConfig(settings.Key)
	config.BaseURL = endpoint(settings.BaseURL)
	config.HTTPClient = &doer{transport: transport, key: settings.Key}
	return &Client{api: openai.NewClientWithConfig(config), model: settings.Model, embedding: settings.EmbeddingModel, key: settings.Key}
}

// endpoint brings an address into the form that calls are added to: people write
// the host alone, or the address of the chat.
func endpoint(address string) string {
	address = strings.TrimRight(strings.TrimSuffix(strings.TrimRight(address, "/"), "/chat/completions"), "/")
	if u, err := url.Parse(address); err == nil && u.Path == "" {
		return address + "/v1"
	}
	return address
}

// Completion is what a model answered.
type Completion struct {
	Text   string
	Tokens int64 // of question and answer
	// Cut: the answer was longer than it may be.
	Cut bool
}

// Complete asks the model once.
func (c *Client) Complete(ctx context.Context, p Prompt) (Completion, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	done, err := c.complete(ctx, p)
	if wantsOtherLimit(err) && !c.thinking.Swap(true) {
		done, err = c.complete(ctx, p)
	}
	if p.Form && refusesForm(err) && !c.formless.Swap(true) {
		done, err = c.complete(ctx, p)
	}
	if err != nil {
		return Completion{}, explain(err, c.key)
	}
	return done, nil
}

// refusesForm reports whether the endpoint refuses a request, as those do that cannot keep a form.
func refusesForm(err error) bool {
	var refused *openai.APIError
	if !errors.As(err, &refused) || refused.HTTPStatusCode != http.StatusBadRequest && refused.HTTPStatusCode != http.StatusUnprocessableEntity {
		return false
	}
	reason := strings.ToLower(refused.Message)
	return strings.Contains(reason, "response_format") || strings.Contains(reason, "json_schema") || strings.Contains(reason, "schema") || strings.Contains(reason, "structured")
}

func (c *Client) complete(ctx context.Context, p Prompt) (Completion, error) {
	request := openai.ChatCompletionRequest{Model: c.model, MaxTokens: answerTokens, Messages: []openai.ChatCompletionMessage{
		{Role: openai.ChatMessageRoleSystem, Content: p.System}, {Role: openai.ChatMessageRoleUser, Content: p.Data}}}
	if c.thinking.Load() {
		request.MaxTokens, request.MaxCompletionTokens = 0, thinkingTokens
	}
	if p.Form && !c.formless.Load() {
		request.ResponseFormat = &openai.ChatCompletionResponseFormat{Type: openai.ChatCompletionResponseFormatTypeJSONSchema,
			JSONSchema: &openai.ChatCompletionResponseFormatJSONSchema{Name: "answer", Schema: p.schema(), Strict: true}}
	}
	answer, err := c.api.CreateChatCompletion(ctx, request)
	if err != nil {
		return Completion{}, err
	}
	if len(answer.Choices) == 0 {
		return Completion{}, errNoText
	}
	choice := answer.Choices[0]
	done := Completion{Text: withoutThoughts(choice.Message.Content), Tokens: int64(answer.Usage.TotalTokens),
		Cut: choice.FinishReason == openai.FinishReasonLength}
	switch {
	case choice.FinishReason == openai.FinishReasonContentFilter:
		return Completion{}, errFiltered
	case done.Text == "":
		return Completion{}, errEmpty
	}
	if done.Tokens <= 0 { // some endpoints do not count
		done.Tokens = p.tokens() + int64(utf8.RuneCountInString(done.Text))/4 + 1
	}
	return done, nil
}

// withoutThoughts takes out what a model that thinks aloud says to itself, in one pass.
// The beginning of a thought may be part of the model's template, and its end missing.
func withoutThoughts(text string) string {
	const begin, end = "<think>", "</think>"
	var said strings.Builder
	for thinks := false; text != ""; {
		next := strings.IndexByte(text[1:], '<') + 1 // the next tag, 0 if there is none
		switch {
		case strings.HasPrefix(text, begin):
			thinks, text = true, text[len(begin):]
			continue
		case strings.HasPrefix(text, end):
			if !thinks {
				said.Reset()
			}
			thinks, text = false, text[len(end):]
			continue
		case next == 0:
			next = len(text)
		}
		if !thinks {
			said.WriteString(text[:next])
		}
		text = text[next:]
	}
	return strings.TrimSpace(strings.ToValidUTF8(said.String(), ""))
}

// wantsOtherLimit reports whether the endpoint refuses max_tokens, as those of
// models that think do.
func wantsOtherLimit(err error) bool {
	var refused *openai.APIError
	if errors.As(err, &refused) && refused.HTTPStatusCode == http.StatusBadRequest {
		return strings.Contains(refused.Message, "max_completion_tokens")
	}
	return errors.Is(err, openai.ErrReasoningModelMaxTokensDeprecated)
}

// Embed returns the vectors of texts.
func (c *Client) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	answer, err := c.api.CreateEmbeddings(ctx, openai.EmbeddingRequestStrings{Input: texts, Model: openai.EmbeddingModel(c.embedding)})
	if err != nil {
		return nil, explain(err, c.key)
	}
	vectors := make([][]float32, len(texts))
	for _, e := range answer.Data {
		if e.Index < 0 || e.Index >= len(texts) {
			return nil, errNoText
		}
		vectors[e.Index] = e.Embedding
	}
	for _, v := range vectors {
		if len(v) == 0 {
			return nil, errNoText
		}
	}
	return vectors, nil
}

// Tested is how an endpoint answered a test question.
type Tested struct {
	Text   string
	Tokens int64
	Took   time.Duration
}

// Test asks the model one question that needs no knowledge.
func (c *Client) Test(ctx context.Context) (Tested, error) {
	begun := time.Now()
	done, err := c.Complete(ctx, testPrompt)
	text := chat.Clip(chat.OneLine(done.Text), 200)
	return Tested{Text: text, Tokens: done.Tokens, Took: time.Since(begun)}, err
}
