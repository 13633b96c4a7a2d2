package ai

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	openai "github.com/sashabaranov/go-openai"

	"github.com/relay-chat/relay/server/chat"
)

// Failure is why the endpoint gave no answer, in words for people.
type Failure struct {
	Problem string
	Fix     string
	// Final means that no retry helps: a person must act.
	Final bool
	// Wait is how long the endpoint asks to wait.
	Wait time.Duration
	// Works: the endpoint answers, only not this question.
	Works bool
}

func (f *Failure) Error() string { return f.Problem }

var (
	errNoText   = errors.New("the endpoint's answer has no text")
	errEmpty    = errors.New("the model's answer is empty")
	errFiltered = errors.New("the provider's content filter stopped the answer")
)

// explain turns a call's error into a Failure. Of the endpoint's own texts only the reason
// of a refused request is repeated, without the key.
func explain(err error, key string) error {
	status, reason := 0, ""
	var refused *openai.APIError
	var unreadable *openai.RequestError
	switch {
	case errors.As(err, &refused):
		status, reason = refused.HTTPStatusCode, refused.Message
	case errors.As(err, &unreadable):
		status = unreadable.HTTPStatusCode
	}
	var paced *pacedError
	var moved movedError
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &moved):
		return refusal(int(moved))
	case errors.As(err, &paced):
		return &Failure{Problem: "the endpoint's rate limit is reached (429)", Fix: "raise the rate limit or the quota there", Wait: paced.wait}
	case isFilter(refused):
		return explain(errFiltered, key)
	case isOurs(status) && reason != "":
		return &Failure{Problem: fmt.Sprintf("the endpoint refuses the request (%d): %s", status, withoutKeys(reason, key)), Fix: fixOf(reason), Final: true}
	case status != 0:
		return refusal(status)
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled), isTimeout(err):
		return &Failure{Problem: "the endpoint did not answer within " + callTimeout.String(), Fix: "use a smaller model, or a faster machine", Final: true}
	case errors.As(err, &tooLarge):
		return &Failure{Problem: "the endpoint's answer is too large", Fix: "check that AI_BASE_URL is the address of an OpenAI-compatible API"}
	case errors.Is(err, errFiltered):
		return &Failure{Problem: err.Error(), Fix: "answer this one yourself; how strict the filter is can be set at some providers", Final: true, Works: true}
	case errors.Is(err, errEmpty):
		return &Failure{Problem: err.Error(), Fix: "try another model (AI_MODEL)"}
	case errors.Is(err, errNoText):
		return &Failure{Problem: err.Error(), Fix: "check that AI_BASE_URL is the address of an OpenAI-compatible API"}
	case isDial(err):
		return &Failure{Problem: "the endpoint cannot be reached: " + dialText(err), Fix: "check AI_BASE_URL and that the endpoint runs"}
	}
	return &Failure{Problem: "the endpoint's answer cannot be read", Fix: "check that AI_BASE_URL is the address of an OpenAI-compatible API"}
}

// isOurs reports whether a status says that something is wrong with the request itself.
func isOurs(status int) bool {
	return status == http.StatusBadRequest || status == http.StatusRequestEntityTooLarge || status == http.StatusUnprocessableEntity
}

// isFilter reports whether the provider refuses a question for what it is about.
func isFilter(refused *openai.APIError) bool {
	return refused != nil && isOurs(refused.HTTPStatusCode) && refused.Code == "content_filter"
}

// keyLike matches what may be a key.
var keyLike = regexp.MustCompile(`(?i)\b(?:sk|pk|key|bearer)[-_ ][a-z0-9_*-]{6,}`)

func withoutKeys(text, key string) string {
	if key != "" {
		text = strings.ReplaceAll(text, key, "[key]")
	}
	return strings.TrimRight(chat.Clip(chat.OneLine(keyLike.ReplaceAllString(text, "[key]")), 200), ". ")
}

// fixOf is what to do about a reason that many providers word alike.
func fixOf(reason string) string {
	switch reason = strings.ToLower(reason); {
	case strings.Contains(reason, "context") || strings.Contains(reason, "too long") || strings.Contains(reason, "too many tokens"):
		return "use a model with a longer context, or shorten what it should know (AI_SYSTEM_PROMPT)"
	case strings.Contains(reason, "model"):
		return "check AI_MODEL"
	}
	return "check AI_MODEL and AI_BASE_URL"
}

func refusal(status int) *Failure {
	f := &Failure{Problem: fmt.Sprintf("the endpoint answered %d", status), Fix: "look what its provider says of its state"}
	switch {
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		f.Problem, f.Fix, f.Final = fmt.Sprintf("the endpoint refuses the API key (%d)", status), "check AI_API_KEY", true
	case status == http.StatusNotFound:
		f.Problem, f.Fix, f.Final = "the endpoint does not know the address or the model (404)", "check AI_BASE_URL and AI_MODEL", true
	case status == http.StatusPaymentRequired:
		f.Problem, f.Fix, f.Final = "the endpoint wants to be paid (402)", "look at the provider's account", true
	case status < 400:
		f.Problem, f.Fix, f.Final = fmt.Sprintf("the endpoint answered %d, and relay follows no redirects", status), "set AI_BASE_URL to the final address", true
	}
	return f
}

func isTimeout(err error) bool {
	var slow net.Error
	return errors.As(err, &slow) && slow.Timeout()
}

func isDial(err error) bool {
	var op *net.OpError
	return errors.As(err, &op)
}

// dialText is what kept relay from reaching the endpoint, without its address.
func dialText(err error) string {
	var op *net.OpError
	errors.As(err, &op)
	return chat.Clip(chat.OneLine(op.Err.Error()), 200)
}

// pacedError is a 429 with what it asks for.
type pacedError struct{ wait time.Duration }

func (e *pacedError) Error() string { return "429, retry after " + e.wait.String() }

// movedError is the status of an answer that leads elsewhere.
type movedError int

func (movedError) Error() string { return "moved" }

// doer makes requests for the library: it follows no redirects, bounds what is
// read of an answer and hands over how long a 429 wants to be waited for. Without
// a key no header names one.
type doer struct {
	transport http.RoundTripper
	key       string
}

// Do implements [openai.HTTPDoer].
func (d *doer) Do(r *http.Request) (*http.Response, error) {
	if d.key == "" {
		r.Header.Del("Authorization")
	}
	resp, err := d.transport.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode == http.StatusTooManyRequests {
		resp.Body.Close()
		return nil, &pacedError{retryAfter(resp.Header)}
	}
	if resp.StatusCode >= 300 && resp.StatusCode < 400 {
		resp.Body.Close()
		return nil, movedError(resp.StatusCode)
	}
	resp.Body = http.MaxBytesReader(nil, resp.Body, maxAnswer)
	return resp, nil
}

// retryAfter reads Retry-After: seconds, or a date. 0 when there is none.
func retryAfter(h http.Header) time.Duration {
	text := strings.TrimSpace(h.Get("Retry-After"))
	if seconds, err := strconv.ParseFloat(text, 64); err == nil && seconds > 0 && seconds < 1e6 {
		return time.Duration(seconds * float64(time.Second))
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(time.Until(at), 0)
	}
	return 0
}
