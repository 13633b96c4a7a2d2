package slacktest

import (
	"encoding/json"
	"errors"
	"io"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/relay-chat/relay/bridges/bridgetest"
)

// apiError is a refusal of the Web API by its code.
type apiError struct {
	code   string
	fields map[string]any
	after  time.Duration // of a 429
}

func refuse(code string) *apiError { return &apiError{code: code} }

// ServeHTTP is the Web API, the files and the socket.
func (f *Platform) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	bridgetest.OverNetwork(f.serve, w, r)
}

func (f *Platform) serve(w http.ResponseWriter, r *http.Request) {
	method, isMethod := methodOf(r.URL.Path)
	switch {
	case isMethod:
		f.serveMethod(w, r, method)
	case r.URL.Path == "/link":
		f.link(w, r)
	case strings.HasPrefix(r.URL.Path, "/upload/"):
		f.takeUpload(w, r, strings.TrimPrefix(r.URL.Path, "/upload/"))
	case strings.HasPrefix(r.URL.Path, "/files/"):
		f.serveFile(w, r, strings.TrimPrefix(r.URL.Path, "/files/"))
	default:
		http.NotFound(w, r)
	}
}

func (f *Platform) serveMethod(w http.ResponseWriter, r *http.Request, method string) {
	form, err := readForm(r)
	if err != nil {
		f.Violate(method + ": " + err.Error())
		f.respond(w, method, nil, refuse("invalid_form_data"))
		return
	}
	f.mu.Lock()
	f.note(method, form)
	f.mu.Unlock()
	fault := f.Draw(f.schema.Methods[method].Writes)
	switch fault {
	case bridgetest.FaultOutage:
		panic(bridgetest.ErrRefused)
	case bridgetest.FaultRateLimited:
		f.respond(w, method, nil, &apiError{code: "ratelimited", after: max(f.RetryAfter(), time.Second)})
		return
	case bridgetest.FaultServer:
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(http.StatusServiceUnavailable)
		_, _ = io.WriteString(w, "<html>Server Error</html>")
		return
	case bridgetest.FaultUnauthorized:
		f.respond(w, method, nil, refuse("invalid_auth"))
		return
	}
	f.mu.Lock()
	answer, refusal := f.call(r, method, form)
	f.mu.Unlock()
	if fault == bridgetest.FaultAnswerLost {
		panic(http.ErrAbortHandler)
	}
	f.respond(w, method, answer, refusal)
}

// readForm reads the arguments of a call; what has none may be JSON.
func readForm(r *http.Request) (url.Values, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	if kind := r.Header.Get("Content-Type"); !strings.HasPrefix(kind, "application/x-www-form-urlencoded") {
		if len(body) > 0 {
			return nil, errors.New("the body is " + kind)
		}
		return url.Values{}, nil
	}
	return url.ParseQuery(string(body))
}

// note keeps a call and what the schema has against it.
func (f *Platform) note(method string, form url.Values) {
	args := map[string]string{}
	for name := range form {
		if name != "token" {
			args[name] = form.Get(name)
		}
	}
	f.Keep(Request{method, args})
	f.Violate(f.schema.check(method, form, f.scopes)...)
}

// respond answers as the Web API does: nearly always 200.
func (f *Platform) respond(w http.ResponseWriter, method string, answer map[string]any, refusal *apiError) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	f.mu.Lock()
	if !f.schema.Methods[method].App && !f.Mute {
		w.Header().Set("X-OAuth-Scopes", strings.Join(f.scopes, ","))
	}
	f.mu.Unlock()
	if refusal == nil {
		body := map[string]any{"ok": true}
		for name, value := range answer {
			body[name] = value
		}
		_ = json.NewEncoder(w).Encode(body)
		return
	}
	body := map[string]any{"ok": false, "error": refusal.code}
	for name, value := range refusal.fields {
		body[name] = value
	}
	if refusal.after > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(refusal.after.Seconds()))))
		w.WriteHeader(http.StatusTooManyRequests)
	}
	_ = json.NewEncoder(w).Encode(body)
}

// call carries out a method. The caller holds the lock.
func (f *Platform) call(r *http.Request, method string, form url.Values) (map[string]any, *apiError) {
	m, known := f.schema.Methods[method]
	if !known {
		return nil, refuse("unknown_method")
	}
	if refusal := f.admit(r, &m, form); refusal != nil {
		return nil, refusal
	}
	do := map[string]func(url.Values) (map[string]any, *apiError){
		"auth.test": f.authTest, "users.info": f.usersInfo, "apps.connections.open": f.openConnection, "conversations.info": f.conversationsInfo,
		"conversations.join": f.conversationsJoin, "conversations.list": f.conversationsList, "conversations.history": f.history, "conversations.replies": f.replies,
		"chat.postMessage": f.postMessage, "chat.update": f.update, "chat.delete": f.delete, "reactions.add": f.react,
		"files.getUploadURLExternal": f.uploadURL, "files.completeUploadExternal": f.completeUpload, "files.info": f.filesInfo, "files.delete": f.filesDelete,
	}[method]
	return do(form)
}

// admit checks token, scope and channel.
func (f *Platform) admit(r *http.Request, m *methodSpec, form url.Values) *apiError {
	token := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ") // a token in the body would stand in logs
	want, scopes := f.BotToken, f.scopes
	if m.App {
		want, scopes = f.AppToken, f.appScopes
	}
	channel := form.Get("channel") + form.Get("channel_id")
	switch {
	case token == "":
		return refuse("not_authed")
	case token != want:
		return refuse("invalid_auth")
	case f.channel.revoked && !m.App:
		return refuse("token_revoked")
	case m.Scope != "" && !slices.Contains(scopes, m.Scope):
		return &apiError{code: "missing_scope", fields: map[string]any{"needed": m.Scope, "provided": strings.Join(scopes, ",")}}
	case slices.Contains(f.others, channel):
		return nil
	case channel != "" && channel != f.Channel:
		return refuse("channel_not_found")
	case m.Writes && channel != "" && f.channel.archived:
		return refuse("is_archived")
	case channel != "" && f.channel.left && (m.Writes || strings.HasPrefix(m.Scope, "channels:history")):
		return refuse("not_in_channel")
	}
	return nil
}

// spend takes a message out of the channel's pace.
func (f *Platform) spend() *apiError {
	if !f.Paced {
		return nil
	}
	now := time.Now()
	due := f.due
	if due.Before(now) {
		due = now
	}
	if early := due.Sub(now) - 10*time.Second; early > 0 {
		f.limited++
		return &apiError{code: "ratelimited", after: early}
	}
	f.due = due.Add(time.Second)
	return nil
}
