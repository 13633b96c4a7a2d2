package telegramtest

import (
	_ "embed" // the schema
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// api is the part of the official Bot API that the bridge uses:
// parameters, their types, which are required, and the limits that the
// descriptions name.
//
//go:embed testdata/api.json
var api []byte

type schema struct {
	Methods map[string]map[string]field `json:"methods"`
	Types   map[string]objectType       `json:"types"`
}

type objectType struct {
	Fields map[string]field `json:"fields"`
	AnyOf  []string         `json:"anyOf"`
}

type field struct {
	Types    []string `json:"types"`
	Required bool     `json:"required"`
	Min      int      `json:"min"`
	Max      int      `json:"max"`
	Enum     []string `json:"enum"`
}

// inputFile is a file of a multipart request.
type inputFile struct {
	Name string
	Data []byte
}

func loadSchema() *schema {
	s := new(schema)
	if err := json.Unmarshal(api, s); err != nil {
		panic(err)
	}
	return s
}

// check returns a call's violations of the schema.
func (s *schema) check(method string, params map[string]any) (faults []string) {
	fields, known := s.Methods[method]
	if !known {
		return []string{"there is no method " + method}
	}
	return s.object(method, fields, params)
}

func (s *schema) object(where string, fields map[string]field, values map[string]any) (faults []string) {
	for name, value := range values {
		field, known := fields[name]
		if !known {
			faults = append(faults, where+" has no "+name)
			continue
		}
		faults = append(faults, s.value(where+"."+name, field, value)...)
	}
	for name, field := range fields {
		if _, given := values[name]; field.Required && !given {
			faults = append(faults, where+" needs "+name)
		}
	}
	slices.Sort(faults)
	return faults
}

// value checks a value against the types that it may have.
func (s *schema) value(where string, field field, value any) []string {
	var first []string
	for _, name := range field.Types {
		faults := s.typed(where, name, value)
		if len(faults) == 0 {
			return s.limits(where, field, value)
		}
		if first == nil {
			first = faults
		}
	}
	return first
}

func (s *schema) typed(where, name string, value any) []string {
	if element, array := strings.CutPrefix(name, "Array of "); array {
		list, ok := value.([]any)
		if !ok {
			return []string{fmt.Sprintf("%s is %T, not an array", where, value)}
		}
		for i, v := range list {
			if faults := s.typed(fmt.Sprintf("%s[%d]", where, i), element, v); len(faults) > 0 {
				return faults
			}
		}
		return nil
	}
	ok := false
	switch v := value.(type) {
	case string:
		ok = name == "String"
	case bool:
		ok = name == "Boolean"
	case float64:
		ok = name == "Float" || name == "Integer" && v == math.Trunc(v)
	case *inputFile:
		ok = name == "InputFile"
	case map[string]any:
		return s.structured(where, name, v)
	}
	if !ok {
		return []string{fmt.Sprintf("%s is %T, not %s", where, value, name)}
	}
	return nil
}

func (s *schema) structured(where, name string, value map[string]any) []string {
	t, known := s.Types[name]
	if !known {
		return []string{fmt.Sprintf("%s is an object, not %s", where, name)}
	}
	if t.AnyOf == nil {
		return s.object(where, t.Fields, value)
	}
	var faults []string
	for _, sub := range t.AnyOf {
		if faults = s.structured(where, sub, value); len(faults) == 0 {
			return nil
		}
	}
	return faults
}

func (s *schema) limits(where string, field field, value any) []string {
	if text, ok := value.(string); ok {
		if n := utf8.RuneCountInString(text); field.Max > 0 && (n < field.Min || n > field.Max) {
			return []string{fmt.Sprintf("%s has %d characters, not %d to %d", where, n, field.Min, field.Max)}
		}
		if field.Enum != nil && !slices.Contains(field.Enum, text) {
			return []string{fmt.Sprintf("%s must not be %q", where, text)}
		}
	}
	if n, ok := value.(float64); ok && field.Max > 0 && (n < float64(field.Min) || n > float64(field.Max)) {
		return []string{fmt.Sprintf("%s is %v, not %d to %d", where, n, field.Min, field.Max)}
	}
	return nil
}

// typedForm gives the texts of a form the types that the schema names.
func (s *schema) typedForm(method, name, text string) any {
	types := s.Methods[method][name].Types
	if slices.Contains(types, "Integer") {
		if n, err := strconv.ParseFloat(text, 64); err == nil {
			return n
		}
	}
	if slices.Contains(types, "String") {
		return text
	}
	var value any
	if json.Unmarshal([]byte(text), &value) != nil {
		return text
	}
	return value
}
