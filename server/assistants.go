package server

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"runtime/debug"
	"strings"

	"github.com/relay-chat/relay/server/account"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/mcp"
	"github.com/relay-chat/relay/server/remote"
	"github.com/relay-chat/relay/server/web"
)

// assistants answers POST /mcp: assistants use the admin API by the Model Context Protocol.
type assistants struct{ protocol http.Handler }

// newAssistants makes the tools. They use relay's own routes, as whoever has asked: so no tool
// does what the route table does not allow.
func newAssistants(s *Server, version string) *assistants {
	api := &remote.API{Base: "http://relay", Client: &http.Client{Transport: inside{s}}}
	return &assistants{mcp.Handler(mcp.Options{API: api, Version: version, Log: s.log})}
}

// protocolMessage is a message of JSON-RPC, as far as relay itself looks at it: what is no message
// is refused like any other wrong body.
type protocolMessage struct {
	JSONRPC string                     `json:"jsonrpc"`
	Method  string                     `json:"method"`
	Params  map[string]json.RawMessage `json:"params"`
}

// forProtocol returns a request as the protocol's library wants it, whose body is a message.
func forProtocol(r *http.Request) (*http.Request, error) {
	message, err := web.ReadJSON(r)
	if err == nil {
		_, err = web.Unmarshal[protocolMessage](message)
	}
	if err != nil {
		return nil, err
	}
	inner := r.Clone(r.Context())
	inner.Body, inner.ContentLength = io.NopCloser(bytes.NewReader(message)), int64(len(message))
	inner.Header.Set("Content-Type", "application/json")
	inner.Header.Set("Accept", "application/json, text/event-stream") // as clients have to say, and some do not
	return inner, nil
}

// isRefusal reports whether the library answers an error in words of its own.
func isRefusal(status int, header http.Header) bool {
	return status >= http.StatusBadRequest && !strings.HasPrefix(header.Get("Content-Type"), "application/json")
}

func (a *assistants) answer(w http.ResponseWriter, r *http.Request, _ chat.Author) (any, error) {
	inner, err := forProtocol(r)
	if err != nil {
		return nil, err
	}
	ctx := account.WorkFor(r)
	if r.URL.RawQuery != "" {
		id, err := onlyConversation(r.URL.RawQuery)
		if err != nil {
			return nil, err
		}
		ctx = mcp.Bind(ctx, id)
	}
	answer := &keptAnswer{header: w.Header(), status: http.StatusOK}
	a.protocol.ServeHTTP(answer, inner.WithContext(ctx))
	if isRefusal(answer.status, answer.header) {
		return nil, &web.Error{Status: answer.status, Text: strings.TrimSpace(answer.body.String())}
	}
	w.WriteHeader(answer.status)
	_, _ = answer.body.WriteTo(w) // whoever is gone reads nothing
	return web.Written{}, nil
}

// onlyConversation reads which conversation a connection is bound to. What is unclear binds it to
// none, and so is refused.
func onlyConversation(query string) (string, error) {
	values, err := url.ParseQuery(query)
	if err != nil || len(values) != 1 || len(values["conversation"]) != 1 || values.Get("conversation") == "" || !web.IsText(values.Get("conversation")) {
		return "", web.BadRequest("conversation must be the id of one conversation; there is no other parameter")
	}
	return values.Get("conversation"), nil
}

// inside carries requests of tools to relay's own routes, with what came along with the request
// that they work for.
type inside struct{ server *Server }

// RoundTrip implements [http.RoundTripper].
func (i inside) RoundTrip(r *http.Request) (resp *http.Response, err error) {
	from, known := account.AskedBy(r.Context())
	if !known {
		return nil, web.ErrUnauthorized
	}
	own := r.Clone(r.Context())
	own.Header = from.Header.Clone()
	own.Header.Set("Content-Type", "application/json")
	own.RemoteAddr, own.TLS, own.Host, own.RequestURI = from.RemoteAddr, from.TLS, from.Host, r.URL.RequestURI()
	own.Proto, own.ProtoMajor, own.ProtoMinor = from.Proto, from.ProtoMajor, from.ProtoMinor
	if own.Body == nil {
		own.Body = http.NoBody
	}
	answer := &keptAnswer{header: http.Header{}, status: http.StatusOK}
	defer func() { // the protocol's goroutines have nobody who catches it
		if cause := recover(); cause != nil {
			i.server.log.Error("a tool broke a route", "path", r.URL.Path, "cause", fmt.Sprint(cause), "stack", string(debug.Stack()))
			err = &web.Error{Status: http.StatusInternalServerError, Text: "Internal error"}
		}
	}()
	i.server.handler.ServeHTTP(answer, own)
	return &http.Response{Status: http.StatusText(answer.status), StatusCode: answer.status, Header: answer.header, Body: io.NopCloser(&answer.body), Request: r}, nil
}

// keptAnswer keeps what a route answers.
type keptAnswer struct {
	header http.Header
	status int
	body   bytes.Buffer
}

// Header implements [http.ResponseWriter].
func (a *keptAnswer) Header() http.Header { return a.header }

// WriteHeader implements [http.ResponseWriter].
func (a *keptAnswer) WriteHeader(status int) { a.status = status }

// Write implements [http.ResponseWriter].
func (a *keptAnswer) Write(p []byte) (int, error) { return a.body.Write(p) }
