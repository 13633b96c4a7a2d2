package openapi

import (
	"encoding/json"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Span is a piece of text: plain, code or a link.
type Span struct {
	Text, Link string
	Code       bool
}

// example renders a value: a text as it is, anything else as indented JSON in
// the order in which it is written.
func example(n *yaml.Node) string {
	if n.Kind == yaml.ScalarNode {
		return n.Value
	}
	var out strings.Builder
	render(&out, n, "\n")
	return out.String()
}

// compact renders a value as JSON on one line.
func compact(n *yaml.Node) string {
	var out strings.Builder
	render(&out, n, "")
	return out.String()
}

// render writes a value as JSON. newline begins a line; "" writes none.
func render(out *strings.Builder, n *yaml.Node, newline string) {
	if n.Kind == yaml.ScalarNode {
		out.WriteString(scalar(n))
		return
	}
	marks, step, inner := "[]", 1, newline
	if n.Kind == yaml.MappingNode {
		marks, step = "{}", 2
	}
	if newline != "" {
		inner += "  "
	}
	out.WriteByte(marks[0])
	for i := 0; i+step <= len(n.Content); i += step {
		if i > 0 {
			out.WriteString(",")
		}
		out.WriteString(inner)
		if step == 2 {
			out.WriteString(quote(n.Content[i].Value) + ": ")
		}
		render(out, n.Content[i+step-1], inner)
	}
	if len(n.Content) > 0 {
		out.WriteString(newline)
	}
	out.WriteByte(marks[1])
}

func scalar(n *yaml.Node) string {
	if n.Tag == "!!str" {
		return quote(n.Value)
	}
	return n.Value
}

func quote(text string) string {
	var out strings.Builder
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	_ = e.Encode(text) // a text always can be
	return strings.TrimSuffix(out.String(), "\n")
}
