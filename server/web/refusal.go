package web

import (
	"cmp"
	"errors"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/relay-chat/relay/server/chat"
)

// refusal is the answer to a request that failed. Field and Fields name what is wrong with
// the fields of a request of the console, so that a form can put it beside them.
type refusal struct {
	Error  string            `json:"error"`
	Field  string            `json:"field,omitempty"`
	Fields map[string]string `json:"fields,omitempty"`
	// Confirm is what an administrator can allow; see POST /api/admin/ai/private-host.
	Confirm string `json:"confirm,omitempty"`
}

// BothRefused is what two checks of the same fields say; the first may say nothing.
func BothRefused(first, second error) error {
	var a, b *chat.Error
	if !errors.As(first, &a) || !errors.As(second, &b) {
		return cmp.Or(first, second)
	}
	fields := maps.Clone(a.Fields)
	if fields == nil {
		fields = map[string]string{}
	}
	maps.Copy(fields, b.Fields)
	if name, problem := chat.FieldOf(b.Text); len(b.Fields) == 0 && name != "" {
		fields[name] = problem
	}
	return &chat.Error{Kind: a.Kind, Text: a.Text + "; " + b.Text, Fields: fields}
}

// RefusalOf names the fields that a refusal is about. Without fields it looks whether the
// text of a 400 begins with the name of one.
func RefusalOf(r *http.Request, status int, text string, ce *chat.Error) refusal {
	out := refusal{Error: text}
	if !strings.HasPrefix(r.URL.Path, "/api/admin/") && !strings.HasPrefix(r.URL.Path, "/console/") {
		return out
	}
	var fields map[string]string
	if ce != nil {
		fields, out.Confirm = ce.Fields, ce.Confirm
	}
	if len(fields) == 0 && status == http.StatusBadRequest {
		if field, problem := chat.FieldOf(text); field != "" {
			fields = map[string]string{field: problem}
		}
	}
	if len(fields) > 0 {
		out.Field, out.Fields = slices.Min(slices.Collect(maps.Keys(fields))), fields
	}
	return out
}
