package discord

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/relay-chat/relay/server/chat"
)

// storePause is the pause after the n-th time that an event could not be
// stored. Discord tells it only once.
var storePause = chat.Backoff(100*time.Millisecond, 10*time.Second)

// head is what tells where an event belongs.
type head struct {
	ID       string     `json:"id"`
	Channel  string     `json:"channel_id"`
	Guild    string     `json:"guild_id"`
	EditedAt *time.Time `json:"edited_timestamp"`
	IDs      []string   `json:"ids"`
}

// take looks at an event and stores it, if it means something to relay. Of the
// rest of the server nothing is kept, not even in a log.
func (b *Bridge) take(ctx context.Context, in chat.Receiver, kind string, data json.RawMessage) error {
	var h head
	switch kind {
	case "MESSAGE_CREATE", "MESSAGE_UPDATE", "MESSAGE_DELETE", "MESSAGE_DELETE_BULK":
		if err := json.Unmarshal(data, &h); err != nil {
			return fmt.Errorf("%w: it cannot be read", chat.ErrPermanent)
		}
		return b.takeMessage(ctx, in, kind, &h, data)
	case "THREAD_CREATE", "THREAD_UPDATE", "THREAD_DELETE", "CHANNEL_UPDATE", "CHANNEL_DELETE":
		c := new(channel)
		if err := json.Unmarshal(data, c); err != nil {
			return fmt.Errorf("%w: it cannot be read", chat.ErrPermanent)
		}
		return b.takeChannel(ctx, in, kind, c, data)
	case "INTERACTION_CREATE":
		return b.takeInteraction(ctx, in, data)
	}
	return nil
}

// laneOf says where an event is worked on, and whether it may mean something.
func (b *Bridge) laneOf(kind string, data json.RawMessage) (lane string, wanted bool) {
	var h head
	_ = json.Unmarshal(data, &h) // take tells of what cannot be read
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

// ready notes who the bot is.
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

// takeMessage stores what concerns a message in a thread of ours, behind what was
// missed there.
func (b *Bridge) takeMessage(ctx context.Context, in chat.Receiver, kind string, h *head, data json.RawMessage) error {
	if h.Channel == "" {
		return fmt.Errorf("%w: it names no channel", chat.ErrPermanent)
	}
	if kind == "MESSAGE_UPDATE" && h.EditedAt == nil { // nobody did that
		return nil
	}
	_, ours, err := b.ours(ctx, h.Channel)
	if err != nil || !ours {
		return err
	}
	if err := b.readUp(ctx, in, h.Channel, ""); err != nil {
		return err
	}
	return b.storeMessage(ctx, in, kind, h, data)
}

// storeMessage stores what concerns a message of a thread that is known.
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
		b.threads.saw(h.Channel, h.ID)
	}
	return err
}

// store stores an event of a thread of ours.
func (b *Bridge) store(ctx context.Context, in chat.Receiver, key, ref string, e event) error {
	e.Parent = b.cfg.ChannelID
	if list, err := e.inbound(); err == nil && len(list) == 0 {
		b.suspect(&e)
		return nil
	}
	raw, err := json.Marshal(e)
	if err != nil {
		return fmt.Errorf("%w: %w", chat.ErrPermanent, err)
	}
	return in.Receive(ctx, chat.Update{Bridge: Name, Key: key, Thread: ref, Raw: chat.Raw(raw)})
}

// suspect tells once that a person wrote, as it seems, nothing: that is what a
// bot is shown that may not read messages.
func (b *Bridge) suspect(e *event) {
	var m message
	if e.Type != "MESSAGE_CREATE" || json.Unmarshal(e.Data, &m) != nil || !m.human() {
		return
	}
	b.blind.Do(func() { b.log.Warn("a message of an operator's came without what it says", "fix", fixIntent) })
}

// ours reports whether a channel is a thread of ours, which is asked for if
// nobody told yet.
func (b *Bridge) ours(ctx context.Context, id string) (th thread, ours bool, err error) {
	if id == b.cfg.ChannelID {
		return th, false, nil
	}
	th, known, other := b.threads.get(id)
	if known || other {
		return th, known, nil
	}
	c := new(channel)
	err = b.api.patiently(ctx, path("/channels/%s", id), c)
	if denied(err) {
		b.threads.foreign(id)
		return th, false, nil
	}
	if err != nil {
		return th, false, fmt.Errorf("look up a channel: %w", err)
	}
	ours, err = b.meet(ctx, c)
	th, _, _ = b.threads.get(id)
	return th, ours, err
}

// meet learns a channel: a thread of ours is one in the bridge's channel that a
// bot made, relay's or its former one. Others are what operators talk about
// among themselves.
func (b *Bridge) meet(ctx context.Context, c *channel) (ours bool, err error) {
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
	b.threads.learn(c, session)
	return true, nil
}

// takeChannel follows what happens to threads, and to the channel itself.
func (b *Bridge) takeChannel(ctx context.Context, in chat.Receiver, kind string, c *channel, data json.RawMessage) error {
	if c.ID == b.cfg.ChannelID {
		b.changed()
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
		if ours, err := b.meet(ctx, c); err != nil || !ours || known || !c.New {
			return err
		}
		b.threads.born(c.ID)
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
		return b.takeTurn(ctx, in, c, data)
	}
	return nil
}

// takeTurn stores that a person closed a thread or opened it again. What the
// bridge itself did is no news.
func (b *Bridge) takeTurn(ctx context.Context, in chat.Receiver, c *channel, data json.RawMessage) error {
	_, known, _ := b.threads.get(c.ID)
	if ours, err := b.meet(ctx, c); err != nil || !ours || !known {
		return err
	}
	if err := b.readUp(ctx, in, c.ID, ""); err != nil {
		return err
	}
	one, _, _ := b.threads.get(c.ID)
	late := !c.Thread.ArchivedAt.After(one.turned)
	if late || one.closed == c.archived() {
		return nil
	}
	key := "t" + c.ID + map[bool]string{true: "-", false: "+"}[c.archived()] + strconv.FormatInt(c.Thread.ArchivedAt.UnixMicro(), 10)
	if err := b.store(ctx, in, key, c.ID, event{Type: "THREAD_UPDATE", Data: data, Session: one.session}); err != nil {
		return err
	}
	b.threads.turn(c.ID, c.archived())
	b.threads.stamp(c.ID, c.Thread.ArchivedAt)
	return nil
}
