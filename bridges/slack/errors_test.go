package slack_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"maps"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/relay-chat/relay/bridges/bridgetest"
	"github.com/relay-chat/relay/bridges/slack"
	"github.com/relay-chat/relay/bridges/slack/slacktest"
	"github.com/relay-chat/relay/server/chat"
)

// answers is a transport that answers every call alike, but auth.test.
type answers bridgetest.Answers

func (a answers) RoundTrip(r *http.Request) (*http.Response, error) {
	if strings.HasSuffix(r.URL.Path, "/auth.test") {
		a = answers{Status: 200, Body: `{"ok":true,"user_id":"U1","bot_id":"B1"}`}
	}
	header := http.Header{"Content-Type": {"application/json"}, "X-Oauth-Scopes": {strings.Join(slacktest.AllScopes, ",")}}
	maps.Copy(header, a.Header)
	a.Header = header
	return bridgetest.Answers(a).RoundTrip(r)
}

// coded is a refusal in the Web API's form.
func coded(code string) answers {
	return answers{Status: 200, Body: `{"ok":false,"error":` + jsonOf(code) + `,"needed":"files:write","provided":"chat:write"}`}
}

// bridgeTo makes a bridge that is always answered alike.
func bridgeTo(t *testing.T, a http.RoundTripper) *slack.Bridge {
	t.Helper()
	b, err := slack.New(slack.Config{BotToken: "xoxb-canary", AppToken: "xapp-canary", SigningSecret: "canary", ChannelID: "C0SUPPORT1", Transport: a, Pause: time.Microsecond})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Every code of the Web API that relay knows means what the table says.
func TestErrors(t *testing.T) {
	post, edit := chat.Op{Kind: chat.OpPost, Text: "a"}, chat.Op{Kind: chat.OpEdit, Remote: "5.000000", Text: "a"}
	remove, react := chat.Op{Kind: chat.OpDelete, Remote: "5.000000"}, chat.Op{Kind: chat.OpReact, Remote: "5.000000", Receipt: "read"}
	file, open := chat.Op{Kind: chat.OpDelete, Remote: "F5"}, chat.Op{Kind: chat.OpOpen, Title: "a"}
	misconfigured, plain, wait := bridgetest.ErrMisconfigured, bridgetest.ErrRetried, bridgetest.ErrWaits
	for _, c := range []struct {
		op   chat.Op
		code string
		want error
	}{
		{post, "thread_not_found", chat.ErrThreadGone},
		{post, "cannot_reply_to_message", chat.ErrThreadGone},
		{edit, "message_not_found", chat.ErrMessageGone},
		{edit, "cant_update_message", chat.ErrMessageGone},
		{edit, "edit_window_closed", chat.ErrMessageGone},
		{remove, "message_not_found", chat.ErrMessageGone},
		{remove, "cant_delete_message", chat.ErrMessageStays},
		{file, "file_not_found", chat.ErrMessageGone},
		{file, "file_deleted", chat.ErrMessageGone},
		{react, "already_reacted", nil},
		{react, "too_many_reactions", nil},
		{react, "missing_scope", nil},
		{react, "message_not_found", chat.ErrMessageGone},
		{post, "channel_not_found", misconfigured},
		{post, "not_in_channel", misconfigured},
		{post, "is_archived", misconfigured},
		{post, "restricted_action", misconfigured},
		{post, "restricted_action_read_only_channel", misconfigured},
		{post, "invalid_auth", misconfigured},
		{post, "not_authed", misconfigured},
		{post, "token_revoked", misconfigured},
		{post, "token_expired", misconfigured},
		{post, "account_inactive", misconfigured},
		{post, "missing_scope", misconfigured},
		{post, "no_permission", misconfigured},
		{open, "ekm_access_denied", misconfigured},
		{post, "ratelimited", wait},
		{post, "message_limit_exceeded", wait},
		{post, "fatal_error", chat.ErrAmbiguous}, // "it is possible that some aspect of the operation succeeded"
		{post, "internal_error", chat.ErrAmbiguous},
		{post, "service_unavailable", chat.ErrAmbiguous},
		{edit, "fatal_error", plain},
		{remove, "internal_error", plain},
		{post, "msg_too_long", chat.ErrPermanent},
		{post, "no_text", chat.ErrPermanent},
		{post, "metadata_too_large", chat.ErrPermanent},
		{post, "invalid_metadata_format", chat.ErrPermanent},
		{post, "something_new", chat.ErrPermanent},
	} {
		_, err := bridgeTo(t, coded(c.code)).Do(t.Context(), chat.Thread{Ref: "3.000000"}, c.op)
		bridgetest.ExpectError(t, c.code, err, c.want, time.Second)
	}
}

// A 401 says that the token is wrong: nothing is tried again before it is mended.
func TestUnauthorizedIsTheToken(t *testing.T) {
	b := bridgeTo(t, answers{Status: 401, Body: "<html>no</html>"})
	_, err := b.Do(t.Context(), chat.Thread{Ref: "3.000000"}, chat.Op{Kind: chat.OpPost, Text: "a"})
	var misconfigured *chat.Misconfigured
	if !errors.As(err, &misconfigured) || !strings.Contains(misconfigured.Fix, "xoxb-") {
		t.Errorf("the bot token: %v", err)
	}
	if err := b.Run(t.Context(), new(bridgetest.Receiver)); !errors.As(err, &misconfigured) || !strings.Contains(misconfigured.Fix, "xapp-") {
		t.Errorf("the app token: %v", err)
	}
}

// refusing is a Slack that refuses messages with metadata by a code that no table
// knows.
type refusing struct {
	http.RoundTripper
	all bool
}

func (r refusing) RoundTrip(req *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return nil, err
	}
	req.Body = io.NopCloser(bytes.NewReader(body))
	if strings.HasSuffix(req.URL.Path, "/chat.postMessage") && (r.all || bytes.Contains(body, []byte("metadata="))) {
		return coded("something_new").RoundTrip(req)
	}
	return r.RoundTripper.RoundTrip(req)
}

// A message refused for an unknown reason goes once more as bare text,
// and is a refusal only then.
func TestUnknownRefusals(t *testing.T) {
	for _, all := range []bool{false, true} {
		f := slacktest.NewInBubble(t)
		b, _ := makeBridge(t, f, func(c *slack.Config) { c.Transport = refusing{c.Transport, all} })
		well, _ := makeBridge(t, f)
		th := open(t, well, "Grace", "")
		_, err := b.Do(t.Context(), th, chat.Op{Kind: chat.OpPost, Text: "a <b>", From: "Ada (console)"})
		if all && !errors.Is(err, chat.ErrPermanent) || !all && (err != nil || !strings.Contains(shown(f, th.Ref), "a <b>")) {
			t.Errorf("%v, shown %q", err, shown(f, th.Ref))
		}
	}
}

// A missing scope is named.
func TestMissingScope(t *testing.T) {
	_, err := bridgeTo(t, coded("missing_scope")).Do(t.Context(), chat.Thread{Ref: "3.000000"}, chat.Op{Kind: chat.OpPost, Text: "a"})
	if err == nil || !strings.Contains(err.Error(), "files:write") {
		t.Error(err)
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
		"no answer in time":  {answers{Status: 1, Err: context.DeadlineExceeded}, true},
		"never left":         {answers{Err: context.DeadlineExceeded}, false},
		"half a proxy page":  {answers{Status: 404, Body: "<html>no</html>"}, false},
		"proxy page 403":     {answers{Status: 403, Body: "<html>no</html>"}, false},
		"server error":       {answers{Status: 500, Body: "<html>busy</html>"}, true},
		"bad gateway":        {answers{Status: 502, Body: "<html>bad gateway</html>"}, true},
		"not JSON":           {answers{Status: 200, Body: "<html>xoxb-canary</html>"}, true},
		"half an answer":     {answers{Status: 200, Body: `{"ok":true,"ts":"17`}, true},
		"the token":          {answers{Err: errors.New("dial xoxb-canary xapp-canary")}, false},
	} {
		_, err := bridgeTo(t, c.answer).Do(t.Context(), chat.Thread{Ref: "3.000000"}, chat.Op{Kind: chat.OpPost, Text: "a"})
		if err == nil || errors.Is(err, chat.ErrPermanent) || errors.Is(err, chat.ErrAmbiguous) != c.ambiguous || errors.Is(err, context.DeadlineExceeded) != (name == "no answer in time") {
			t.Errorf("%s: %v", name, err)
		}
		if strings.Contains(err.Error(), "canary") || strings.Contains(err.Error(), "http") {
			t.Errorf("%s holds a secret or an address: %v", name, err)
		}
	}
}

// An answer with what slack-go does not understand is understood all the same.
func TestOddAnswers(t *testing.T) {
	odd := `{"ok":true,"channel":"C0SUPPORT1","ts":"7.000000","message":{"ts":"7.000000","thread_ts":"3.000000","blocks":[{"type":"input","element":7}],"attachments":"none"}}`
	remote, err := bridgeTo(t, answers{Status: 200, Body: odd}).Do(t.Context(), chat.Thread{Ref: "3.000000"}, chat.Op{Kind: chat.OpPost, Text: "a"})
	if err != nil || remote != "7.000000" {
		t.Errorf("%q, %v", remote, err)
	}
}

// A 429 keeps its method quiet for as long as it asks: messages in all threads,
// the rest only where it is needed.
func TestRetryAfterIsObeyed(t *testing.T) {
	post, remove := chat.Op{Kind: chat.OpPost, Text: "a"}, chat.Op{Kind: chat.OpDelete, Remote: "5.000000"}
	b := bridgeTo(t, answers{Status: 429, Header: http.Header{"Retry-After": {"30"}}, Body: `{"ok":false,"error":"ratelimited"}`})
	for _, c := range []struct {
		op    chat.Op
		scope chat.Scope
	}{{post, chat.ScopeSink}, {post, chat.ScopeSink}, {remove, chat.ScopeLane}} {
		var wait *chat.RetryAfter
		_, err := b.Do(t.Context(), chat.Thread{Ref: "3.000000"}, c.op)
		if !errors.As(err, &wait) || wait.After < 29*time.Second || wait.After > 31*time.Second || wait.Scope != c.scope {
			t.Errorf("got %v", err)
		}
	}
	b = bridgeTo(t, answers{Status: 429})
	var wait *chat.RetryAfter
	if _, err := b.Do(t.Context(), chat.Thread{Ref: "3.000000"}, post); !errors.As(err, &wait) || wait.After < time.Second {
		t.Errorf("got %v", err)
	}
}

// The settings are checked before anybody is asked, and never repeated in an
// error.
func TestSettings(t *testing.T) {
	good := slack.Config{BotToken: "xoxb-1-canary", ChannelID: " C0SUPPORT1 ", SigningSecret: "canary", AppToken: "xapp-1-canary", APIURL: "https://slack-gov.com/api"}
	if _, err := slack.New(good); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*slack.Config){
		"no token":            func(c *slack.Config) { c.BotToken = "" },
		"a person's token":    func(c *slack.Config) { c.BotToken = "xoxp-1-canary" },
		"a token with spaces": func(c *slack.Config) { c.BotToken = "xoxb-1 canary" },
		"tokens swapped":      func(c *slack.Config) { c.AppToken = "xoxb-1-canary" },
		"a channel's name":    func(c *slack.Config) { c.ChannelID = "#support" },
		"a chat of two":       func(c *slack.Config) { c.ChannelID = "D0CANARY" },
		"API address":         func(c *slack.Config) { c.APIURL = "slack-gov.com" },
	} {
		cfg := good
		change(&cfg)
		_, err := slack.New(cfg)
		var misconfigured *chat.Misconfigured
		if !errors.As(err, &misconfigured) || misconfigured.Fix == "" || strings.Contains(strings.ToLower(err.Error()), "canary") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
