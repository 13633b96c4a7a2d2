package discord_test

import (
	"encoding/json"
	"testing"
	"testing/synctest"

	"github.com/relay-chat/relay/bridges/bridgetest"
	"github.com/relay-chat/relay/bridges/discord"
	"github.com/relay-chat/relay/bridges/discord/discordtest"
	"github.com/relay-chat/relay/server/chat"
)

// makeBridge makes a bridge to the fake, in process.
func makeBridge(t *testing.T, f *discordtest.Platform, change ...func(*discord.Config)) (*discord.Bridge, *bridgetest.Log) {
	t.Helper()
	log := new(bridgetest.Log)
	cfg := discord.Config{Token: f.Token, ChannelID: f.Channel, Gateway: true, Transport: f.Transport(), Dial: f.Dial, APIURL: "http://discord.test/api/v10",
		Log: log.Logger()}
	for _, c := range change {
		c(&cfg)
	}
	b, err := discord.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return b, log
}

func jsonOf(v any) string {
	out, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(out)
}

// received is what came in, in short: the text of a message, else its kind.
func received(t *testing.T, r *bridgetest.Receiver, b *discord.Bridge) (list []string) {
	t.Helper()
	return heardIn(t, r, b, "")
}

// heardIn is what came in of one thread: order is kept in each, not among them.
func heardIn(t *testing.T, r *bridgetest.Receiver, b *discord.Bridge, ref string) (list []string) {
	t.Helper()
	kinds := map[chat.InboundKind]string{chat.InboundEdited: "edited ", chat.InboundDeleted: "deleted ", chat.InboundThreadClosed: "closed",
		chat.InboundThreadReopened: "reopened", chat.InboundThreadDeleted: "thread deleted"}
	for _, in := range r.Inbounds(t, b) {
		if ref == "" || in.Thread.Ref == ref {
			list = append(list, kinds[in.Kind]+in.Text)
		}
	}
	return list
}

var lastKey int

// key makes a key that no other op has.
func key() string {
	lastKey++
	return "KEY" + jsonOf(lastKey)
}

// post is an op that writes a visitor's text.
func post(text string) chat.Op { return chat.Op{Kind: chat.OpPost, Text: text, Key: key()} }

// open makes a thread.
func open(t *testing.T, b *discord.Bridge, title, sessionID string) chat.Thread {
	t.Helper()
	ref := bridgetest.Must(t, b, chat.Thread{}, chat.Op{Kind: chat.OpOpen, Title: title, Text: "Page: https://shop.example", SessionID: sessionID, Key: key()})
	return chat.Thread{Bridge: discord.Name, Channel: b.Channel(), Ref: ref, SessionID: sessionID}
}

// thread is a thread as operators see it.
func thread(t *testing.T, f *discordtest.Platform, ref string) bridgetest.Thread {
	t.Helper()
	for _, th := range f.Threads() {
		if th.Ref == ref {
			return th
		}
	}
	t.Fatalf("there is no thread %s", ref)
	return bridgetest.Thread{}
}

// harness is an engine with a bridge to a fake Discord.
type harness struct {
	*bridgetest.Harness
	*discordtest.Platform
	log *bridgetest.Log
}

// withHarness runs a test in a bubble, where minutes take no time, in a text
// channel and in a forum.
func withHarness(t *testing.T, test func(t *testing.T, h *harness)) {
	for name, forum := range map[string]bool{"text channel": false, "forum": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := discordtest.NewInBubble(t)
				f.PerChannel, f.Forum = 5, forum
				b, log := makeBridge(t, f)
				h := &harness{bridgetest.NewHarness(t, b), f, log}
				test(t, h)
				h.Stop()
				bridgetest.Clean(t, f, h.log)
			})
		})
	}
}

// start starts the engine again, with a bridge that remembers nothing.
func (h *harness) start(t *testing.T) {
	b, log := makeBridge(t, h.Platform)
	h.log = log
	h.Start(b)
}
