package slack_test

import (
	"context"
	"errors"
	"net"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/relay-chat/relay/bridges/bridgetest"
	"github.com/relay-chat/relay/bridges/slack"
	"github.com/relay-chat/relay/bridges/slack/slacktest"
	"github.com/relay-chat/relay/server/chat"
)

func TestSocketReceives(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := slacktest.NewInBubble(t)
		b, log := makeBridge(t, f)
		in := new(bridgetest.Receiver)
		stop := bridgetest.Receiving(t, b, in)
		bridgetest.Settled(time.Second)
		th := open(t, b, "Grace", "session-1")
		answer := f.Write(th.Ref, "Ada", "Hello & welcome", "")
		f.WriteElsewhere("not for relay")
		f.Write(f.StartThread("Ada", "Lunch?"), "Bob", "Pizza", "")
		f.WriteAsBot(th.Ref, "beep")
		f.WriteRaw(th.Ref, "Bob", "see <https://example.com|this>, <@U0RELAYBOT> and <#C1|help> :+1:")
		f.WriteMe(th.Ref, "Bob", "waves")
		f.Broadcast(th.Ref, "Bob", "all hear")
		f.Attach(th.Ref, "Ada", "a.txt", "text/plain", []byte("x"), "")
		f.AttachLink(th.Ref, "Ada", "Plan", "https://docs.example.com/1")
		f.Edit(th.Ref, answer, "Hello!")
		f.Delete(th.Ref, "Ada", answer)
		bridgetest.Must(t, b, th, chat.Op{Kind: chat.OpEdit, Remote: bridgetest.Must(t, b, th, chat.Op{Kind: chat.OpPost, Text: "hi"}), Text: "hey"})
		f.DeleteThread(th.Ref)
		bridgetest.Settled(time.Second)
		got := in.Inbounds(t, b)
		for i := range got {
			got[i].At = 0
		}
		bridgetest.Golden(t, "slack/socket.json", summary(got))
		if n := f.Waiting(); n != 0 || f.Late() != 0 {
			t.Errorf("%d events are not acknowledged, %d were late", n, f.Late())
		}
		if way, problem := b.Receiving(); way != "socket" || problem != nil {
			t.Errorf("received by %q: %v", way, problem)
		}
		if err := stop(); err != nil {
			t.Error(err)
		}
		bridgetest.Clean(t, f, log)
	})
}

// An event that cannot be stored is not acknowledged: it comes again.
func TestStoredBeforeAcknowledged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := slacktest.NewInBubble(t)
		b, log := makeBridge(t, f)
		in := &bridgetest.Receiver{Failing: 2}
		bridgetest.Receiving(t, b, in)
		bridgetest.Settled(time.Second)
		th := open(t, b, "Grace", "")
		f.Write(th.Ref, "Ada", "one", "")
		bridgetest.Settled(2 * time.Second)
		if got := in.Texts(t, b); got != nil || f.Waiting() != 1 {
			t.Fatalf("stored %v, %d wait", got, f.Waiting())
		}
		bridgetest.Settled(10 * time.Minute)
		if got := in.Texts(t, b); !slices.Equal(got, []string{"one"}) || f.Waiting() != 0 {
			t.Errorf("stored %v, %d wait", got, f.Waiting())
		}
		bridgetest.Clean(t, f, log)
	})
}

// A connection that Slack ends, that is cut, or that says nothing any more is
// replaced; what was on its way comes again.
func TestConnectionsEnd(t *testing.T) {
	for name, end := range map[string]func(f *slacktest.Platform){
		"refreshed": func(f *slacktest.Platform) { f.Disconnect("refresh_requested") },
		"warned":    func(f *slacktest.Platform) { f.Disconnect("warning") },
		"cut":       func(f *slacktest.Platform) { f.Disconnect("") },
		"silent":    (*slacktest.Platform).Silence,
		"outage": func(f *slacktest.Platform) {
			f.Storm(bridgetest.Storm{Seed: 1, All: 1})
			bridgetest.Settled(3 * time.Minute)
			f.Storm(bridgetest.Storm{})
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := slacktest.NewInBubble(t)
				b, log := makeBridge(t, f)
				in := new(bridgetest.Receiver)
				bridgetest.Receiving(t, b, in)
				th := open(t, b, "Grace", "")
				bridgetest.Settled(2 * time.Hour)
				end(f)
				f.Write(th.Ref, "Ada", "one", "")
				bridgetest.Settled(7 * time.Minute) // Slack's last attempt comes after six
				f.Write(th.Ref, "Ada", "two", "")
				bridgetest.Settled(time.Second)
				if got := in.Texts(t, b); !slices.Equal(got, []string{"one", "two"}) || f.Waiting() != 0 || f.Lost() != 0 || f.Connections() != 1 {
					t.Errorf("stored %v, %d wait, %d are lost, %d connections", got, f.Waiting(), f.Lost(), f.Connections())
				}
				if _, problem := b.Receiving(); problem != nil {
					t.Error(problem)
				}
				bridgetest.Clean(t, f, log)
			})
		})
	}
}

// A Slack that ends every connection at once is not asked for ever more.
func TestNoHurry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := slacktest.NewInBubble(t)
		b, _ := makeBridge(t, f)
		bridgetest.Receiving(t, b, new(bridgetest.Receiver))
		for range 600 {
			f.Disconnect("too_many_websockets")
			bridgetest.Settled(time.Second)
		}
		if n := len(f.Requests("apps.connections.open")); n > 40 {
			t.Errorf("%d connections in ten minutes", n)
		}
	})
}

// A misconfiguration ends reception with it.
func TestReceptionNeedsAHuman(t *testing.T) {
	for name, c := range map[string]struct {
		config func(*slack.Config)
		breaks func(f *slacktest.Platform)
		fix    string
	}{
		"switched off":   {nil, func(f *slacktest.Platform) { f.Disconnect("link_disabled") }, "Socket Mode"},
		"app token":      {func(c *slack.Config) { c.AppToken = "xapp-1-wrong" }, nil, "connections:write"},
		"bot token":      {func(c *slack.Config) { c.BotToken = "xoxb-1-wrong" }, nil, "xoxb-"},
		"nothing set up": {func(c *slack.Config) { c.AppToken, c.SigningSecret = "", "" }, nil, "SLACK_APP_TOKEN"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := slacktest.NewInBubble(t)
				b, log := makeBridge(t, f, func(cfg *slack.Config) {
					if c.config != nil {
						c.config(cfg)
					}
				})
				if c.breaks != nil {
					time.AfterFunc(time.Second, func() { c.breaks(f) })
				}
				err := b.Run(t.Context(), new(bridgetest.Receiver))
				var misconfigured *chat.Misconfigured
				if !errors.As(err, &misconfigured) || !strings.Contains(misconfigured.Fix, c.fix) {
					t.Error(err)
				}
				bridgetest.Clean(t, f, log)
			})
		})
	}
}

// Frames that are odd are acknowledged, or ignored, and reception goes on.
func TestOddFrames(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := slacktest.NewInBubble(t)
		b, log := makeBridge(t, f)
		in := new(bridgetest.Receiver)
		bridgetest.Receiving(t, b, in)
		bridgetest.Settled(time.Second)
		th := open(t, b, "Grace", "")
		for _, payload := range []string{`null`, `7`, `"text"`, `{}`, `{"type":7}`, `{"type":"event_callback","event":[]}`,
			`{"type":"event_callback","event":{"type":"message","subtype":"message_changed","channel":"C0SUPPORT1"}}`,
			`{"type":"event_callback","event":{"type":"message","subtype":"message_deleted","channel":"C0SUPPORT1"}}`} {
			f.Emit(payload)
		}
		f.Write(th.Ref, "Ada", "one", "")
		bridgetest.Settled(time.Minute)
		if got := in.Texts(t, b); !slices.Equal(got, []string{"one"}) || f.Waiting() != 0 || f.Late() != 0 {
			t.Errorf("stored %v, %d wait, %d late", got, f.Waiting(), f.Late())
		}
		bridgetest.Clean(t, f, log)
	})
}

// The error of a connection that fails has neither its address nor its ticket.
func TestDialFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := slacktest.NewInBubble(t)
		b, log := makeBridge(t, f, func(c *slack.Config) {
			c.Dial = func(context.Context, string, string) (net.Conn, error) { return nil, errors.New("no route") }
		})
		bridgetest.Receiving(t, b, new(bridgetest.Receiver))
		bridgetest.Settled(time.Minute)
		if way, problem := b.Receiving(); way != "socket" || problem == nil || !strings.Contains(problem.Error(), "no route") || strings.Contains(problem.Error()+log.String(), "ticket") {
			t.Errorf("%s: %v", way, problem)
		}
		bridgetest.Clean(t, f, log)
	})
}
