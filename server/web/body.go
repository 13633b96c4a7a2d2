package web

import (
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"reflect"
	"strings"
	"unicode/utf8"

	"github.com/relay-chat/relay/server/chat"
)

// LimitedBody returns a request's body, which fails with [http.MaxBytesError] behind the
// limit, or at once if a larger one is announced: nobody waits for what is refused.
func LimitedBody(r *http.Request, limit int64) io.ReadCloser {
	if r.ContentLength > limit {
		return tooLargeBody{r.Body, limit}
	}
	return http.MaxBytesReader(nil, r.Body, limit)
}

// tooLargeBody is a body that is announced as larger than its limit.
type tooLargeBody struct {
	io.ReadCloser
	limit int64
}

// Read implements [io.Reader].
func (b tooLargeBody) Read([]byte) (int, error) { return 0, &http.MaxBytesError{Limit: b.limit} }

// IsText reports whether s is UTF-8 without NUL characters.
func IsText(s string) bool { return utf8.ValidString(s) && strings.IndexByte(s, 0) < 0 }

// Decode reads a JSON object. Unknown fields are ignored, wrong types and broken
// text are 400.
func Decode[T any](r *http.Request) (T, error) {
	body, err := ReadJSON(r)
	if err != nil {
		var v T
		return v, err
	}
	return Unmarshal[T](body)
}

// InSession is what the bodies of the widget's routes have in common.
type InSession struct {
	SessionID string `json:"sessionId"`
}

func (in InSession) named() error { return Required("sessionId", in.SessionID) }

// bodyAction is an action that takes the body of the request.
type bodyAction[T any] func(w http.ResponseWriter, r *http.Request, by chat.Author, in T) (any, error)

// Body makes an action of one that takes a JSON object.
func Body[T any](act bodyAction[T]) Action {
	return func(w http.ResponseWriter, r *http.Request, by chat.Author) (any, error) {
		in, err := Decode[T](r)
		if err != nil {
			return nil, err
		}
		return act(w, r, by, in)
	}
}

// SessionBody is body for objects that must name their session.
func SessionBody[T interface{ named() error }](act bodyAction[T]) Action {
	return Body(func(w http.ResponseWriter, r *http.Request, by chat.Author, in T) (any, error) {
		if err := in.named(); err != nil {
			return nil, err
		}
		return act(w, r, by, in)
	})
}

// OptionalBody is body for actions without required fields: a request without a body
// counts as {}.
func OptionalBody[T any](act bodyAction[T]) Action {
	return func(w http.ResponseWriter, r *http.Request, by chat.Author) (any, error) {
		if r.ContentLength == 0 {
			var in T
			return act(w, r, by, in)
		}
		return Body(act)(w, r, by)
	}
}

// Unmarshal reads a body that [ReadJSON] has checked.
func Unmarshal[T any](body []byte) (T, error) {
	var v T
	if err := json.Unmarshal(body, &v); err != nil {
		return v, decodeError(err, reflect.TypeFor[T]())
	}
	return v, nil
}

// ReadJSON reads a body and checks that it is a JSON object.
func ReadJSON(r *http.Request) ([]byte, error) {
	if err := checkContentType(r); err != nil {
		return nil, err
	}
	body, err := ReadBody(r)
	if err != nil {
		return nil, err
	}
	return body, checkJSON(body)
}

// checkContentType accepts JSON, text/plain, which sendBeacon sends, and bodies
// without a type.
func checkContentType(r *http.Request) error {
	header := r.Header.Get("Content-Type")
	if header == "" {
		return nil
	}
	media, _, err := mime.ParseMediaType(header)
	if err == nil && (media == "application/json" || media == "text/plain") {
		return nil
	}
	return &Error{Status: http.StatusUnsupportedMediaType, Text: "Content-Type must be application/json"}
}

// ReadBody reads a whole body; one that is too large is [ErrTooLarge].
func ReadBody(r *http.Request) ([]byte, error) {
	body, err := io.ReadAll(r.Body)
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return nil, ErrTooLarge
	case err != nil:
		return nil, BadRequest("The request body could not be read")
	}
	return body, nil
}

// decodeError describes what is wrong with the JSON.
func decodeError(err error, into reflect.Type) error {
	path, must, ok := chat.WrongType(err, into)
	switch {
	case !ok:
		return BadRequest("Invalid JSON")
	case path == "":
		return BadRequest("The body must be a JSON object")
	}
	return BadRequest(path + " must be " + must)
}
