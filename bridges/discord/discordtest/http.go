package discordtest

import (
	"encoding/json"
	"errors"
	"io"
	"maps"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/relay-chat/relay/bridges/bridgetest"
)

// apiError is a refusal of the API.
type apiError struct {
	status  int
	Code    int    `json:"code"`
	Message string `json:"message"`
	// of 429 only
	RetryAfter float64 `json:"retry_after,omitempty"`
	Global     *bool   `json:"global,omitempty"`
	scope      string
}

func refusedBy(status, code int, message string) *apiError {
	return &apiError{status: status, Code: code, Message: message}
}

var (
	unknownChannel = refusedBy(404, 10003, "Unknown Channel")
	unknownMessage = refusedBy(404, 10008, "Unknown Message")
	noAccess       = refusedBy(403, 50001, "Missing Access")
	noPermission   = refusedBy(403, 50013, "Missing Permissions")
	badForm        = refusedBy(400, 50035, "Invalid Form Body")
)

func (f *Platform) serve(w http.ResponseWriter, r *http.Request) {
	switch {
	case strings.HasPrefix(r.URL.Path, gatewayPath):
		f.serveGateway(w, r)
	case strings.HasPrefix(r.URL.Path, "/cdn/"):
		f.serveFile(w, r)
	case r.Header.Get("Authorization") != "Bot "+f.Token:
		respond(w, nil, refusedBy(401, 0, "401: Unauthorized"))
	default:
		f.serveCall(w, r)
	}
}

func (f *Platform) serveCall(w http.ResponseWriter, r *http.Request) {
	path := strings.TrimPrefix(r.URL.EscapedPath(), "/api/v10")
	op, values := f.schema.operation(r.Method, path)
	if op == "" {
		f.Violate("there is no " + r.Method + " " + path)
		respond(w, nil, refusedBy(404, 0, "404: Not Found"))
		return
	}
	body, files, err := decode(r)
	if err != nil {
		f.Violate(op + ": " + err.Error())
		respond(w, nil, badForm)
		return
	}
	for i := range values {
		values[i], _ = url.PathUnescape(values[i])
	}
	f.note(r, op, path, body)
	fault := f.Draw(writes(r.Method, op))
	if fault == bridgetest.FaultOutage {
		panic(bridgetest.ErrRefused)
	}
	if refusal := f.refusalOf(fault); refusal != nil {
		respond(w, nil, refusal)
		return
	}
	f.mu.Lock()
	maps.Copy(w.Header(), f.count(r.Method, op, values))
	result, refusal := f.call(op, values, r.URL.Query(), body, files)
	f.mu.Unlock()
	if fault == bridgetest.FaultAnswerLost {
		panic(http.ErrAbortHandler)
	}
	respond(w, result, refusal)
}

// note keeps a request and what the schema has against it.
func (f *Platform) note(r *http.Request, op, path string, body any) {
	faults := f.schema.check(op, r.URL.Query(), body)
	object, _ := body.(map[string]any)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.Keep(Request{r.Method, path, object})
	f.Violate(faults...)
}

// decode reads a body: JSON, or a form with files.
func decode(r *http.Request) (body any, files []*file, err error) {
	kind, attributes, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	switch {
	case r.Header.Get("Content-Type") == "":
		if n, _ := io.Copy(io.Discard, r.Body); n > 0 {
			return nil, nil, errors.New("a body of no type")
		}
		return nil, nil, nil
	case err != nil:
		return nil, nil, err
	case kind == "application/json":
		return body, nil, json.NewDecoder(r.Body).Decode(&body)
	case kind != "multipart/form-data":
		return nil, nil, errors.New("the body is " + kind)
	}
	form := multipart.NewReader(r.Body, attributes["boundary"])
	for {
		part, err := form.NextPart()
		if errors.Is(err, io.EOF) {
			return body, files, nil
		}
		if err != nil {
			return nil, nil, err
		}
		data, err := io.ReadAll(part)
		if err != nil {
			return nil, nil, err
		}
		if part.FormName() == "payload_json" {
			if err := json.Unmarshal(data, &body); err != nil {
				return nil, nil, err
			}
		} else {
			files = append(files, &file{name: part.FileName(), mimeType: part.Header.Get("Content-Type"), data: data})
		}
	}
}

func respond(w http.ResponseWriter, result any, refusal *apiError) {
	w.Header().Set("Content-Type", "application/json")
	if refusal != nil {
		if refusal.RetryAfter > 0 {
			w.Header().Set("Retry-After", strconv.Itoa(int(refusal.RetryAfter)+1))
			w.Header().Set("X-RateLimit-Scope", refusal.scope)
			if refusal.scope == "global" {
				w.Header().Set("X-RateLimit-Global", "true")
			}
		}
		w.WriteHeader(refusal.status)
		_ = json.NewEncoder(w).Encode(refusal)
		return
	}
	if result == nil {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	_ = json.NewEncoder(w).Encode(result)
}

// Transport reaches the API without a network, for synctest.
func (f *Platform) Transport() http.RoundTripper { return bridgetest.InProcess(f.serve) }

// limitSpan is how long a channel's limit counts.
const limitSpan = 5 * time.Second

// count takes a message out of a channel's limit and returns what the headers
// emit of it. The caller holds the lock.
func (f *Platform) count(method, op string, values []string) http.Header {
	h := http.Header{}
	if f.PerChannel == 0 || method+" "+op != "POST POST /channels/{channel_id}/messages" {
		return h
	}
	now := time.Now()
	w := f.windows[values[0]]
	if w == nil || now.Sub(w.begun) >= limitSpan {
		w = &window{begun: now}
		f.windows[values[0]] = w
	}
	w.count++
	left := w.begun.Add(limitSpan).Sub(now).Seconds()
	h.Set("X-RateLimit-Limit", strconv.Itoa(f.PerChannel))
	h.Set("X-RateLimit-Remaining", strconv.Itoa(max(f.PerChannel-w.count, 0)))
	h.Set("X-RateLimit-Reset-After", strconv.FormatFloat(left, 'f', 3, 64))
	h.Set("X-RateLimit-Bucket", "messages")
	return h
}

// over is the refusal of a message above a channel's limit.
func (f *Platform) over(channel string) *apiError {
	w := f.windows[channel]
	if f.PerChannel == 0 || w == nil || w.count <= f.PerChannel {
		return nil
	}
	return limitedFor(time.Until(w.begun.Add(limitSpan)), "user")
}

func limitedFor(wait time.Duration, scope string) *apiError {
	global := scope == "global"
	e := refusedBy(429, 0, "You are being rate limited.")
	e.RetryAfter, e.Global, e.scope = max(wait.Seconds(), 0.001), &global, scope
	return e
}
