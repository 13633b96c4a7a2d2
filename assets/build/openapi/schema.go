package openapi

import (
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Schema is a named type.
type Schema struct {
	ID, Name string
	Intro    string
	Type     []Span
	Rules    []string
	Fields   []Field
}

// Field is a field of an object, or a parameter.
type Field struct {
	Name, In string
	Required bool
	Type     []Span
	Rules    []string
	Text     string
	Fields   []Field // of an object without a name
}

// schema makes a named type.
func (d *document) schema(name string, s schema) Schema {
	return Schema{ID: "schema-" + name, Name: name, Intro: s.Description, Type: d.typeOf(s), Rules: rules(s), Fields: d.fields(s)}
}

// field makes a parameter.
func (d *document) field(p parameter) Field {
	return Field{Name: p.Name, In: p.In, Required: p.Required, Type: d.typeOf(p.Schema), Rules: rules(p.Schema), Text: p.Description}
}

// fields lists what an object has of its own.
func (d *document) fields(s schema) (list []Field) {
	for _, p := range s.Properties {
		f := Field{Name: p.Key, Required: slices.Contains(s.Required, p.Key), Type: d.typeOf(p.Value),
			Rules: rules(p.Value), Text: p.Value.Description, Fields: d.fields(p.Value)}
		if p.Value.Items != nil {
			f.Fields = d.fields(*p.Value.Items)
		}
		list = append(list, f)
	}
	return list
}

// typeOf says in words what a schema takes, with links to the named types.
func (d *document) typeOf(s schema) []Span {
	switch {
	case s.Ref != "":
		return []Span{{Text: nameOf(s.Ref), Link: TypeLink(nameOf(s.Ref))}}
	case len(s.OneOf) > 0:
		return d.either(s.OneOf)
	case len(s.AnyOf) > 0 && len(s.Properties) == 0:
		return d.either(s.AnyOf)
	case len(s.AllOf) > 0:
		spans := d.typeOf(s.AllOf[0])
		if len(s.Properties) > 0 {
			spans = append(spans, Span{Text: " and more"})
		}
		return spans
	case s.Const.Kind != 0:
		return []Span{{Text: s.Const.Value, Code: true}}
	case len(s.Enum) > 0:
		return choices(s.Enum)
	}
	var spans []Span
	for i, name := range s.Type {
		if i > 0 {
			spans = append(spans, Span{Text: " or "})
		}
		spans = append(spans, d.plainType(name, s)...)
	}
	return spans
}

// plainType says what one of a schema's types is.
func (d *document) plainType(name string, s schema) []Span {
	switch {
	case name == "array" && s.Items != nil:
		return append([]Span{{Text: "list of "}}, d.typeOf(*s.Items)...)
	case name == "object" && len(s.Properties) == 0 && s.Additional.Kind == yaml.MappingNode:
		var values schema
		if s.Additional.Decode(&values) == nil {
			return append([]Span{{Text: "map of "}}, d.typeOf(values)...)
		}
	case s.Format == "date-time" || s.Format == "date":
		return []Span{{Text: s.Format}}
	}
	return []Span{{Text: name}}
}

func (d *document) either(list []schema) (spans []Span) {
	for i, s := range list {
		if i > 0 {
			spans = append(spans, Span{Text: " or "})
		}
		spans = append(spans, d.typeOf(s)...)
	}
	return spans
}

func choices(values []yaml.Node) (spans []Span) {
	for i, v := range values {
		if i > 0 {
			spans = append(spans, Span{Text: " or "})
		}
		spans = append(spans, Span{Text: v.Value, Code: true})
	}
	return spans
}

// rules are what a schema asks of a value beside its type, in words.
func rules(s schema) (list []string) {
	list = append(list, between(count(s.MinLength), count(s.MaxLength), "characters")...)
	list = append(list, between(number(s.Minimum), number(s.Maximum), "")...)
	list = append(list, between("", count(s.MaxItems), "entries")...)
	if s.Pattern != "" && s.Format == "" {
		list = append(list, "matches "+s.Pattern)
	}
	for _, value := range []yaml.Node{s.Default, s.Unset} {
		if value.Kind != 0 {
			list = append(list, "default "+compact(&value))
		}
	}
	return list
}

// between says what lies between two limits; "" is no limit.
func between(least, most, what string) []string {
	words := ""
	switch {
	case least == "" && most == "":
		return nil
	case least == "1" && most == "" && what != "":
		return []string{"not empty"}
	case least == "":
		words = "at most " + most
	case most == "":
		words = "at least " + least
	default:
		words = least + " to " + most
	}
	return []string{strings.TrimSpace(words + " " + what)}
}

func count(n *int) string {
	if n == nil {
		return ""
	}
	return strconv.Itoa(*n)
}

func number(n *float64) string {
	if n == nil {
		return ""
	}
	return strconv.FormatFloat(*n, 'f', -1, 64)
}
