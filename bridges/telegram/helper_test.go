package telegram_test

import (
	"context"
	"encoding/json"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/relay-chat/relay/bridges/bridgetest"
	"github.com/relay-chat/relay/bridges/telegram"
	"github.com/relay-chat/relay/bridges/telegram/telegramtest"
	"github.com/relay-chat/relay/server/chat"
)

const secret = "webhook-Secret_1"

// makeBridge makes a bridge to the fake, in process.
func makeBridge(t *testing.T, f *telegramtest.Platform, change ...func(*telegram.Config)) (*telegram.Bridge, *bridgetest.Log) {
	t.Helper()
	log := new(bridgetest.Log)
	cfg := telegram.Config{Token: f.Token, ChatID: chatID(f), Budget: 6000, Transport: f.Transport(), APIURL: "http://telegram.test",
		Log: log.Logger()}
	for _, c := range change {
		c(&cfg)
	}
	b, err := telegram.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return b, log
}

func chatID(f *telegramtest.Platform) string { return json.Number(jsonOf(f.Group)).String() }

func jsonOf(v any) string {
	out, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(out)
}

// open makes a thread.
func open(t *testing.T, b *telegram.Bridge, title, sessionID string) chat.Thread {
	t.Helper()
	ref := bridgetest.Must(t, b, chat.Thread{}, chat.Op{Kind: chat.OpOpen, Title: title, SessionID: sessionID})
	return chat.Thread{Bridge: telegram.Name, Channel: b.Channel(), Ref: ref, SessionID: sessionID}
}

const png = "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"

// until waits for something asynchronous.
func until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !ok(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("never: " + what)
		}
	}
}

type (
	ctx    = context.Context
	reader = io.ReadCloser
	config = telegram.Config
)

// harness is an engine with a bridge to a fake Telegram.
type harness struct {
	*bridgetest.Harness
	*telegramtest.Platform
}

// withHarness runs a test in a bubble, where minutes take no time.
func withHarness(t *testing.T, test func(t *testing.T, h *harness)) {
	synctest.Test(t, func(t *testing.T) {
		f := telegramtest.NewInBubble(t)
		f.Budget = 20
		b, log := makeBridge(t, f, func(c *telegram.Config) { c.Budget = 0 })
		h := &harness{bridgetest.NewHarness(t, b), f}
		test(t, h)
		h.Stop()
		bridgetest.Clean(t, f, log)
	})
}
