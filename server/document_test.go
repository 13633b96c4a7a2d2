package server_test

import (
	"encoding/json"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"strings"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"
	"go.yaml.in/yaml/v3"

	"github.com/relay-chat/relay/schema"
)

// contract is schema/openapi.yaml, ready to check with.
type contract struct {
	loose  *openapi3.T // as it is: what clients send may have more fields
	strict *openapi3.T // what relay answers has no fields but those it names
	router routers.Router
}

// document returns the contract. It panics when the document is not valid
// OpenAPI, examples included.
var document = sync.OnceValue(func() *contract {
	var tree map[string]any
	must(yaml.Unmarshal(schema.OpenAPI, &tree))
	givenTime := tree["components"].(map[string]any)["schemas"].(map[string]any)["GivenTime"].(map[string]any)
	delete(givenTime, "format") // for generators: relay reads more than date-time there
	c := &contract{loose: load(tree)}
	(&tightener{extended: extended(tree)}).document(tree)
	c.strict = load(tree)
	var err error
	c.router, err = gorillamux.NewRouter(c.strict)
	must(err)
	openapi3filter.RegisterBodyDecoder("multipart/form-data", decodeForm)
	for _, text := range []string{"text/event-stream", "application/x-ndjson"} {
		openapi3filter.RegisterBodyDecoder(text, openapi3filter.PlainBodyDecoder)
	}
	return c
})

func must(err error) {
	if err != nil {
		panic("schema/openapi.yaml: " + err.Error())
	}
}

func load(tree map[string]any) *openapi3.T {
	data, err := json.Marshal(tree)
	must(err)
	loader := openapi3.NewLoader()
	doc, err := loader.LoadFromData(data)
	must(err)
	must(doc.Validate(loader.Context))
	return doc
}

// decodeForm reads a form as an object of texts, whatever the type of a file.
// The end may be missing: relay does not read what it does not need.
func decodeForm(body io.Reader, header http.Header, _ *openapi3.SchemaRef, _ openapi3filter.EncodingFn) (any, error) {
	_, params, err := mime.ParseMediaType(header.Get("Content-Type"))
	if err != nil {
		return nil, err
	}
	form := map[string]any{}
	for parts := multipart.NewReader(body, params["boundary"]); ; {
		part, err := parts.NextPart()
		if err != nil {
			return form, nil
		}
		data, _ := io.ReadAll(part)
		form[part.FormName()] = string(data)
	}
}

// tightener makes every object of a document refuse fields that it does not
// name. A component that others extend by allOf stays open; what refers to it
// is closed around it.
type tightener struct{ extended map[string]bool }

// extended lists the references that stand in an allOf.
func extended(node any) map[string]bool {
	found := map[string]bool{}
	walk(node, func(object map[string]any) {
		list, _ := object["allOf"].([]any)
		for _, member := range list {
			if ref, ok := member.(map[string]any)["$ref"].(string); ok {
				found[ref] = true
			}
		}
	})
	return found
}

// walk visits every object below a node.
func walk(node any, visit func(map[string]any)) {
	switch node := node.(type) {
	case map[string]any:
		visit(node)
		for _, child := range node {
			walk(child, visit)
		}
	case []any:
		for _, child := range node {
			walk(child, visit)
		}
	}
}

// document tightens the components and the bodies of all answers.
func (t *tightener) document(tree map[string]any) {
	components := tree["components"].(map[string]any)
	for name, schema := range components["schemas"].(map[string]any) {
		t.schema(schema, t.extended["#/components/schemas/"+name])
	}
	for _, answers := range []any{components["responses"], tree["paths"], tree["webhooks"]} {
		walk(answers, func(media map[string]any) {
			if body, is := media["schema"].(map[string]any); is && media["in"] == nil {
				t.schema(body, false)
			}
		})
	}
}

// schema closes a schema, unless it is to stay open, and those inside it.
func (t *tightener) schema(node any, open bool) {
	s, is := node.(map[string]any)
	if !is {
		return
	}
	if ref, is := s["$ref"].(string); is {
		if t.extended[ref] && !open {
			delete(s, "$ref")
			s["allOf"], s["unevaluatedProperties"] = []any{map[string]any{"$ref": ref}}, false
		}
		return
	}
	properties, _ := s["properties"].(map[string]any)
	for _, property := range properties {
		t.schema(property, false)
	}
	for _, name := range []string{"items", "additionalProperties"} {
		t.schema(s[name], false)
	}
	for _, name := range []string{"oneOf", "anyOf"} {
		members, _ := s[name].([]any)
		for _, member := range members {
			t.schema(member, open || properties != nil) // of the same object
		}
	}
	_, free := s["additionalProperties"]
	if !open && !free && (properties != nil || s["allOf"] != nil) {
		s["unevaluatedProperties"] = false
	}
}

// names lists what a schema of the document names, its allOf included.
func names(s *openapi3.Schema) []string {
	var list []string
	for name := range s.Properties {
		list = append(list, name)
	}
	for _, part := range s.AllOf {
		list = append(list, names(part.Value)...)
	}
	return list
}

// operations lists what the document describes, as "GET /health".
func operations() []string {
	var list []string
	for path, item := range document().loose.Paths.Map() {
		for method := range item.Operations() {
			list = append(list, strings.ToUpper(method)+" "+path)
		}
	}
	return list
}
