package server_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// schemas are those of a document, each compiled once. kin-openapi, which is asked about what
// they do not accept, compiles a schema for every value: half of all these tests' time.
type schemas struct {
	mu       sync.Mutex
	compiler *jsonschema.Compiler
	known    map[*openapi3.Schema]*jsonschema.Schema // nil: it cannot be compiled
}

// The schemas of answers and of requests.
var (
	answers  = sync.OnceValue(func() *schemas { return schemasOf(document().strict) })
	requests = sync.OnceValue(func() *schemas { return schemasOf(document().loose) })
)

// accept reports whether a JSON text is surely as a schema of the document says.
func (s *schemas) accept(schema *openapi3.Schema, text []byte) bool {
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return false
	}
	compiled := s.compiled(schema)
	return compiled != nil && compiled.Validate(value) == nil
}

func (s *schemas) compiled(schema *openapi3.Schema) *jsonschema.Schema {
	s.mu.Lock()
	defer s.mu.Unlock()
	compiled, known := s.known[schema]
	if !known {
		compiled, _ = s.compile(schema)
		s.known[schema] = compiled
	}
	return compiled
}

// home is the address of the components among the compiler's resources.
const home = "https://relay.test/openapi.json"

func schemasOf(doc *openapi3.T) *schemas {
	s := &schemas{compiler: jsonschema.NewCompiler(), known: map[*openapi3.Schema]*jsonschema.Schema{}}
	s.compiler.DefaultDraft(jsonschema.Draft2020)
	for name := range openapi3.SchemaStringFormats {
		s.format(name)
	}
	for _, name := range []string{"int32", "int64", "float", "double"} {
		s.format(name)
	}
	s.compiler.AssertFormat()
	text, err := json.Marshal(map[string]any{"components": map[string]any{"schemas": doc.Components.Schemas}})
	must(err)
	all, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	must(err)
	must(s.compiler.AddResource(home, all))
	return s
}

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

func (s *schemas) compile(schema *openapi3.Schema) (*jsonschema.Schema, error) {
	text, err := json.Marshal(schema)
	if err != nil {
		return nil, err
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(bytes.ReplaceAll(text, []byte(`"#/components/`), []byte(`"`+home+`#/components/`))))
	if err != nil {
		return nil, err
	}
	at := fmt.Sprintf("https://relay.test/%d.json", len(s.known))
	if err := s.compiler.AddResource(at, value); err != nil {
		return nil, err
	}
	return s.compiler.Compile(at)
}
