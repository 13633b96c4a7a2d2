package assets_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/relay-chat/relay/assets"
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
	key      string
	sessions map[string]*fakeSession
	next     int
	calls    []call
	refusals map[string][]refusal
	hold     map[string]chan struct{}
	files    map[string][]byte // uploaded, by name
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
		addr = "127.0.0.1:0"
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
	files := http.FileServerFS(assets.Dist())
	mux.Handle("GET /widget.js", files)
	mux.HandleFunc("GET /widget.mjs", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/javascript") // package mime may not know it
		files.ServeHTTP(w, r)
	})
	mux.Handle("GET /widget/", http.StripPrefix("/widget", files))
	mux.HandleFunc("GET /files/{name}", f.serveFile)
	mux.HandleFunc("GET /faces/{id}", serveFace)
	routes := map[string]func(http.ResponseWriter, *http.Request, object) (any, int){
		"POST init": f.init, "POST messages": f.post, "GET messages": f.history,
		"PATCH messages/{id}": f.edit, "DELETE messages/{id}": f.remove, "POST read": f.read,
		"POST typing": f.ok, "POST identify": f.ok, "POST prechat": f.ok, "POST events": f.ok, "POST page": f.ok,
		"POST csat": f.ok, "POST handoff": f.ok, "POST disconnect": f.ok, "POST close": f.close, "GET proactive": f.proactive, "POST attachments": f.attach,
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
	if s == nil || s.token != r.Header.Get("X-Session-Token") {
		return nil
	}
	return s
}

func (f *fake) init(_ http.ResponseWriter, _ *http.Request, body object) (any, int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	token, _ := body["sessionToken"].(string)
	var s *fakeSession
	for _, known := range f.sessions {
		if token != "" && known.token == token && body["newSession"] != true {
			s = known
		}
	}
	if s == nil {
		f.next++
		s = &fakeSession{id: fmt.Sprint("s", f.next), token: fmt.Sprint("t", f.next), status: "open",
			csat: object{}, streams: map[chan fakeEvent]bool{}}
		f.sessions[s.id] = s
	}
	return frozen(object{"sessionId": s.id, "sessionToken": s.token, "operatorOnline": f.online, "backAt": f.backAt, "replySeconds": f.replies, "hours": f.hours,
		"messages": s.newest(50), "timeline": append([]object{}, s.timeline...), "lastEventId": strconv.Itoa(s.rev), "config": f.config,
		"session": object{"status": s.status, "identity": nil, "csat": s.csat, "aiActive": f.ai}}), 200
}

func (s *fakeSession) newest(n int) []object {
	return append([]object{}, s.messages[max(0, len(s.messages)-n):]...)
}

func (f *fake) post(_ http.ResponseWriter, r *http.Request, body object) (any, int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	s := f.session(r, body)
	if s == nil {
		return notFound, 404
	}
	for _, m := range s.messages {
		if m["clientId"] == body["clientId"] {
			return frozen(m), 200
		}
	}
	files := []object{}
	ids, _ := body["attachmentIds"].([]any)
	for _, id := range ids {
		files = append(files, attachment(id.(string)))
	}
	m := f.add(s, object{"content": body["content"], "sender": "visitor", "clientId": body["clientId"], "attachments": files, "replyTo": body["replyTo"]})
	return frozen(m), 200
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

func (f *fake) history(_ http.ResponseWriter, r *http.Request, body object) (any, int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	s := f.session(r, body)
	if s == nil {
		return notFound, 404
	}
	end := len(s.messages)
	for i, m := range s.messages {
		if m["id"] == r.URL.Query().Get("before") {
			end = i
		}
	}
	limit, _ := strconv.Atoi(r.URL.Query().Get("limit"))
	start := max(0, end-limit)
	return frozen(object{"messages": append([]object{}, s.messages[start:end]...), "timeline": append([]object{}, s.timeline...), "hasMore": start > 0,
		"lastEventId": strconv.Itoa(s.rev)}), 200
}

func (f *fake) edit(_ http.ResponseWriter, r *http.Request, body object) (any, int) {
	return f.change(r, body, "message_edited", func(m object) { m["content"], m["editedAt"] = body["content"], now() })
}

func (f *fake) remove(_ http.ResponseWriter, r *http.Request, body object) (any, int) {
	return f.change(r, body, "message_deleted", func(m object) {
		m["content"], m["attachments"], m["deletedAt"] = "", []object{}, now()
	})
}

func (f *fake) change(r *http.Request, body object, name string, do func(object)) (any, int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	s := f.session(r, body)
	if s == nil {
		return notFound, 404
	}
	for _, m := range s.messages {
		if m["id"] == r.PathValue("id") {
			do(m)
			s.fact(name, m)
			return frozen(m), 200
		}
	}
	return object{"error": "Message not found"}, 404
}

func (f *fake) read(_ http.ResponseWriter, r *http.Request, body object) (any, int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	s := f.session(r, body)
	if s == nil {
		return notFound, 404
	}
	ids := body["messageIds"].([]any)
	if len(ids) > 500 {
		return object{"error": "messageIds must be at most 500"}, 400
	}
	for _, m := range s.messages {
		if slices.Contains(ids, m["id"]) {
			m["readAt"] = now()
		}
	}
	s.fact("message_read", object{"messageIds": body["messageIds"], "status": "read", "at": now()})
	return object{"ok": true}, 200
}

func (f *fake) ok(_ http.ResponseWriter, r *http.Request, body object) (any, int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.session(r, body) == nil {
		return notFound, 404
	}
	return object{"ok": true, "verified": false}, 200
}

// close ends a conversation, and asks how it was.
func (f *fake) close(_ http.ResponseWriter, r *http.Request, body object) (any, int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	s := f.session(r, body)
	if s == nil {
		return notFound, 404
	}
	s.status = "closed"
	s.fact("session_closed", object{"at": now()})
	return object{"ok": true}, 200
}

func (f *fake) proactive(http.ResponseWriter, *http.Request, object) (any, int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return frozen(object{"online": f.online, "messages": f.rules, "config": f.config}), 200
}

func (f *fake) attach(_ http.ResponseWriter, r *http.Request, _ object) (any, int) {
	file, header, err := r.FormFile("file")
	if err != nil {
		return object{"error": "file is required"}, 400
	}
	data, _ := io.ReadAll(file)
	f.mu.Lock()
	f.files[header.Filename] = data
	f.mu.Unlock()
	return attachment(header.Filename), 201
}

func attachment(name string) object {
	kind := "text/plain"
	if strings.HasSuffix(name, ".png") {
		kind = "image/png"
	} else if strings.HasSuffix(name, ".jpg") {
		kind = "image/jpeg"
	} else if strings.HasSuffix(name, ".ogg") {
		kind = "audio/ogg"
	}
	return object{"id": name, "filename": name, "mimeType": kind, "size": 1234, "url": "/files/" + name}
}

func (f *fake) stream(w http.ResponseWriter, r *http.Request, body object) (any, int) {
	f.mu.Lock()
	s := f.session(r, body)
	if s == nil {
		f.mu.Unlock()
		return notFound, 404
	}
	events := make(chan fakeEvent, 500)
	after, err := strconv.Atoi(r.Header.Get("Last-Event-ID"))
	events <- fakeEvent{name: "connected", data: object{"lastEventId": strconv.Itoa(s.rev), "operatorOnline": f.online, "backAt": f.backAt, "status": s.status}}
	if err != nil || after > s.rev {
		events <- fakeEvent{name: "resync", data: object{}}
		after = s.rev
	}
	for _, e := range s.events[after:] {
		events <- e
	}
	s.streams[events] = true
	f.mu.Unlock()
	defer func() {
		f.mu.Lock()
		delete(s.streams, events)
		f.mu.Unlock()
	}()
	w.Header().Set("Content-Type", "text/event-stream")
	io.WriteString(w, "retry: 50\n\n: hello\n\n")
	for {
		w.(http.Flusher).Flush()
		select {
		case <-r.Context().Done():
			return nil, 0
		case e := <-events:
			if e.rev > 0 {
				fmt.Fprintf(w, "id: %d\n", e.rev)
			}
			data, _ := json.Marshal(e.data)
			fmt.Fprintf(w, "event: %s\ndata: %s\n\n", e.name, data)
		}
	}
}
