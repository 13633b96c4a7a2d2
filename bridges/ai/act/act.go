// Package act makes the requests that a model asks for: it checks what the model gave against the
// declared parameters, adds who the visitor is, and reads the answer as data. It imports package chat.
package act

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/relay-chat/relay/server/chat"
)

// Tool is an action that is ready for use.
type Tool struct {
	chat.Action
	// asked is the schema of what the model gives: without the visitor's identity.
	asked *jsonschema.Schema
	check *jsonschema.Resolved
}

// maxArguments bounds what a model may give, in bytes.
const maxArguments = 4 << 10

// simple are the types of a parameter that can stand in an address.
var simple = []string{"string", "integer", "number", "boolean"}

// Prepare reads an action's parameters, and reports at its fields what is wrong with them.
func Prepare(a *chat.Action) (*Tool, error) {
	wrong := func(field, format string, args ...any) error {
		return chat.ErrorAt(chat.Invalid, field, field+" "+fmt.Sprintf(format, args...))
	}
	schema := &jsonschema.Schema{}
	if err := json.Unmarshal(a.Parameters, schema); err != nil || schema.Type != "object" || schema.Ref != "" {
		return nil, wrong("parameters", `must be a JSON Schema like {"type":"object","properties":{"order":{"type":"string"}},"required":["order"]}`)
	}
	for name, property := range schema.Properties {
		if property == nil || property.Type == "" {
			return nil, wrong("parameters", "must say the type of %q", chat.Clip(chat.OneLine(name), 60))
		}
	}
	for _, name := range append(a.InPath(), a.Identity) {
		property := schema.Properties[name]
		switch {
		case name == "" || name == a.Identity && property == nil && !slices.Contains(a.InPath(), name):
		case property == nil && name != a.Identity:
			return nil, wrong("parameters", "must have %q, which is in the address", name)
		case property != nil && !slices.Contains(simple, property.Type):
			return nil, wrong("parameters", "must say that %q is of the type %s", name, strings.Join(simple, ", "))
		case name != a.Identity && !slices.Contains(schema.Required, name):
			return nil, wrong("parameters", "must say that %q is required, as it is in the address", name)
		}
	}
	delete(schema.Properties, a.Identity)
	schema.Required = slices.DeleteFunc(schema.Required, func(name string) bool { return name == a.Identity })
	schema.AdditionalProperties = &jsonschema.Schema{Not: &jsonschema.Schema{}} // nothing that is not declared
	check, err := schema.Resolve(nil)
	if err != nil {
		return nil, wrong("parameters", "is no JSON Schema that relay can use: %s", chat.Clip(chat.OneLine(err.Error()), 200))
	}
	return &Tool{*a, schema, check}, nil
}

// Schema is the schema of what the model gives, in JSON.
func (t *Tool) Schema() string {
	shown := *t.asked
	shown.AdditionalProperties = nil
	return string(chat.MustJSON(&shown))
}

// Errors of what a model gave.
var (
	errArguments = errors.New("what the AI gave is no JSON object")
	errUnsafe    = errors.New("what the AI gave cannot stand in an address")
	errPerson    = errors.New("the visitor's identity is not verified")
)

// Arguments checks what a model gave against the declared parameters, and adds the visitor's
// verified id. Nothing that the model says of that is used.
func (t *Tool) Arguments(given, person string) (map[string]any, error) {
	if t.Verified && person == "" {
		return nil, errPerson
	}
	args, err := decode(given)
	if err != nil {
		return nil, err
	}
	if err := t.check.Validate(measured(args)); err != nil {
		return nil, errors.New("what the AI gave does not fit the declared parameters")
	}
	if t.Identity != "" {
		args[t.Identity] = person
	}
	for _, name := range t.InPath() {
		if _, err := pathValue(args[name]); err != nil {
			return nil, err
		}
	}
	return args, nil
}

// decode reads an object, whose numbers stay as they are written.
func decode(given string) (map[string]any, error) {
	if strings.TrimSpace(given) == "" {
		given = "{}"
	}
	if len(given) > maxArguments {
		return nil, errArguments
	}
	decoder := json.NewDecoder(strings.NewReader(given))
	decoder.UseNumber()
	var args map[string]any
	if err := decoder.Decode(&args); err != nil || args == nil {
		return nil, errArguments
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errArguments
	}
	return args, nil
}

// measured is a value as it is checked: its numbers are numbers, and not how they are written.
func measured(value any) any {
	switch v := value.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for name, one := range v {
			out[name] = measured(one)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, one := range v {
			out[i] = measured(one)
		}
		return out
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return n
		}
		if f, err := v.Float64(); err == nil {
			return f
		}
		return nil // it is too large, and fits nothing
	}
	return value
}

// pathUnsafe is what a server may read as more than one part of a path.
var pathUnsafe = regexp.MustCompile(`[/\\%?#;\x00-\x1f\x7f]|^\.{1,2}$|^$`)

// pathValue is a value as one part of a path.
func pathValue(value any) (string, error) {
	text, err := plain(value)
	if err != nil || pathUnsafe.MatchString(text) {
		return "", errUnsafe
	}
	return url.PathEscape(text), nil
}

// plain is a simple value as a text.
func plain(value any) (string, error) {
	switch v := value.(type) {
	case string:
		return v, nil
	case json.Number:
		return v.String(), nil
	case bool:
		return fmt.Sprint(v), nil
	}
	return "", errUnsafe
}

// Request is what is sent.
type Request struct {
	Method, URL string
	Body        []byte // nil for none
}

// Request makes a request of checked arguments.
func (t *Tool) Request(args map[string]any) (Request, error) {
	rest := maps.Clone(args)
	var failed error
	out := Request{Method: t.Method, URL: t.PathWith(func(name string) string {
		delete(rest, name)
		text, err := pathValue(args[name])
		failed = errors.Join(failed, err)
		return text
	})}
	u, err := url.Parse(out.URL)
	if failed = errors.Join(failed, err); failed != nil {
		return out, errUnsafe
	}
	if t.Method != "GET" && t.Method != "DELETE" { // a tool's arguments, too
		out.Body = compact(rest)
		return out, nil
	}
	query := u.Query()
	for name, value := range rest {
		text, err := plain(value)
		if err != nil {
			text = string(compact(value))
		}
		query.Set(name, text)
	}
	u.RawQuery = query.Encode()
	out.URL = u.String()
	return out, nil
}

// compact is a value as JSON, in which signs stay as they are.
func compact(value any) []byte {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(value) // always succeeds: it was decoded from JSON
	return bytes.TrimSpace(b.Bytes())
}

// maxShown is how much of a request people read, in characters.
const maxShown = 2000

// Show is a request as people read it, in one line: its secret is no part of it.
func (r *Request) Show() string { return chat.Clip(r.line(), maxShown) }

// Whole reports whether Show shows all of it.
func (r *Request) Whole() bool { return utf8.RuneCountInString(r.line()) <= maxShown }

func (r *Request) line() string {
	return chat.OneLine(strings.TrimSpace(r.Method + " " + r.URL + " " + string(r.Body)))
}
