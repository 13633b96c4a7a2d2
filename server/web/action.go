// Package web is what all of relay's HTTP handlers are made of: actions and the routes that
// lead to them, bodies and answers, refusals, who asks and how often, pages, the audit list.
// It knows no route, and nothing of what an action does.
package web

import (
	"errors"
	"net/http"
	"strconv"

	"github.com/gorilla/mux"

	"github.com/relay-chat/relay/server/chat"
)

// The largest JSON bodies: of visitors' pages, and of operators and backends,
// whose longest content, every character escaped, needs the larger one.
const (
	MaxBody      = 64 << 10
	MaxAdminBody = 512 << 10
)

// Action does what a request of an author asks for and returns what to answer: any
// value as JSON, or an error. An action that wrote its answer itself returns written.
type Action func(w http.ResponseWriter, r *http.Request, by chat.Author) (any, error)

// Written marks that the action has answered.
type Written struct{}

// OK is the answer of requests without a result.
var OK = map[string]bool{"ok": true}

// Error is an error of the HTTP layer, with its status.
type Error struct {
	Status int
	Text   string
	Header http.Header
}

// Error implements [error].
func (e *Error) Error() string { return e.Text }

// The errors with fixed texts, see schema/openapi.yaml.
var (
	ErrUnauthorized   = &Error{Status: http.StatusUnauthorized, Text: "Unauthorized", Header: http.Header{"Www-Authenticate": {"Bearer"}}}
	ErrForbidden      = &Error{Status: http.StatusForbidden, Text: "Forbidden"}
	ErrAdministrators = &Error{Status: http.StatusForbidden, Text: "Only administrators may do this"}
	ErrTooLarge       = &Error{Status: http.StatusRequestEntityTooLarge, Text: "Request body too large"}
)

// BadRequest is an error of status 400; where its text begins with the name of a field, the answer
// names that field.
func BadRequest(text string) error { return &Error{Status: http.StatusBadRequest, Text: text} }

// Statuses are the statuses of the service's errors.
var Statuses = map[chat.Kind]int{
	chat.Invalid:     http.StatusBadRequest,
	chat.Forbidden:   http.StatusForbidden,
	chat.NotFound:    http.StatusNotFound,
	chat.Conflict:    http.StatusConflict,
	chat.TooLarge:    http.StatusRequestEntityTooLarge,
	chat.Unsupported: http.StatusUnsupportedMediaType,
	chat.StorageFull: http.StatusServiceUnavailable,
}

// Page makes an action of the handler of a page.
func Page(h http.HandlerFunc) Action {
	return func(w http.ResponseWriter, r *http.Request, _ chat.Author) (any, error) {
		h(w, r)
		return Written{}, nil
	}
}

// Required answers 400 with the field's name when a value is missing.
func Required(name, value string) error {
	if value == "" {
		return BadRequest(name + " is required")
	}
	return nil
}

// PathVar returns a variable of the matched route.
func PathVar(r *http.Request, name string) string { return mux.Vars(r)[name] }

// IsNotFound reports whether err is a [chat.NotFound].
func IsNotFound(err error) bool {
	var ce *chat.Error
	return errors.As(err, &ce) && ce.Kind == chat.NotFound
}

// QueryLimit reads ?limit=, between 1 and most; standard is without it.
func QueryLimit(r *http.Request, standard, most int) (int, error) {
	given := r.URL.Query().Get("limit")
	if given == "" {
		return standard, nil
	}
	n, err := strconv.Atoi(given)
	if err != nil || n < 1 {
		return 0, BadRequest("limit must be a number from 1 to " + strconv.Itoa(most))
	}
	return min(n, most), nil
}
