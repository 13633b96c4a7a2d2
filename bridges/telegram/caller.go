package telegram

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"strconv"
	"time"

	"github.com/PaulSonOfLars/gotgbot/v2"

	"github.com/relay-chat/relay/bridges/call"
)

// caller carries gotgbot's calls: JSON with its length without a file, multipart
// with one. The token is in the URL of every call (Bot API, "Making requests") and
// in nothing that caller returns.
type caller struct {
	http  *http.Client
	base  string // of the Bot API
	token string
}

var _ gotgbot.BotClient = (*caller)(nil)

// maxAnswer bounds an answer of the Bot API: 100 updates of more than 64 KiB.
const maxAnswer = 32 << 20

func newCaller(cfg Config) (*caller, error) {
	base, err := call.ParseBase(cfg.APIURL, gotgbot.DefaultAPIURL, errBase)
	if err != nil {
		return nil, err
	}
	return &caller{http: call.NewClient(cfg.Transport, 8), base: base.String(), token: cfg.Token}, nil
}

// RequestWithContext implements [gotgbot.BotClient]. An error of the Bot API is a
// *gotgbot.TelegramError without the parameters: they hold texts.
func (c *caller) RequestWithContext(ctx context.Context, _, method string, params map[string]any, opts *gotgbot.RequestOpts) (json.RawMessage, error) {
	timeout := callTimeout
	if opts != nil && opts.Timeout > 0 {
		timeout = opts.Timeout
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	ctx, sent := call.Trace(ctx)
	resp, err := c.post(ctx, method, params)
	if err != nil {
		return nil, &call.Error{Name: method, Sent: sent.Load(), Err: call.Redact(err, c.token)}
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		return nil, &call.Error{Name: method, Sent: true, Err: call.Redact(err, c.token)}
	}
	return read(method, resp, body)
}

// post sends one request.
func (c *caller) post(ctx context.Context, method string, params map[string]any) (*http.Response, error) {
	body, err := encode(params)
	if err != nil {
		return nil, err
	}
	req, err := body.Request(ctx, http.MethodPost, c.base+"/bot"+c.token+"/"+method)
	if err != nil {
		return nil, err
	}
	return c.http.Do(req)
}

// read returns the result, or the error, of an answer.
func read(method string, resp *http.Response, body []byte) (json.RawMessage, error) {
	var answer gotgbot.Response
	if err := json.Unmarshal(body, &answer); err != nil || !answer.Ok && answer.ErrorCode == 0 {
		// A proxy's page. With 502 and 504 the Bot API may have carried it out.
		sent := resp.StatusCode < 300 || resp.StatusCode == http.StatusBadGateway || resp.StatusCode == http.StatusGatewayTimeout
		return nil, &call.Error{Name: method, Sent: sent, Err: fmt.Errorf("the answer is not from the Bot API: HTTP %d", resp.StatusCode)}
	}
	if answer.Ok {
		return answer.Result, nil
	}
	refusal := &gotgbot.TelegramError{Method: method, Code: answer.ErrorCode, Description: answer.Description, ResponseParams: answer.Parameters}
	if seconds, err := strconv.ParseInt(resp.Header.Get("Retry-After"), 10, 64); err == nil && refusal.ResponseParams == nil {
		refusal.ResponseParams = &gotgbot.ResponseParameters{RetryAfter: seconds}
	}
	return nil, refusal
}

// GetAPIURL implements [gotgbot.BotClient].
func (c *caller) GetAPIURL(*gotgbot.RequestOpts) string { return c.base }

// FileURL implements [gotgbot.BotClient]. The URL holds the token: it never
// leaves this package.
func (c *caller) FileURL(token, path string, _ *gotgbot.RequestOpts) string {
	return c.base + "/file/bot" + token + "/" + path
}

// within sets the time limit of a call.
func within(limit time.Duration) *gotgbot.RequestOpts { return &gotgbot.RequestOpts{Timeout: limit} }

// encode renders the parameters of a call. gotgbot sets optional ones to nil,
// which the Bot API rejects.
func encode(params map[string]any) (call.Body, error) {
	fields := map[string]any{}
	var field string
	var file *gotgbot.FileReader
	for name, value := range params {
		if f, ok := value.(*gotgbot.FileReader); ok && f.Data != nil {
			field, file = name, f
		} else if value != nil {
			fields[name] = value
		}
	}
	if file == nil {
		return call.JSON(fields)
	}
	return encodeForm(fields, field, file)
}

// encodeForm renders a form with a file.
func encodeForm(fields map[string]any, field string, file *gotgbot.FileReader) (call.Body, error) {
	var buf bytes.Buffer
	form := multipart.NewWriter(&buf)
	for name, value := range fields {
		text, err := fieldText(value)
		if err != nil {
			return call.Body{}, err
		}
		if err := form.WriteField(name, text); err != nil {
			return call.Body{}, err
		}
	}
	if _, err := form.CreateFormFile(field, file.Name); err != nil {
		return call.Body{}, err
	}
	return call.Form(form, &buf, file.Data.(*call.File))
}

// fieldText renders a form's parameter: text as it is, all else as JSON (Bot API,
// "Making requests").
func fieldText(value any) (string, error) {
	if text, ok := value.(string); ok {
		return text, nil
	}
	text, err := json.Marshal(value)
	return string(text), err
}
