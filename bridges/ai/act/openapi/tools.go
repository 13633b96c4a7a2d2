package openapi

import (
	"encoding/json"
	"net/url"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/relay-chat/relay/server/chat"
)

// Tools are the tools of a server of the Model Context Protocol as actions that could be declared. Each
// changes something, whatever the server says of it: an administrator may say otherwise.
func Tools(endpoint, header string, tools []*mcp.Tool) chat.Operations {
	found := chat.Operations{Title: chat.HostOf(endpoint), Operations: []chat.Operation{}}
	r := &reading{taken: map[string]bool{}}
	for _, t := range tools {
		if len(found.Operations) == maxListed {
			found.More++
			continue
		}
		found.Operations = append(found.Operations, r.tool(endpoint, header, t))
	}
	return found
}

func (r *reading) tool(endpoint, header string, t *mcp.Tool) chat.Operation {
	u, _ := url.Parse(endpoint) // it was parsed before
	u.Fragment = t.Name
	out := chat.Operation{Name: r.name(object{"operationId": t.Name}, "tool", ""), About: line(t.Description, 500), Method: chat.MethodMCP, Path: chat.Clip(chat.OneLine(t.Name), 300),
		URL: u.String(), Changes: true, Header: header, Parameters: chat.Raw(none)}
	if out.About == "" {
		out.About = out.Path
	}
	if data, err := json.Marshal(t.InputSchema); err == nil && json.Unmarshal(data, &r.root) == nil {
		r.steps = maxSteps
		out.Parameters = r.input(r.schema(r.root, 0))
	}
	if err := usable(&out); err != nil {
		refuse(&out, err)
	}
	return out
}

// input is what a tool may be given: without what has no type and need not be there.
func (r *reading) input(schema object) chat.Raw {
	properties := part(schema, "properties")
	required, _ := schema["required"].([]string)
	for name, value := range properties {
		one, _ := value.(object)
		if kind, _ := one["type"].(string); kind == "" && !slices.Contains(required, name) {
			delete(properties, name)
		}
	}
	if properties == nil {
		return chat.Raw(none)
	}
	if required == nil {
		required = []string{}
	}
	return chat.Raw(chat.MustJSON(object{"type": "object", "properties": properties, "required": required}))
}
