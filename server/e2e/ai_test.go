package e2e

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/relay-chat/relay/bridges/ai/aitest"
	"github.com/relay-chat/relay/bridges/bridgetest"
	"github.com/relay-chat/relay/bridges/discord/discordtest"
	"github.com/relay-chat/relay/bridges/slack/slacktest"
	"github.com/relay-chat/relay/bridges/telegram/telegramtest"
)

// withAI is the environment of a relay whose AI answers at once.
func withAI(t *testing.T, model *aitest.Model, more ...string) []string {
	return append([]string{"DATABASE_URL=sqlite://" + t.TempDir() + "/relay.db", "AI_BASE_URL=" + model.Listen(), "AI_MODEL=m", "AI_NAME=Robo",
		"AI_TAKEOVER_DELAY=0", "AI_SYSTEM_PROMPT=We are open from 7:00."}, more...)
}

// again lets the visitor of a session write once more.
func (in *instance) again(t *testing.T, session, text string) {
	t.Helper()
	in.call(t, "POST", in.base+"/api/widget/messages", in.public, map[string]any{"sessionId": session, "content": text}, nil)
}

// takeovers are what became of the AI in a session, like "true false:operator".
func (in *instance) takeovers(t *testing.T, session string) string {
	t.Helper()
	var history struct {
		Timeline []struct {
			Type string
			Data struct {
				Active bool
				Reason string
			}
		}
	}
	in.get(t, in.base+"/api/admin/sessions/"+session+"/messages", in.secret, &history)
	var events []string
	for _, e := range history.Timeline {
		if e.Type == "ai_takeover" {
			events = append(events, strings.TrimSuffix(fmt.Sprint(e.Data.Active, ":", e.Data.Reason), ":"))
		}
	}
	return strings.Join(events, " ")
}

// places are where operators answer: each lets one write in the thread that shows a
// text.
func places(t *testing.T) (platforms map[string]bridgetest.Platform, environ []string) {
	tg, dc, sl := telegramtest.New(t), discordtest.New(t), slacktest.New(t)
	return map[string]bridgetest.Platform{"telegram": tg, "discord": dc, "slack": sl}, []string{
		"TELEGRAM_BOT_TOKEN=" + tg.Token, "TELEGRAM_CHAT_ID=" + strconv.FormatInt(tg.Group, 10), "TELEGRAM_API_URL=" + tg.URL,
		"DISCORD_BOT_TOKEN=" + dc.Token, "DISCORD_CHANNEL_ID=" + dc.Channel, "ENABLE_DISCORD_GATEWAY=true", "DISCORD_API_URL=" + dc.URL,
		"SLACK_BOT_TOKEN=" + sl.BotToken, "SLACK_APP_TOKEN=" + sl.AppToken, "SLACK_CHANNEL_ID=" + sl.Channel, "SLACK_API_URL=" + sl.URL}
}

// threadWith waits for the thread that shows a text.
func threadWith(t *testing.T, p bridgetest.Platform, text string) (ref string) {
	t.Helper()
	eventually(t, "a thread with "+text, func() bool {
		for _, th := range p.Threads() {
			for _, m := range th.Messages {
				if strings.Contains(m.Text, text) {
					ref = th.Ref
				}
			}
		}
		return ref != ""
	})
	return ref
}

// TestAIStopsAtTheFirstWord: visitors are answered while nobody is there, until an
// operator writes, wherever that is. An operator who acts is there for a while, so
// each place has a relay of its own time: !offline.
func TestAIStopsAtTheFirstWord(t *testing.T) {
	t.Parallel()
	platforms, environ := places(t)
	model := aitest.New(t, aitest.Says("From 7:00 [0]."))
	in := boot(t, withAI(t, model, environ...)...)
	in.call(t, "POST", in.base+"/api/admin/operator/status", in.secret, map[string]any{"online": false}, nil)
	for _, place := range []string{"telegram", "discord", "slack", "api"} {
		question := "When do you open, asks " + place
		session := in.say(t, question)
		eventually(t, "the AI answers "+place, func() bool { return in.history(t, session) == question+"|From 7:00." })
		if p := platforms[place]; p != nil {
			thread := threadWith(t, p, question)
			eventually(t, "the answer is shown", func() bool {
				return strings.Contains(shown(p), "From 7:00.") && strings.Contains(shown(p), "The AI answers now")
			})
			p.Write(thread, "Ada", "Ours", "")
		} else {
			in.call(t, "POST", in.base+"/api/admin/sessions/"+session+"/messages", in.secret, map[string]any{"content": "Ours"}, nil)
		}
		eventually(t, "the operator's word", func() bool { return strings.HasSuffix(in.history(t, session), "|Ours") })
		in.again(t, session, "And on Sunday?")
		var list struct{ Deliveries []struct{ SessionID string } }
		in.get(t, in.base+"/api/admin/deliveries?state=pending&dest=ai", in.secret, &list)
		if got := in.takeovers(t, session); got != "true false:operator" || len(list.Deliveries) > 0 {
			t.Errorf("%s: the AI is %q, and %v wait for it", place, got, list)
		}
	}
	if n := len(model.Asked()); n != 4 {
		t.Errorf("the model was asked %d times", n)
	}
	for name, p := range platforms {
		for _, v := range p.Violations() {
			t.Error(name, v)
		}
	}
}

// TestAIDrafts: in draft mode every place gets the draft, and !send sends it
// there. Each place has a relay of its own: one Telegram group takes only 20 posts
// a minute.
func TestAIDrafts(t *testing.T) {
	t.Parallel()
	for _, place := range []string{"telegram", "discord", "slack", "api"} {
		t.Run(place, func(t *testing.T) {
			t.Parallel()
			draftSentFrom(t, place)
		})
	}
}

func draftSentFrom(t *testing.T, place string) {
	platforms, environ := places(t)
	model := aitest.New(t, aitest.Says("From 7:00 [0]."))
	in := boot(t, withAI(t, model, append(environ, "AI_MODE=draft")...)...)
	const question = "When do you open?"
	session := in.say(t, question)
	for _, p := range platforms {
		threadWith(t, p, question)
		eventually(t, "the draft on every platform", func() bool { return strings.Contains(shown(p), "!send sends it") })
	}
	eventually(t, "the draft", func() bool {
		var history struct {
			Messages []struct{ Draft, Internal bool }
		}
		in.get(t, in.base+"/api/admin/sessions/"+session+"/messages", in.secret, &history)
		last := history.Messages[len(history.Messages)-1]
		return last.Draft && last.Internal
	})
	if got := in.history(t, session); got != question {
		t.Errorf("the visitor reads %q before it is sent", got)
	}
	if p := platforms[place]; p != nil {
		p.Write(threadWith(t, p, question), "Ada", "!send", "")
	} else {
		in.call(t, "POST", in.base+"/api/admin/sessions/"+session+"/commands", in.secret, map[string]any{"command": "!send"}, nil)
	}
	eventually(t, "the draft sent from "+place, func() bool { return in.history(t, session) == question+"|From 7:00." })
}

// TestAISurvivesKills kills relay with SIGKILL around the moment at which the AI
// takes over: every visitor gets one answer, and is taken over once.
func TestAISurvivesKills(t *testing.T) {
	kills := 12
	if testing.Short() {
		kills = 3
	}
	seed := rand.Uint64()
	random := rand.New(rand.NewPCG(seed, 0))
	t.Logf("seed %d", seed)
	model := aitest.New(t, func(aitest.Request) aitest.Answer {
		soon := make(chan struct{})
		time.AfterFunc(40*time.Millisecond, func() { close(soon) }) // it thinks
		return aitest.Answer{Text: "From 7:00 [0].", Tokens: 10, Wait: soon}
	})
	in := boot(t, withAI(t, model)...)
	in.call(t, "POST", in.base+"/api/admin/operator/status", in.secret, map[string]any{"online": false}, nil)
	asked := map[string]string{}
	for n := range kills {
		question := fmt.Sprint("Question ", n)
		asked[in.say(t, question)] = question
		time.Sleep(time.Duration(random.IntN(90)) * time.Millisecond) // the moment of the kill is the test's input
		in.kill()
		in.restart()
	}
	for session, question := range asked {
		eventually(t, question+" is answered", func() bool { return in.history(t, session) != question })
		if got, events := in.history(t, session), in.takeovers(t, session); got != question+"|From 7:00." || events != "true" {
			t.Errorf("the visitor reads %q, the AI is %q", got, events)
		}
	}
	t.Logf("%d kills, the model was asked %d times", kills, len(model.Asked()))
}

// TestAIHandsOver: "I don't know" and a person, and relay doctor asks the model.
func TestAIHandsOver(t *testing.T) {
	model := aitest.New(t, func(r aitest.Request) aitest.Answer {
		if strings.Contains(r.Data, "moon") {
			return aitest.Answer{Text: "HANDOVER unsure", Tokens: 10}
		}
		return aitest.Answer{Text: "Hello!", Tokens: 10}
	})
	environ := withAI(t, model, "AI_API_KEY=sk-canary")
	in := boot(t, environ...)
	session := in.say(t, "Is there life on the moon?")
	eventually(t, "it hands over", func() bool {
		return strings.Contains(in.history(t, session), "|I don't know that. A colleague will answer here.")
	})
	if got := in.takeovers(t, session); got != "false:unsure" {
		t.Errorf("the AI is %q", got)
	}
	var test struct {
		OK     bool
		Answer string
		Tokens int
	}
	if code := in.call(t, "POST", in.base+"/api/admin/ai/test", in.secret, nil, &test); code != 200 || !test.OK || test.Answer != "Hello!" || test.Tokens != 10 {
		t.Errorf("the test is answered %d %+v", code, test)
	}
	if code, out, errs := runCommand(t, environ, "doctor"); code != 0 || !strings.Contains(out, `ok    test question: "Hello!", 10 tokens`) {
		t.Errorf("doctor ends with %d:\n%s%s", code, out, errs)
	}
	model.Script(func(aitest.Request) aitest.Answer { return aitest.Answer{Status: 401, Error: "sk-canary"} })
	code, out, errs := runCommand(t, environ, "doctor")
	if code != 1 || !containsAll(out, "fail  test question: the endpoint refuses the API key (401)", "Fix: check AI_API_KEY") {
		t.Errorf("doctor ends with %d:\n%s%s", code, out, errs)
	}
	if strings.Contains(out+errs+in.stderr.String(), "canary") {
		t.Error("the key is shown")
	}
}
