package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"strconv"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// Limits of a file of YAML or JSON: a reference inside YAML can stand for many values.
const (
	maxDepth = 100
	maxNodes = 200_000
)

var errTooMuch = errors.New("there are too many values in values, or references to them")

// parseTree reads YAML or JSON. An error comes with its line.
func parseTree(path string, data []byte) (root *yaml.Node, line int, err error) {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	switch {
	case !utf8.Valid(data):
		return nil, 1, errors.New("the file is not UTF-8 text: save it as that")
	case len(bytes.TrimSpace(data)) == 0:
		return nil, 1, errors.New("the file is empty; it must begin with sites: and list websites below it")
	}
	isJSON := filepath.Ext(path) == ".json"
	if isJSON || bytes.TrimSpace(data)[0] == '{' {
		if root, line, err = parseJSON(data); err == nil || isJSON {
			return root, line, err
		}
	}
	return parseYAML(data)
}

var yamlProblem = regexp.MustCompile(`^yaml: (?:line (\d+): )?(.*)`)

func parseYAML(data []byte) (*yaml.Node, int, error) {
	var doc, more yaml.Node
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	err := decoder.Decode(&doc)
	if errors.Is(err, io.EOF) || err == nil && len(doc.Content) == 0 {
		return nil, 1, errors.New("the file has nothing but comments; it must begin with sites: and list websites below it")
	}
	if err == nil {
		if err := decoder.Decode(&more); errors.Is(err, io.EOF) {
			return follow(doc.Content[0]), 0, nil
		}
		return nil, max(more.Line, 1), errors.New("the file must be a single document, without --- in between")
	}
	found := yamlProblem.FindStringSubmatch(err.Error())
	if found == nil {
		return nil, 1, err
	}
	line, _ := strconv.Atoi(found[1])
	return nil, max(line, 1), errors.New("this is not YAML: " + found[2])
}

// follow returns what a reference in YAML stands for.
func follow(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}

// merged returns a mapping with what its << refers to; own values win.
func merged(n *yaml.Node) (*yaml.Node, int, error) {
	if n.Kind != yaml.MappingNode {
		return n, 0, nil
	}
	out, more := *n, []*yaml.Node{}
	out.Content = nil
	names := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].ShortTag() == "!!merge" {
			more = append(more, follow(n.Content[i+1]))
			continue
		}
		names[n.Content[i].Value] = true
		out.Content = append(out.Content, n.Content[i], n.Content[i+1])
	}
	for i := 0; i < len(more) && i < maxDepth; i++ {
		from := more[i]
		if from.Kind == yaml.SequenceNode {
			for _, item := range from.Content {
				more = append(more, follow(item))
			}
			continue
		}
		if from.Kind != yaml.MappingNode {
			return nil, from.Line, errors.New("<< must refer to settings, like *common")
		}
		for j := 0; j+1 < len(from.Content); j += 2 {
			switch key := from.Content[j]; {
			case key.ShortTag() == "!!merge":
				more = append(more, follow(from.Content[j+1]))
			case !names[key.Value]:
				names[key.Value] = true
				out.Content = append(out.Content, key, from.Content[j+1])
			}
		}
	}
	return &out, 0, nil
}

// toJSON returns a value as JSON, or the line of what JSON cannot say.
func toJSON(n *yaml.Node) (value json.RawMessage, line int, err error) {
	c := &converter{}
	v := c.convert(n, 0)
	if c.err != nil {
		return nil, c.line, c.err
	}
	value, err = json.Marshal(v)
	return value, n.Line, err
}

type converter struct {
	nodes, line int
	err         error
}

func (c *converter) fail(n *yaml.Node, err error) any {
	if c.err == nil {
		c.line, c.err = n.Line, err
	}
	return nil
}

func (c *converter) convert(n *yaml.Node, depth int) any {
	c.nodes++
	if c.nodes > maxNodes || depth > maxDepth {
		return c.fail(n, errTooMuch)
	}
	n = follow(n)
	switch n.Kind {
	case yaml.MappingNode:
		return c.object(n, depth)
	case yaml.SequenceNode:
		list := []any{}
		for _, item := range n.Content {
			if c.err == nil {
				list = append(list, c.convert(item, depth+1))
			}
		}
		return list
	}
	return c.scalar(n)
}

func (c *converter) object(n *yaml.Node, depth int) any {
	n, line, err := merged(n)
	if err != nil {
		return c.fail(&yaml.Node{Line: line}, err)
	}
	object := map[string]any{}
	for i := 0; i+1 < len(n.Content) && c.err == nil; i += 2 {
		key := n.Content[i]
		if _, twice := object[key.Value]; twice {
			return c.fail(key, fmt.Errorf("%s is given twice", key.Value))
		}
		object[key.Value] = c.convert(n.Content[i+1], depth+1)
	}
	return object
}

// scalar returns a text for whatever JSON has no type of, like a date.
func (c *converter) scalar(n *yaml.Node) any {
	switch n.ShortTag() {
	case "!!null":
		return nil
	case "!!bool", "!!int", "!!float":
		if json.Valid([]byte(n.Value)) {
			return json.RawMessage(n.Value)
		}
		var v any
		if err := n.Decode(&v); err != nil {
			return c.fail(n, errors.New(strconv.Quote(n.Value)+" is no value"))
		}
		if _, err := json.Marshal(v); err != nil {
			return c.fail(n, errors.New(strconv.Quote(n.Value)+" is no number"))
		}
		return v
	}
	return n.Value
}

// jsonTree reads JSON with the line of each value.
type jsonTree struct {
	data    []byte
	decoder *json.Decoder
	counted int64
	lines   int
}

func parseJSON(data []byte) (*yaml.Node, int, error) {
	t := &jsonTree{data: data, decoder: json.NewDecoder(bytes.NewReader(data)), lines: 1}
	t.decoder.UseNumber()
	root, err := t.value(0)
	if err == nil {
		if _, more := t.decoder.Token(); !errors.Is(more, io.EOF) {
			err = errors.New("there is more after its end")
		}
	}
	if err == nil {
		return root, 0, nil
	}
	line := t.line()
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &syntax):
		line = 1 + bytes.Count(data[:min(syntax.Offset, int64(len(data)))], []byte("\n"))
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		line, err = 1+bytes.Count(bytes.TrimSpace(data), []byte("\n")), errors.New("it ends too early")
	}
	return nil, line, fmt.Errorf("this is not JSON: %w", err)
}

// line is that of the token that was read last.
func (t *jsonTree) line() int {
	at := min(t.decoder.InputOffset(), int64(len(t.data)))
	t.lines += bytes.Count(t.data[t.counted:at], []byte("\n"))
	t.counted = at
	return t.lines
}

func (t *jsonTree) value(depth int) (*yaml.Node, error) {
	token, err := t.decoder.Token()
	if err != nil {
		return nil, err
	}
	if depth > maxDepth {
		return nil, errTooMuch
	}
	n := &yaml.Node{Kind: yaml.ScalarNode, Line: t.line()}
	switch v := token.(type) {
	case json.Delim:
		n.Kind = map[json.Delim]yaml.Kind{'{': yaml.MappingNode, '[': yaml.SequenceNode}[v]
		for t.decoder.More() {
			item, err := t.value(depth + 1)
			if err != nil {
				return nil, err
			}
			n.Content = append(n.Content, item)
		}
		_, err = t.decoder.Token()
	case string:
		n.Tag, n.Value = "!!str", v
	case json.Number:
		n.Tag, n.Value = "!!float", v.String()
	case bool:
		n.Tag, n.Value = "!!bool", strconv.FormatBool(v)
	default:
		n.Tag = "!!null"
	}
	return n, err
}
