package e2e

import (
	"net/http/httputil"
	"net/url"
	"strings"
	"testing"

	"github.com/relay-chat/relay/bridges/slack/slacktest"
)

// An operator answers from Slack: the whole program against the fake workspace,
// by Socket Mode over a network, over a restart.
func TestSlack(t *testing.T) {
	f := slacktest.New(t)
	environ := []string{"DATABASE_URL=sqlite://" + t.TempDir() + "/relay.db", "SLACK_BOT_TOKEN=" + f.BotToken, "SLACK_APP_TOKEN=" + f.AppToken,
		"SLACK_CHANNEL_ID=" + f.Channel, "SLACK_API_URL=" + f.URL}
	in := boot(t, environ...)
	session := in.say(t, "Is it <free>?")
	say := func(text string) {
		t.Helper()
		in.call(t, "POST", in.base+"/api/widget/messages", in.public, map[string]any{"sessionId": session, "content": text}, nil)
	}
	eventually(t, "the visitor's message is in a thread", func() bool { return strings.Contains(shown(f), "Is it <free>?") })
	thread := f.Threads()[0].Ref
	for _, r := range f.Requests("") {
		for name, value := range r.Args {
			if strings.Contains(value, session) {
				t.Errorf("%s of %s tells Slack the session's id, which is the visitor's key", name, r.Method)
			}
		}
	}
	f.Write(thread, "Ada", "It is.", "")
	f.Write(thread, "Ada", "// a pity", "")
	f.Attach(thread, "Ada", "price.txt", "text/plain", []byte("0"), "See this")
	eventually(t, "the operator's answer arrives", func() bool { return in.history(t, session) == "Is it <free>?|It is.|See this" })
	if code := in.stop(); code != 0 {
		t.Fatalf("relay ends with %d", code)
	}
	f.Write(thread, "Ada", "Anything else?", "")
	in2 := boot(t, environ...)
	in.base = in2.base
	eventually(t, "what was written meanwhile arrives", func() bool { return strings.HasSuffix(in.history(t, session), "|See this|Anything else?") })
	f.DeleteThread(thread)
	say("Hello?")
	continues(t, f, thread, "Hello?")
	unharmed(t, f, in, in2)
}

// Without an app token Slack pushes, and what it did not sign is refused.
func TestSlackPushes(t *testing.T) {
	f := slacktest.New(t)
	in := boot(t, "DATABASE_URL=sqlite://"+t.TempDir()+"/relay.db", "SLACK_BOT_TOKEN="+f.BotToken, "SLACK_API_URL="+f.URL,
		"SLACK_CHANNEL_ID="+f.Channel, "SLACK_SIGNING_SECRET="+f.Secret)
	relay, err := url.Parse(in.base)
	if err != nil {
		t.Fatal(err)
	}
	f.PushTo(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(relay)
		r.Out.URL.Path = "/api/webhooks/slack"
	}})
	session := in.say(t, "Is it free?")
	eventually(t, "the visitor's message is in a thread", func() bool { return len(f.Threads()) == 1 && len(f.Threads()[0].Messages) == 2 })
	f.Write(f.Threads()[0].Ref, "Ada", "It is.", "")
	eventually(t, "the operator's answer arrives", func() bool { return in.history(t, session) == "Is it free?|It is." })
	if code := in.call(t, "POST", in.base+"/api/webhooks/slack", "", map[string]any{"type": "url_verification", "challenge": "c"}, nil); code != 401 {
		t.Errorf("a stranger's event is answered %d", code)
	}
}

// relay manifest prints what makes the app, and relay doctor looks at it.
func TestSlackIsSetUp(t *testing.T) {
	f := slacktest.New(t)
	if code, out, errs := runCommand(t, nil, "manifest"); code != 0 || !strings.Contains(out, "socket_mode_enabled: true") || strings.Contains(out, "request_url") {
		t.Errorf("manifest ends with %d:\n%s%s", code, out, errs)
	}
	pushed := []string{"PUBLIC_URL=https://chat.example.com", "SLACK_SIGNING_SECRET=" + f.Secret}
	if code, out, errs := runCommand(t, pushed, "manifest"); code != 0 || !strings.Contains(out, `request_url: "https://chat.example.com/api/webhooks/slack"`) {
		t.Errorf("manifest ends with %d:\n%s%s", code, out, errs)
	}
	environ := []string{"DATABASE_URL=sqlite://" + t.TempDir() + "/relay.db", "SLACK_BOT_TOKEN=" + f.BotToken, "SLACK_APP_TOKEN=" + f.AppToken,
		"SLACK_CHANNEL_ID=" + f.Channel, "SLACK_API_URL=" + f.URL}
	if code, out, errs := runCommand(t, environ, "doctor"); code != 0 || !strings.Contains(out, "the app is in #support") || !strings.Contains(out, "Socket Mode") {
		t.Errorf("doctor ends with %d:\n%s%s", code, out, errs)
	}
	f.Grant("chat:write")
	f.Leave()
	code, out, errs := runCommand(t, environ, "doctor")
	if code != 1 || !strings.Contains(out, "lacks channels:history") || !strings.Contains(out, "display_information:") {
		t.Errorf("doctor ends with %d:\n%s%s", code, out, errs)
	}
	if strings.Contains(out+errs, "canary") {
		t.Error("a token is shown")
	}
	t.Log(out, errs)
}
