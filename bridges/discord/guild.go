package discord

import (
	"context"
	"encoding/json"
	"fmt"
	"time"
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
	r, g := s.receiver, new(guild)
	if err := json.Unmarshal(data, g); err != nil {
		r.log.Warn("skipping a Discord event", "event", kind, "err", "it cannot be read")
		return
	}
	if !r.isHome(g) {
		return
	}
	if kind == "GUILD_CREATE" {
		r.client.members.Clear() // names may have changed
		r.threads.known.beginConnection()
		for i := range g.Channels {
			if id := g.Channels[i].ID; id != r.cfg.ChannelID {
				r.threads.known.foreign(id)
			}
		}
	}
	open := map[string]bool{}
	for i := range g.Threads {
		c := &g.Threads[i]
		if c.Parent != r.cfg.ChannelID {
			r.threads.known.foreign(c.ID)
			continue
		}
		open[c.ID] = true
		if kind != "GUILD_CREATE" { // only now may the bot see it
			r.threads.known.fallBehind(c.ID)
		}
		s.resume(ctx, c)
	}
	if kind == "GUILD_CREATE" {
		s.catchUpOthers(ctx, open)
	}
}

// catchUpOthers enqueues checks of the threads that are not open, or no longer.
func (s *stream) catchUpOthers(ctx context.Context, open map[string]bool) {
	r := s.receiver
	for _, id := range r.threads.known.open() {
		if !open[id] {
			s.put(ctx, id, task{what: "thread", again: true, do: func(ctx context.Context) error { return r.checkThread(ctx, s.in, id) }})
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

// catchUpOpened reads the threads that were archived when the gateway listed the
// open ones, and open when the archive was read.
func (s *stream) catchUpOpened(ctx context.Context, open map[string]bool) error {
	at, err := s.receiver.client.homeChannel(ctx)
	if err != nil {
		return err
	}
	list, err := s.receiver.client.active(ctx, at)
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

// catchUpClosed reads threads that were archived meanwhile, which the gateway does
// not list: the last to answer often closes the thread.
func (s *stream) catchUpClosed(ctx context.Context, begin time.Time) error {
	before := ""
	for {
		list, next, err := s.receiver.client.archive(ctx, before)
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

// resume enqueues registering a thread and reading what was missed in it.
func (s *stream) resume(ctx context.Context, c *channel) {
	s.put(ctx, c.ID, task{what: "thread", again: true, do: func(ctx context.Context) error { return s.receiver.resume(ctx, s.in, c) }})
}
