package slack

import (
	"context"
	"time"

	"github.com/slack-go/slack"

	"github.com/relay-chat/relay/server/chat"
)

// Beside implements [chat.Besides]: another channel of the same app, with messages of its
// own to a second.
func (b *Bridge) Beside(channel string) (chat.Bridge, error) {
	cfg := b.client.cfg
	cfg.ChannelID = channel
	if err := checkChannel(&cfg); err != nil {
		return nil, err
	}
	made := assemble(cfg, b.client.beside(cfg), b.receiver.status)
	made.checker.beside = true
	b.receiver.add(made.receiver)
	return made, nil
}

// beside makes the calls of the same app in another channel.
func (c *client) beside(cfg Config) *client {
	made := *c
	made.cfg, made.pace = cfg, newPace(cfg.Pause)
	return &made
}

// add lets a receiver of another channel receive by this one's connection.
func (r *receiver) add(other *receiver) { r.receivers = append(r.receivers, other) }

// whose is the receiver of the channel that an event concerns, with what it means; Kind is
// 0 when it means nothing to any.
func (r *receiver) whose(e *envelope) (one *receiver, meaning chat.Inbound) {
	for _, one := range r.receivers {
		if meaning, _ := one.parser.meaning(e); meaning.Kind != 0 {
			return one, meaning
		}
	}
	return r, meaning
}

// openGaps begins a gap in all channels.
func (r *receiver) openGaps() {
	for _, one := range r.receivers {
		one.gaps.open()
	}
}

// touchGaps stores that the connection works.
func (r *receiver) touchGaps(now time.Time) {
	for _, one := range r.receivers {
		one.gaps.touch(now)
	}
}

// Tell implements [chat.Besides].
func (b *Bridge) Tell(ctx context.Context, text string) error {
	_, err := b.client.postAside(ctx, text)
	return err
}

// postAside writes in the channel itself what belongs to no session.
func (c *client) postAside(ctx context.Context, text string) (slack.Message, error) {
	return c.postOrPlain(ctx, rendered{text: text}, "", slack.SlackMetadata{EventType: typeMessage, EventPayload: map[string]any{"v": 1}})
}
