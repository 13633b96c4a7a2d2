package bridgetest

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"github.com/relay-chat/relay/server/chat"
)

// Log collects what a bridge logs.
type Log struct {
	mu    sync.Mutex
	buf   bytes.Buffer
	words string
	do    func()
}

// Logger logs everything into it.
func (l *Log) Logger() *slog.Logger {
	return slog.New(slog.NewTextHandler(l, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

// Write implements [io.Writer].
func (l *Log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.do != nil && bytes.Contains(p, []byte(l.words)) {
		l.do()
	}
	return l.buf.Write(p)
}

// On has something done when words are logged.
func (l *Log) On(words string, do func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.words, l.do = words, do
}

func (l *Log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.String()
}

// Must carries an op out.
func Must(t *testing.T, b chat.Bridge, th chat.Thread, op chat.Op) (remote string) {
	t.Helper()
	remote, err := b.Do(t.Context(), th, op)
	if err != nil {
		t.Fatalf("op %d: %v", op.Kind, err)
	}
	return remote
}

// File makes a file to send.
func File(name, mimeType, content string) *chat.OpFile {
	return &chat.OpFile{Filename: name, MimeType: mimeType, Size: int64(len(content)), Open: func(context.Context) (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader(content)), nil
	}}
}

// Clean checks at a test's end that the schema allowed everything and that no
// secret is in the log, if there is one. The fakes' secrets have "canary" in them.
func Clean(t *testing.T, p Platform, log *Log) {
	t.Helper()
	for _, v := range p.Violations() {
		t.Errorf("violation: %s", v)
	}
	if log != nil && strings.Contains(log.String(), "canary") {
		t.Errorf("a secret is in the log:\n%s", log)
	}
}
