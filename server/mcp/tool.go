package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/relay-chat/relay/server/remote"
)

// add adds a tool. It checks what assistants send against the tool's schema. What relay answers has
// the type that the schema is of: the SDK's own AddTool would read, check and write it once more,
// which takes longer than the API does.
func add[In, Out any](s *service, k kind, name, title, description string, run func(context.Context, *remote.API, In) (Out, error)) {
	takes, answers := schemaOf[In](), schemaOf[Out]()
	tool := &mcp.Tool{Name: name, Title: title, Description: description, Annotations: k.annotations(title), InputSchema: takes.Schema(), OutputSchema: answers.Schema()}
	s.server.AddTool(tool, func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		in, err := readArguments[In](r.Params.Arguments, takes)
		if err != nil {
			return refuse(err)
		}
		if s.lasting {
			defer reportProgress(ctx, r)()
		}
		out, err := run(ctx, s.api, in)
		if err != nil {
			return refuse(err)
		}
		return answer(out)
	})
}

// schemaOf returns the schema of a type, which is a struct of this package.
func schemaOf[T any]() *jsonschema.Resolved {
	schema, err := jsonschema.For[T](nil)
	var resolved *jsonschema.Resolved
	if err == nil {
		resolved, err = schema.Resolve(nil)
	}
	if err != nil {
		panic(err) // each start would
	}
	return resolved
}

func readArguments[In any](data json.RawMessage, schema *jsonschema.Resolved) (in In, err error) {
	if len(data) == 0 {
		data = json.RawMessage("{}")
	}
	values := map[string]any{}
	if err = json.Unmarshal(data, &values); err == nil {
		err = schema.Validate(values)
	}
	if err == nil {
		err = json.Unmarshal(data, &in)
	}
	if err != nil {
		err = fmt.Errorf("validating \"arguments\": %w", err)
	}
	return in, err
}

// refuse answers a mistake for the assistant to read, or the protocol's own error.
func refuse(err error) (*mcp.CallToolResult, error) {
	var own *jsonrpc.Error
	if errors.As(err, &own) {
		return nil, own
	}
	var result mcp.CallToolResult
	result.SetError(err)
	return &result, nil
}

// answer writes an answer once, for clients that read structure and for those that read text.
func answer(out any) (*mcp.CallToolResult, error) {
	data, err := json.Marshal(out)
	if err != nil {
		return nil, err
	}
	return &mcp.CallToolResult{StructuredContent: json.RawMessage(data), Content: []mcp.Content{&mcp.TextContent{Text: string(data)}}}, nil
}
