package assets_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

func (f *fake) init(_ http.ResponseWriter, _ *http.Request, body object) (any, int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	token, _ := body["sessionToken"].(string)
	var s *fakeSession
	for _, known := range f.sessions {
		if token != "" && known.token == token && !known.erased && body["newSession"] != true {
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
		"messages": s.newest(50), "hasMore": len(s.messages) > 50, "timeline": append([]object{}, s.timeline...), "lastEventId": strconv.Itoa(s.rev), "config": f.config,
		"session": object{"status": s.status, "identity": nil, "csat": s.csat, "aiActive": f.ai, "askContact": f.contact}}), 200
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
	if f.gone && len(ids) > 0 {
		return object{"error": "Attachment not found"}, 404
	}
	for _, id := range ids {
		files = append(files, attachment(id.(string)))
	}
	m := f.add(s, object{"content": body["content"], "sender": "visitor", "clientId": body["clientId"], "attachments": files, "replyTo": body["replyTo"]})
	return frozen(m), 200
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

// link answers with a code of the size that a real one has.
func (f *fake) link(_ http.ResponseWriter, r *http.Request, body object) (any, int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	s := f.session(r, body)
	if s == nil {
		return notFound, 404
	}
	var code strings.Builder
	for y := range 37 {
		fmt.Fprintf(&code, "M%d %dh%dv1h-%dz", y%7, y, 30-y%5, 30-y%5)
	}
	return object{"url": f.url() + "/c/" + s.id + ".my72rvjw.oNUBr2GyLW-zfLzb3qh0Rg", "code": code.String(), "size": 37, "until": now()}, 200
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
