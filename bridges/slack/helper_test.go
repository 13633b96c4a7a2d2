package slack_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"relay/bridges/bridgetest"
	"relay/bridges/slack"
	"relay/server/chat"
)

// testLog collects what a bridge logs.
type testLog struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (l *testLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(p)
}

func (l *testLog) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.String()
}

// makeBridge makes a bridge to the fake, in process.
func makeBridge(t *testing.T, f *bridgetest.Slack, change ...func(*slack.Config)) (*slack.Bridge, *testLog) {
	t.Helper()
	log := new(testLog)
	cfg := slack.Config{BotToken: f.BotToken, ChannelID: f.Channel, AppToken: f.AppToken, SigningSecret: f.Secret, Pause: time.Millisecond,
		Transport: f.Transport(), Dial: f.Dial, APIURL: f.URL, Log: slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug}))}
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

// running runs a bridge's reception until the test or stop ends it.
func running(t *testing.T, b *slack.Bridge, in chat.Receiver) (stop func() error) {
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- b.Run(ctx, in) }()
	stop = sync.OnceValue(func() error {
		cancel()
		return <-done
	})
	t.Cleanup(func() { _ = stop() })
	return stop
}

// settled lets everything happen that happens within a while.
func settled(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// must carries an op out.
func must(t *testing.T, b *slack.Bridge, th chat.Thread, op chat.Op) string {
	t.Helper()
	remote, err := b.Do(t.Context(), th, op)
	if err != nil {
		t.Fatalf("op %d: %v", op.Kind, err)
	}
	return remote
}

// open makes a thread.
func open(t *testing.T, b *slack.Bridge, title, sessionID string) chat.Thread {
	t.Helper()
	ref := must(t, b, chat.Thread{}, chat.Op{Kind: chat.OpOpen, Title: title, SessionID: sessionID, Key: "OPEN" + title})
	return chat.Thread{Bridge: slack.Name, Channel: b.Channel(), Ref: ref, SessionID: sessionID}
}

// opFile makes a file to send.
func opFile(name, mimeType, content string) *chat.OpFile {
	return &chat.OpFile{Filename: name, MimeType: mimeType, Size: int64(len(content)), Open: func(context.Context) (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader(content)), nil
	}}
}

// shown are the texts of a thread behind its first message.
func shown(f *bridgetest.Slack, ref string) string {
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

// clean checks at a test's end that the schema allowed everything and that no
// secret is in the log.
func clean(t *testing.T, f *bridgetest.Slack, log *testLog) {
	t.Helper()
	for _, v := range f.Violations() {
		t.Errorf("violation: %s", v)
	}
	if log != nil && strings.Contains(log.String(), "canary") {
		t.Errorf("a secret is in the log:\n%s", log)
	}
}

func jsonOf(v any) string {
	out, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(out)
}
