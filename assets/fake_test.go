package assets_test

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"path"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/relay-chat/relay/assets"
	"github.com/relay-chat/relay/server/e2e/ports"
)

// fake is a widget API in memory, as schema/openapi.yaml describes it.
// It can be taken off the net and put back, and made to refuse requests.
type fake struct {
	addr string

	mu       sync.Mutex
	server   *http.Server
	config   map[string]any
	online   bool
	backAt   string
	replies  int // seconds
	hours    []object
	rules    []object
	ai       bool
	contact  bool // askContact
	key      string
	sessions map[string]*fakeSession
	next     int
	calls    []call
	refusals map[string][]refusal
	hold     map[string]chan struct{}
	files    map[string][]byte // uploaded, by name
	gone     bool              // unsent files were deleted
}

type call struct {
	route  string // such as "POST messages"
	body   map[string]any
	header http.Header
}

// refusal is an answer that a test ordered for a route.
type refusal struct {
	status int
	after  int
	text   string
}

type object = map[string]any

type fakeSession struct {
	id, token string
	erased    bool
	status    string
	csat      object
	rev       int
	messages  []object
	timeline  []object
	events    []fakeEvent
	streams   map[chan fakeEvent]bool
}

type fakeEvent struct {
	rev  int // 0: a state
	name string
	data object
}

func newFake(t *testing.T) *fake {
	t.Helper()
	f := &fake{key: "pk_test", online: true, sessions: map[string]*fakeSession{},
		refusals: map[string][]refusal{}, hold: map[string]chan struct{}{}, files: map[string][]byte{}, config: object{
			"operatorName": "Ana", "primaryColor": "#3b5bdb", "welcomeMessage": "Hello! How can we help?",
			"offlineMessage": "We are away and answer by tomorrow.", "position": "right", "theme": "auto",
			"attachments": object{"enabled": true, "maxBytes": 1 << 20, "types": []string{"image/png", "text/plain", "application/pdf"}},
			"csat":        object{"enabled": true}, "preChatForm": nil,
		}}
	f.start(t)
	t.Cleanup(f.stop)
	return f
}

// start listens on a free port, and later on the same one again.
func (f *fake) start(t *testing.T) {
	t.Helper()
	addr := f.addr
	if addr == "" {
		port, err := ports.Free()
		if err != nil {
			t.Fatal(err)
		}
		addr = "127.0.0.1:" + port
	}
	l, err := net.Listen("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	f.addr = l.Addr().String()
	f.server = &http.Server{Handler: f.handler()}
	go f.server.Serve(l)
}

// stop cuts every connection, as a crash does.
func (f *fake) stop() { f.server.Close() }

func (f *fake) url() string { return "http://" + f.addr }

func (f *fake) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /widget.js", serveBuilt)
	mux.HandleFunc("GET /widget.mjs", serveBuilt)
	mux.HandleFunc("GET /widget/", serveBuilt)
	mux.HandleFunc("GET /files/{name}", f.serveFile)
	mux.HandleFunc("GET /faces/{id}", serveFace)
	routes := map[string]func(http.ResponseWriter, *http.Request, object) (any, int){
		"POST init": f.init, "POST messages": f.post, "GET messages": f.history,
		"PATCH messages/{id}": f.edit, "DELETE messages/{id}": f.remove, "POST read": f.read,
		"POST typing": f.ok, "POST identify": f.ok, "POST prechat": f.ok, "POST events": f.ok, "POST page": f.ok,
		"POST csat": f.ok, "POST handoff": f.ok, "POST disconnect": f.ok, "POST close": f.close, "POST link": f.link, "GET proactive": f.proactive, "POST attachments": f.attach,
	}
	for pattern, handle := range routes {
		method, path, _ := strings.Cut(pattern, " ")
		mux.HandleFunc(method+" /api/widget/"+path, f.route(pattern, handle))
	}
	mux.HandleFunc("GET /api/widget/stream", f.route("GET stream", f.stream))
	return cors(mux)
}

func cors(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Access-Control-Allow-Origin", "*")
		h.Set("Access-Control-Allow-Headers", "Authorization, X-API-Key, Content-Type, X-Session-Token, Last-Event-ID")
		h.Set("Access-Control-Allow-Methods", "GET, POST, PATCH, DELETE")
		h.Set("Access-Control-Expose-Headers", "Retry-After")
		h.Set("Access-Control-Max-Age", "7200")
		h.Set("Cross-Origin-Resource-Policy", "cross-origin")
		if r.Method != http.MethodOptions {
			next.ServeHTTP(w, r)
		}
	})
}

// route records the call, refuses it if so ordered, and answers JSON.
func (f *fake) route(name string, handle func(http.ResponseWriter, *http.Request, object) (any, int)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body := object{}
		if r.Header.Get("Content-Type") == "application/json" {
			json.NewDecoder(r.Body).Decode(&body)
		}
		f.mu.Lock()
		f.calls = append(f.calls, call{name, body, r.Header})
		status, after, text := 0, 0, ""
		if r.Header.Get("Authorization") != "Bearer "+f.key {
			status, text = 401, "Unauthorized"
		} else if list := f.refusals[name]; len(list) > 0 {
			status, after, text = list[0].status, list[0].after, list[0].text
			f.refusals[name] = list[1:]
		}
		hold := f.hold[name]
		f.mu.Unlock()
		if hold != nil {
			<-hold
		}
		if status != 0 {
			if after > 0 {
				w.Header().Set("Retry-After", strconv.Itoa(after))
			}
			answer(w, object{"error": text}, status)
			return
		}
		if result, code := handle(w, r, body); code != 0 {
			answer(w, result, code)
		}
	}
}

func answer(w http.ResponseWriter, body any, status int) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(body)
}

// frozen renders a value while the caller holds the lock.
func frozen(v any) json.RawMessage {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return data
}

var notFound = object{"error": "Session not found"}

// session finds the session of a request; the caller holds the lock.
func (f *fake) session(r *http.Request, body object) *fakeSession {
	id, _ := body["sessionId"].(string)
	if id == "" {
		id = r.URL.Query().Get("sessionId")
	}
	s := f.sessions[id]
	if s == nil || s.erased || s.token != r.Header.Get("X-Session-Token") {
		return nil
	}
	return s
}

// add stores a message and sends it to the streams; the caller holds the lock.
func (f *fake) add(s *fakeSession, m object) object {
	f.next++
	m["id"], m["sessionId"] = fmt.Sprint("m", f.next), s.id
	if m["timestamp"] == nil {
		m["timestamp"] = now()
	}
	if m["attachments"] == nil {
		m["attachments"] = []object{}
	}
	s.messages = append(s.messages, m)
	s.fact("message", m)
	return m
}

func now() string { return time.Now().UTC().Format("2006-01-02T15:04:05.000Z") }

func (s *fakeSession) fact(name string, data object) {
	s.rev++
	copied := object{"type": name}
	for k, v := range data {
		copied[k] = v
	}
	e := fakeEvent{s.rev, name, copied}
	s.events = append(s.events, e)
	s.send(e)
}

func (s *fakeSession) send(e fakeEvent) {
	for c := range s.streams {
		c <- e
	}
}

// serveBuilt serves a built script.
func serveBuilt(w http.ResponseWriter, r *http.Request) {
	data, err := assets.File(path.Base(r.URL.Path))
	if err != nil {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "text/javascript")
	_, _ = w.Write(data)
}
