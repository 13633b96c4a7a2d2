package discord_test

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/relay-chat/relay/bridges/bridgetest"
	"github.com/relay-chat/relay/bridges/discord"
	"github.com/relay-chat/relay/bridges/discord/discordtest"
	"github.com/relay-chat/relay/server/chat"
)

// listening is a bridge that receives, with a thread.
type listening struct {
	*discordtest.Platform
	bridge *discord.Bridge
	log    *bridgetest.Log
	in     *bridgetest.Receiver
	thread chat.Thread
	stop   func() error
}

// listen runs a test with a bridge that receives, in a bubble.
func listen(t *testing.T, test func(t *testing.T, l *listening)) {
	synctest.Test(t, func(t *testing.T) {
		f := discordtest.NewInBubble(t)
		b, log := makeBridge(t, f)
		l := &listening{Platform: f, bridge: b, log: log, in: new(bridgetest.Receiver)}
		l.stop = bridgetest.Receiving(t, b, l.in)
		bridgetest.Settled(time.Second)
		l.thread = open(t, b, "Grace", "session-1")
		bridgetest.Settled(time.Second)
		test(t, l)
		if err := l.stop(); err != nil {
			t.Error(err)
		}
		bridgetest.Clean(t, f, log)
	})
}

// write posts an operator's message.
func (l *listening) write(text string) (remote string) { return l.Write(l.thread.Ref, "Ada", text, "") }

// expect checks what was received, once everything has had time to arrive.
func (l *listening) expect(t *testing.T, want ...string) {
	t.Helper()
	bridgetest.Settled(5 * time.Minute)
	if got := received(t, l.in, l.bridge); !slices.Equal(got, want) {
		t.Errorf("relay received %q, want %q\n%s", got, want, l.log)
	}
	if way, problem := l.bridge.Receiving(); way != "gateway" || problem != nil {
		t.Errorf("reception is %s: %v", way, problem)
	}
}

// Only what people do in relay's threads is received.
func TestGatewayReceives(t *testing.T) {
	listen(t, func(t *testing.T, l *listening) {
		answer := l.write("Hello")
		l.WriteElsewhere("canary: not for relay")
		l.Write(l.MakeThread("Lunch"), "Ada", "canary: pizza?", "")
		l.WriteAsBot(l.thread.Ref, "beep")
		l.WriteAsWebhook(l.thread.Ref, "ding")
		l.Unfold(answer)
		l.Write(l.thread.Ref, "Ada", "about that", answer)
		l.Edit(l.thread.Ref, answer, "Hello!")
		gone := l.write("oops")
		l.Delete(l.thread.Ref, "Ada", gone)
		l.DeleteBulk(l.thread.Ref, answer, gone)
		l.CloseThread(l.thread.Ref)
		l.ReopenThread(l.thread.Ref)
		l.Rename(l.thread.Ref, "VIP")
		l.expect(t, "Hello", "about that", "edited Hello!", "oops", "deleted ", "deleted ", "deleted ", "closed", "reopened")
		list := l.in.Inbounds(t, l.bridge)
		if list[1].ReplyTo != answer || list[0].Operator != "Ada" || list[0].SessionID != "session-1" || list[0].Remote != answer {
			t.Errorf("it is %+v", list[:2])
		}
		if remotes := []string{list[4].Remote, list[5].Remote, list[6].Remote}; !slices.Equal(remotes, []string{gone, answer, gone}) {
			t.Errorf("deleted are %v", remotes)
		}
		l.DeleteThread(l.thread.Ref)
		bridgetest.Settled(time.Second)
		if got := received(t, l.in, l.bridge); got[len(got)-1] != "thread deleted" {
			t.Errorf("relay received %q", got)
		}
		for _, u := range l.in.Updates {
			if strings.Contains(string(u.Raw), "canary") {
				t.Errorf("it is stored: %s", u.Raw)
			}
		}
	})
}

// sparse is an API that answers 404 for some paths, without Discord's error code.
type sparse struct {
	http.RoundTripper
	missing []string
}

func (s sparse) RoundTrip(r *http.Request) (*http.Response, error) {
	if slices.ContainsFunc(s.missing, func(part string) bool { return strings.Contains(r.URL.Path, part) }) {
		return answer(http.StatusNotFound, "404 page not found", nil, r), nil
	}
	return s.RoundTripper.RoundTrip(r)
}

// Nothing is missed or repeated, whatever ends a connection.
func TestGatewayReconnects(t *testing.T) {
	for name, c := range map[string]struct {
		breaks             func(l *listening)
		identified, resume int
	}{
		"cut":               {func(l *listening) { l.Cut() }, 1, 1},
		"op 7":              {func(l *listening) { l.Reconnect() }, 1, 1},
		"op 9":              {func(l *listening) { l.Invalidate() }, 2, 0},
		"unknown error":     {func(l *listening) { l.CloseGateway(4000) }, 1, 1},
		"session timed out": {func(l *listening) { l.CloseGateway(4009) }, 1, 1},
		"session forgotten": {func(l *listening) { l.Forget(); l.Cut() }, 2, 0},
	} {
		t.Run(name, func(t *testing.T) {
			listen(t, func(t *testing.T, l *listening) {
				l.write("before")
				bridgetest.Settled(time.Second)
				c.breaks(l)
				l.write("meanwhile")
				l.expect(t, "before", "meanwhile")
				l.write("after")
				l.expect(t, "before", "meanwhile", "after")
				if identified, resumed, _ := l.Connections(); identified != c.identified || resumed != c.resume {
					t.Errorf("identified %d times, resumed %d", identified, resumed)
				}
			})
		})
	}
}

// A connection that breaks often is restored soon while its session can be resumed. New
// sessions stay within Discord's daily limit.
func TestGatewayBreaksOften(t *testing.T) {
	listen(t, func(t *testing.T, l *listening) {
		var want []string
		for i := range 20 {
			l.Cut()
			want = append(want, l.thread.Ref+jsonOf(i))
			l.write(want[i])
			bridgetest.Settled(10 * time.Second)
			if got := received(t, l.in, l.bridge); !slices.Equal(got, want) {
				t.Fatalf("relay received %q, want %q", got, want)
			}
		}
		for range 24 * 60 * 6 {
			l.Forget()
			l.Cut()
			bridgetest.Settled(10 * time.Second)
		}
		if identified, _, _ := l.Connections(); identified >= 1000 {
			t.Errorf("identified %d times on a day", identified)
		}
	})
}

// A gateway that falls silent is detected and replaced.
func TestGatewaySilent(t *testing.T) {
	listen(t, func(t *testing.T, l *listening) {
		bridgetest.Settled(10 * time.Minute)
		if _, _, beats := l.Connections(); beats < 10 {
			t.Errorf("%d heartbeats in ten minutes", beats)
		}
		l.Silence(true)
		l.write("into the silence")
		bridgetest.Settled(101 * time.Second)
		l.Silence(false)
		l.expect(t, "into the silence")
		if identified, resumed, _ := l.Connections(); identified+resumed < 2 {
			t.Error("the dead connection is still kept")
		}
	})
}

// After these close codes nothing can be received until somebody fixes the settings.
func TestGatewayRejects(t *testing.T) {
	for name, c := range map[string]struct {
		breaks func(f *discordtest.Platform)
		fix    string
	}{
		"4004": {func(f *discordtest.Platform) { f.Reject(4004) }, "DISCORD_BOT_TOKEN"},
		"4013": {func(f *discordtest.Platform) { f.Reject(4013) }, "update relay"},
		"4014": {func(f *discordtest.Platform) { f.SwitchIntent(false) }, "Message Content Intent"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := discordtest.NewInBubble(t)
				b, log := makeBridge(t, f)
				c.breaks(f)
				err := b.Run(t.Context(), new(bridgetest.Receiver))
				var misconfigured *chat.Misconfigured
				if !errors.As(err, &misconfigured) || !strings.Contains(misconfigured.Fix, c.fix) {
					t.Errorf("Run returned %v", err)
				}
				if identified, _, _ := f.Connections(); identified != 1 {
					t.Errorf("it tried %d times", identified)
				}
				if _, problem := b.Receiving(); problem == nil {
					t.Error("no problem is reported")
				}
				bridgetest.Clean(t, f, log)
			})
		})
	}
	t.Run("in the middle", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			f := discordtest.NewInBubble(t)
			b, _ := makeBridge(t, f)
			ended := make(chan error, 1)
			go func() { ended <- b.Run(t.Context(), new(bridgetest.Receiver)) }()
			bridgetest.Settled(time.Minute)
			f.SwitchIntent(false)
			f.Forget()
			f.CloseGateway(4014)
			var misconfigured *chat.Misconfigured
			if err := <-ended; !errors.As(err, &misconfigured) || !strings.Contains(misconfigured.Fix, "Intent") {
				t.Errorf("Run returned %v", err)
			}
		})
	})
	t.Run("wrong token", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			f := discordtest.NewInBubble(t)
			b, log := makeBridge(t, f, func(c *discord.Config) { c.Token = "canary-canary-canary-canary" })
			var misconfigured *chat.Misconfigured
			if err := b.Run(t.Context(), new(bridgetest.Receiver)); !errors.As(err, &misconfigured) || !strings.Contains(misconfigured.Fix, "DISCORD_BOT_TOKEN") {
				t.Errorf("Run returned %v", err)
			}
			bridgetest.Clean(t, f, log)
		})
	})
}

// discordgo's Open never returns if the gateway asks for a reconnect at once; the bridge
// abandons it. synctest does not cover its locks, so this takes real time.
func TestGatewayStuck(t *testing.T) {
	f := discordtest.New(t)
	b, log := makeBridge(t, f, func(c *discord.Config) {
		c.APIURL, c.Transport, c.Dial = f.URL+"/api/v10", nil, nil
		c.ConnectTimeout, c.Pause = 300*time.Millisecond, func(int) time.Duration { return 10 * time.Millisecond }
	})
	f.First(7)
	in := new(bridgetest.Receiver)
	stop := bridgetest.Receiving(t, b, in)
	until(t, "the bridge connects", f.Connected)
	th := open(t, b, "Grace", "")
	f.Write(th.Ref, "Ada", "Hello", "")
	until(t, "the message comes in", func() bool { return slices.Equal(received(t, in, b), []string{"Hello"}) })
	if err := stop(); err != nil {
		t.Error(err)
	}
	bridgetest.Clean(t, f, log)
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

// Without the gateway the bridge sends, reports that it receives nothing, and does not
// connect.
func TestGatewayOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := discordtest.NewInBubble(t)
		b, log := makeBridge(t, f, func(c *discord.Config) { c.Gateway = false })
		if err := b.Run(t.Context(), new(bridgetest.Receiver)); err != nil {
			t.Fatal(err)
		}
		open(t, b, "Grace", "")
		if way, problem := b.Receiving(); way != "none" || problem != nil || !strings.Contains(log.String(), "ENABLE_DISCORD_GATEWAY") {
			t.Errorf("reception is %s: %v\n%s", way, problem, log)
		}
		if identified, _, _ := f.Connections(); identified != 0 {
			t.Error("it connected")
		}
		bridgetest.Clean(t, f, log)
	})
}

// An event that cannot be stored is kept and retried: Discord sends it only once.
func TestGatewayStoreFails(t *testing.T) {
	listen(t, func(t *testing.T, l *listening) {
		l.in.Fail(5)
		l.write("one")
		l.write("two")
		l.expect(t, "one", "two")
	})
}
