package slack_test

import (
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/relay-chat/relay/bridges/bridgetest"
	"github.com/relay-chat/relay/bridges/slack"
	"github.com/relay-chat/relay/bridges/slack/slacktest"
	"github.com/relay-chat/relay/server/chat"
)

// makeBridge makes a bridge to the fake, in process.
func makeBridge(t *testing.T, f *slacktest.Platform, change ...func(*slack.Config)) (*slack.Bridge, *bridgetest.Log) {
	t.Helper()
	log := new(bridgetest.Log)
	cfg := slack.Config{BotToken: f.BotToken, ChannelID: f.Channel, AppToken: f.AppToken, SigningSecret: f.Secret, Pause: time.Millisecond,
		Transport: f.Transport(), Dial: f.Dial, APIURL: f.URL, Log: log.Logger()}
	for _, c := range change {
		c(&cfg)
	}
	b, err := slack.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return b, log
}

// pushed has a bridge receive by the webhook.
func pushed(c *slack.Config) { c.AppToken = "" }

// open makes a thread.
func open(t *testing.T, b *slack.Bridge, title, sessionID string) chat.Thread {
	t.Helper()
	ref := bridgetest.Must(t, b, chat.Thread{}, chat.Op{Kind: chat.OpOpen, Title: title, SessionID: sessionID, Key: "OPEN" + title})
	return chat.Thread{Bridge: slack.Name, Channel: b.Channel(), Ref: ref, SessionID: sessionID}
}

// shown are the texts of a thread behind its first message.
func shown(f *slacktest.Platform, ref string) string {
	var lines []string
	for _, th := range f.Threads() {
		for i, m := range th.Messages {
			if th.Ref == ref && i > 0 {
				lines = append(lines, m.Text)
			}
		}
	}
	return strings.Join(lines, " | ")
}

func jsonOf(v any) string {
	out, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(out)
}

// harness is an engine with a bridge to a fake workspace.
type harness struct {
	*bridgetest.Harness
	*slacktest.Platform
}

// withHarness runs a test in a bubble, where minutes take no time.
func withHarness(t *testing.T, test func(t *testing.T, h *harness)) {
	withConfig(t, func(*slack.Config) {}, test)
}

func withConfig(t *testing.T, change func(*slack.Config), test func(t *testing.T, h *harness)) {
	synctest.Test(t, func(t *testing.T) {
		f := slacktest.NewInBubble(t)
		f.Paced = true
		b, log := makeBridge(t, f, unhurried, change)
		h := &harness{bridgetest.NewHarness(t, b), f}
		test(t, h)
		h.Stop()
		bridgetest.Clean(t, f, log)
	})
}

// unhurried leaves the pace of messages as it is.
func unhurried(c *slack.Config) { c.Pause = 0 }

// restart stops the engine, waits for what happens meanwhile and starts it again
// with a bridge that remembers nothing.
func (h *harness) restart(t *testing.T, meanwhile func()) {
	h.Stop()
	meanwhile()
	b, _ := makeBridge(t, h.Platform, unhurried)
	h.Start(b)
}
