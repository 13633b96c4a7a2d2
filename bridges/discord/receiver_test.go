package discord_test

import (
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/relay-chat/relay/bridges/bridgetest"
	"github.com/relay-chat/relay/bridges/discord"
	"github.com/relay-chat/relay/bridges/discord/discordtest"
	"github.com/relay-chat/relay/server/chat"
)

// A channel or a thread's creator that the API does not know delays nothing.
func TestGatewayUnknown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := discordtest.NewInBubble(t)
		b, log := makeBridge(t, f, func(c *discord.Config) {
			c.Transport = sparse{c.Transport, []string{"/users/", "/channels/800000000000000099"}}
		})
		in := new(bridgetest.Receiver)
		stop := bridgetest.Receiving(t, b, in)
		bridgetest.Settled(time.Second)
		th := open(t, b, "Grace", "")
		f.Write(f.MakeThread("Lunch"), "Ada", "canary: pizza?", "")
		f.WriteElsewhere("canary: not for relay")
		f.Write(th.Ref, "Ada", "Hello", "")
		bridgetest.Settled(time.Second)
		if got := received(t, in, b); !slices.Equal(got, []string{"Hello"}) {
			t.Errorf("relay received %q\n%s", got, log)
		}
		if err := stop(); err != nil {
			t.Error(err)
		}
		bridgetest.Clean(t, f, log)
	})
}

// vanishing is an API that starts to answer 404 for a path.
type vanishing struct {
	http.RoundTripper
	path atomic.Value
}

func (v *vanishing) RoundTrip(r *http.Request) (*http.Response, error) {
	if path, _ := v.path.Load().(string); path != "" {
		return sparse{v.RoundTripper, []string{path}}.RoundTrip(r)
	}
	return v.RoundTripper.RoundTrip(r)
}

// A thread that the API no longer returns, though no event reported that it was
// deleted, delays nothing when a session begins again.
func TestGatewayUnknownAfterwards(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := discordtest.NewInBubble(t)
		hidden := &vanishing{RoundTripper: f.Transport()}
		b, log := makeBridge(t, f, func(c *discord.Config) { c.Transport = hidden })
		in := new(bridgetest.Receiver)
		bridgetest.Receiving(t, b, in)
		bridgetest.Settled(time.Second)
		lost, th := open(t, b, "Ben", ""), open(t, b, "Grace", "")
		bridgetest.Settled(time.Second)
		f.Forget()
		f.Down(true)
		f.Cut()
		bridgetest.Settled(time.Minute)
		f.CloseThread(lost.Ref)
		hidden.path.Store("/channels/" + lost.Ref)
		f.Down(false)
		bridgetest.Settled(5 * time.Minute)
		f.Write(th.Ref, "Ada", "Hello", "")
		bridgetest.Settled(time.Second)
		if got := received(t, in, b); !slices.Equal(got, []string{"Hello"}) {
			t.Errorf("relay received %q\n%s", got, log)
		}
	})
}

// A bot that may not read messages receives empty ones, which is logged once.
func TestGatewayWithoutContent(t *testing.T) {
	listen(t, func(t *testing.T, l *listening) {
		l.WriteAsBot(l.thread.Ref, "")
		bridgetest.Settled(time.Second)
		if strings.Contains(l.log.String(), "Message Content Intent") {
			t.Error("a bot's empty message is reported")
		}
		l.write("")
		l.write("")
		l.expect(t)
		if got := strings.Count(l.log.String(), "Message Content Intent"); got != 1 {
			t.Errorf("it is logged %d times\n%s", got, l.log)
		}
	})
}

// Changes that the bridge itself made to a thread are not reported.
func TestOwnChanges(t *testing.T) {
	listen(t, func(t *testing.T, l *listening) {
		bridgetest.Must(t, l.bridge, l.thread, chat.Op{Kind: chat.OpClose})
		bridgetest.Settled(time.Second)
		bridgetest.Must(t, l.bridge, l.thread, chat.Op{Kind: chat.OpPost, Text: "again", Key: key()})
		bridgetest.Settled(time.Second)
		bridgetest.Must(t, l.bridge, l.thread, chat.Op{Kind: chat.OpClose})
		bridgetest.Must(t, l.bridge, l.thread, chat.Op{Kind: chat.OpReopen})
		bridgetest.Settled(time.Second)
		time.Sleep(8 * 24 * time.Hour)
		l.Idle(l.thread.Ref)
		l.expect(t)
		l.write("back")
		l.expect(t, "reopened", "back")
	})
}
