package chat

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
)

// WrongType returns which value an error of encoding/json found to be of the wrong
// type, and what it must be: the path of the field in the text, like
// message.attachments[].size, which is empty when it is the text itself, and
// words like "a string". ok is false for other errors.
func WrongType(err error, into reflect.Type) (path, must string, ok bool) {
	var wrong *json.UnmarshalTypeError
	if !errors.As(err, &wrong) {
		return "", "", false
	}
	if wrong.Field != "" {
		path = pathIn(into, wrong.Field, wrong.Type)
	}
	return path, describe(wrong.Type), true
}

// pathIn is the path of a field in a text: encoding/json puts the names of
// embedded structs into it, which the text does not have, and does not distinguish
// an array from its entries.
func pathIn(t reflect.Type, path string, wrong reflect.Type) string {
	var names []string
	for name := range strings.SplitSeq(path, ".") {
		t = element(t, names, nil)
		field, found := fieldNamed(t, name)
		if !found || !field.Anonymous {
			names = append(names, name)
		}
		if found {
			t = field.Type
		}
	}
	element(t, names, wrong)
	return strings.Join(names, ".")
}

// element goes from a type to what is in it, as far as that is not the wrong
// type itself, and marks the last name as that of an array on the way.
func element(t reflect.Type, names []string, wrong reflect.Type) reflect.Type {
	for t != wrong && (t.Kind() == reflect.Slice || t.Kind() == reflect.Pointer) {
		if t.Kind() == reflect.Slice && len(names) > 0 {
			names[len(names)-1] += "[]"
		}
		t = t.Elem()
	}
	return t
}

// fieldNamed finds a field by its name in JSON, or an embedded one by its type.
func fieldNamed(t reflect.Type, name string) (field reflect.StructField, found bool) {
	if t.Kind() != reflect.Struct {
		return field, false
	}
	for f := range t.Fields() {
		tag, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if tag == name || tag == "" && f.Name == name {
			return f, true
		}
	}
	return field, false
}

// describe names a Go type in JSON's words.
func describe(t reflect.Type) string {
	if t == reflect.TypeFor[Time]() {
		return "an ISO 8601 time like 2026-01-31T12:00:00.000Z"
	}
	switch t.Kind() {
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "true or false"
	case reflect.Int, reflect.Int32, reflect.Int64:
		return "a whole number"
	case reflect.Float64:
		return "a number"
	case reflect.Slice:
		return "an array"
	}
	return "an object"
}
