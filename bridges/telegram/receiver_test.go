package telegram_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/relay-chat/relay/bridges/bridgetest"
	"github.com/relay-chat/relay/bridges/telegram"
	"github.com/relay-chat/relay/bridges/telegram/telegramtest"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
)

func TestPollingReceives(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := telegramtest.NewInBubble(t)
		b, log := makeBridge(t, f)
		in := new(bridgetest.Receiver)
		bridgetest.Receiving(t, b, in)
		th := open(t, b, "Grace", "session-1")
		answer := f.Write(th.Ref, "Ada", "Hello", "")
		f.WriteElsewhere("not for relay")
		f.Write(f.MakeTopic("Lunch"), "Ada", "Pizza?", "")
		f.WriteAsBot(th.Ref, "Other", "beep")
		f.WriteAnonymously(th.Ref, "Boss", "from above")
		f.Write(th.Ref, "Ada", "about that", answer)
		f.Edit(th.Ref, answer, "Hello!")
		f.CloseThread(th.Ref)
		bridgetest.Settled(time.Second)
		got := in.Inbounds(t, b)
		for i := range got {
			got[i].At = 0
		}
		bridgetest.Golden(t, "telegram/polling.json", summary(got))
		if n := f.Waiting(); n != 0 {
			t.Errorf("%d updates are not confirmed", n)
		}
		if menu := f.Commands(); len(menu) != len(engine.Commands) || menu[0] != "help" {
			t.Errorf("the menu has %v", menu)
		}
		bridgetest.Clean(t, f, log)
	})
}

// An update that cannot be stored is not confirmed: it comes again, in order.
func TestStoredBeforeConfirmed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := telegramtest.NewInBubble(t)
		b, _ := makeBridge(t, f)
		in := &bridgetest.Receiver{Failing: 3}
		bridgetest.Receiving(t, b, in)
		bridgetest.Settled(time.Second)
		th := open(t, b, "Grace", "").Ref
		f.Write(th, "Ada", "one", "")
		f.Write(th, "Ada", "two", "")
		bridgetest.Settled(time.Millisecond)
		if in.Texts(t, b) != nil || f.Waiting() == 0 {
			t.Fatalf("stored %v, %d wait", in.Texts(t, b), f.Waiting())
		}
		bridgetest.Settled(time.Minute)
		if got := in.Texts(t, b); !slices.Equal(got, []string{"one", "two"}) || f.Waiting() != 0 {
			t.Errorf("stored %v, %d wait", got, f.Waiting())
		}
	})
}

// A restart asks again for what was not confirmed; the key identifies old ones.
func TestDuplicatesHaveOneKey(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := telegramtest.NewInBubble(t)
		in := new(bridgetest.Receiver)
		b, _ := makeBridge(t, f)
		stop := bridgetest.Receiving(t, b, in)
		th := open(t, b, "Grace", "")
		f.Write(th.Ref, "Ada", "one", "")
		bridgetest.Settled(time.Second)
		if err := stop(); err != nil {
			t.Fatal(err)
		}
		f.Redeliver()
		f.Skip(1 << 20)
		f.Write(th.Ref, "Ada", "two", "")
		b, _ = makeBridge(t, f)
		bridgetest.Receiving(t, b, in)
		bridgetest.Settled(time.Minute)
		if got := in.Texts(t, b); !slices.Equal(got, []string{"one", "two"}) {
			t.Errorf("stored %v", got)
		}
		for key, n := range in.Keys {
			if n > 2 {
				t.Errorf("update %s came %d times", key, n)
			}
		}
	})
}

// Reception survives whatever Telegram answers, without polling too often.
func TestPollingNeverGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := telegramtest.NewInBubble(t)
		b, log := makeBridge(t, f)
		in := new(bridgetest.Receiver)
		bridgetest.Receiving(t, b, in)
		bridgetest.Settled(time.Second)
		f.Storm(bridgetest.Storm{All: 1})
		bridgetest.Settled(time.Hour)
		calls := len(f.Requests("getUpdates"))
		if calls > 200 {
			t.Errorf("%d calls in an hour of outage", calls)
		}
		f.Storm(bridgetest.Storm{})
		th := open(t, b, "Grace", "").Ref
		f.Write(th, "Ada", "one", "")
		bridgetest.Settled(time.Minute)
		if got := in.Texts(t, b); !slices.Equal(got, []string{"one"}) {
			t.Errorf("stored %v", got)
		}
		if n := strings.Count(log.String(), "updates cannot be received"); n != 1 {
			t.Errorf("the outage is logged %d times", n)
		}
		if !strings.Contains(log.String(), "received again") {
			t.Error("the end of the outage is not logged")
		}
		bridgetest.Clean(t, f, log)
	})
}

// Two programs with one token: both back off, neither stops, and people are informed
// what to do, also while one of them catches an update now and then.
func TestSecondPoller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := telegramtest.NewInBubble(t)
		one, log := makeBridge(t, f)
		two, _ := makeBridge(t, f)
		in := new(bridgetest.Receiver)
		bridgetest.Receiving(t, one, in)
		bridgetest.Settled(time.Second)
		stop := bridgetest.Receiving(t, two, new(bridgetest.Receiver))
		bridgetest.Settled(10 * time.Minute)
		calls := len(f.Requests("getUpdates"))
		if calls > 400 {
			t.Errorf("%d calls in ten minutes", calls)
		}
		f.Write(open(t, one, "Edsger", "").Ref, "Ada", "who gets it", "")
		bridgetest.Settled(10 * time.Second)
		_, problem := one.Receiving()
		var misconfigured *chat.Misconfigured
		if !errors.As(problem, &misconfigured) || !strings.Contains(misconfigured.Problem, "another program polls") || !strings.Contains(misconfigured.Fix, "stop") {
			t.Errorf("reception's problem is %v", problem)
		}
		if found := one.Check(t.Context()); !strings.Contains(found[len(found)-1].Text, "another program polls") || found[len(found)-1].Level != chat.FindingFail {
			t.Errorf("the check found %v", found)
		}
		if text := log.String(); strings.Count(text, "another program polls") != 1 || strings.Contains(text, "permanent") || strings.Contains(text, "received again") {
			t.Errorf("the log says: %s", text)
		}
		if err := stop(); err != nil {
			t.Fatal(err)
		}
		th := open(t, one, "Grace", "").Ref
		f.Write(th, "Ada", "one", "")
		bridgetest.Settled(3 * time.Minute)
		if got := in.Texts(t, one); len(got) == 0 || got[len(got)-1] != "one" {
			t.Errorf("stored %v", got)
		}
		if _, problem := one.Receiving(); problem != nil || !strings.Contains(log.String(), "received again") {
			t.Errorf("alone again, and still: %v", problem)
		}
	})
}

func TestRevokedTokenEndsReception(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := telegramtest.NewInBubble(t)
		b, log := makeBridge(t, f, func(c *telegram.Config) { c.Token = "7000000001:AAcanary-revoked" })
		err := b.Run(t.Context(), new(bridgetest.Receiver))
		var misconfigured *chat.Misconfigured
		if !errors.As(err, &misconfigured) || strings.Contains(err.Error(), "AAcanary") {
			t.Errorf("got %v", err)
		}
		bridgetest.Clean(t, f, log)
	})
}

// Pushed updates that cannot be stored are brought again, in order.
func TestPushedUpdatesAreStoredFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := telegramtest.NewInBubble(t)
		b, _ := makeBridge(t, f, func(c *telegram.Config) {
			c.PublicURL, c.WebhookSecret = "https://chat.example.com/webhooks/telegram", secret
		})
		in := &bridgetest.Receiver{Failing: 2}
		f.PushTo(b.Webhook(in))
		bridgetest.Receiving(t, b, in)
		bridgetest.Settled(time.Second)
		th := open(t, b, "Grace", "").Ref
		for i := range 3 {
			f.Write(th, "Ada", fmt.Sprint(i), "")
		}
		bridgetest.Settled(time.Minute)
		if got := in.Texts(t, b); !slices.Equal(got, []string{"0", "1", "2"}) {
			t.Errorf("stored %v", got)
		}
		f.Redeliver()
		bridgetest.Settled(time.Minute)
		if got := in.Texts(t, b); len(got) != 3 {
			t.Errorf("stored %v", got)
		}
	})
}

// A retry waits for the report of the topic that came of a lost answer while updates
// cannot be read, also after a restart; one that never comes is created again.
func TestLostTopicIsAwaited(t *testing.T) {
	for _, restarted := range []bool{false, true} {
		t.Run(fmt.Sprintf("restarted %t", restarted), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := telegramtest.NewInBubble(t)
				b, _ := makeBridge(t, f)
				op := chat.Op{Kind: chat.OpOpen, Title: "Grace", SessionID: "s1"}
				f.Fail(1, bridgetest.FaultAnswerLost)
				if _, err := b.Do(t.Context(), chat.Thread{}, op); !errors.Is(err, chat.ErrAmbiguous) {
					t.Fatal(err)
				}
				op.Ambiguous = true
				if restarted {
					b, _ = makeBridge(t, f)
				}
				var later *chat.RetryAfter
				if _, err := b.Do(t.Context(), chat.Thread{}, op); !errors.As(err, &later) || later.Scope != chat.ScopeLane {
					t.Fatalf("without its report: %v", err)
				}
				time.Sleep(time.Minute) // nothing is received meanwhile
				if _, err := b.Do(t.Context(), chat.Thread{}, op); !errors.As(err, &later) {
					t.Fatalf("the updates were never read: %v", err)
				}
				bridgetest.Receiving(t, b, new(bridgetest.Receiver))
				bridgetest.Settled(later.Pause())
				ref := bridgetest.Must(t, b, chat.Thread{}, op)
				if threads := f.Threads(); len(threads) != 1 || threads[0].Ref != ref {
					t.Errorf("threads: %+v", threads)
				}
				never := chat.Op{Kind: chat.OpOpen, Title: "Ada", SessionID: "s2", Ambiguous: true}
				time.Sleep(time.Minute)
				bridgetest.Must(t, b, chat.Thread{}, never)
			})
		})
	}
}

// The answer to createForumTopic is lost: the topic that came of it is used.
func TestLostTopicIsAdopted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := telegramtest.NewInBubble(t)
		b, _ := makeBridge(t, f)
		bridgetest.Receiving(t, b, new(bridgetest.Receiver))
		bridgetest.Settled(time.Second)
		f.Fail(1, bridgetest.FaultAnswerLost)
		op := chat.Op{Kind: chat.OpOpen, Title: "Grace"}
		if _, err := b.Do(t.Context(), chat.Thread{}, op); !errors.Is(err, chat.ErrAmbiguous) {
			t.Fatal(err)
		}
		bridgetest.Settled(time.Second)
		op.Ambiguous = true
		ref := bridgetest.Must(t, b, chat.Thread{}, op)
		if threads := f.Threads(); len(threads) != 1 || threads[0].Ref != ref {
			t.Errorf("threads: %+v", threads)
		}
		// Nobody else gets it, and another of the same name is another.
		if other := bridgetest.Must(t, b, chat.Thread{}, op); other == ref {
			t.Error("two sessions share a topic")
		}
	})
}
