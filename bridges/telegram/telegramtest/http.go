package telegramtest

import (
	"encoding/json"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"strings"

	"github.com/relay-chat/relay/bridges/bridgetest"
)

// apiError is a refusal of the Bot API.
type apiError struct {
	Code        int            `json:"error_code"`
	Description string         `json:"description"`
	Parameters  map[string]any `json:"parameters,omitempty"`
}

func badRequest(text string) *apiError {
	return &apiError{Code: 400, Description: "Bad Request: " + text}
}

// params are a call's parameters, as JSON has them.
type params map[string]any

func (p params) int(name string) int64 {
	n, _ := p[name].(float64)
	return int64(n)
}

func (p params) text(name string) string {
	s, _ := p[name].(string)
	return s
}

func (p params) in(object, name string) params {
	inner, _ := p[object].(map[string]any)
	if name == "" {
		return inner
	}
	return params{name: inner[name]}
}

// ServeHTTP is the Bot API.
func (f *Platform) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	bridgetest.OverNetwork(f.serve, w, r)
}

func (f *Platform) serve(w http.ResponseWriter, r *http.Request) {
	rest, isFile := strings.CutPrefix(r.URL.Path, "/file")
	token, name, _ := strings.Cut(strings.TrimPrefix(rest, "/bot"), "/")
	switch {
	case token != f.Token:
		respond(w, nil, &apiError{Code: 401, Description: "Unauthorized"})
	case isFile:
		f.serveFile(w, name)
	default:
		f.serveMethod(w, r, name)
	}
}

func (f *Platform) serveMethod(w http.ResponseWriter, r *http.Request, method string) {
	p, err := f.decode(r, method)
	if err != nil {
		f.Violate(method + ": " + err.Error())
		respond(w, nil, badRequest("can't parse the request"))
		return
	}
	f.note(method, p)
	fault := f.Draw(writes(method))
	if fault == bridgetest.FaultOutage {
		panic(bridgetest.ErrRefused)
	}
	if refusal := f.refusalOf(fault); refusal != nil {
		respond(w, nil, refusal)
		return
	}
	result, refusal := f.call(r, method, p)
	if fault == bridgetest.FaultAnswerLost {
		panic(http.ErrAbortHandler)
	}
	respond(w, result, refusal)
}

// note keeps a call and what the schema has against it.
func (f *Platform) note(method string, p params) {
	faults := f.schema.check(method, p)
	kept := map[string]any{}
	for name, value := range p {
		if file, ok := value.(*inputFile); ok {
			value = file.Name
		}
		kept[name] = value
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.Keep(Request{method, kept})
	f.Violate(faults...)
}

// decode reads the parameters of a call. Chunked bodies are valid, but many
// servers in front of the Bot API do not take them: they are for files whose
// size nobody knows.
func (f *Platform) decode(r *http.Request, method string) (params, error) {
	kind, attributes, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	switch {
	case err != nil:
		return nil, err
	case r.ContentLength < 0 && kind != "multipart/form-data":
		return nil, errors.New("the body's length is missing")
	case kind == "application/json":
		p := params{}
		return p, json.NewDecoder(r.Body).Decode(&p)
	case kind == "multipart/form-data":
		return f.decodeForm(multipart.NewReader(r.Body, attributes["boundary"]), method)
	}
	return nil, errors.New("the body is " + kind)
}

func (f *Platform) decodeForm(form *multipart.Reader, method string) (params, error) {
	p := params{}
	for {
		part, err := form.NextPart()
		if errors.Is(err, io.EOF) {
			return p, nil
		}
		if err != nil {
			return nil, err
		}
		data, err := io.ReadAll(part)
		if err != nil {
			return nil, err
		}
		if part.FileName() != "" {
			p[part.FormName()] = &inputFile{Name: part.FileName(), Data: data}
		} else {
			p[part.FormName()] = f.schema.typedForm(method, part.FormName(), string(data))
		}
	}
}

func respond(w http.ResponseWriter, result any, refusal *apiError) {
	w.Header().Set("Content-Type", "application/json")
	if refusal == nil {
		_ = json.NewEncoder(w).Encode(map[string]any{"ok": true, "result": result})
		return
	}
	w.WriteHeader(refusal.Code)
	_ = json.NewEncoder(w).Encode(struct {
		OK bool `json:"ok"`
		*apiError
	}{false, refusal})
}

// Transport reaches the fake without a network, for synctest.
func (f *Platform) Transport() http.RoundTripper { return bridgetest.InProcess(f.serve) }
