package server

import (
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
}

// refusalOf names the fields that a refusal is about. Without fields it looks whether the
// text of a 400 begins with the name of one.
func refusalOf(r *http.Request, status int, text string, fields map[string]string) refusal {
	out := refusal{Error: text}
	if !strings.HasPrefix(r.URL.Path, "/api/admin/") && !strings.HasPrefix(r.URL.Path, "/console/") {
		return out
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
