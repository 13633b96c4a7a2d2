package telegram_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"relay/bridges/bridgetest"
	"relay/bridges/telegram"
	"relay/server/chat"
)

const secret = "webhook-Secret_1"

// testLog collects what a bridge logs.
type testLog struct {
	mu    sync.Mutex
	buf   bytes.Buffer
	words string
	do    func()
}

func (l *testLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.do != nil && bytes.Contains(p, []byte(l.words)) {
		l.do()
	}
	return l.buf.Write(p)
}

// on has something done when words are logged.
func (l *testLog) on(words string, do func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.words, l.do = words, do
}

func (l *testLog) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.String()
}

// makeBridge makes a bridge to the fake, in process.
func makeBridge(t *testing.T, f *bridgetest.Telegram, change ...func(*telegram.Config)) (*telegram.Bridge, *testLog) {
	t.Helper()
	log := new(testLog)
	cfg := telegram.Config{Token: f.Token, ChatID: chatID(f), Budget: 6000, Transport: f.Transport(), APIURL: "http://telegram.test",
		Log: slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug}))}
	for _, c := range change {
		c(&cfg)
	}
	b, err := telegram.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return b, log
}

func chatID(f *bridgetest.Telegram) string { return json.Number(jsonOf(f.Group)).String() }

func jsonOf(v any) string {
	out, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(out)
}

// must carries an op out.
func must(t *testing.T, b *telegram.Bridge, th chat.Thread, op chat.Op) string {
	t.Helper()
	remote, err := b.Do(t.Context(), th, op)
	if err != nil {
		t.Fatalf("op %d: %v", op.Kind, err)
	}
	return remote
}

// open makes a thread.
func open(t *testing.T, b *telegram.Bridge, title, sessionID string) chat.Thread {
	t.Helper()
	ref := must(t, b, chat.Thread{}, chat.Op{Kind: chat.OpOpen, Title: title, SessionID: sessionID})
	return chat.Thread{Bridge: telegram.Name, Channel: b.Channel(), Ref: ref, SessionID: sessionID}
}

// opFile makes a file to send.
func opFile(name, mimeType, content string) *chat.OpFile {
	return &chat.OpFile{Filename: name, MimeType: mimeType, Size: int64(len(content)), Open: func(context.Context) (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader(content)), nil
	}}
}

const png = "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"

// clean checks at a test's end that the schema allowed everything and that the
// token is in no log.
func clean(t *testing.T, f *bridgetest.Telegram, log *testLog) {
	t.Helper()
	for _, v := range f.Violations() {
		t.Errorf("violation: %s", v)
	}
	if log != nil && strings.Contains(log.String(), "AAcanary") {
		t.Error("the token is in the log")
	}
}

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
