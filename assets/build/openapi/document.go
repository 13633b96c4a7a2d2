// Package openapi turns relay's OpenAPI document into what a page about it
// shows. It knows the parts of OpenAPI that the document uses, and imports a
// YAML parser beside the standard library.
package openapi

import (
	"errors"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"
)

// document is an OpenAPI document as it is written.
type document struct {
	Info struct {
		Title, Summary, Version, Description string
	}
	Tags []struct {
		Name, Description string
	}
	Paths      ordered[pathItem]
	Webhooks   ordered[pathItem]
	Components struct {
		SecuritySchemes ordered[securityScheme] `yaml:"securitySchemes"`
		Parameters      map[string]parameter
		Responses       ordered[response]
		Schemas         ordered[schema]
	}
}

type securityScheme struct {
	Type, Scheme, In, Name, Description string
}

type pathItem struct {
	Parameters                          []parameter
	Get, Head, Post, Put, Patch, Delete *operation
}

type operation struct {
	Tags        []string
	OperationID string `yaml:"operationId"`
	Summary     string
	Description string
	Security    []map[string][]string
	Parameters  []parameter
	RequestBody struct{ Content ordered[media] } `yaml:"requestBody"`
	Responses   ordered[response]
}

type parameter struct {
	Ref                   string `yaml:"$ref"`
	Name, In, Description string
	Required              bool
	Schema                schema
}

type response struct {
	Ref         string `yaml:"$ref"`
	Description string
	Content     ordered[media]
}

type media struct {
	Schema   *schema // of a stream: of one event or line
	Example  yaml.Node
	Excerpt  yaml.Node `yaml:"x-example"` // of a stream
	Examples ordered[struct {
		Summary string
		Value   yaml.Node
	}]
}

type schema struct {
	Ref         string `yaml:"$ref"`
	Type        oneOrMore
	Format      string
	Description string
	Pattern     string
	Const       yaml.Node
	Default     yaml.Node
	Unset       yaml.Node `yaml:"x-default"` // generators make what has a default required
	Enum        []yaml.Node
	MinLength   *int     `yaml:"minLength"`
	MaxLength   *int     `yaml:"maxLength"`
	Minimum     *float64 `yaml:"minimum"`
	Maximum     *float64 `yaml:"maximum"`
	MaxItems    *int     `yaml:"maxItems"`
	Items       *schema
	Properties  ordered[schema]
	Additional  yaml.Node `yaml:"additionalProperties"`
	Required    []string
	OneOf       []schema `yaml:"oneOf"`
	AnyOf       []schema `yaml:"anyOf"`
	AllOf       []schema `yaml:"allOf"`
}

// ordered is a mapping in the order in which it is written.
type ordered[T any] []entry[T]

type entry[T any] struct {
	Key   string
	Value T
}

// UnmarshalYAML implements [yaml.Unmarshaler].
func (o *ordered[T]) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind != yaml.MappingNode {
		return fmt.Errorf("line %d: a mapping is wanted", n.Line)
	}
	for i := 0; i < len(n.Content); i += 2 {
		e := entry[T]{Key: n.Content[i].Value}
		if err := n.Content[i+1].Decode(&e.Value); err != nil {
			return err
		}
		*o = append(*o, e)
	}
	return nil
}

// get returns the value of a key, or nil.
func (o ordered[T]) get(key string) *T {
	for i := range o {
		if o[i].Key == key {
			return &o[i].Value
		}
	}
	return nil
}

// oneOrMore is a list that may be written as its only member.
type oneOrMore []string

// UnmarshalYAML implements [yaml.Unmarshaler].
func (l *oneOrMore) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode {
		*l = oneOrMore{n.Value}
		return nil
	}
	return n.Decode((*[]string)(l))
}

// parse reads a document.
func parse(data []byte) (*document, error) {
	var d document
	if err := yaml.Unmarshal(data, &d); err != nil {
		return nil, fmt.Errorf("read the OpenAPI document: %w", err)
	}
	if len(d.Paths) == 0 {
		return nil, errors.New("read the OpenAPI document: it has no paths")
	}
	return &d, nil
}

// nameOf is the last part of a reference.
func nameOf(ref string) string { return ref[strings.LastIndexByte(ref, '/')+1:] }

// parameter follows a reference.
func (d *document) parameter(p parameter) parameter {
	if p.Ref == "" {
		return p
	}
	return d.Components.Parameters[nameOf(p.Ref)]
}

// response follows a reference.
func (d *document) response(r response) response {
	if found := d.Components.Responses.get(nameOf(r.Ref)); r.Ref != "" && found != nil {
		return *found
	}
	return r
}
