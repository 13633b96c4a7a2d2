package discord

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sort"
	"time"

	"github.com/relay-chat/relay/bridges/naming"
	"github.com/relay-chat/relay/server/chat"
)

// reader reads what was missed in threads.
type reader struct {
	cfg     Config
	begun   time.Time
	client  *client
	threads *threads
	inbox   *inbox
	readers chan struct{} // one for each thread that is being read
}

// clockMargin bounds the difference between Discord's clock and ours.
const clockMargin = 10 * time.Minute

// turnedLately reports whether a thread was closed or reopened in the time that a start
// reads again.
func (r *reader) turnedLately(c *channel) bool {
	at := c.Thread.ArchivedAt // when it was made, until the first change
	return at.After(r.begun.Add(-r.cfg.CatchUp)) && at.Sub(madeAt(c.ID)) > time.Minute
}

// readMissed reads what was missed in a thread, once per new connection and before
// anything else of it is stored. newest is its newest message, "" when unknown.
func (r *reader) readMissed(ctx context.Context, in chat.Receiver, id, newest string) error {
	one, behind, epoch := r.threads.known.behind(id)
	if !behind {
		return nil
	}
	if newest == "" {
		newest = snowflakeAt(time.Now())
	}
	if from := r.since(one.newest, newest); from != "" {
		if err := r.catchUp(ctx, in, id, from); err != nil {
			return err
		}
	}
	r.threads.known.read(id, one.epoch, epoch)
	return nil
}

// editable is for how long a message is read again: it may have been edited.
const editable = time.Hour

// since returns after which message a thread has to be read: the newest that was
// seen, less those that may have been edited since; "" when there is nothing to
// read. The engine may have forgotten messages from before the bridge's start.
func (r *reader) since(seen, newest string) string {
	from := snowflakeAt(r.begun.Add(-r.cfg.CatchUp))
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
func (r *reader) catchUp(ctx context.Context, in chat.Receiver, thread, after string) error {
	select {
	case r.readers <- struct{}{}:
		defer func() { <-r.readers }()
	case <-ctx.Done():
		return ctx.Err()
	}
	var held []listed // with Forgets
	found := listing{Channel: thread, Since: after}
	for {
		var list []json.RawMessage
		err := r.client.getWithRetry(ctx, path("/channels/%s/messages", thread)+"?limit=100&after="+after, &list)
		if denied(err) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read missed messages: %w", err)
		}
		if len(list) == 0 && len(found.IDs) == 0 {
			if err := r.client.seesHistory(ctx); err != nil {
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
		if r.cfg.Forgets {
			held = append(held, page...)
			if !last {
				continue
			}
			if page, err = r.unanswered(ctx, held); err != nil {
				return err
			}
		}
		if err := r.inbox.storePage(ctx, in, page); err != nil {
			return err
		}
		if last {
			return r.inbox.storeListing(ctx, in, found)
		}
	}
}

// unanswered returns the messages behind the last one of which it shows that it was
// received: the bridge posted it before it was started, or reacted to it.
func (r *reader) unanswered(ctx context.Context, list []listed) ([]listed, error) {
	me, err := r.client.me(ctx)
	if err != nil {
		return nil, err
	}
	begun := snowflakeAt(r.begun)
	for i := len(list) - 1; i >= 0; i-- {
		var m struct {
			Author    identity            `json:"author"`
			Reactions []struct{ Me bool } `json:"reactions"`
		}
		if !naming.Older(list[i].ID, begun) || json.Unmarshal(list[i].raw, &m) != nil {
			continue
		}
		if m.Author.ID == me.ID || slices.ContainsFunc(m.Reactions, func(one struct{ Me bool }) bool { return one.Me }) {
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

// followState stores a registered thread's state if a person turned it. The bridge's
// own changes are ignored: of one that is under way the event may come before the answer.
func (r *reader) followState(ctx context.Context, in chat.Receiver, c *channel) error {
	if turning := r.threads.known.turning(c.ID); turning != nil {
		select {
		case <-turning:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	one, _, _ := r.threads.known.get(c.ID)
	switch late := !c.Thread.ArchivedAt.After(one.turned); {
	case late, !one.pending && one.closed == c.archived():
		return nil
	case one.pending && !r.turnedLately(c):
		r.threads.known.setPending(c.ID, false)
		return nil
	}
	return r.inbox.storeTurn(ctx, in, c)
}
