package discord_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptrace"
	"strings"
	"testing"
	"time"

	"github.com/relay-chat/relay/bridges/discord"
	"github.com/relay-chat/relay/server/chat"
)

// answers is a transport that answers every call alike, but returns the
// channel as it is.
type answers struct {
	status  int
	header  map[string]string
	body    string
	err     error
	channel bool // the channel itself is answered alike, too
}

func (a answers) RoundTrip(r *http.Request) (*http.Response, error) {
	if !a.channel && strings.HasSuffix(r.URL.Path, "/channels/111111111") {
		return answer(200, `{"id":"111111111","type":0,"guild_id":"222222222"}`, nil, r), nil
	}
	if trace := httptrace.ContextClientTrace(r.Context()); trace != nil && a.status != 0 {
		trace.WroteRequest(httptrace.WroteRequestInfo{})
	}
	if a.err != nil {
		return nil, a.err
	}
	return answer(a.status, a.body, a.header, r), nil
}

func answer(status int, body string, header map[string]string, r *http.Request) *http.Response {
	h := http.Header{}
	for name, value := range header {
		h.Set(name, value)
	}
	return &http.Response{StatusCode: status, Status: http.StatusText(status), Header: h, Body: io.NopCloser(strings.NewReader(body)), Request: r}
}

// refused is Discord's form of an error.
func refused(status, code int, message string) answers {
	return answers{status: status, body: `{"code":` + jsonOf(code) + `,"message":` + jsonOf(message) + `}`}
}

const canary = "canary-canary-canary-canary"

func bridgeTo(t *testing.T, transport http.RoundTripper) *discord.Bridge {
	t.Helper()
	b, err := discord.New(discord.Config{Token: canary, ChannelID: "111111111", Transport: transport})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

var (
	errMisconfigured = errors.New("misconfigured")
	errPlain         = errors.New("tried again")
	errWaitLane      = errors.New("this lane waits")
	errWaitAll       = errors.New("all wait")
)

// kindOf names what an error means.
func kindOf(err error) error {
	var misconfigured *chat.Misconfigured
	var wait *chat.RetryAfter
	switch {
	case err == nil:
		return nil
	case errors.As(err, &misconfigured):
		return errMisconfigured
	case errors.As(err, &wait) && wait.Scope == chat.ScopeSink:
		return errWaitAll
	case errors.As(err, &wait):
		return errWaitLane
	}
	for _, known := range []error{chat.ErrThreadGone, chat.ErrThreadClosed, chat.ErrMessageGone, chat.ErrPermanent, chat.ErrAmbiguous} {
		if errors.Is(err, known) {
			return known
		}
	}
	return errPlain
}

// Every answer of Discord's that relay knows means what the table says.
func TestErrors(t *testing.T) {
	post, edit := chat.Op{Kind: chat.OpPost, Text: "a", Key: "K"}, chat.Op{Kind: chat.OpEdit, Remote: "555555555", Text: "a"}
	remove, react := chat.Op{Kind: chat.OpDelete, Remote: "555555555"}, chat.Op{Kind: chat.OpReact, Remote: "555555555"}
	reopen, closing, opening := chat.Op{Kind: chat.OpReopen}, chat.Op{Kind: chat.OpClose}, chat.Op{Kind: chat.OpOpen, Title: "a", Key: "K"}
	limited := func(scope string) answers {
		a := refused(429, 0, "You are being rate limited.")
		a.body, a.header = `{"message":"You are being rate limited.","retry_after":2.5,"global":`+jsonOf(scope == "global")+`}`, map[string]string{"X-RateLimit-Scope": scope}
		return a
	}
	for name, c := range map[string]struct {
		op   chat.Op
		a    answers
		want error
	}{
		"thread deleted":          {post, refused(404, 10003, "Unknown Channel"), chat.ErrThreadGone},
		"thread deleted, closing": {closing, refused(404, 10003, "Unknown Channel"), chat.ErrThreadGone},
		"404 without code":        {post, refused(404, 0, "404: Not Found"), chat.ErrThreadGone},
		"404 of a proxy":          {edit, answers{status: 404, body: "<html>"}, errPlain},
		"archived":                {edit, refused(400, 50083, "Thread is archived"), chat.ErrThreadClosed},
		"archived, reacting":      {react, refused(400, 50083, "Thread is archived"), chat.ErrThreadClosed},
		"archived, closing":       {closing, refused(400, 50083, "Thread is archived"), nil},
		"locked":                  {post, refused(400, 160005, "Thread is locked"), chat.ErrThreadClosed},
		"locked for good":         {reopen, refused(403, 50013, "Missing Permissions"), chat.ErrPermanent},
		"message gone":            {edit, refused(404, 10008, "Unknown Message"), chat.ErrMessageGone},
		"delete of a gone one":    {remove, refused(404, 10008, "Unknown Message"), chat.ErrMessageGone},
		"edited too often":        {edit, refused(429, 30046, "Maximum number of edits to messages older than 1 hour reached"), errWaitLane},
		"another's message":       {edit, refused(403, 50005, "Cannot edit a message authored by another user"), chat.ErrMessageGone},
		"no access":               {post, refused(403, 50001, "Missing Access"), errMisconfigured},
		"no permission":           {post, refused(403, 50013, "Missing Permissions"), errMisconfigured},
		"no permission to delete": {remove, refused(403, 50013, "Missing Permissions"), chat.ErrPermanent},
		"no permission to react":  {react, refused(403, 50013, "Missing Permissions"), chat.ErrPermanent},
		"forbidden, unknown why":  {post, refused(403, 99999, "Something new"), errMisconfigured},
		"cannot reply":            {post, refused(400, 160002, "Cannot reply without permission to read message history"), chat.ErrPermanent},
		"server gone":             {post, refused(404, 10004, "Unknown Guild"), errMisconfigured},
		"token":                   {post, refused(401, 0, "401: Unauthorized"), errMisconfigured},
		"too large":               {post, answers{status: 413, body: "too large"}, chat.ErrPermanent},
		"empty":                   {post, refused(400, 50006, "Cannot send an empty message"), chat.ErrPermanent},
		"form":                    {post, refused(400, 50035, "Invalid Form Body"), chat.ErrPermanent},
		"something new":           {post, refused(400, 999999, "Something new"), chat.ErrPermanent},
		"something new missing":   {react, refused(404, 10014, "Unknown Emoji"), chat.ErrPermanent},
		"moderated":               {post, refused(400, 200000, "Message was blocked by automatic moderation"), chat.ErrPermanent},
		"switched off":            {post, refused(400, 40006, "This feature has been temporarily disabled server-side"), errPlain},
		"overloaded":              {post, refused(400, 130000, "API resource is currently overloaded"), errPlain},
		"second factor":           {reopen, refused(403, 60003, "Two factor is required for this operation"), errMisconfigured},
		"unverified":              {post, refused(403, 40002, "You need to verify your account"), errMisconfigured},
		"no thread is opened":     {opening, refused(400, 50035, "Invalid Form Body"), errMisconfigured},
		"limit of the route":      {post, limited("user"), errWaitLane},
		"shared limit":            {edit, limited("shared"), errWaitLane},
		"global limit":            {post, limited("global"), errWaitAll},
		"limit of the network":    {edit, answers{status: 429, body: "<html>", header: map[string]string{"Retry-After": "30"}}, errWaitAll},
		"500, repeatable":         {edit, refused(500, 0, "500: Internal Server Error"), errPlain},
		"500":                     {post, refused(500, 0, "500: Internal Server Error"), chat.ErrAmbiguous},
		"502 of a proxy":          {post, answers{status: 502, body: "<html>"}, chat.ErrAmbiguous},
		"502, repeatable":         {remove, answers{status: 502, body: "<html>"}, errPlain},
		"refused":                 {post, answers{err: errors.New("connection refused")}, errPlain},
		"cut":                     {post, answers{status: 1, err: io.ErrUnexpectedEOF}, chat.ErrAmbiguous},
		"cut, repeatable":         {edit, answers{status: 1, err: io.ErrUnexpectedEOF}, errPlain},
		"late, repeatable":        {edit, answers{status: 1, err: context.DeadlineExceeded}, errPlain},
		"unreadable":              {post, answers{status: 200, body: "<html>"}, chat.ErrAmbiguous},
		"channel deleted":         {opening, answers{status: 404, body: `{"code":10003,"message":"Unknown Channel"}`, channel: true}, errMisconfigured},
		"channel deleted, post":   {post, answers{status: 404, body: `{"code":10003,"message":"Unknown Channel"}`, channel: true}, errMisconfigured},
		"channel is a voice one":  {opening, answers{status: 200, body: `{"id":"111111111","type":2}`, channel: true}, errMisconfigured},
		"forum wants tags":        {opening, answers{status: 200, body: `{"id":"111111111","type":15,"flags":16}`, channel: true}, errMisconfigured},
		"ambiguous opening":       {opening, answers{status: 504, body: "<html>"}, chat.ErrAmbiguous},
		"no thread at all":        {chat.Op{Kind: chat.OpPost}, answers{}, chat.ErrThreadGone},
		"unknown op":              {chat.Op{Kind: 99}, answers{}, chat.ErrPermanent},
	} {
		t.Run(name, func(t *testing.T) {
			th := chat.Thread{Ref: "333333333"}
			if name == "no thread at all" {
				th.Ref = "../users"
			}
			_, err := bridgeTo(t, c.a).Do(t.Context(), th, c.op)
			if got := kindOf(err); got != c.want {
				t.Errorf("it is %v (%v), want %v", got, err, c.want)
			}
			if err != nil && strings.Contains(err.Error(), canary) {
				t.Errorf("the token is in %v", err)
			}
		})
	}
}

// A 429 is remembered, and its wait is the one that Discord asks for.
func TestRateLimitIsRemembered(t *testing.T) {
	calls := 0
	b := bridgeTo(t, roundTrip(func(r *http.Request) (*http.Response, error) {
		calls++
		return answer(429, `{"message":"limited","retry_after":64.5,"global":false}`, map[string]string{"X-RateLimit-Scope": "user"}, r), nil
	}))
	for range 3 {
		_, err := b.Do(t.Context(), chat.Thread{Ref: "333333333"}, chat.Op{Kind: chat.OpPost, Text: "a", Key: "K"})
		var wait *chat.RetryAfter
		if !errors.As(err, &wait) || wait.After < 60*time.Second || wait.After > 70*time.Second || wait.Scope != chat.ScopeLane {
			t.Fatalf("it is %v", err)
		}
	}
	if _, err := b.Do(t.Context(), chat.Thread{Ref: "444444444"}, chat.Op{Kind: chat.OpPost, Text: "a", Key: "L"}); err == nil {
		t.Error("no error")
	}
	if calls != 2 {
		t.Errorf("Discord was asked %d times, want once for each thread", calls)
	}
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// Settings that cannot work say what to do, and hold no secret.
func TestNew(t *testing.T) {
	good := discord.Config{Token: canary, ChannelID: "111111111"}
	for name, change := range map[string]func(*discord.Config){
		"DISCORD_BOT_TOKEN":  func(c *discord.Config) { c.Token = "canary" },
		"DISCORD_CHANNEL_ID": func(c *discord.Config) { c.ChannelID = "#support" },
		"DISCORD_PUBLIC_KEY": func(c *discord.Config) { c.PublicKey = "abc" },
		"DISCORD_API_URL":    func(c *discord.Config) { c.APIURL = "localhost:8082" },
	} {
		cfg := good
		change(&cfg)
		_, err := discord.New(cfg)
		var misconfigured *chat.Misconfigured
		if !errors.As(err, &misconfigured) || !strings.Contains(misconfigured.Fix, name) || strings.Contains(err.Error(), "canary") {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, token := range []string{good.Token, strings.Repeat("a.long-token_", 80)} { // other servers sign longer ones
		good.Token = token
		if _, err := discord.New(good); err != nil {
			t.Error(err)
		}
	}
}
