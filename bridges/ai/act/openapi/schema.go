package openapi

import (
	"maps"
	"math"
	"regexp"
	"slices"
)

// maxDepth bounds schemas in schemas.
const maxDepth = 6

// kept are the keywords that mean the same in OpenAPI 3.0, in 3.1 and in JSON Schema, with the types
// of their values.
var kept = map[string]func(any) bool{
	"minimum": isNumber, "maximum": isNumber, "exclusiveMinimum": isNumber, "exclusiveMaximum": isNumber, "multipleOf": isNumber,
	"minLength": isNumber, "maxLength": isNumber, "minItems": isNumber, "maxItems": isNumber,
	"pattern": func(v any) bool {
		text, is := v.(string)
		_, err := regexp.Compile(text)
		return is && err == nil
	},
}

func isNumber(v any) bool {
	switch n := v.(type) {
	case int:
		return isNumber(float64(n))
	case int64: // on machines with small ones
		return isNumber(float64(n))
	case float64:
		return math.Abs(n) <= 1<<53 // neither infinite nor no number, which YAML has
	}
	return false
}

// schema is one of the document without references. What relay does not know of is left out: the
// server checks what it gets.
func (r *reading) schema(value any, depth int) object {
	out := object{}
	if r.steps--; r.steps < 0 || depth > maxDepth {
		return out
	}
	s, err := r.resolve(value)
	if err != nil {
		return out
	}
	list, _ := s["allOf"].([]any)
	for _, one := range list {
		merge(out, r.schema(one, depth+1))
	}
	for keyword, fits := range kept {
		if v, is := s[keyword]; is && fits(v) {
			out[keyword] = v
		}
	}
	if text := line(s["description"], 200); text != "" {
		out["description"] = text
	}
	r.kind(out, s)
	if enum, _ := s["enum"].([]any); len(enum) > 0 && len(enum) <= 100 && !slices.ContainsFunc(enum, func(v any) bool { return !plain(v) }) {
		out["enum"] = enum
	}
	if out["type"] == "array" {
		if items := r.schema(s["items"], depth+1); len(items) > 0 {
			out["items"] = items
		}
	}
	r.members(out, s, depth)
	return out
}

func plain(v any) bool {
	_, text := v.(string)
	_, truth := v.(bool)
	return text || truth || isNumber(v)
}

// kind says the type of a schema: the first that is not null.
func (r *reading) kind(out, s object) {
	kinds, _ := s["type"].([]any)
	for _, one := range append([]any{s["type"]}, kinds...) {
		if kind, is := one.(string); is && kind != "null" && out["type"] == nil {
			out["type"] = kind
		}
	}
	if out["type"] == nil && s["properties"] != nil {
		out["type"] = "object"
	}
}

// members adds the properties of an object.
func (r *reading) members(out, s object, depth int) {
	properties := part(s, "properties")
	if len(properties) == 0 {
		return
	}
	said := object{}
	var required []string
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		one, err := r.resolve(properties[name])
		if err != nil || one["readOnly"] == true {
			continue
		}
		said[name] = r.schema(one, depth+1)
	}
	list, _ := s["required"].([]any)
	for _, one := range list {
		if name, is := one.(string); is && said[name] != nil {
			required = append(required, name)
		}
	}
	merge(out, object{"properties": said, "required": required})
}

// merge adds a schema to another one that holds as well.
func merge(out, more object) {
	for keyword, value := range more {
		switch had := out[keyword].(type) {
		case object:
			if with, is := value.(object); is {
				maps.Copy(had, with)
			}
		case []string:
			if with, is := value.([]string); is {
				out[keyword] = slices.Compact(slices.Sorted(slices.Values(append(had, with...))))
			}
		case nil:
			if list, is := value.([]string); !is || len(list) > 0 {
				out[keyword] = value
			}
		}
	}
}
