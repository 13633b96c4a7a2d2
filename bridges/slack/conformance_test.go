package slack_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/relay-chat/relay/bridges/bridgetest"
	"github.com/relay-chat/relay/bridges/slack"
	"github.com/relay-chat/relay/bridges/slack/slacktest"
	"github.com/relay-chat/relay/server/chat"
)

// webhooked is a bridge whose events the fake pushes, as server hands them to
// it.
type webhooked struct {
	*slack.Bridge
	f *slacktest.Platform
}

func (w webhooked) Run(ctx context.Context, in chat.Receiver) error {
	if err := w.Bridge.Run(ctx, in); err != nil {
		return err
	}
	w.f.PushTo(w.Webhook(in))
	defer w.f.PushTo(nil)
	<-ctx.Done()
	return nil
}

// The bridge proves what every bridge has to, in a channel that takes a message a
// second: over Socket Mode with all scopes, and over pushed events with hardly
// more than every app has.
func TestConformance(t *testing.T) { bothWays(t, bridgetest.RunInBubble) }

// TestChannels: one app serves the channels of several sites.
func TestChannels(t *testing.T) { bothWays(t, bridgetest.RunChannels) }

// bothWays runs a test for each way to receive.
func bothWays(t *testing.T, run func(*testing.T, func(*testing.T) (bridgetest.Platform, bridgetest.Connect))) {
	for name, c := range map[string]struct {
		scopes []string
		pushed bool
	}{
		"socket":  {slacktest.AllScopes, false},
		"webhook": {slices.Concat(slacktest.SeedScopes, []string{"files:write"}), true},
	} {
		t.Run(name, func(t *testing.T) {
			run(t, func(t *testing.T) (bridgetest.Platform, bridgetest.Connect) {
				f := slacktest.NewInBubble(t)
				f.Paced = true
				f.Grant(c.scopes...)
				return f, func(t *testing.T) chat.Bridge {
					b, log := makeBridge(t, f, func(cfg *slack.Config) {
						cfg.Pause = time.Second
						if c.pushed {
							cfg.AppToken = ""
						}
					})
					t.Cleanup(func() { bridgetest.Clean(t, f, log) })
					if c.pushed {
						return webhooked{b, f}
					}
					return b
				}
			})
		})
	}
}
