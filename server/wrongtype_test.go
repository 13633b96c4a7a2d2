package server_test

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/relay-chat/relay/db/dbtest"
	"github.com/relay-chat/relay/server/oauth"
)

// TestWrongTypesAreNamed puts a value of the wrong type into every field of
// every body that the document describes: the error names the field's path.
func TestWrongTypesAreNamed(t *testing.T) {
	for name, s := range map[string]*site{"community": newSite(t, dbtest.Memory(t)), "bridge": newBridgeSite(t)} {
		t.Run(name, func(t *testing.T) {
			s.t = t
			variables := strings.NewReplacer("{site}", "main")
			if name == "community" {
				hook, _, _ := s.incoming(nil)
				s.must("PATCH", "/api/admin/settings", secretKey, object{"agentsEnabled": true})
				variables = strings.NewReplacer("{site}", "main", "/hooks/{token}", hook, "/agents/{key}", "/agents/"+publicKey)
			}
			for _, rt := range s.server.Routes() {
				method, path, _ := strings.Cut(rt, " ")
				schema, examples := bodyOf(method, path)
				key := publicKey
				if strings.HasPrefix(path, "/api/admin/") || path == "/mcp" {
					key = secretKey
				}
				for _, example := range examples {
					for _, w := range wrongs(schema, example) {
						a := s.call(method, pathVariable.ReplaceAllString(variables.Replace(path), "x"), key, w.body)
						if path == oauth.RegisterPath && a.text("error") == oauth.InvalidMetadata { // which has a place of its own for the text
							a.body = []byte(`{"error":"` + a.text("error_description") + `"}`)
						}
						if s.refused(a, 400, w.path); t.Failed() {
							t.Fatalf("%s took %v", rt, w.body)
						}
					}
				}
			}
		})
	}
}

// bodyOf returns what the document says of a route's JSON body: its schema and
// the examples.
func bodyOf(method, path string) (*openapi3.Schema, []object) {
	op := document().loose.Paths.Map()[path].GetOperation(method)
	if op.RequestBody == nil {
		return nil, nil
	}
	media := op.RequestBody.Value.Content["application/json"]
	if media == nil || media.Schema == nil {
		return nil, nil
	}
	all := []any{media.Example}
	for _, e := range media.Examples {
		all = append(all, e.Value.Value)
	}
	for _, e := range envelopes {
		if path == "/api/events" {
			all = append(all, with(e.body, "type", e.kind))
		}
	}
	examples := []object{}
	for _, example := range all {
		text, err := json.Marshal(example)
		var body object
		if err := errors.Join(err, json.Unmarshal(text, &body)); err != nil {
			panic(err)
		}
		if body != nil {
			delete(body, "identity") // beside it, its fields do not count
			examples = append(examples, body)
		}
	}
	return media.Schema.Value, examples
}

// wrong is a body with a value of the wrong type at a path.
type wrong struct {
	path string
	body object
}

// wrongs are the bodies that can be made of a right one by putting a value of
// the wrong type into one of the fields that a schema names.
func wrongs(schema *openapi3.Schema, right object) (list []wrong) {
	for name, field := range fieldsOf(schema, right) {
		for _, value := range wrongFor(field) {
			list = append(list, wrong{name, with(right, name, value)})
		}
		inner := []wrong{}
		given, _ := right[name].(map[string]any)
		if len(fieldsOf(field, given)) > 0 {
			inner = wrongs(field, given)
		}
		for _, w := range inner {
			list = append(list, wrong{name + "." + w.path, with(right, name, w.body)})
		}
		if !field.Type.Includes("array") {
			continue
		}
		items := field.Items.Value
		for _, value := range wrongFor(items) {
			list = append(list, wrong{name + "[] must be", with(right, name, []any{value})})
		}
		for _, w := range wrongs(items, object{}) {
			list = append(list, wrong{name + "[]." + w.path, with(right, name, []any{w.body})})
		}
	}
	return list
}

func with(right object, name string, value any) object {
	body := maps.Clone(right)
	if body == nil {
		body = object{}
	}
	body[name] = value
	return body
}

// fieldsOf are the fields that a schema names, with those of the alternative
// that a body's type chooses.
func fieldsOf(schema *openapi3.Schema, body object) map[string]*openapi3.Schema {
	fields := map[string]*openapi3.Schema{}
	for name, field := range schema.Properties {
		fields[name] = field.Value
	}
	for _, part := range slices.Concat(schema.AllOf, schema.AnyOf) {
		maps.Copy(fields, fieldsOf(part.Value, body))
	}
	for _, part := range schema.OneOf {
		if more := fieldsOf(part.Value, body); more["type"] == nil || more["type"].Const == body["type"] {
			maps.Copy(fields, more)
		}
	}
	return fields
}

// wrongFor are values of types that a schema does not allow.
func wrongFor(schema *openapi3.Schema) []any {
	switch {
	case schema == document().loose.Components.Schemas["GivenTime"].Value:
		return []any{"yesterday", 7, []any{}, object{}}
	case schema.Type.Includes("string"):
		return []any{7, object{}}
	case schema.Type.Includes("object"):
		return []any{7, []any{}}
	case schema.Type != nil:
		return []any{"x", object{}}
	}
	return nil
}
