package discord

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sort"
	"time"

	"github.com/bwmarrin/discordgo"

	"github.com/relay-chat/relay/bridges/naming"
	"github.com/relay-chat/relay/server/chat"
)

// guild is a server as the gateway sends it when a connection begins: its channels
// and open threads.
type guild struct {
	ID       string    `json:"id"`
	Guild    string    `json:"guild_id"` // in THREAD_LIST_SYNC
	Channels []channel `json:"channels"`
	Threads  []channel `json:"threads"`
}

// handleGuild registers the open threads and reads what was missed in them, each in
// its lane. A resumed gateway session needs none of this.
func (s *stream) handleGuild(ctx context.Context, kind string, data json.RawMessage) {
	b, g := s.bridge, new(guild)
	if err := json.Unmarshal(data, g); err != nil {
		b.log.Warn("skipping a Discord event", "event", kind, "err", "it cannot be read")
		return
	}
	if !b.isHome(g) {
		return
	}
	if kind == "GUILD_CREATE" {
		b.members.Clear() // names may have changed
		b.threads.beginConnection()
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
		s.catchUpOthers(ctx, open)
	}
}

// isHome reports whether a server is that of the bridge's channel.
func (b *Bridge) isHome(g *guild) bool {
	for i := range g.Channels {
		if g.Channels[i].ID == b.cfg.ChannelID {
			return true
		}
	}
	return slices.ContainsFunc(g.Threads, func(c channel) bool { return c.Parent == b.cfg.ChannelID })
}

// resume enqueues registering a thread and reading what was missed in it.
func (s *stream) resume(ctx context.Context, c *channel) {
	s.put(ctx, c.ID, task{what: "thread", again: true, do: func(ctx context.Context) error { return s.bridge.resume(ctx, s.in, c) }})
}

// catchUpOthers enqueues checks of the threads that are not open, or no longer.
func (s *stream) catchUpOthers(ctx context.Context, open map[string]bool) {
	b := s.bridge
	for _, id := range b.threads.open() {
		if !open[id] {
			s.put(ctx, id, task{what: "thread", again: true, do: func(ctx context.Context) error { return b.checkThread(ctx, s.in, id) }})
		}
	}
	begin := s.since()
	s.put(ctx, "", task{what: "threads", again: true, do: func(ctx context.Context) error {
		err := s.catchUpClosed(ctx, begin)
		if err == nil {
			err = s.catchUpOpened(ctx, open)
		}
		if err == nil {
			s.caughtUp()
		}
		return err
	}})
}

// clockMargin bounds the difference between Discord's clock and ours.
const clockMargin = 10 * time.Minute

// catchUpOpened reads the threads that were archived when the gateway listed the
// open ones, and open when the archive was read.
func (s *stream) catchUpOpened(ctx context.Context, open map[string]bool) error {
	at, err := s.bridge.homeChannel(ctx)
	if err != nil {
		return err
	}
	list, err := s.bridge.active(ctx, at)
	if denied(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("list open threads: %w", err)
	}
	for i := range list {
		if c := &list[i]; !open[c.ID] {
			s.resume(ctx, c)
		}
	}
	return nil
}

// resume registers a thread, reads what was missed in it, and follows its state.
func (b *Bridge) resume(ctx context.Context, in chat.Receiver, c *channel) error {
	ours, err := b.registerThread(ctx, c)
	if err != nil || !ours {
		return err
	}
	before, _, _ := b.threads.get(c.ID)
	if err := b.readMissed(ctx, in, c.ID, c.LastMessage); err != nil {
		return err
	}
	if !before.pending && !before.closed {
		return nil
	}
	data, err := json.Marshal(c)
	if err != nil {
		return err
	}
	return b.followState(ctx, in, c, data)
}

// turnedLately reports whether a thread was closed or reopened in the time that a start
// reads again.
func (b *Bridge) turnedLately(c *channel) bool {
	at := c.Thread.ArchivedAt // when it was made, until the first change
	return at.After(b.begun.Add(-b.cfg.CatchUp)) && at.Sub(madeAt(c.ID)) > time.Minute
}

// readMissed reads what was missed in a thread, once per new connection and before
// anything else of it is stored. newest is its newest message, "" when unknown.
func (b *Bridge) readMissed(ctx context.Context, in chat.Receiver, id, newest string) error {
	one, behind, epoch := b.threads.behind(id)
	if !behind {
		return nil
	}
	if newest == "" {
		newest = snowflakeAt(time.Now())
	}
	if from := b.since(one.newest, newest); from != "" {
		if err := b.catchUp(ctx, in, id, from); err != nil {
			return err
		}
	}
	b.threads.read(id, one.epoch, epoch)
	return nil
}

// editable is for how long a message is read again: it may have been edited.
const editable = time.Hour

// since returns after which message a thread has to be read: the newest that was
// seen, less those that may have been edited since; "" when there is nothing to
// read. The engine may have forgotten messages from before the bridge's start.
func (b *Bridge) since(seen, newest string) string {
	from := snowflakeAt(b.begun.Add(-b.cfg.CatchUp))
	if again := snowflakeAt(madeAt(seen).Add(-editable)); naming.Older(from, again) {
		from = again
	}
	news := naming.Older(seen, newest) || time.Since(madeAt(newest)) < editable
	if !news || !naming.Older(from, newest) {
		return ""
	}
	return from
}

// maxReaders is how many threads are read at once.
const maxReaders = 8

// catchUp stores a thread's messages after one of them, and their edits.
func (b *Bridge) catchUp(ctx context.Context, in chat.Receiver, thread, after string) error {
	select {
	case b.readers <- struct{}{}:
		defer func() { <-b.readers }()
	case <-ctx.Done():
		return ctx.Err()
	}
	var held []listed // with Forgets
	found := listing{Channel: thread, Since: after}
	for {
		var list []json.RawMessage
		err := b.api.getWithRetry(ctx, path("/channels/%s/messages", thread)+"?limit=100&after="+after, &list)
		if denied(err) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read missed messages: %w", err)
		}
		if len(list) == 0 && len(found.IDs) == 0 {
			if err := b.seesHistory(ctx); err != nil {
				return fmt.Errorf("read missed messages: %w", err)
			}
		}
		begin, page := after, sorted(list)
		if len(page) > 0 {
			after = page[len(page)-1].ID
		}
		for _, m := range page {
			found.IDs = append(found.IDs, m.ID)
		}
		last := len(list) < 100 || !naming.Older(begin, after)
		if b.cfg.Forgets {
			held = append(held, page...)
			if !last {
				continue
			}
			if page, err = b.unanswered(ctx, held); err != nil {
				return err
			}
		}
		if err := b.storePage(ctx, in, page); err != nil {
			return err
		}
		if last {
			return b.storeListing(ctx, in, found)
		}
	}
}

// seesHistory returns an error if the bot may not read old messages: Discord then answers
// as if there were none, and what stands there would pass for deleted.
func (b *Bridge) seesHistory(ctx context.Context) error {
	at, err := b.fetchChannel(ctx)
	if err != nil {
		return err
	}
	roles, has, me, err := b.membership(ctx, at.Guild)
	if err == nil && permissions(at, roles, me, has)&discordgo.PermissionReadMessageHistory == 0 {
		err = errors.New("the bot lacks the permission Read Message History in the channel")
	}
	return err
}

// storePage stores the messages of a page, in order.
func (b *Bridge) storePage(ctx context.Context, in chat.Receiver, page []listed) error {
	for _, m := range page {
		if err := b.storeFetched(ctx, in, &m.head, m.raw); err != nil {
			return err
		}
	}
	return nil
}

// unanswered returns the messages behind the last one of which it shows that it was
// received: the bridge posted it before it was started, or reacted to it.
func (b *Bridge) unanswered(ctx context.Context, list []listed) ([]listed, error) {
	me, err := b.me(ctx)
	if err != nil {
		return nil, err
	}
	begun := snowflakeAt(b.begun)
	for i := len(list) - 1; i >= 0; i-- {
		var m struct {
			Author    identity            `json:"author"`
			Reactions []struct{ Me bool } `json:"reactions"`
		}
		if !naming.Older(list[i].ID, begun) || json.Unmarshal(list[i].raw, &m) != nil {
			continue
		}
		if m.Author.ID == me.ID || slices.ContainsFunc(m.Reactions, func(r struct{ Me bool }) bool { return r.Me }) {
			return list[i+1:], nil
		}
	}
	return list, nil
}

// listed is a message of a page.
type listed struct {
	head
	raw json.RawMessage
}

// sorted returns a page's messages, oldest first, without those that have no id.
func sorted(list []json.RawMessage) (page []listed) {
	for _, raw := range list {
		m := listed{raw: raw}
		if json.Unmarshal(raw, &m.head) == nil && m.ID != "" {
			page = append(page, m)
		}
	}
	sort.Slice(page, func(i, j int) bool { return compareIDs(page[i].ID, page[j].ID) < 0 })
	return page
}

// storeFetched stores a message read from the API like one from the gateway.
func (b *Bridge) storeFetched(ctx context.Context, in chat.Receiver, h *head, raw json.RawMessage) error {
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

// withMember adds the author's name on the server to a message, as the gateway
// does and the API does not.
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

// catchUpClosed reads threads that were archived meanwhile, which the gateway does
// not list: the last to answer often closes the thread.
func (s *stream) catchUpClosed(ctx context.Context, begin time.Time) error {
	before := ""
	for {
		list, next, err := s.bridge.archive(ctx, before)
		if denied(err) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("list archived threads: %w", err)
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

// checkThread handles what happened to a thread that is no longer open. One that
// the API denies is skipped.
func (b *Bridge) checkThread(ctx context.Context, in chat.Receiver, id string) error {
	var raw json.RawMessage
	err := b.api.getWithRetry(ctx, path("/channels/%s", id), &raw)
	if errors.Is(err, chat.ErrThreadGone) {
		data, err := json.Marshal(channel{ID: id, Parent: b.cfg.ChannelID})
		if err != nil {
			return err
		}
		return b.handleEvent(ctx, in, "THREAD_DELETE", data)
	}
	if denied(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("check a thread: %w", err)
	}
	c := new(channel)
	if err := json.Unmarshal(raw, c); err != nil {
		return fmt.Errorf("%w: a thread that cannot be read", chat.ErrPermanent)
	}
	if err := b.readMissed(ctx, in, id, c.LastMessage); err != nil {
		return err
	}
	return b.handleEvent(ctx, in, "THREAD_UPDATE", raw)
}
