package server_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/relay-chat/relay/server/chat"
)

// victim is the session that callers are after.
type victim struct{ id, token, other, message, answered, file string }

func (s *site) victim(community bool) (v victim) {
	if !community {
		return v
	}
	bound := s.must("POST", "/api/widget/init", publicKey, object{"visitorId": chat.NewID(), "useSessionToken": true})
	v.id, v.token = bound.text("sessionId"), bound.text("sessionToken")
	v.other = s.must("POST", "/api/widget/init", publicKey, object{"visitorId": chat.NewID(), "useSessionToken": true}).text("sessionToken")
	own := []string{"X-Session-Token", v.token}
	v.message = s.must("POST", "/api/widget/messages", publicKey, object{"sessionId": v.id, "content": "hi"}, own...).text("id")
	v.answered = s.must("POST", "/api/admin/sessions/"+v.id+"/messages", secretKey, object{"content": "hi"}).text("id")
	v.file = s.upload("/api/admin/sessions/"+v.id+"/attachments", secretKey, "a.txt", []byte("x"), "file", "").text("url")
	return v
}

// probe makes a request and reads its answer, but not a stream.
func (s *site) probe(method string, e entry, v victim, from origin, cred credential) (status int, body string) {
	message := v.message
	if e.kind == operator || e.kind == administrator {
		message = v.answered
	}
	fill := strings.NewReplacer("$S", v.id, "$M", message, "$F", v.file, "$U", s.url)
	sent, contentType := "", "application/json"
	if e.body == formOf {
		sent, contentType = fill.Replace("--b\r\nContent-Disposition: form-data; name=\"sessionId\"\r\n\r\n$S\r\n--b\r\n"+
			"Content-Disposition: form-data; name=\"file\"; filename=\"a.txt\"\r\n\r\nx\r\n--b--\r\n"), "multipart/form-data; boundary=b"
	} else if e.body != nil {
		data, _ := json.Marshal(e.body)
		sent = fill.Replace(string(data))
	}
	ctx, cancel := context.WithCancel(s.t.Context())
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, s.url+strings.TrimPrefix(fill.Replace(e.path), s.url), strings.NewReader(sent))
	if err != nil {
		s.t.Fatal(err)
	}
	req.Header.Set("Content-Type", contentType)
	if from.origin != "" {
		req.Header.Set("Origin", fill.Replace(from.origin))
		req.Header.Set("Sec-Fetch-Site", from.site)
	}
	if cred.key != "" {
		req.Header.Set("Authorization", "Bearer "+cred.key)
	}
	for i := 0; i+1 < len(cred.header); i += 2 {
		req.Header.Set(cred.header[i], cred.header[i+1])
	}
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := client.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	s.readableBy(fmt.Sprintf("%s %s with %s", method, e.path, cred.name), e.kind, from, resp.Header)
	if resp.Header.Get("Content-Type") == "text/event-stream" {
		return resp.StatusCode, ""
	}
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return resp.StatusCode, string(text)
}

// readableBy checks which pages may read an answer: those of the widget's origins
// its own routes, and nobody what is for operators. Cookies never go along.
func (s *site) readableBy(request string, k kind, from origin, h http.Header) {
	allowed := h.Get("Access-Control-Allow-Origin")
	if h.Get("Access-Control-Allow-Credentials") != "" || (k == operator || k == administrator || k == backend || k == platform) && allowed != "" ||
		(k == widget || k == session) && allowed != "" && from.name != "an allowed page" && from.name != "relay's own page" {
		s.t.Errorf("%s from %s may be read by %q, with credentials %q", request, from.name, allowed, h.Get("Access-Control-Allow-Credentials"))
	}
}
