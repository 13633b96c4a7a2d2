package e2e

import (
	"net/http/httputil"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/relay-chat/relay/bridges/telegram/telegramtest"
	"github.com/relay-chat/relay/server/chat"
)

// An operator answers from Telegram: the whole program against the fake Bot
// API server, by long polling, over a restart.
func TestTelegram(t *testing.T) {
	f := telegramtest.New(t)
	environ := []string{"DATABASE_URL=sqlite://" + t.TempDir() + "/relay.db", "TELEGRAM_BOT_TOKEN=" + f.Token,
		"TELEGRAM_CHAT_ID=" + strconv.FormatInt(f.Group, 10), "TELEGRAM_API_URL=" + f.URL}
	in := boot(t, environ...)
	session := in.say(t, "Is it <free>?")
	say := func(text string) {
		t.Helper()
		in.call(t, "POST", in.base+"/api/widget/messages", in.public, map[string]any{"sessionId": session, "content": text}, nil)
	}
	eventually(t, "the visitor's message is in a topic", func() bool { return strings.Contains(shown(f), "Is it <free>?") })
	topic := f.Threads()[0].Ref
	f.Write(topic, "Ada", "It is.", "")
	f.Write(topic, "Ada", "// a pity", "")
	eventually(t, "the operator's answer arrives", func() bool { return strings.Contains(in.history(t, session), "It is.") })
	if code := in.stop(); code != 0 {
		t.Fatalf("relay ends with %d", code)
	}
	f.Write(topic, "Ada", "Anything else?", "")
	in2 := boot(t, environ...)
	in.base = in2.base
	eventually(t, "what was written meanwhile arrives", func() bool { return strings.Contains(in.history(t, session), "Anything else?") })
	f.CloseThread(topic)
	eventually(t, "the session is closed", func() bool {
		var answer struct{ Status string }
		in2.get(t, in2.base+"/api/admin/sessions/"+session, in.secret, &answer)
		return answer.Status == "closed"
	})
	say("Yes: how?")
	eventually(t, "the topic is opened again", func() bool { return strings.Contains(shown(f), "Yes: how?") && !f.Threads()[0].Closed })
	f.DeleteThread(topic)
	say("Hello?")
	eventually(t, "a new topic continues", func() bool { return len(f.Threads()) == 1 && strings.Contains(shown(f), "Hello?") })
	if strings.Contains(in.history(t, session), "pity") {
		t.Error("the visitor sees a note")
	}
	unharmed(t, f, in, in2)
}

// A webhook that was registered for relay is kept: Telegram pushes what
// operators write.
func TestTelegramPushes(t *testing.T) {
	f := telegramtest.New(t)
	f.SetWebhook("https://chat.example.com/api/webhooks/telegram", "a-long-random-text")
	in := boot(t, "DATABASE_URL=sqlite://"+t.TempDir()+"/relay.db", "TELEGRAM_BOT_TOKEN="+f.Token, "TELEGRAM_API_URL="+f.URL,
		"TELEGRAM_CHAT_ID="+strconv.FormatInt(f.Group, 10), "TELEGRAM_WEBHOOK_SECRET=a-long-random-text")
	relay, err := url.Parse(in.base)
	if err != nil {
		t.Fatal(err)
	}
	f.PushTo(httputil.NewSingleHostReverseProxy(relay))
	session := in.say(t, "Is it free?")
	eventually(t, "the visitor's message is in a topic", func() bool { return len(f.Threads()) == 1 && len(f.Threads()[0].Messages) == 2 })
	f.Write(f.Threads()[0].Ref, "Ada", "It is.", "")
	eventually(t, "the operator's answer arrives", func() bool { return in.history(t, session) == "Is it free?|It is." })
	if code := in.call(t, "POST", in.base+"/api/webhooks/telegram", "", map[string]any{"update_id": 1}, nil); code != 401 {
		t.Errorf("a stranger's update is answered %d", code)
	}
	if len(f.Requests("getUpdates")) > 0 || f.Webhook() == "" {
		t.Error("updates are asked for as well")
	}
}

// relay doctor finds what is well and what is not, and says what to do.
func TestDoctorLooksAtTelegram(t *testing.T) {
	f := telegramtest.New(t)
	environ := []string{"DATABASE_URL=sqlite://" + t.TempDir() + "/relay.db", "TELEGRAM_BOT_TOKEN=" + f.Token,
		"TELEGRAM_CHAT_ID=" + strconv.FormatInt(f.Group, 10), "TELEGRAM_API_URL=" + f.URL}
	if code, out, errs := runCommand(t, environ, "doctor"); code != 0 || !strings.Contains(out, "@relay_support_bot") || !strings.Contains(out, "may open topics") {
		t.Errorf("doctor ends with %d:\n%s%s", code, out, errs)
	}
	f.Demote(true)
	code, out, errs := runCommand(t, environ, "doctor")
	if code != 1 || !strings.Contains(out, "not an administrator") || !strings.Contains(out, "Manage topics") {
		t.Errorf("doctor ends with %d:\n%s%s", code, out, errs)
	}
	if strings.Contains(out+errs, "AAcanary") {
		t.Error("the token is shown")
	}
	t.Log(out, errs)
}

// Two relays with one token: each says so, and relay doctor beside it.
func TestTwoRelaysWithOneToken(t *testing.T) {
	f := telegramtest.New(t)
	environ := func() []string {
		return []string{"DATABASE_URL=sqlite://" + t.TempDir() + "/relay.db", "TELEGRAM_BOT_TOKEN=" + f.Token,
			"TELEGRAM_CHAT_ID=" + strconv.FormatInt(f.Group, 10), "TELEGRAM_API_URL=" + f.URL}
	}
	ours := environ()
	in := boot(t, ours...)
	boot(t, environ()...)
	var list struct{ Bridges []chat.BridgeState }
	eventually(t, "relay notices the other one", func() bool {
		in.get(t, in.base+"/api/admin/bridges", in.secret, &list)
		b := list.Bridges[0]
		return b.State == "misconfigured" && strings.Contains(b.LastError, "another program polls") && strings.Contains(b.Fix, "stop the other program")
	})
	port := in.base[strings.LastIndex(in.base, ":")+1:]
	code, out, errs := runCommand(t, append(ours, "PORT="+port), "doctor")
	if code != 1 || !containsAll(out, "fail  running relay: another program polls", "Fix: stop the other program") {
		t.Errorf("doctor ends with %d:\n%s%s", code, out, errs)
	}
	if log := in.stderr.String(); !strings.Contains(log, "another program polls") || strings.Contains(log, "permanent failure") {
		t.Errorf("the log says %s", log)
	}
}
