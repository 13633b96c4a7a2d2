package server_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// validators are the schemas of the document that were compiled. kin-openapi, which is asked
// about what they do not accept, compiles a schema for every answer: half of all these tests' time.
var validators sync.Map // *openapi3.Schema → func() *jsonschema.Schema

// accepts reports whether a value is surely as a schema of the strict document says.
func accepts(schema *openapi3.Schema, value any) bool {
	compiled, known := validators.Load(schema)
	if !known {
		compiled, _ = validators.LoadOrStore(schema, sync.OnceValue(func() *jsonschema.Schema { return components().compile(schema) }))
	}
	validator := compiled.(func() *jsonschema.Schema)()
	return validator != nil && validator.Validate(value) == nil
}

// acceptsText is accepts of a JSON text.
func acceptsText(schema *openapi3.Schema, text []byte) bool {
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	return err == nil && accepts(schema, value)
}

// schemas compiles schemas that refer to the document's components.
type schemas struct {
	mu       sync.Mutex
	compiler *jsonschema.Compiler
	compiled int
}

// home is the address of the components among the compiler's resources.
const home = "https://relay.test/openapi.json"

var components = sync.OnceValue(func() *schemas {
	s := &schemas{compiler: jsonschema.NewCompiler()}
	s.compiler.DefaultDraft(jsonschema.Draft2020)
	for name := range openapi3.SchemaStringFormats {
		s.format(name)
	}
	for _, name := range []string{"int32", "int64", "float", "double"} {
		s.format(name)
	}
	s.compiler.AssertFormat()
	all, err := plain(map[string]any{"components": map[string]any{"schemas": document().strict.Components.Schemas}})
	if err == nil {
		err = s.compiler.AddResource(home, all)
	}
	if err != nil {
		panic(err)
	}
	return s
})

// format checks a format as kin-openapi does.
func (s *schemas) format(name string) {
	s.compiler.RegisterFormat(&jsonschema.Format{Name: name, Validate: func(value any) error {
		switch v := value.(type) {
		case string:
			if f, known := openapi3.SchemaStringFormats[name]; known {
				return f.Validate(v)
			}
		case json.Number:
			if n, err := v.Float64(); err == nil && n == math.Trunc(n) {
				if f, known := openapi3.SchemaIntegerFormats[name]; known {
					return f.Validate(int64(n))
				}
			}
		}
		return nil
	}})
}

// compile returns nil for what cannot be compiled.
func (s *schemas) compile(schema *openapi3.Schema) *jsonschema.Schema {
	s.mu.Lock()
	defer s.mu.Unlock()
	text, err := json.Marshal(schema)
	if err != nil {
		return nil
	}
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(strings.ReplaceAll(string(text), `"#/components/`, `"`+home+`#/components/`)))
	if err != nil {
		return nil
	}
	s.compiled++
	at := fmt.Sprintf("https://relay.test/%d.json", s.compiled)
	if err := s.compiler.AddResource(at, value); err != nil {
		return nil
	}
	compiled, err := s.compiler.Compile(at)
	if err != nil {
		return nil
	}
	return compiled
}

// plain is a value as its JSON says it.
func plain(v any) (any, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	return jsonschema.UnmarshalJSON(bytes.NewReader(text))
}
