package slack

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"net/url"
	"strings"

	"github.com/relay-chat/relay/bridges/cache"
)

// caller is slack-go's HTTP client. It moves the token from the body into the
// Authorization header, which proxies do not log and every server reads. It removes
// blocks and attachments from answers: relay does not read them, and slack-go rejects
// a whole answer for one unknown block, and for one field of an unexpected type: such fields
// are removed, too.
type caller struct {
	http *http.Client
	log  *slog.Logger
	told *cache.Cache[bool] // the fields of which the log says that they cannot be read
}

// maxAnswer bounds an answer of the Web API: 200 messages of 40,000 characters
// and more.
const maxAnswer = 32 << 20

// Do makes one call.
func (c caller) Do(r *http.Request) (*http.Response, error) {
	if err := authorize(r); err != nil {
		return nil, err
	}
	resp, err := c.http.Do(r)
	if err != nil {
		return nil, err
	}
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if resp.StatusCode != http.StatusOK || kind != "application/json" {
		return resp, nil
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	resp.Body.Close()
	if err != nil {
		return nil, err
	}
	resp.Body = io.NopCloser(bytes.NewReader(c.fitted(prune(body))))
	return resp, nil
}

// authorize moves the token of a form into the Authorization header.
func authorize(r *http.Request) error {
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if kind != "application/x-www-form-urlencoded" || r.Body == nil {
		return nil
	}
	body, err := io.ReadAll(r.Body)
	r.Body.Close()
	if err != nil {
		return err
	}
	form, err := url.ParseQuery(string(body))
	if err != nil {
		return errors.New("the arguments of a call are no form")
	}
	if token := form.Get("token"); token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
		form.Del("token")
	}
	encoded := form.Encode()
	r.Body = io.NopCloser(strings.NewReader(encoded))
	r.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(encoded)), nil }
	r.ContentLength = int64(len(encoded))
	return nil
}

// prune removes blocks and attachments from an answer.
func prune(body []byte) []byte {
	if !bytes.Contains(body, []byte(`"blocks"`)) && !bytes.Contains(body, []byte(`"attachments"`)) {
		return body
	}
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.UseNumber()
	var answer any
	if dec.Decode(&answer) != nil {
		return body
	}
	trim(answer)
	pruned, err := json.Marshal(answer)
	if err != nil {
		return body
	}
	return pruned
}

func trim(value any) {
	switch v := value.(type) {
	case map[string]any:
		delete(v, "blocks")
		delete(v, "attachments")
		for _, inner := range v {
			trim(inner)
		}
	case []any:
		for _, inner := range v {
			trim(inner)
		}
	}
}
