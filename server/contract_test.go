package server_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/keyring"
)

// witness holds every request that a test makes and every answer that it gets
// to schema/openapi.yaml, whoever makes the request and however. The test
// fails when an answer, an event of a stream or a request that was accepted is
// not as the document says.
type witness struct {
	t interface {
		Errorf(format string, args ...any)
	}
	keys *keyring.Ring // of the community server
	// sites are its other sites, which have public keys of their own.
	sites func() *chat.Sites
	next  http.Handler
	// backendKey is the bridge server's API_KEY.
	backendKey string
}

func newWitness(t *testing.T, s *site, next http.Handler) *witness {
	document() // here its mistakes end the test
	wt := &witness{t: t, keys: s.ring, next: next}
	if s.ring != nil {
		wt.sites = s.Sites
	}
	return wt
}

// maxSeen is how much of a request's body is looked at.
const maxSeen = 4 << 20

func (wt *witness) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	ring := &keysOf{wt.keys, wt.sites, wt.backendKey, bearer(r), r.Header.Get("X-API-Key"), r.URL.Query().Get("apiKey")}
	known := ring.look() // now: the request may rotate them
	sent := &tee{ReadCloser: r.Body}
	r.Body = sent
	answered := &recorder{ResponseWriter: w, report: func(err error) { wt.t.Errorf("%s %s: %v", r.Method, r.URL, err) }}
	answered.find(r)
	wt.next.ServeHTTP(answered, r)
	if answered.status == 0 && r.Context().Err() != nil {
		return // the client went away before it was answered
	}
	if err := answered.check(r); err != nil {
		wt.t.Errorf("%s %s answered %d %.300s\nwhich is not as openapi.yaml says: %s", r.Method, r.URL, answered.status, answered.body.Bytes(), brief(err))
	}
	if answered.route == nil || answered.status >= http.StatusBadRequest || r.Method == http.MethodHead {
		return
	}
	if err := checkAccepted(r, answered.route, answered.vars, sent, known); err != nil {
		wt.t.Errorf("%s %s %.300s was accepted, which is not as openapi.yaml says: %s", r.Method, r.URL, sent.seen.Bytes(), brief(err))
	}
}

// dumps are the parts of an error that repeat schemas and values.
var dumps = regexp.MustCompile(`(?s)\s*Schema:.*?(\| |$)`)

func brief(err error) string { return dumps.ReplaceAllString(err.Error(), " $1") }

// keysOf are the keys that a request brings.
type keysOf struct {
	ring                  *keyring.Ring
	sites                 func() *chat.Sites
	backend               string
	bearer, header, query string
}

func bearer(r *http.Request) string {
	scheme, key, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return key
}

// look returns which security schemes a request satisfies by its keys.
func (k *keysOf) look() map[string]bool {
	if k.ring == nil {
		return map[string]bool{"backendKey": k.bearer == k.backend, "backendKeyHeader": k.header == k.backend}
	}
	public := func(key string) bool {
		_, ofSite := k.sites().WithKey(key)
		return ofSite || k.ring.IsPublic(key)
	}
	scoped := func(key string) bool { return strings.HasPrefix(key, chat.APIKeyPrefix) }
	return map[string]bool{
		"publicKey": public(k.bearer), "secretKey": k.ring.Check(k.bearer) != keyring.Wrong, "scopedKey": scoped(k.bearer), "accessToken": strings.HasPrefix(k.bearer, chat.AccessTokenPrefix),
		"apiKeyHeader":   public(k.header) || k.ring.Check(k.header) != keyring.Wrong || scoped(k.header),
		"publicKeyQuery": public(k.query),
	}
}

// tee keeps what a handler reads.
type tee struct {
	io.ReadCloser
	seen bytes.Buffer
}

func (t *tee) Read(p []byte) (int, error) {
	n, err := t.ReadCloser.Read(p)
	if t.seen.Len() < maxSeen {
		t.seen.Write(p[:n])
	}
	return n, err
}

// recorder notes an answer on its way out, and checks events as they pass.
type recorder struct {
	http.ResponseWriter
	report func(error)
	route  *routers.Route // nil: the document has none
	vars   map[string]string
	lost   error // why there is no route
	status int
	header http.Header
	body   bytes.Buffer
	items  *openapi3.Schema // of the events or lines in the body
}

func (rec *recorder) Unwrap() http.ResponseWriter { return rec.ResponseWriter }

func (rec *recorder) find(r *http.Request) {
	rec.route, rec.vars, rec.lost = document().router.FindRoute(r)
}

func (rec *recorder) WriteHeader(status int) {
	if rec.status == 0 {
		rec.status, rec.header = status, rec.Header().Clone()
		rec.items = itemsOf(rec.route, status, rec.header.Get("Content-Type"))
	}
	rec.ResponseWriter.WriteHeader(status)
}

func (rec *recorder) Write(p []byte) (int, error) {
	if rec.status == 0 {
		rec.WriteHeader(http.StatusOK)
	}
	if strings.HasPrefix(rec.header.Get("Content-Type"), "application/json") || rec.items != nil {
		rec.body.Write(p)
	}
	if rec.items != nil {
		rec.checkItems()
	}
	return rec.ResponseWriter.Write(p)
}

// itemsOf returns what the document says of the events or lines of an answer.
func itemsOf(route *routers.Route, status int, contentType string) *openapi3.Schema {
	if contentType != "text/event-stream" && contentType != "application/x-ndjson" || route == nil || route.Operation.Responses.Status(status) == nil {
		return nil
	}
	media := route.Operation.Responses.Status(status).Value.Content.Get(contentType)
	if media == nil || media.Schema == nil { // messages of another protocol
		return nil
	}
	return componentOf(route.Spec, media.Schema.Ref)
}

func componentOf(doc *openapi3.T, ref string) *openapi3.Schema {
	return doc.Components.Schemas[strings.TrimPrefix(ref, "#/components/schemas/")].Value
}

// checkItems takes whole events or lines out of the body and checks each.
func (rec *recorder) checkItems() {
	separator, stream := "\n", strings.HasPrefix(rec.header.Get("Content-Type"), "text/event-stream")
	if stream {
		separator = "\n\n"
	}
	for {
		item, rest, whole := strings.Cut(rec.body.String(), separator)
		if !whole {
			return
		}
		rec.body.Reset()
		rec.body.WriteString(rest)
		var err error
		if stream {
			err = rec.checkEvent(item)
		} else {
			_, err = rec.checkItem([]byte(item))
		}
		if err != nil {
			rec.report(fmt.Errorf("%s\nis not as openapi.yaml says: %s", item, brief(err)))
		}
	}
}

// checkEvent checks one server-sent event: its data, that its name is the
// data's type, and on a visitor's stream that facts, and no states, have ids.
func (rec *recorder) checkEvent(text string) error {
	fields := map[string]string{}
	for line := range strings.SplitSeq(text, "\n") {
		name, value, _ := strings.Cut(line, ": ")
		fields[name] = value
	}
	if fields["data"] == "" {
		return nil // a heartbeat
	}
	kind, err := rec.checkItem([]byte(fields["data"]))
	if err != nil {
		return err
	}
	about := rec.itemSchema(kind).Description
	switch {
	case rec.route.Operation.OperationID == "backendStream":
		if _, named := fields["event"]; named || fields["id"] == "" {
			return errors.New("it is not of the default type, or has no id")
		}
		return nil
	case fields["event"] != kind:
		return fmt.Errorf("the event is called %q, its type is %q", fields["event"], kind)
	case rec.route.Operation.OperationID != "widgetStream":
	case strings.HasPrefix(about, "A fact.") && fields["id"] == "", strings.HasPrefix(about, "A state.") && fields["id"] != "":
		return fmt.Errorf("the id is %q", fields["id"])
	}
	return nil
}

func (rec *recorder) itemSchema(kind string) *openapi3.Schema {
	ref, known := rec.items.Discriminator.Mapping[kind]
	if !known {
		return nil
	}
	return componentOf(rec.route.Spec, ref.Ref)
}

// checkItem checks one event or line against the component of its type.
func (rec *recorder) checkItem(data []byte) (kind string, err error) {
	var item struct {
		Type string `json:"type"`
	}
	var value any
	if err := errors.Join(json.Unmarshal(data, &item), json.Unmarshal(data, &value)); err != nil {
		return "", err
	}
	schema := rec.itemSchema(item.Type)
	if schema == nil {
		return item.Type, fmt.Errorf("the type %q is not documented", item.Type)
	}
	key := sha256.Sum256(append([]byte(rec.route.Operation.OperationID+"\n"), sameForm(data)...))
	return item.Type, once(key, func() error {
		if answers().accept(schema, data) {
			return nil
		}
		return schema.VisitJSON(value, openapi3.EnableJSONSchema2020(), openapi3.VisitAsResponse())
	})
}

// check holds the answer to the document.
func (rec *recorder) check(r *http.Request) error {
	if rec.status == 0 { // nothing was written
		rec.status, rec.header = http.StatusOK, rec.Header()
		rec.items = itemsOf(rec.route, rec.status, rec.header.Get("Content-Type"))
	}
	switch {
	case r.Method == http.MethodOptions && (forPages(r.URL.Path) || r.URL.Path == "/api/events/stream" && rec.status == http.StatusNoContent):
		if rec.status != http.StatusNoContent {
			return errors.New("preflights answer 204")
		}
		return nil
	case rec.route == nil:
		return rec.checkUnrouted(r)
	case rec.route.Operation.Responses.Status(rec.status) == nil:
		return errors.New("the status is not documented")
	}
	return once(rec.fingerprint(), func() error { return rec.checkAnswer(r) })
}

// forPages reports whether pages of other origins may use what is below a path.
func forPages(path string) bool {
	return path == "/mcp" || slices.ContainsFunc([]string{"/api/widget/", "/oauth/", "/.well-known/"}, func(prefix string) bool { return strings.HasPrefix(path, prefix) })
}

// checkUnrouted checks the answer of what the document does not have.
func (rec *recorder) checkUnrouted(r *http.Request) error {
	want := http.StatusNotFound
	if errors.Is(rec.lost, routers.ErrMethodNotAllowed) {
		want = http.StatusMethodNotAllowed
	}
	if !slices.Contains([]int{want, http.StatusBadRequest, http.StatusForbidden}, rec.status) {
		return fmt.Errorf("%w: only %d would be right", rec.lost, want)
	}
	page := strings.HasPrefix(rec.header.Get("Content-Type"), "text/html") && strings.Contains(r.Header.Get("Accept"), "text/html")
	if r.Method == http.MethodHead || page && !strings.HasPrefix(r.URL.Path, "/api/") {
		return nil
	}
	var value any
	if err := json.Unmarshal(rec.body.Bytes(), &value); err != nil {
		return err
	}
	return componentOf(document().strict, "Error").VisitJSON(value, openapi3.EnableJSONSchema2020())
}

func (rec *recorder) checkAnswer(r *http.Request) error {
	body := rec.body.Bytes()
	return openapi3filter.ValidateResponse(context.Background(), &openapi3filter.ResponseValidationInput{
		RequestValidationInput: &openapi3filter.RequestValidationInput{Request: r, Route: rec.route, PathParams: rec.vars},
		Status:                 rec.status, Header: rec.header, Body: io.NopCloser(bytes.NewReader(body)),
		Options: &openapi3filter.Options{IncludeResponseStatus: true, MultiError: true,
			ExcludeResponseBody: rec.items != nil || rec.bodyAccepted()}, // items are checked as they pass
	})
}

// bodyAccepted reports whether the body is surely right.
func (rec *recorder) bodyAccepted() bool {
	media := rec.route.Operation.Responses.Status(rec.status).Value.Content["application/json"]
	return media != nil && media.Schema != nil && strings.HasPrefix(rec.header.Get("Content-Type"), "application/json") &&
		answers().accept(media.Schema.Value, rec.body.Bytes())
}

// fingerprint names what the verdict on an answer depends on.
func (rec *recorder) fingerprint() [32]byte {
	h := sha256.New()
	fmt.Fprintln(h, rec.route.Method, rec.route.Path, rec.status, rec.header.Get("Content-Type"), rec.header.Get("Retry-After"), rec.header.Get("Location"))
	_, _ = h.Write(sameForm(rec.body.Bytes()))
	return [32]byte(h.Sum(nil))
}

// What differs from answer to answer without making a difference to its form: right ids,
// with the place that a message's has behind it, and right times.
var (
	rightID   = regexp.MustCompile(`\b[A-Z2-7]{26}[0-9A-V]*\b`)
	rightTime = regexp.MustCompile(`\b20\d\d-(0[1-9]|1[0-2])-(0[1-9]|1\d|2[0-8])T([01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z`)
)

// sameForm is alike for answers that differ in their ids and times only.
func sameForm(body []byte) []byte {
	return rightTime.ReplaceAll(rightID.ReplaceAll(body, []byte("id")), []byte("time"))
}

// verdicts are the checks that were made: thousands of answers have the same form.
var verdicts sync.Map

func once(key [32]byte, check func() error) error {
	if verdict, known := verdicts.Load(key); known {
		err, _ := verdict.(error)
		return err
	}
	err := check()
	verdicts.Store(key, err)
	return err
}

// checkAccepted holds a request that was accepted to the document: its key,
// its parameters and its body.
func checkAccepted(r *http.Request, strict *routers.Route, vars map[string]string, sent *tee, keys map[string]bool) error {
	if sent.seen.Len() >= maxSeen {
		return nil // a large file
	}
	route := *strict
	route.Spec = document().loose
	route.PathItem = route.Spec.Paths.Value(route.Path)
	route.Operation = route.PathItem.GetOperation(r.Method)
	again := r.Clone(context.Background())
	again.Body = io.NopCloser(bytes.NewReader(sent.seen.Bytes()))
	again.GetBody = nil
	if media, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";"); media == "" || media == "text/plain" {
		again.Header.Set("Content-Type", "application/json") // as info.description says
	}
	return openapi3filter.ValidateRequest(context.Background(), &openapi3filter.RequestValidationInput{
		Request: again, Route: &route, PathParams: vars, QueryParams: r.URL.Query(),
		Options: &openapi3filter.Options{MultiError: true, SkipSettingDefaults: true, ExcludeRequestBody: bodyRight(route.Operation, again, sent.seen.Bytes()),
			AuthenticationFunc: func(_ context.Context, in *openapi3filter.AuthenticationInput) error {
				return checkScheme(in, keys)
			}},
	})
}

// bodyRight reports whether the body of a request is surely right.
func bodyRight(op *openapi3.Operation, r *http.Request, body []byte) bool {
	if op.RequestBody == nil || r.Header.Get("Content-Type") != "application/json" {
		return false
	}
	media := op.RequestBody.Value.Content["application/json"]
	return media != nil && media.Schema != nil && requests().accept(media.Schema.Value, body)
}

// checkScheme reports whether a request satisfies a security scheme.
func checkScheme(in *openapi3filter.AuthenticationInput, keys map[string]bool) error {
	name, r := in.SecuritySchemeName, in.RequestValidationInput.Request
	brought := keys[name]
	switch name {
	case "sessionToken":
		brought = r.Header.Get("X-Session-Token") != ""
	case "consoleCookie":
		brought = strings.Contains(r.Header.Get("Cookie"), "relay_console=")
	}
	if !brought {
		return in.NewError(errors.New("it is not there"))
	}
	return nil
}
