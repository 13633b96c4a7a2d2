package act

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/relay-chat/relay/server/chat"
)

// maxToolList is how much relay reads of the list of a server's tools, in bytes, and maxToolPages of how
// many pages.
const (
	maxToolList  = 1 << 20
	maxToolPages = 10
)

// asking is what requests to a server of the Model Context Protocol have: a secret, a key that is the same
// whenever the same is asked for again, and how much is read of each answer.
type asking struct {
	transport   http.RoundTripper
	header      string
	secret, key string
	most        int64
}

// RoundTrip implements [http.RoundTripper].
func (a *asking) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	if a.secret != "" {
		r.Header.Set(a.header, a.secret)
	}
	if a.key != "" {
		r.Header.Set("Idempotency-Key", a.key)
	}
	r.Header.Set("User-Agent", "relay")
	answer, err := a.transport.RoundTrip(r)
	if err == nil {
		answer.Body = struct {
			io.Reader
			io.Closer
		}{io.LimitReader(answer.Body, a.most), answer.Body}
	}
	return answer, err
}

// connect begins a conversation with a server, which is offered nothing.
func (a *asking) connect(ctx context.Context, endpoint string) (*mcp.ClientSession, error) {
	client := mcp.NewClient(&mcp.Implementation{Name: "relay", Version: "1"}, &mcp.ClientOptions{Capabilities: &mcp.ClientCapabilities{}})
	calls := &http.Client{Transport: a, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	return client.Connect(ctx, &mcp.StreamableClientTransport{Endpoint: endpoint, HTTPClient: calls, MaxRetries: -1, DisableStandaloneSSE: true, MaxEventSize: int(a.most)}, nil)
}

// errTools says nothing that the server said.
var errTools = errors.New("it does not answer as a server of the Model Context Protocol (streamable HTTP)")

// Tools lists the tools of a server.
func (c *Client) Tools(ctx context.Context, endpoint, header, secret string) (tools []*mcp.Tool, err error) {
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	session, err := (&asking{transport: c.transport, header: header, secret: secret, most: maxToolList}).connect(ctx, endpoint)
	if err != nil {
		return nil, errTools
	}
	defer session.Close()
	cursor := ""
	for range maxToolPages {
		page, err := session.ListTools(ctx, &mcp.ListToolsParams{Cursor: cursor})
		if err != nil {
			return nil, errTools
		}
		tools = append(tools, page.Tools...)
		if cursor = page.NextCursor; cursor == "" {
			break
		}
	}
	return tools, nil
}

// call calls a tool of a server once.
func (c *Client) call(ctx context.Context, t *Tool, args map[string]any, key, person string) (string, error) {
	asks := &asking{transport: c.transport, header: t.Header, secret: t.Secret, most: maxAnswer + 1}
	if t.Changes {
		asks.key = key
	}
	endpoint, tool := t.ToolAt()
	session, err := asks.connect(ctx, endpoint)
	if err != nil {
		return "", toolFailed(ctx, true)
	}
	defer session.Close()
	result, err := session.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: args})
	switch {
	case err != nil:
		return "", toolFailed(ctx, false)
	case result.IsError:
		return "", &Failure{Problem: "the tool says that it failed", Known: !t.Changes, Refused: !t.Changes}
	}
	body := said(result)
	if len(body) > maxAnswer {
		body = body[:maxAnswer]
	}
	if err := t.owned(body, person); err != nil {
		return "", err
	}
	return t.lines(body), nil
}

// toolFailed is why a tool gave no answer. known: it was not called.
func toolFailed(ctx context.Context, known bool) *Failure {
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return &Failure{Problem: "the server did not answer within " + callTime.String(), Known: known}
	case ctx.Err() != nil:
		return &Failure{Problem: chat.ErrStopped.Error(), Known: known}
	}
	return &Failure{Problem: "the server of the tool did not answer well", Known: known}
}

// said is what a tool answered: its structured content, or its texts.
func said(result *mcp.CallToolResult) []byte {
	if result.StructuredContent != nil {
		return chat.MustJSON(result.StructuredContent)
	}
	var texts []string
	for _, one := range result.Content {
		if text, is := one.(*mcp.TextContent); is {
			texts = append(texts, text.Text)
		}
	}
	return bytes.TrimSpace([]byte(strings.Join(texts, "\n")))
}
