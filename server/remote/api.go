// Package remote is a client of a relay's admin API, for relay's own commands and for assistants. It
// imports nothing of relay but what everybody says.
package remote

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"
)

// maxAnswer bounds what is read of an answer of the API.
const maxAnswer = 16 << 20

// API is relay's admin API.
type API struct {
	Base string // its address, without a path
	// Client brings the key along: that of a request which is answered, or its own, see [WithKey].
	Client *http.Client
}

// Call makes a request and reads its answer into a value. An error is for people: a [Refusal], or
// why relay cannot be reached.
func (c *API) Call(ctx context.Context, method, path string, query url.Values, body, into any) error {
	r, err := c.request(ctx, method, path, query, body)
	if err != nil {
		return err
	}
	resp, err := c.Client.Do(r)
	if err != nil {
		return fmt.Errorf("relay cannot be reached at %s: %w", c.Base, err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		return fmt.Errorf("relay's answer broke off: %w", err)
	}
	if resp.StatusCode != http.StatusOK {
		return refusal(resp, data)
	}
	if err := json.Unmarshal(data, into); err != nil {
		return fmt.Errorf("what answers at %s is not relay", c.Base)
	}
	return nil
}

func (c *API) request(ctx context.Context, method, path string, query url.Values, body any) (*http.Request, error) {
	address := c.Base + "/api/admin/" + path
	if len(query) > 0 {
		address += "?" + query.Encode()
	}
	var content io.Reader
	if body != nil {
		data, err := json.Marshal(body)
		if err != nil {
			return nil, err
		}
		content = bytes.NewReader(data)
	}
	r, err := http.NewRequestWithContext(ctx, method, address, content)
	if err != nil {
		return nil, err
	}
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	return r, nil
}

// Refusal is the sentence with which the API refuses something.
type Refusal struct {
	Status int
	Text   string
}

// Error implements [error].
func (r *Refusal) Error() string { return r.Text }

func refusal(resp *http.Response, data []byte) error {
	var answer struct{ Error string }
	if json.Unmarshal(data, &answer) != nil || answer.Error == "" {
		return &Refusal{resp.StatusCode, "relay answers " + resp.Status}
	}
	if after := resp.Header.Get("Retry-After"); after != "" {
		answer.Error += ". Try again in " + after + " seconds"
	}
	return &Refusal{resp.StatusCode, answer.Error}
}

// Conversation is the path of a conversation, or of what is in it.
func Conversation(id, what string) string {
	return "sessions/" + url.PathEscape(id) + what
}

// Query makes a query of the values that are not empty, each behind its name.
func Query(pairs ...string) url.Values {
	q := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			q.Set(pairs[i], pairs[i+1])
		}
	}
	return q
}

// WithKey returns a client that brings a key along, and follows nobody elsewhere with it.
func WithKey(key string, patience time.Duration) *http.Client {
	return &http.Client{Transport: bearer(key), Timeout: patience, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// bearer is a key.
type bearer string

// RoundTrip implements [http.RoundTripper].
func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	r.Header.Set("User-Agent", "relay")
	return http.DefaultTransport.RoundTrip(r)
}
