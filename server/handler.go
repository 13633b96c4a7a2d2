package server

import (
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"maps"
	"mime"
	"net/http"
	"net/url"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/relay-chat/relay/server/chat"
)

// The largest JSON bodies: of visitors' pages, and of operators and backends,
// whose longest content, every character escaped, needs the larger one.
const (
	maxBody      = 64 << 10
	maxAdminBody = 512 << 10
)

// action does what a request of an author asks for and returns what to answer: any
// value as JSON, or an error. An action that wrote its answer itself returns written.
type action func(w http.ResponseWriter, r *http.Request, by chat.Author) (any, error)

// written marks that the action has answered.
type written struct{}

// ok is the answer of requests without a result.
var ok = map[string]bool{"ok": true}

// httpError is an error of the HTTP layer, with its status.
type httpError struct {
	status int
	text   string
	header http.Header
}

func (e *httpError) Error() string { return e.text }

// The errors with fixed texts, see schema/openapi.yaml.
var (
	errUnauthorized   = &httpError{status: http.StatusUnauthorized, text: "Unauthorized", header: http.Header{"Www-Authenticate": {"Bearer"}}}
	errForbidden      = &httpError{status: http.StatusForbidden, text: "Forbidden"}
	errAdministrators = &httpError{status: http.StatusForbidden, text: "Only administrators may do this"}
	errTooLarge       = &httpError{status: http.StatusRequestEntityTooLarge, text: "Request body too large"}
)

func badRequest(text string) error { return &httpError{status: http.StatusBadRequest, text: text} }

// handle makes the handler of a route: the only place that writes JSON.
func (s *Server) handle(rt route) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header()[requestIDHeader] = []string{s.requestID(r)}
		w = s.observe(w, &rt)
		if rt.cors != nil && rt.cors(w, r) {
			return
		}
		v, err := s.perform(rt, w, r)
		switch {
		case err != nil:
			s.writeError(w, r, err)
		case v != written{}:
			writeJSON(w, http.StatusOK, v)
		}
	}
}

// perform applies the rules of a route and runs its action.
func (s *Server) perform(rt route, w http.ResponseWriter, r *http.Request) (_ any, err error) {
	if rt.filtered && r.Method != http.MethodOptions && s.cfg.BlocksAgent(r.UserAgent()) {
		return nil, errForbidden
	}
	if !rt.page && !cleanAddress(r) {
		return nil, badRequest("The address must be UTF-8 text without NUL characters")
	}
	var by chat.Author
	if rt.access != nil {
		if by, err = rt.access(w, r, requestKey(r, rt.queryKey)); err != nil {
			return nil, err
		}
		if by, err = rt.opened(by); err != nil {
			return nil, err
		}
		if err = rt.reachable(r, by); err != nil {
			return nil, err
		}
	}
	if rt.rate != nil {
		if err := s.limited(w, r, rt.rate, s.address(r)); err != nil {
			return nil, err
		}
	}
	if rt.body > 0 {
		r.Body = limitedBody(r, rt.body)
	}
	return rt.action(w, r, by)
}

// limitedBody returns a request's body, which fails with [http.MaxBytesError] behind the
// limit, or at once if a larger one is announced: nobody waits for what is refused.
func limitedBody(r *http.Request, limit int64) io.ReadCloser {
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

// cleanAddress reports whether the ids and values in a request's address are
// text that every database stores.
func cleanAddress(r *http.Request) bool {
	if !isText(r.URL.Path) {
		return false
	}
	if !strings.Contains(r.URL.RawQuery, "%") {
		return isText(r.URL.RawQuery)
	}
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return false
	}
	for _, values := range query {
		if !isText(values[0]) {
			return false
		}
	}
	return true
}

// isText reports whether s is UTF-8 without NUL characters.
func isText(s string) bool { return utf8.ValidString(s) && strings.IndexByte(s, 0) < 0 }

// jsonHeader is what every answer in JSON has: nothing that relay answers may be
// cached.
var jsonHeader = http.Header{"Content-Type": {"application/json"}, "Cache-Control": {"no-store"}, "X-Content-Type-Options": {"nosniff"}}

// writeJSON answers v.
func writeJSON(w http.ResponseWriter, status int, v any) {
	data, err := encode(v)
	if err != nil {
		status, data = http.StatusInternalServerError, []byte(`{"error":"Internal server error"}`)
	}
	h := w.Header()
	maps.Copy(h, jsonHeader)
	h.Set("Content-Length", strconv.Itoa(len(data)))
	w.WriteHeader(status)
	_, _ = w.Write(data) // the client may be gone
}

func encode(v any) ([]byte, error) {
	if m, ok := v.(chat.Message); ok {
		return m.AppendJSON(make([]byte, 0, 384+len(m.Content))), nil
	}
	return json.Marshal(v)
}

// statusClientGone is for the log of a proxy: nobody reads the answer.
const statusClientGone = 499

// writeError answers an error as {"error": text}. An error that is not meant for the
// caller is logged here, once, and answered as an internal error.
func (s *Server) writeError(w http.ResponseWriter, r *http.Request, err error) {
	status, text := http.StatusInternalServerError, "Internal server error"
	var he *httpError
	var ce *chat.Error
	switch {
	case errors.As(err, &he):
		status, text = he.status, he.text
		for name, values := range he.header {
			w.Header()[name] = values
		}
	case errors.As(err, &ce):
		status, text = cmp.Or(statuses[ce.Kind], status), ce.Text
		if ce.Kind == chat.StorageFull {
			w.Header().Set("Retry-After", "10")
			what := "the disk does not take what is written: it is full, a quota is, or it fails"
			if errors.Is(err, chat.ErrNoRoom) {
				what = "files are refused, messages are stored"
			}
			s.logOutage(&s.full, what, w, r, err)
		}
	case errors.Is(err, chat.ErrAway):
		status, text = http.StatusServiceUnavailable, "The database cannot be reached"
		w.Header().Set("Retry-After", "5")
		s.logOutage(&s.away, "request failed", w, r, err)
	case r.Context().Err() != nil:
		status, text = statusClientGone, "The request was cut off"
	default:
		s.log.Error("request failed", "request", w.Header().Get(requestIDHeader), "method", r.Method, "path", r.URL.Path, slog.Any("err", err))
	}
	writeJSON(w, status, refusalOf(r, status, text, ce))
}

// logOutage logs failures that every request has at the moment, once a minute.
func (s *Server) logOutage(failed *chat.LogThrottle, text string, w http.ResponseWriter, r *http.Request, err error) {
	if n := failed.Allow(); n > 0 {
		s.log.Error(text, "request", w.Header().Get(requestIDHeader), "method", r.Method, "path", r.URL.Path, slog.Any("err", err), "count", n)
	}
}

// statuses are the statuses of the service's errors.
var statuses = map[chat.Kind]int{
	chat.Invalid:     http.StatusBadRequest,
	chat.Forbidden:   http.StatusForbidden,
	chat.NotFound:    http.StatusNotFound,
	chat.Conflict:    http.StatusConflict,
	chat.TooLarge:    http.StatusRequestEntityTooLarge,
	chat.Unsupported: http.StatusUnsupportedMediaType,
	chat.StorageFull: http.StatusServiceUnavailable,
}

// decode reads a JSON object. Unknown fields are ignored, wrong types and broken
// text are 400.
func decode[T any](r *http.Request) (T, error) {
	body, err := readJSON(r)
	if err != nil {
		var v T
		return v, err
	}
	return unmarshal[T](body)
}

// inSession is what the bodies of the widget's routes have in common.
type inSession struct {
	SessionID string `json:"sessionId"`
}

func (in inSession) named() error { return required("sessionId", in.SessionID) }

// bodyAction is an action that takes the body of the request.
type bodyAction[T any] func(w http.ResponseWriter, r *http.Request, by chat.Author, in T) (any, error)

// body makes an action of one that takes a JSON object.
func body[T any](act bodyAction[T]) action {
	return func(w http.ResponseWriter, r *http.Request, by chat.Author) (any, error) {
		in, err := decode[T](r)
		if err != nil {
			return nil, err
		}
		return act(w, r, by, in)
	}
}

// sessionBody is body for objects that must name their session.
func sessionBody[T interface{ named() error }](act bodyAction[T]) action {
	return body(func(w http.ResponseWriter, r *http.Request, by chat.Author, in T) (any, error) {
		if err := in.named(); err != nil {
			return nil, err
		}
		return act(w, r, by, in)
	})
}

// optionalBody is body for actions without required fields: a request without a body
// counts as {}.
func optionalBody[T any](act bodyAction[T]) action {
	return func(w http.ResponseWriter, r *http.Request, by chat.Author) (any, error) {
		if r.ContentLength == 0 {
			var in T
			return act(w, r, by, in)
		}
		return body(act)(w, r, by)
	}
}

// unmarshal reads a body that readJSON has checked.
func unmarshal[T any](body []byte) (T, error) {
	var v T
	if err := json.Unmarshal(body, &v); err != nil {
		return v, decodeError(err, reflect.TypeFor[T]())
	}
	return v, nil
}

// readJSON reads a body and checks that it is a JSON object.
func readJSON(r *http.Request) ([]byte, error) {
	if err := checkContentType(r); err != nil {
		return nil, err
	}
	body, err := readBody(r)
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
	return &httpError{status: http.StatusUnsupportedMediaType, text: "Content-Type must be application/json"}
}

func readBody(r *http.Request) ([]byte, error) {
	body, err := io.ReadAll(r.Body)
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return nil, errTooLarge
	case err != nil:
		return nil, badRequest("The request body could not be read")
	}
	return body, nil
}

// decodeError describes what is wrong with the JSON.
func decodeError(err error, into reflect.Type) error {
	path, must, ok := chat.WrongType(err, into)
	switch {
	case !ok:
		return badRequest("Invalid JSON")
	case path == "":
		return badRequest("The body must be a JSON object")
	}
	return badRequest(path + " must be " + must)
}
