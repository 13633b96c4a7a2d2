package discord

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"relay/server/chat"
)

// guild is what a server tells when a connection begins: its channels and all
// threads that are open.
type guild struct {
	ID       string    `json:"id"`
	Guild    string    `json:"guild_id"` // in THREAD_LIST_SYNC
	Channels []channel `json:"channels"`
	Threads  []channel `json:"threads"`
}

// takeGuild learns the threads that are open and asks for what was missed in
// them: a session that was taken up again needs none of this.
func (b *Bridge) takeGuild(ctx context.Context, in chat.Receiver, kind string, data json.RawMessage) error {
	g := new(guild)
	if err := json.Unmarshal(data, g); err != nil {
		return fmt.Errorf("%w: it cannot be read", chat.ErrPermanent)
	}
	at, err := b.where(ctx)
	if err != nil {
		return err
	}
	if at.Guild != g.ID && at.Guild != g.Guild {
		return nil
	}
	if kind == "GUILD_CREATE" {
		b.forgetMembers()
		for i := range g.Channels {
			if id := g.Channels[i].ID; id != b.cfg.ChannelID {
				b.threads.foreign(id)
			}
		}
	}
	open := map[string]bool{}
	for i := range g.Threads {
		c := &g.Threads[i]
		if c.Parent != b.cfg.ChannelID {
			b.threads.foreign(c.ID)
			continue
		}
		open[c.ID] = true
		if err := b.resume(ctx, in, c); err != nil {
			return err
		}
	}
	if kind != "GUILD_CREATE" {
		return nil
	}
	if err := b.missing(ctx, in, open); err != nil {
		return err
	}
	if err := b.closedMeanwhile(ctx, in); err != nil {
		return err
	}
	return b.openedMeanwhile(ctx, in, at, open)
}

// openedMeanwhile takes what was written in threads that were archived when the
// gateway told of the open ones, and open when the archive was read.
func (b *Bridge) openedMeanwhile(ctx context.Context, in chat.Receiver, at *channel, open map[string]bool) error {
	list, err := b.active(ctx, at)
	if denied(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("ask for open threads: %w", err)
	}
	for i := range list {
		if c := &list[i]; !open[c.ID] {
			if err := b.resume(ctx, in, c); err != nil {
				return err
			}
		}
	}
	return nil
}

// resume learns a thread and takes what was written in it meanwhile. One that was
// not known and of which that could not be taken is learnt anew by the next attempt.
func (b *Bridge) resume(ctx context.Context, in chat.Receiver, c *channel) error {
	before, known, _ := b.threads.get(c.ID)
	ours, err := b.meet(ctx, c)
	if err != nil || !ours {
		return err
	}
	if from := b.since(before.last, c.LastMessage); from != "" {
		if err := b.catchUp(ctx, in, c.ID, from); err != nil {
			if !known {
				b.threads.forget(c.ID)
			}
			return err
		}
	}
	if known && before.closed {
		data, err := json.Marshal(c)
		if err != nil {
			return err
		}
		return b.takeTurn(ctx, in, c, data)
	}
	return nil
}

// editable is for how long a message is asked for again: it may be edited.
const editable = time.Hour

// since is from where on a thread is to be asked for its messages: after the
// newest that was seen, less those that may be edited meanwhile; "" when there
// is nothing to ask for. What came before the bridge's own time the engine may
// have forgotten.
func (b *Bridge) since(seen, newest string) string {
	from := snowflakeAt(b.begun.Add(-b.cfg.CatchUp))
	if again := snowflakeAt(madeAt(seen).Add(-editable)); older(from, again) {
		from = again
	}
	news := older(seen, newest) || time.Since(madeAt(newest)) < editable
	if !news || !older(from, newest) {
		return ""
	}
	return from
}

// catchUp stores the messages of a thread after one of them, and their edits.
func (b *Bridge) catchUp(ctx context.Context, in chat.Receiver, thread, after string) error {
	for {
		var list []json.RawMessage
		err := b.api.patiently(ctx, path("/channels/%s/messages", thread)+"?limit=100&after="+after, &list)
		if denied(err) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("ask for what was missed: %w", err)
		}
		for _, raw := range slices.Backward(list) { // the newest comes first
			var h head
			if err := json.Unmarshal(raw, &h); err != nil {
				continue
			}
			if err := b.told(ctx, in, &h, raw); err != nil {
				return err
			}
			if older(after, h.ID) {
				after = h.ID
			}
		}
		if len(list) < 100 {
			return nil
		}
	}
}

// told takes a message that was asked for as if the gateway had told it.
func (b *Bridge) told(ctx context.Context, in chat.Receiver, h *head, raw json.RawMessage) error {
	raw = b.withMember(ctx, raw)
	kinds := []string{"MESSAGE_CREATE"}
	if h.EditedAt != nil {
		kinds = append(kinds, "MESSAGE_UPDATE")
	}
	for _, kind := range kinds {
		if err := b.take(ctx, in, kind, raw); err != nil && !errors.Is(err, chat.ErrPermanent) {
			return err
		}
	}
	return nil
}

// withMember adds to a message what its author is called on the server, which
// the gateway tells and the API does not.
func (b *Bridge) withMember(ctx context.Context, raw json.RawMessage) json.RawMessage {
	var m message
	if err := json.Unmarshal(raw, &m); err != nil || !m.human() || m.Member != nil {
		return raw
	}
	var all map[string]json.RawMessage
	if err := json.Unmarshal(raw, &all); err != nil {
		return raw
	}
	all["member"] = b.member(ctx, m.Author.ID)
	named, err := json.Marshal(all)
	if err != nil {
		return raw
	}
	return named
}

// missing looks after threads that were open before the connection was lost and
// are not now.
func (b *Bridge) missing(ctx context.Context, in chat.Receiver, open map[string]bool) error {
	for _, id := range b.threads.open() {
		if open[id] {
			continue
		}
		if err := b.lookAfter(ctx, in, id); err != nil {
			return err
		}
	}
	return nil
}

// closedMeanwhile takes what was written in threads before they were archived,
// of which the gateway does not tell: whoever answers last often closes.
func (b *Bridge) closedMeanwhile(ctx context.Context, in chat.Receiver) error {
	begin := b.begun.Add(-b.cfg.CatchUp)
	before := ""
	for range archivePages {
		list, next, err := b.archive(ctx, before)
		if denied(err) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("ask for archived threads: %w", err)
		}
		for i := range list {
			c := &list[i]
			if c.Thread == nil || c.Thread.ArchivedAt.Before(begin) {
				return nil
			}
			if err := b.resume(ctx, in, c); err != nil {
				return err
			}
		}
		if next == "" {
			return nil
		}
		before = next
	}
	return nil
}

// lookAfter takes what happened to a thread that is not open any more. One that
// the API does not show holds nothing up.
func (b *Bridge) lookAfter(ctx context.Context, in chat.Receiver, id string) error {
	before, _, _ := b.threads.get(id)
	var raw json.RawMessage
	err := b.api.patiently(ctx, path("/channels/%s", id), &raw)
	if errors.Is(err, chat.ErrThreadGone) {
		data, err := json.Marshal(channel{ID: id, Parent: b.cfg.ChannelID})
		if err != nil {
			return err
		}
		return b.take(ctx, in, "THREAD_DELETE", data)
	}
	if denied(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("look after a thread: %w", err)
	}
	c := new(channel)
	if err := json.Unmarshal(raw, c); err != nil {
		return fmt.Errorf("%w: a thread that cannot be read", chat.ErrPermanent)
	}
	if older(before.last, c.LastMessage) {
		if err := b.catchUp(ctx, in, id, before.last); err != nil {
			return err
		}
	}
	return b.take(ctx, in, "THREAD_UPDATE", raw)
}
