package discord

import (
	"context"
	"encoding/json"
	"strconv"
	"time"

	"github.com/relay-chat/relay/server/chat"
)

// Beside implements [chat.Besides]: another channel of the same bot, on any of its servers.
func (b *Bridge) Beside(channel string) (chat.Bridge, error) {
	cfg := b.client.cfg
	cfg.ChannelID = channel
	if err := checkChannel(&cfg); err != nil {
		return nil, err
	}
	made := assemble(cfg, b.client.beside(cfg), b.receiver.key, b.receiver.status)
	made.checker.beside = true
	b.receiver.add(made.receiver)
	return made, nil
}

// beside makes the calls of the same bot for another channel.
func (c *client) beside(cfg Config) *client {
	return &client{cfg: cfg, log: c.log, base: c.base, http: c.http, pace: c.pace, self: c.self, bots: c.bots, members: newMembers()}
}

// add lets a receiver of another channel receive by this one's connection.
func (r *receiver) add(other *receiver) { r.receivers = append(r.receivers, other) }

// Tell implements [chat.Besides]. A forum takes nothing but threads.
func (b *Bridge) Tell(ctx context.Context, text string) error {
	at, err := b.client.homeChannel(ctx)
	if err != nil {
		return err
	}
	if at.forum() {
		return chat.ErrPermanent
	}
	_, err = b.client.write(ctx, at.ID, newMessage{Content: text, Nonce: strconv.FormatInt(time.Now().UnixNano(), 36), EnforceNonce: true, Mentions: noMentions}, nil)
	return finalError(err)
}

// streams handle the gateway's events, each those of one channel.
type streams []*stream

func newStreams(r *receiver, in chat.Receiver) (l streams) {
	for _, one := range r.receivers {
		l = append(l, newStream(one, in))
	}
	return l
}

// dispatch passes an event to the streams that it may matter to.
func (l streams) dispatch(ctx context.Context, kind string, data json.RawMessage) {
	if kind == "READY" {
		l[0].receiver.ready(data)
	}
	for i, s := range l {
		if kind == "INTERACTION_CREATE" && i > 0 {
			return // it is answered once, see [receiver.whose]
		}
		s.dispatch(ctx, kind, data)
	}
}

// end lets the streams end.
func (l streams) end() {
	for _, s := range l {
		close(s.ending)
	}
}

// wait waits for what they have under way.
func (l streams) wait() {
	for _, s := range l {
		s.working.Wait()
	}
}
