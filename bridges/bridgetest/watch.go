package bridgetest

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/relay-chat/relay/server/chat"
)

// watched is a bridge that looks after what people have set up.
type watched interface {
	Watch(context.Context)
	Check(context.Context) []chat.Finding
	Receiving() (way string, problem error)
}

// Watching has a bridge look after its channel until the test ends.
func Watching(t *testing.T, watch func(context.Context)) {
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); watch(ctx) }()
	t.Cleanup(func() { cancel(); <-done })
}

// Wrong returns the problem that the bridge reports to operators, "" for none.
func Wrong(t *testing.T, b watched) string {
	t.Helper()
	_, problem := b.Receiving()
	var misconfigured *chat.Misconfigured
	if problem == nil {
		return ""
	}
	if !errors.As(problem, &misconfigured) || misconfigured.Fix == "" || strings.Contains(misconfigured.Fix, "\n") {
		t.Errorf("it has no fix in one line: %v", problem)
	}
	return problem.Error()
}

// Watches runs in a bubble. It spoils what the bridge needs: the bridge then reports a
// problem that contains want, or none if that is "", without a message that shows it,
// logs it once, and stops when it is mended; a check notices that at once. Without
// spoil the bridge is made wrongly; without mend it stays so.
func Watches[F any](t *testing.T, f F, b watched, log *Log, spoil, mend func(F), want string) {
	t.Helper()
	if spoil != nil {
		spoil(f)
	}
	Watching(t, b.Watch)
	Settled(10 * time.Minute)
	if got := Wrong(t, b); !strings.Contains(got, want) || got != "" && want == "" {
		t.Errorf("reported %q", got)
	}
	if n := strings.Count(log.String(), "is misconfigured"); want != "" && n != 1 || n > 1 {
		t.Errorf("logged %d times", n)
	}
	if mend == nil {
		return
	}
	mend(f)
	b.Check(t.Context())
	if got := Wrong(t, b); got != "" {
		t.Errorf("reported %q after a check that succeeded", got)
	}
	spoil(f)
	Settled(5 * time.Minute)
	mend(f)
	Settled(time.Minute)
	if got := Wrong(t, b); got != "" {
		t.Errorf("reported %q a minute after it was mended", got)
	}
}

// Settled lets time pass in a bubble, until everybody waits again.
func Settled(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}
