package discordtest

import (
	_ "embed" // the schema
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// api is the part of Discord's official OpenAPI document that the bridge
// uses. Properties that it must not use are left out.
//
//go:embed testdata/api.json
var api []byte

type schema struct {
	Operations map[string]operation   `json:"operations"`
	Schemas    map[string]*jsonSchema `json:"schemas"`
}

type operation struct {
	Query []string    `json:"query"`
	Body  *jsonSchema `json:"body"`
}

// jsonSchema is as much of JSON Schema as the document uses.
type jsonSchema struct {
	Ref        string                 `json:"$ref"`
	Type       any                    `json:"type"`
	Properties map[string]*jsonSchema `json:"properties"`
	Required   []string               `json:"required"`
	Items      *jsonSchema            `json:"items"`
	OneOf      []*jsonSchema          `json:"oneOf"`
	AllOf      []*jsonSchema          `json:"allOf"`
	Enum       []any                  `json:"enum"`
	Const      any                    `json:"const"`
	Pattern    string                 `json:"pattern"`
	MinLength  int                    `json:"minLength"`
	MaxLength  *int                   `json:"maxLength"`
	MinItems   int                    `json:"minItems"`
	MaxItems   *int                   `json:"maxItems"`
	Minimum    *float64               `json:"minimum"`
	Maximum    *float64               `json:"maximum"`
}

func loadSchema() *schema {
	s := new(schema)
	if err := json.Unmarshal(api, s); err != nil {
		panic(err)
	}
	return s
}

// operation finds the operation of a request and the values in its path.
func (s *schema) operation(method, path string) (name string, values []string) {
	words := strings.Split(path, "/")
	for op := range s.Operations {
		verb, template, _ := strings.Cut(op, " ")
		want := strings.Split(template, "/")
		if verb != method || len(want) != len(words) {
			continue
		}
		var found []string
		fits := true
		for i, w := range want {
			if strings.HasPrefix(w, "{") && words[i] != "@me" {
				found = append(found, words[i])
			} else {
				fits = fits && w == words[i]
			}
		}
		if fits {
			return op, found
		}
	}
	return "", nil
}

// starred is an operation with * for what is in braces.
func (s *schema) starred(request string) string {
	method, path, _ := strings.Cut(request, " ")
	op, _ := s.operation(method, path)
	return regexp.MustCompile(`\{[^}]*\}`).ReplaceAllString(op, "*")
}

// check returns what the schema forbids in a request.
func (s *schema) check(op string, query map[string][]string, body any) (faults []string) {
	o := s.Operations[op]
	for name := range query {
		if !slices.Contains(o.Query, name) {
			faults = append(faults, op+" has no query "+name)
		}
	}
	switch {
	case o.Body == nil && body != nil:
		faults = append(faults, op+" takes no body")
	case o.Body != nil:
		faults = append(faults, s.value(op, o.Body, body)...)
	}
	return faults
}

func (s *schema) value(where string, want *jsonSchema, v any) (faults []string) {
	if want.Ref != "" {
		want = s.Schemas[want.Ref]
	}
	for _, all := range want.AllOf {
		faults = append(faults, s.value(where, all, v)...)
	}
	if len(want.OneOf) > 0 {
		faults = append(faults, s.oneOf(where, want.OneOf, v)...)
	}
	if want.Type != nil && !typed(want.Type, v) {
		return append(faults, fmt.Sprintf("%s is %T, not %v", where, v, want.Type))
	}
	if want.Const != nil && want.Const != v || want.Enum != nil && !slices.Contains(want.Enum, v) {
		faults = append(faults, fmt.Sprintf("%s must not be %v", where, v))
	}
	switch v := v.(type) {
	case string:
		faults = append(faults, limitsOf(where, want, v)...)
	case float64:
		if want.Minimum != nil && v < *want.Minimum || want.Maximum != nil && v > *want.Maximum {
			faults = append(faults, fmt.Sprintf("%s is out of range", where))
		}
	case []any:
		if len(v) < want.MinItems || want.MaxItems != nil && len(v) > *want.MaxItems {
			faults = append(faults, fmt.Sprintf("%s has %d items", where, len(v)))
		}
		for i := range v {
			if want.Items != nil {
				faults = append(faults, s.value(fmt.Sprintf("%s[%d]", where, i), want.Items, v[i])...)
			}
		}
	case map[string]any:
		faults = append(faults, s.object(where, want, v)...)
	}
	return faults
}

// oneOf passes a value that one of the schemas takes.
func (s *schema) oneOf(where string, list []*jsonSchema, v any) (faults []string) {
	for _, one := range list {
		if faults = s.value(where, one, v); len(faults) == 0 {
			return nil
		}
	}
	return faults
}

func (s *schema) object(where string, want *jsonSchema, v map[string]any) (faults []string) {
	if want.Properties == nil {
		return nil
	}
	for name, value := range v {
		property, known := want.Properties[name]
		if !known {
			faults = append(faults, where+" has no "+name)
			continue
		}
		faults = append(faults, s.value(where+"."+name, property, value)...)
	}
	for _, name := range want.Required {
		if _, given := v[name]; !given {
			faults = append(faults, where+" needs "+name)
		}
	}
	slices.Sort(faults)
	return faults
}

func typed(want, v any) bool {
	if list, several := want.([]any); several {
		return slices.ContainsFunc(list, func(one any) bool { return typed(one, v) })
	}
	switch v := v.(type) {
	case nil:
		return want == "null"
	case string:
		return want == "string"
	case bool:
		return want == "boolean"
	case float64:
		return want == "number" || want == "integer" && v == math.Trunc(v)
	case []any:
		return want == "array"
	}
	return want == "object"
}

func limitsOf(where string, want *jsonSchema, v string) (faults []string) {
	n := utf8.RuneCountInString(v)
	if n < want.MinLength || want.MaxLength != nil && n > *want.MaxLength {
		faults = append(faults, fmt.Sprintf("%s has %d characters", where, n))
	}
	if want.Pattern != "" && !regexp.MustCompile(want.Pattern).MatchString(v) {
		faults = append(faults, fmt.Sprintf("%s must not be %q", where, v))
	}
	return faults
}
