package telegram_test

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/relay-chat/relay/bridges/bridgetest"
	"github.com/relay-chat/relay/bridges/telegram"
	"github.com/relay-chat/relay/server/chat"
)

type answers = bridgetest.Answers

// refused is the Bot API's form of an error.
func refused(code int, description, parameters string) answers {
	if parameters == "" {
		parameters = "{}"
	}
	return answers{Status: code, Body: `{"ok":false,"error_code":` + jsonOf(code) + `,"description":` + jsonOf(description) + `,"parameters":` + parameters + `}`}
}

// Every text of the Bot API that relay knows means what the table says.
func TestErrors(t *testing.T) {
	post, edit := chat.Op{Kind: chat.OpPost, Text: "a"}, chat.Op{Kind: chat.OpEdit, Remote: "5", Text: "a"}
	remove, reopen := chat.Op{Kind: chat.OpDelete, Remote: "5"}, chat.Op{Kind: chat.OpReopen}
	react := chat.Op{Kind: chat.OpReact, Remote: "5"}
	misconfigured, plain, wait := bridgetest.ErrMisconfigured, bridgetest.ErrRetried, bridgetest.ErrWaits
	for _, c := range []struct {
		op   chat.Op
		code int
		text string
		want error
	}{
		{post, 400, "Bad Request: message thread not found", chat.ErrThreadGone},
		{post, 400, "Bad Request: TOPIC_DELETED", chat.ErrThreadGone},
		{reopen, 400, "Bad Request: TOPIC_ID_INVALID", chat.ErrThreadGone},
		{post, 400, "Bad Request: TOPIC_CLOSED", chat.ErrThreadClosed},
		{reopen, 400, "Bad Request: TOPIC_NOT_MODIFIED", nil},
		{edit, 400, "Bad Request: message is not modified: specified new message content and reply markup are exactly the same", nil},
		{react, 400, "Bad Request: REACTION_INVALID", nil},
		{edit, 400, "Bad Request: message to edit not found", chat.ErrMessageGone},
		{edit, 400, "Bad Request: message can't be edited", chat.ErrMessageGone},
		{remove, 400, "Bad Request: message to delete not found", chat.ErrMessageGone},
		{remove, 400, "Bad Request: message can't be deleted for everyone", chat.ErrMessageStays},
		{react, 400, "Bad Request: message to react not found", chat.ErrMessageGone},
		{post, 400, "Bad Request: not enough rights to create a topic", misconfigured},
		{post, 400, "Bad Request: not enough rights to send text messages to the chat", misconfigured},
		{post, 400, "Bad Request: CHAT_ADMIN_REQUIRED", misconfigured},
		{post, 400, "Bad Request: the chat is not a forum", misconfigured},
		{post, 400, "Bad Request: CHANNEL_FORUM_MISSING", misconfigured},
		{post, 400, "Bad Request: chat not found", misconfigured},
		{post, 403, "Forbidden: bot was kicked from the supergroup chat", misconfigured},
		{post, 403, "Forbidden: bot is not a member of the supergroup chat", misconfigured},
		{post, 403, "Forbidden: something new", misconfigured},
		{post, 400, "Bad Request: group is deactivated", misconfigured},
		{post, 400, "Bad Request: CHAT_RESTRICTED", misconfigured},
		{post, 400, "Bad Request: CHANNEL_PRIVATE", misconfigured},
		{post, 400, "Bad Request: PEER_ID_INVALID", misconfigured},
		{chat.Op{Kind: chat.OpOpen, Title: "a"}, 400, "Bad Request: PEER_ID_INVALID", misconfigured},
		{post, 401, "Unauthorized", misconfigured},
		{post, 404, "Not Found", misconfigured},
		{post, 400, "Bad Request: message is too long", chat.ErrPermanent},
		{post, 400, "Bad Request: something new", chat.ErrPermanent},
		{post, 500, "Internal Server Error: restart", plain},
		{post, 429, "Too Many Requests: retry after 7", wait},
	} {
		b := bridgeTo(t, refused(c.code, c.text, `{"retry_after":7}`))
		_, err := b.Do(t.Context(), chat.Thread{Ref: "3"}, c.op)
		bridgetest.ExpectError(t, c.text, err, c.want, 7*time.Second)
	}
}

// A broken answer is ambiguous only if the call may have been carried out.
func TestBrokenAnswers(t *testing.T) {
	for name, c := range map[string]struct {
		answer    answers
		ambiguous bool
	}{
		"refused connection": {answers{Err: errors.New("connection refused")}, false},
		"cut connection":     {answers{Status: 1, Err: io.ErrUnexpectedEOF}, true},
		"proxy page 403":     {answers{Status: 403, Body: "<html>no</html>"}, false},
		"proxy page 503":     {answers{Status: 503, Body: "<html>busy</html>"}, false},
		"proxy page 502":     {answers{Status: 502, Body: "<html>bad gateway</html>"}, true},
		"not JSON":           {answers{Status: 200, Body: "<html>login</html>"}, true},
		"half an answer":     {answers{Status: 200, Body: `{"ok":true,"result":{"mess`}, true},
		"another result":     {answers{Status: 200, Body: `{"ok":true,"result":[]}`}, true},
	} {
		b := bridgeTo(t, c.answer)
		_, err := b.Do(t.Context(), chat.Thread{Ref: "3"}, chat.Op{Kind: chat.OpPost, Text: "a"})
		if err == nil || errors.Is(err, chat.ErrPermanent) || errors.Is(err, chat.ErrAmbiguous) != c.ambiguous {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A 429 keeps the whole group quiet, for whatever op.
func TestRetryAfterIsObeyed(t *testing.T) {
	for _, a := range []answers{refused(429, "Too Many Requests: retry after 30", `{"retry_after":30}`),
		{Status: 429, Header: http.Header{"Retry-After": {"30"}}, Body: `{"ok":false,"error_code":429,"description":"Too Many Requests"}`}} {
		b := bridgeTo(t, a)
		var wait *chat.RetryAfter
		for _, op := range []chat.Op{{Kind: chat.OpPost, Text: "a"}, {Kind: chat.OpPost, Text: "b"}, {Kind: chat.OpDelete, Remote: "5"}} {
			if _, err := b.Do(t.Context(), chat.Thread{Ref: "3"}, op); !errors.As(err, &wait) || wait.After < 29*time.Second {
				t.Errorf("got %v", err)
			}
		}
	}
}

// bridgeTo makes a bridge that is always answered alike.
func bridgeTo(t *testing.T, a answers) *telegram.Bridge {
	t.Helper()
	b, err := telegram.New(telegram.Config{Token: "7000000001:AAcanary", ChatID: "-1001234567890", Transport: a})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// The settings are checked before anybody is asked, and never repeated in an
// error.
func TestSettings(t *testing.T) {
	good := telegram.Config{Token: "7000000001:AAcanary", ChatID: " -1001234567890 ", WebhookSecret: secret, APIURL: "http://localhost:8081/"}
	if _, err := telegram.New(good); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*telegram.Config){
		"no token":       func(c *telegram.Config) { c.Token = "" },
		"half a token":   func(c *telegram.Config) { c.Token = "AAcanary" },
		"a huge token":   func(c *telegram.Config) { c.Token = "9999999999999999999:AAcanary" },
		"a URL's token":  func(c *telegram.Config) { c.Token = "1:AAcanary/../x" },
		"a name as chat": func(c *telegram.Config) { c.ChatID = "@support" },
		"secret":         func(c *telegram.Config) { c.WebhookSecret = "AAcanary with spaces" },
		"long secret":    func(c *telegram.Config) { c.WebhookSecret = strings.Repeat("x", 257) },
		"API address":    func(c *telegram.Config) { c.APIURL = "localhost:8081" },
	} {
		cfg := good
		change(&cfg)
		_, err := telegram.New(cfg)
		var misconfigured *chat.Misconfigured
		if !errors.As(err, &misconfigured) || misconfigured.Fix == "" || strings.Contains(err.Error(), "canary") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
