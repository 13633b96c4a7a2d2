package chat

import "strings"

// Errors about one field of a request begin with the field's name: "email must be …".
// [Error.Fields] and [FieldOf] tell programs which one, so that a form can put the
// problem beside it.

// maxFieldName bounds what is taken for a field's name.
const maxFieldName = 60

// verbs are how the sentences about a field go on behind its name.
var verbs = []string{"must", "is", "has", "names", "needs"}

// FieldOf returns the field that an error's text begins with, like "email" or
// "attachments.types", and what is wrong with it; "" when it is about none.
func FieldOf(text string) (field, problem string) {
	name, rest, _ := strings.Cut(text, " ")
	verb, _, _ := strings.Cut(rest, " ")
	for _, v := range verbs {
		if verb == v && isFieldName(name) {
			return name, rest
		}
	}
	return "", ""
}

// isFieldName reports whether a word can be the path of a field in JSON.
func isFieldName(name string) bool {
	if len(name) < 2 || len(name) > maxFieldName || name[0] < 'a' || name[0] > 'z' {
		return false
	}
	return strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.[]_-") == ""
}
