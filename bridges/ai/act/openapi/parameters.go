package openapi

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/relay-chat/relay/server/chat"
)

// maxSteps bounds how much of schemas is read for one operation: a reference may lead to the same one
// again and again.
const maxSteps = 2000

// simple are the types that can stand in an address.
var simple = []string{"string", "integer", "number", "boolean"}

// listing are the parameters of an operation.
type listing struct {
	properties object
	required   []string
}

func (l *listing) add(name string, schema object, required bool) error {
	if _, is := l.properties[name]; is {
		return fmt.Errorf("two parameters are called %q", name)
	}
	l.properties[name] = schema
	if required {
		l.required = append(l.required, name)
	}
	return nil
}

// parameters is the JSON Schema of what an operation needs, and may be given.
func (r *reading) parameters(method string, item, op object) (chat.Raw, error) {
	r.steps = maxSteps
	l := &listing{properties: object{}, required: []string{}}
	if err := r.addresses(l, method, item, op); err != nil {
		return nil, err
	}
	if err := r.body(l, method, op); err != nil {
		return nil, err
	}
	if r.steps < 0 {
		return nil, errors.New("its schemas are too large")
	}
	return chat.Raw(chat.MustJSON(object{"type": "object", "properties": l.properties, "required": l.required})), nil
}

// addresses reads the parameters beside the body: those of an operation replace those of its path.
func (r *reading) addresses(l *listing, method string, item, op object) error {
	type place struct{ name, in string }
	seen := map[place]bool{}
	for _, of := range []object{op, item} {
		list, _ := of["parameters"].([]any)
		for _, one := range list {
			p, err := r.resolve(one)
			if err != nil {
				return err
			}
			at := place{line(p["name"], 60), line(p["in"], 20)}
			if seen[at] {
				continue
			}
			seen[at] = true
			if err := r.address(l, method, p, at.name, at.in); err != nil {
				return err
			}
		}
	}
	return nil
}

// address adds a parameter that stands in the path or the query. One that relay cannot send is left out
// where it need not be there.
func (r *reading) address(l *listing, method string, p object, name, in string) error {
	required := p["required"] == true || in == "path"
	schema := r.schema(p["schema"], 0)
	kind, _ := schema["type"].(string)
	switch {
	case in != "path" && in != "query",
		in == "query" && method != "get" && method != "delete",
		!slices.Contains(simple, kind):
		if required {
			return fmt.Errorf("it needs %q in its %s, which relay cannot send", name, in)
		}
		return nil
	}
	describe(schema, p["description"])
	return l.add(name, schema, required)
}

// describe says what a parameter is, where its schema does not.
func describe(schema object, text any) {
	if said := line(text, 200); said != "" && schema["description"] == nil {
		schema["description"] = said
	}
}

func isJSON(kind string) bool {
	kind, _, _ = strings.Cut(kind, ";")
	return kind == "application/json" || strings.HasSuffix(kind, "+json")
}

// body adds what the JSON body of an operation has.
func (r *reading) body(l *listing, method string, op object) error {
	if op["requestBody"] == nil {
		return nil
	}
	body, err := r.resolve(op["requestBody"])
	if err != nil {
		return err
	}
	needed := body["required"] == true
	var schema object
	content := part(body, "content")
	kinds := slices.Sorted(maps.Keys(content))
	if i := slices.IndexFunc(kinds, isJSON); i >= 0 { // the same one each time
		in, _ := content[kinds[i]].(object)
		schema = r.schema(in["schema"], 0)
	}
	properties, is := schema["properties"].(object)
	switch {
	case !needed && (!is || method == "get" || method == "delete"):
		return nil
	case method == "get" || method == "delete":
		return errors.New("it needs a body, which relay does not send with this method")
	case !is:
		return errors.New("its body is not a JSON object, and relay sends nothing else")
	}
	required, _ := schema["required"].([]string)
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		one, _ := properties[name].(object)
		if kind, _ := one["type"].(string); kind == "" {
			if slices.Contains(required, name) {
				return fmt.Errorf("the type of %q is not known", chat.Clip(chat.OneLine(name), 60))
			}
			continue
		}
		if err := l.add(name, one, slices.Contains(required, name)); err != nil {
			return err
		}
	}
	slices.Sort(l.required)
	return nil
}
