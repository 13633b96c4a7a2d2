package telegram_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/relay-chat/relay/bridges/bridgetest"
	"github.com/relay-chat/relay/bridges/telegram"
	"github.com/relay-chat/relay/bridges/telegram/telegramtest"
	"github.com/relay-chat/relay/server/chat"
)

// deliver carries ops out in order as the outbox does.
func deliver(t *testing.T, b *telegram.Bridge, th chat.Thread, ops ...chat.Op) chat.Thread {
	for _, op := range ops {
		remote := deliverOne(t, b, th, op)
		if op.Kind == chat.OpOpen {
			th.Ref = remote
		}
	}
	return th
}

// deliverOne carries an op out. It comes again after the wait that was asked for.
func deliverOne(t *testing.T, b *telegram.Bridge, th chat.Thread, op chat.Op) (remote string) {
	for {
		remote, err := b.Do(t.Context(), th, op)
		var wait *chat.RetryAfter
		if errors.As(err, &wait) {
			time.Sleep(wait.After)
			continue
		}
		if err != nil {
			t.Error(err)
		}
		return remote
	}
}

// 200 sessions write at once to a group that takes 20 messages a minute: all
// of it arrives in order, and Telegram hardly ever has to say no.
func TestBudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := telegramtest.NewInBubble(t)
		f.Budget = 20
		b, log := makeBridge(t, f, func(c *telegram.Config) { c.Budget = 0 })
		begun := time.Now()
		sessions, lanes := make(chan int), sync.WaitGroup{}
		for range b.Limits().Parallel {
			lanes.Go(func() {
				for n := range sessions {
					deliver(t, b, chat.Thread{}, chat.Op{Kind: chat.OpOpen, Title: fmt.Sprint("Visitor ", n)},
						chat.Op{Kind: chat.OpTyping}, chat.Op{Kind: chat.OpPost, Text: "one"}, chat.Op{Kind: chat.OpPost, Text: "two"})
				}
			})
		}
		for n := range 200 {
			sessions <- n
		}
		close(sessions)
		lanes.Wait()
		threads := f.Threads()
		if len(threads) != 200 {
			t.Errorf("%d threads", len(threads))
		}
		for _, th := range threads {
			if shown(th) != "one|two" {
				t.Errorf("%s: %s", th.Title, shown(th))
			}
		}
		all, limited := f.Sends()
		took := time.Since(begun)
		if limited*100 > all {
			t.Errorf("%d of %d were answered 429", limited, all)
		}
		if best := 600 / 20 * time.Minute; took > best*11/10 {
			t.Errorf("it took %s, %s would do", took, best)
		}
		t.Logf("%d messages in %s, %d answered 429", all, took, limited)
		bridgetest.Clean(t, f, log)
	})
}

// A bridge that was restarted does not know what was spent: it learns from the
// first 429 and loses nothing.
func TestBudgetAfterRestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := telegramtest.NewInBubble(t)
		f.Budget = 20
		for range 3 {
			b, _ := makeBridge(t, f, func(c *telegram.Config) { c.Budget = 0 })
			th := deliver(t, b, chat.Thread{}, chat.Op{Kind: chat.OpOpen, Title: "Grace"})
			for n := range 15 {
				deliver(t, b, th, chat.Op{Kind: chat.OpPost, Text: fmt.Sprint(n)})
			}
		}
		if _, limited := f.Sends(); limited > 2 {
			t.Errorf("%d were answered 429", limited)
		}
		for _, th := range f.Threads() {
			if n := strings.Count(shown(th), "|") + 1; n != 15 {
				t.Errorf("%d messages arrived", n)
			}
		}
	})
}

// An upload counts when it arrives, not when it began.
func TestSlowUploadsCountLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := telegramtest.NewInBubble(t)
		f.Budget = 2
		b, _ := makeBridge(t, f, func(c *telegram.Config) { c.Budget = 2 })
		th := deliver(t, b, chat.Thread{}, chat.Op{Kind: chat.OpOpen, Title: "Grace"})
		slow := bridgetest.File("a.txt", "text/plain", "a")
		quick := slow.Open
		slow.Open = func(ctx ctx) (reader, error) { time.Sleep(50 * time.Second); return quick(ctx) }
		deliver(t, b, th, chat.Op{Kind: chat.OpPost, File: slow}, chat.Op{Kind: chat.OpPost, Text: "a"}, chat.Op{Kind: chat.OpPost, Text: "b"}, chat.Op{Kind: chat.OpPost, Text: "c"})
		if _, limited := f.Sends(); limited > 0 {
			t.Errorf("%d were answered 429", limited)
		}
	})
}

// A refused message is repeated in another form before anything else is
// sent, however scarce messages are: what is refused takes no further turns.
func TestRefusedIsSaidOtherwiseAtOnce(t *testing.T) {
	unknown := bridgetest.File("a.txt", "text/plain", "four")
	unknown.Size = 3
	for name, c := range map[string]struct {
		op    chat.Op
		calls int
	}{
		"no picture":   {chat.Op{Kind: chat.OpPost, File: bridgetest.File("a.png", "image/png", "no picture")}, 2},
		"another size": {chat.Op{Kind: chat.OpPost, File: unknown}, 1},
		"a caption":    {chat.Op{Kind: chat.OpEdit, Remote: "the photo", Text: "new"}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := telegramtest.NewInBubble(t)
				b, _ := makeBridge(t, f, func(c *telegram.Config) { c.Budget = 0 })
				th := deliver(t, b, chat.Thread{}, chat.Op{Kind: chat.OpOpen, Title: "Grace"})
				for range 4 {
					deliver(t, b, th, chat.Op{Kind: chat.OpPost, Text: "a"})
				}
				photo := deliverOne(t, b, th, chat.Op{Kind: chat.OpPost, File: bridgetest.File("a.png", "image/png", png)})
				if c.op.Remote != "" {
					c.op.Remote = photo
				}
				time.Sleep(time.Second)
				before := len(f.Requests(""))
				if _, err := b.Do(t.Context(), th, c.op); err != nil {
					t.Error(err)
				}
				if n := len(f.Requests("")) - before; n != c.calls {
					t.Errorf("%d calls", n)
				}
			})
		})
	}
}

// Typing goes first when messages are scarce, and never more than once in four
// seconds.
func TestTypingIsDroppedFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := telegramtest.NewInBubble(t)
		b, _ := makeBridge(t, f, func(c *telegram.Config) { c.Budget = 0 })
		th := deliver(t, b, chat.Thread{}, chat.Op{Kind: chat.OpOpen, Title: "Grace"})
		typing := chat.Op{Kind: chat.OpTyping}
		for range 80 {
			bridgetest.Must(t, b, th, typing)
			time.Sleep(100 * time.Millisecond)
		}
		if n := len(f.Requests("sendChatAction")); n != 2 {
			t.Errorf("shown %d times in 8 seconds", n)
		}
		for range 12 {
			deliver(t, b, th, chat.Op{Kind: chat.OpPost, Text: "a"})
		}
		time.Sleep(5 * time.Second)
		bridgetest.Must(t, b, th, typing)
		if n := len(f.Requests("sendChatAction")); n != 2 {
			t.Error("typing was shown though messages are scarce")
		}
		f.Fail(1, bridgetest.FaultRateLimited)
	})
}
