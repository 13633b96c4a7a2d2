package bridgetest

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"unicode/utf8"
)

// Schemas are the schemas of a document, by the names that $ref uses.
type Schemas map[string]*Schema

// Schema is as much of JSON Schema as the platforms' documents use.
type Schema struct {
	Ref        string             `json:"$ref"`
	Type       any                `json:"type"`
	Properties map[string]*Schema `json:"properties"`
	Required   []string           `json:"required"`
	Items      *Schema            `json:"items"`
	OneOf      []*Schema          `json:"oneOf"`
	AllOf      []*Schema          `json:"allOf"`
	Enum       []any              `json:"enum"`
	Const      any                `json:"const"`
	Pattern    string             `json:"pattern"`
	MinLength  int                `json:"minLength"`
	MaxLength  *int               `json:"maxLength"`
	MinItems   int                `json:"minItems"`
	MaxItems   *int               `json:"maxItems"`
	Minimum    *float64           `json:"minimum"`
	Maximum    *float64           `json:"maximum"`
}

// Check returns what a schema forbids in a value; where names the value.
func (s Schemas) Check(where string, want *Schema, v any) (faults []string) {
	if want.Ref != "" {
		want = s[want.Ref]
	}
	for _, all := range want.AllOf {
		faults = append(faults, s.Check(where, all, v)...)
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
				faults = append(faults, s.Check(fmt.Sprintf("%s[%d]", where, i), want.Items, v[i])...)
			}
		}
	case map[string]any:
		faults = append(faults, s.object(where, want, v)...)
	}
	return faults
}

// oneOf passes a value that one of the schemas takes.
func (s Schemas) oneOf(where string, list []*Schema, v any) (faults []string) {
	for _, one := range list {
		if faults = s.Check(where, one, v); len(faults) == 0 {
			return nil
		}
	}
	return faults
}

func (s Schemas) object(where string, want *Schema, v map[string]any) (faults []string) {
	if want.Properties == nil {
		return nil
	}
	for name, value := range v {
		property, known := want.Properties[name]
		if !known {
			faults = append(faults, where+" has no "+name)
			continue
		}
		faults = append(faults, s.Check(where+"."+name, property, value)...)
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

func limitsOf(where string, want *Schema, v string) (faults []string) {
	n := utf8.RuneCountInString(v)
	if n < want.MinLength || want.MaxLength != nil && n > *want.MaxLength {
		faults = append(faults, fmt.Sprintf("%s has %d characters", where, n))
	}
	if want.Pattern != "" && !regexp.MustCompile(want.Pattern).MatchString(v) {
		faults = append(faults, fmt.Sprintf("%s must not be %q", where, v))
	}
	return faults
}
