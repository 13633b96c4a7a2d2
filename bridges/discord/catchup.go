package discord

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/relay-chat/relay/server/chat"
)

// guild is what a server tells when a connection begins: its channels and all
// threads that are open.
type guild struct {
	ID       string    `json:"id"`
	Guild    string    `json:"guild_id"` // in THREAD_LIST_SYNC
	Channels []channel `json:"channels"`
	Threads  []channel `json:"threads"`
}

// guild has the threads that are open learnt and what was missed in them read,
// each in its lane: a session that was taken up again needs none of this.
func (s *stream) guild(ctx context.Context, kind string, data json.RawMessage) {
	b, g := s.bridge, new(guild)
	if err := json.Unmarshal(data, g); err != nil {
		b.log.Warn("an event of Discord's is passed over", "event", kind, "err", "it cannot be read")
		return
	}
	if !b.home(g) {
		return
	}
	if kind == "GUILD_CREATE" {
		b.forgetMembers()
		b.threads.begin()
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
		if kind != "GUILD_CREATE" { // only now may the bot see it
			b.threads.fallBehind(c.ID)
		}
		s.resume(ctx, c)
	}
	if kind == "GUILD_CREATE" {
		s.others(ctx, open)
	}
}

// home reports whether a server is that of the bridge's channel.
func (b *Bridge) home(g *guild) bool {
	for i := range g.Channels {
		if g.Channels[i].ID == b.cfg.ChannelID {
			return true
		}
	}
	return slices.ContainsFunc(g.Threads, func(c channel) bool { return c.Parent == b.cfg.ChannelID })
}

// resume has a thread learnt and what was written in it meanwhile taken.
func (s *stream) resume(ctx context.Context, c *channel) {
	s.put(ctx, c.ID, task{what: "thread", again: true, do: func(ctx context.Context) error { return s.bridge.resume(ctx, s.in, c) }})
}

// others has those threads looked after that are not open, or not any more.
func (s *stream) others(ctx context.Context, open map[string]bool) {
	b := s.bridge
	for _, id := range b.threads.open() {
		if !open[id] {
			s.put(ctx, id, task{what: "thread", again: true, do: func(ctx context.Context) error { return b.lookAfter(ctx, s.in, id) }})
		}
	}
	begin := s.since()
	s.put(ctx, "", task{what: "threads", again: true, do: func(ctx context.Context) error {
		err := s.closedMeanwhile(ctx, begin)
		if err == nil {
			err = s.openedMeanwhile(ctx, open)
		}
		if err == nil {
			s.paid()
		}
		return err
	}})
}

// clockMargin is how far Discord's clock may be from ours.
const clockMargin = 10 * time.Minute

// openedMeanwhile has what was written taken in threads that were archived when
// the gateway told of the open ones, and open when the archive was read.
func (s *stream) openedMeanwhile(ctx context.Context, open map[string]bool) error {
	at, err := s.bridge.where(ctx)
	if err != nil {
		return err
	}
	list, err := s.bridge.active(ctx, at)
	if denied(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("ask for open threads: %w", err)
	}
	for i := range list {
		if c := &list[i]; !open[c.ID] {
			s.resume(ctx, c)
		}
	}
	return nil
}

// resume learns a thread and takes what was written in it meanwhile.
func (b *Bridge) resume(ctx context.Context, in chat.Receiver, c *channel) error {
	before, known, _ := b.threads.get(c.ID)
	ours, err := b.meet(ctx, c)
	if err != nil || !ours {
		return err
	}
	if err := b.readUp(ctx, in, c.ID, c.LastMessage); err != nil {
		return err
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

// readUp reads what was missed in a thread, once after a connection began anew
// and before anything else of it is stored. newest is its newest message, ""
// when that is not known.
func (b *Bridge) readUp(ctx context.Context, in chat.Receiver, id, newest string) error {
	one, behind, epoch := b.threads.behind(id)
	if !behind {
		return nil
	}
	if newest == "" {
		newest = snowflakeAt(time.Now())
	}
	if from := b.since(one.heard, newest); from != "" {
		if err := b.catchUp(ctx, in, id, from); err != nil {
			return err
		}
	}
	b.threads.read(id, one.epoch, epoch)
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

// maxReaders is how many threads are read at once.
const maxReaders = 8

// catchUp stores the messages of a thread after one of them, and their edits.
func (b *Bridge) catchUp(ctx context.Context, in chat.Receiver, thread, after string) error {
	select {
	case b.readers <- struct{}{}:
		defer func() { <-b.readers }()
	case <-ctx.Done():
		return ctx.Err()
	}
	for {
		var list []json.RawMessage
		err := b.api.patiently(ctx, path("/channels/%s/messages", thread)+"?limit=100&after="+after, &list)
		if denied(err) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("ask for what was missed: %w", err)
		}
		begin := after
		for _, m := range sorted(list) {
			if err := b.told(ctx, in, &m.head, m.raw); err != nil {
				return err
			}
			after = m.ID
		}
		if len(list) < 100 || !older(begin, after) {
			return nil
		}
	}
}

// listed is a message of a page.
type listed struct {
	head
	raw json.RawMessage
}

// sorted puts a page in the order in which it was written, whatever the order
// that it came in. What has no id is left out.
func sorted(list []json.RawMessage) (page []listed) {
	for _, raw := range list {
		m := listed{raw: raw}
		if json.Unmarshal(raw, &m.head) == nil && m.ID != "" {
			page = append(page, m)
		}
	}
	slices.SortFunc(page, func(a, b listed) int { return compareIDs(a.ID, b.ID) })
	return page
}

// told stores a message that was asked for as if the gateway had told it.
func (b *Bridge) told(ctx context.Context, in chat.Receiver, h *head, raw json.RawMessage) error {
	raw = b.withMember(ctx, raw)
	kinds := []string{"MESSAGE_CREATE"}
	if h.EditedAt != nil {
		kinds = append(kinds, "MESSAGE_UPDATE")
	}
	for _, kind := range kinds {
		if err := b.storeMessage(ctx, in, kind, h, raw); err != nil && !errors.Is(err, chat.ErrPermanent) {
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

// closedMeanwhile has what was written taken in threads before they were
// archived, of which the gateway does not tell: whoever answers last often
// closes.
func (s *stream) closedMeanwhile(ctx context.Context, begin time.Time) error {
	before := ""
	for {
		list, next, err := s.bridge.archive(ctx, before)
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
			s.resume(ctx, c)
		}
		if next == "" || next == before {
			return nil
		}
		before = next
	}
}

// lookAfter takes what happened to a thread that is not open any more. One that
// the API does not show holds nothing up.
func (b *Bridge) lookAfter(ctx context.Context, in chat.Receiver, id string) error {
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
	if err := b.readUp(ctx, in, id, c.LastMessage); err != nil {
		return err
	}
	return b.take(ctx, in, "THREAD_UPDATE", raw)
}
