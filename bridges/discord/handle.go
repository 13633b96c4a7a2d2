package discord

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/relay-chat/relay/server/chat"
)

// storePause is the pause after the n-th failure to store an event. Discord sends it
// only once.
var storePause = chat.Backoff(100*time.Millisecond, 10*time.Second)

// head identifies the channel of an event.
type head struct {
	ID       string     `json:"id"`
	Channel  string     `json:"channel_id"`
	Guild    string     `json:"guild_id"`
	EditedAt *time.Time `json:"edited_timestamp"`
	IDs      []string   `json:"ids"`
}

// handleEvent stores an event if it matters to relay. Nothing else of the server is
// kept, not even in a log.
func (b *Bridge) handleEvent(ctx context.Context, in chat.Receiver, kind string, data json.RawMessage) error {
	var h head
	switch kind {
	case "MESSAGE_CREATE", "MESSAGE_UPDATE", "MESSAGE_DELETE", "MESSAGE_DELETE_BULK":
		if err := json.Unmarshal(data, &h); err != nil {
			return fmt.Errorf("%w: it cannot be read", chat.ErrPermanent)
		}
		return b.handleMessage(ctx, in, kind, &h, data)
	case "THREAD_CREATE", "THREAD_UPDATE", "THREAD_DELETE", "CHANNEL_UPDATE", "CHANNEL_DELETE":
		c := new(channel)
		if err := json.Unmarshal(data, c); err != nil {
			return fmt.Errorf("%w: it cannot be read", chat.ErrPermanent)
		}
		return b.handleChannel(ctx, in, kind, c, data)
	case "INTERACTION_CREATE":
		return b.handleInteraction(ctx, in, data)
	}
	return nil
}

// laneOf returns an event's lane, and whether the event may matter.
func (b *Bridge) laneOf(kind string, data json.RawMessage) (lane string, wanted bool) {
	var h head
	_ = json.Unmarshal(data, &h) // handleEvent reports the error
	switch kind {
	case "THREAD_CREATE", "THREAD_UPDATE", "THREAD_DELETE", "CHANNEL_UPDATE", "CHANNEL_DELETE":
		return h.ID, true
	case "INTERACTION_CREATE":
		return h.Channel, true
	case "MESSAGE_CREATE", "MESSAGE_UPDATE", "MESSAGE_DELETE", "MESSAGE_DELETE_BULK":
		_, _, other := b.threads.get(h.Channel)
		return h.Channel, !other && h.Channel != b.cfg.ChannelID
	}
	return "", false
}

// ready stores the bot's identity.
func (b *Bridge) ready(data json.RawMessage) {
	var r struct {
		User identity `json:"user"`
	}
	if err := json.Unmarshal(data, &r); err == nil && r.User.ID != "" {
		b.self.mu.Lock()
		b.self.me = &r.User
		b.self.mu.Unlock()
	}
	b.log.Info("receiving updates", "way", wayGateway)
}

// handleMessage stores an event of a message in a registered thread, after what was
// missed there.
func (b *Bridge) handleMessage(ctx context.Context, in chat.Receiver, kind string, h *head, data json.RawMessage) error {
	if h.Channel == "" {
		return fmt.Errorf("%w: it names no channel", chat.ErrPermanent)
	}
	if kind == "MESSAGE_UPDATE" && h.EditedAt == nil { // not an edit
		return nil
	}
	_, ours, err := b.lookupThread(ctx, h.Channel)
	if err != nil || !ours {
		return err
	}
	if err := b.readMissed(ctx, in, h.Channel, ""); err != nil {
		return err
	}
	return b.storeMessage(ctx, in, kind, h, data)
}

// storeMessage stores an event of a message in a registered thread.
func (b *Bridge) storeMessage(ctx context.Context, in chat.Receiver, kind string, h *head, data json.RawMessage) error {
	th, _, _ := b.threads.get(h.Channel)
	key := "m" + h.ID
	switch {
	case kind == "MESSAGE_DELETE":
		key = "d" + h.ID
	case kind == "MESSAGE_DELETE_BULK" && len(h.IDs) > 0:
		key = "b" + h.IDs[0] + "+" + strconv.Itoa(len(h.IDs))
	case kind == "MESSAGE_UPDATE" && h.EditedAt != nil:
		key += "e" + strconv.FormatInt(h.EditedAt.UnixMicro(), 10)
	case kind != "MESSAGE_CREATE":
		return nil
	}
	err := b.store(ctx, in, key, h.Channel, event{Type: kind, Data: data, Session: th.session})
	if err == nil && kind == "MESSAGE_CREATE" {
		b.threads.setNewest(h.Channel, h.ID)
	}
	return err
}

// store stores an event of a registered thread.
func (b *Bridge) store(ctx context.Context, in chat.Receiver, key, ref string, e event) error {
	e.Parent = b.cfg.ChannelID
	if list, err := e.inbound(); err == nil && len(list) == 0 {
		b.warnIfBlind(&e)
		return nil
	}
	raw, err := json.Marshal(e)
	if err != nil {
		return fmt.Errorf("%w: %w", chat.ErrPermanent, err)
	}
	return in.Receive(ctx, chat.Update{Bridge: Name, Key: key, Thread: ref, Raw: chat.Raw(raw)})
}

// warnIfBlind logs once that a person's message has no content: the bot may not
// read messages then.
func (b *Bridge) warnIfBlind(e *event) {
	var m message
	if e.Type != "MESSAGE_CREATE" || json.Unmarshal(e.Data, &m) != nil || !m.human() {
		return
	}
	b.blind.Do(func() { b.log.Warn("an operator's message arrived without content", "fix", fixIntent) })
}

// lookupThread reports whether a channel is a thread of the bridge; an unknown one is
// fetched.
func (b *Bridge) lookupThread(ctx context.Context, id string) (th thread, ours bool, err error) {
	if id == b.cfg.ChannelID {
		return th, false, nil
	}
	th, known, other := b.threads.get(id)
	if known || other {
		return th, known, nil
	}
	c := new(channel)
	err = b.api.getWithRetry(ctx, path("/channels/%s", id), c)
	if denied(err) {
		b.threads.foreign(id)
		return th, false, nil
	}
	if err != nil {
		return th, false, fmt.Errorf("look up a channel: %w", err)
	}
	ours, err = b.registerThread(ctx, c)
	th, _, _ = b.threads.get(id)
	return th, ours, err
}

// registerThread registers a channel: a thread of the bridge's channel that a bot
// created, relay's or its former one. Operators talk among themselves in others.
func (b *Bridge) registerThread(ctx context.Context, c *channel) (ours bool, err error) {
	if c.Thread == nil || c.Parent != b.cfg.ChannelID {
		b.threads.foreign(c.ID)
		return false, nil
	}
	me, err := b.me(ctx)
	if err != nil {
		return false, err
	}
	session := ""
	if c.Owner == me.ID {
		session = names.Session(c.Name)
	} else if bot, err := b.bot(ctx, c.Owner); err != nil || !bot {
		if err == nil {
			b.threads.foreign(c.ID)
		}
		return false, err
	}
	if known := b.threads.learn(c, session); !known && !b.cfg.Forgets { // a relay that forgets cannot tell its own changes from those of people
		b.threads.setPending(c.ID, true)
	}
	return true, nil
}

// handleChannel handles changes of threads, and of the channel itself.
func (b *Bridge) handleChannel(ctx context.Context, in chat.Receiver, kind string, c *channel, data json.RawMessage) error {
	if c.ID == b.cfg.ChannelID {
		b.forgetChannel()
		if kind == "CHANNEL_DELETE" {
			b.log.Error("the channel was deleted", "fix", fixChannel)
		}
		return nil
	}
	if c.Parent != b.cfg.ChannelID {
		return nil
	}
	switch kind {
	case "THREAD_CREATE":
		_, known, _ := b.threads.get(c.ID)
		if ours, err := b.registerThread(ctx, c); err != nil || !ours || known || !c.New {
			return err
		}
		b.threads.created(c.ID)
	case "THREAD_DELETE":
		one, known, _ := b.threads.get(c.ID)
		if !known {
			return nil
		}
		if err := b.store(ctx, in, "x"+c.ID, c.ID, event{Type: kind, Data: data, Session: one.session}); err != nil {
			return err
		}
		b.threads.forget(c.ID)
	case "THREAD_UPDATE":
		return b.handleThreadState(ctx, in, c, data)
	}
	return nil
}

// handleThreadState stores that a person closed or reopened a thread.
func (b *Bridge) handleThreadState(ctx context.Context, in chat.Receiver, c *channel, data json.RawMessage) error {
	if ours, err := b.registerThread(ctx, c); err != nil || !ours {
		return err
	}
	if err := b.readMissed(ctx, in, c.ID, ""); err != nil {
		return err
	}
	return b.followState(ctx, in, c, data)
}

// followState stores a registered thread's state if a person turned it. The bridge's
// own changes are ignored.
func (b *Bridge) followState(ctx context.Context, in chat.Receiver, c *channel, data json.RawMessage) error {
	one, _, _ := b.threads.get(c.ID)
	switch late := !c.Thread.ArchivedAt.After(one.turned); {
	case late, !one.pending && one.closed == c.archived():
		return nil
	case one.pending && !b.turnedLately(c):
		b.threads.setPending(c.ID, false)
		return nil
	}
	return b.storeTurn(ctx, in, c, data)
}

// storeTurn stores that a registered thread was closed or reopened.
func (b *Bridge) storeTurn(ctx context.Context, in chat.Receiver, c *channel, data json.RawMessage) error {
	one, _, _ := b.threads.get(c.ID)
	key := "t" + c.ID + map[bool]string{true: "-", false: "+"}[c.archived()] + strconv.FormatInt(c.Thread.ArchivedAt.UnixMicro(), 10)
	if err := b.store(ctx, in, key, c.ID, event{Type: "THREAD_UPDATE", Data: data, Session: one.session}); err != nil {
		return err
	}
	b.threads.setClosed(c.ID, c.archived())
	b.threads.setPending(c.ID, false)
	b.threads.setTurned(c.ID, c.Thread.ArchivedAt)
	return nil
}
