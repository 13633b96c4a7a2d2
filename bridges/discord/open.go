package discord

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sort"
	"time"

	"github.com/relay-chat/relay/server/chat"
)

// open creates a session's thread with its summary as the first message.
func (b *Bridge) open(ctx context.Context, op chat.Op) (ref string, err error) {
	ref, err = b.openOnce(ctx, op)
	if errors.Is(err, errFull) {
		if err = b.makeRoom(ctx); err == nil {
			ref, err = b.openOnce(ctx, op)
		}
	}
	if errors.Is(err, errRejected) { // something of the visitor's
		b.log.Warn("Discord rejected a thread; opening it without the visitor's name and text", "err", err)
		op.Title, op.Text = "Visitor", ""
		if ref, err = b.openOnce(ctx, op); errors.Is(err, errRejected) {
			err = &chat.Misconfigured{Problem: "Discord opens no threads in the channel: " + reason(err), Fix: fixRights}
		}
	}
	if errors.Is(err, errChannelKind) {
		b.forgetChannel()
		err = fmt.Errorf("open a thread: %w", err)
	}
	if errors.Is(err, chat.ErrPermanent) { // not the thread was refused, but what was asked around it
		err = errors.New("open a thread: " + reason(err))
	}
	if err != nil {
		return "", channelError(err)
	}
	b.threads.learn(&channel{ID: ref, LastMessage: ref}, op.SessionID)
	b.threads.created(ref)
	return ref, nil
}

// rejected marks the refusal of a call that creates a thread.
func rejected(err error) error {
	if errors.Is(err, chat.ErrPermanent) {
		return fmt.Errorf("%w: %w", errRejected, err)
	}
	return err
}

// searched ignores a search that Discord denies: a duplicate is better than a loss, and than
// a lane that stands still.
func (b *Bridge) searched(err error) error {
	if errors.Is(err, chat.ErrPermanent) || errors.Is(err, errForbidden) {
		b.log.Warn("Discord denies the search for what an earlier attempt may have made; making it again", "err", err)
		return nil
	}
	return err
}

func (b *Bridge) openOnce(ctx context.Context, op chat.Op) (ref string, err error) {
	at, err := b.homeChannel(ctx)
	if err != nil {
		return "", err
	}
	if at.forum() {
		return b.openPost(ctx, at, op)
	}
	return b.openThread(ctx, op)
}

// openThread creates a thread of a text channel from a message, whose id it gets.
// Both steps may be repeated.
func (b *Bridge) openThread(ctx context.Context, op chat.Op) (ref string, err error) {
	if ref, _ = b.sent.starts.Get(op.Key); ref == "" && op.Ambiguous {
		ref, err = b.starter(ctx, b.cfg.ChannelID, op)
		if err = b.searched(err); err != nil {
			return "", err
		}
	}
	if ref == "" {
		m := firstMessage(op)
		m.Nonce, m.EnforceNonce = op.Key, op.Key != ""
		if ref, err = b.write(ctx, b.cfg.ChannelID, m, nil); err != nil {
			return "", rejected(err)
		}
		b.sent.starts.Put(op.Key, ref)
	}
	var made channel
	err = b.api.call(ctx, request{method: http.MethodPost, path: path("/channels/%s/messages/%s/threads", b.cfg.ChannelID, ref),
		body: newThread{names.Name(op.Title, op.SessionID), keepOpen}, repeatable: true}, &made)
	switch {
	case errors.Is(err, errThreadExists):
		return b.threadOf(ctx, ref)
	case errors.Is(err, chat.ErrMessageGone): // removed between the steps
		b.sent.starts.Put(op.Key, "")
		return "", fmt.Errorf("the thread's first message was removed: %s", reason(err))
	case err != nil:
		return "", rejected(err)
	}
	return cmp.Or(made.ID, ref), nil
}

// threadOf returns the thread of a message. On Discord both have the same id; the
// message may name another.
func (b *Bridge) threadOf(ctx context.Context, message string) (ref string, err error) {
	var m struct {
		Thread channel `json:"thread"`
	}
	if err := b.api.get(ctx, path("/channels/%s/messages/%s", b.cfg.ChannelID, message), &m); err != nil {
		return "", err
	}
	return cmp.Or(m.Thread.ID, message), nil
}

// starter finds the message that an earlier attempt created in the channel; "" when
// there is none.
func (b *Bridge) starter(ctx context.Context, in string, op chat.Op) (remote string, err error) {
	me, err := b.me(ctx)
	if err != nil {
		return "", err
	}
	since := op.Since.Std()
	if op.Since == 0 {
		since = time.Now().Add(-24 * time.Hour)
	}
	after := snowflakeAt(since.Add(-clockMargin))
	for range maxPages {
		list, err := b.messages(ctx, in, after)
		if err != nil || len(list) == 0 {
			return "", err
		}
		for _, m := range list {
			if after = m.ID; m.Author.ID == me.ID && m.marked(op.Key) {
				return m.ID, nil
			}
		}
	}
	return "", nil
}

// marked reports whether the call with a key created the message.
func (m *sentMessage) marked(key string) bool {
	return slices.ContainsFunc(m.Embeds, func(e embed) bool { return e.URL == markAddress+key })
}

// openPost creates a thread of a forum. Forums have no nonces: after a lost answer
// the mark of its first message identifies the thread.
func (b *Bridge) openPost(ctx context.Context, at *channel, op chat.Op) (ref string, err error) {
	if op.Ambiguous {
		ref, err = b.adopt(ctx, at, op)
		if err = b.searched(err); err != nil || ref != "" {
			return ref, err
		}
	}
	var made channel
	err = b.api.call(ctx, request{method: http.MethodPost, path: path("/channels/%s/threads", b.cfg.ChannelID),
		body: newPost{newThread{names.Name(op.Title, op.SessionID), keepOpen}, at.tags(), firstMessage(op)}}, &made)
	if err == nil && made.ID == "" {
		err = fmt.Errorf("%w: Discord returned no id", chat.ErrAmbiguous)
	}
	return made.ID, rejected(err)
}

// adopt finds the thread that an earlier attempt created; "" when there is none.
func (b *Bridge) adopt(ctx context.Context, at *channel, op chat.Op) (ref string, err error) {
	list, err := b.active(ctx, at)
	if err != nil {
		return "", err
	}
	name := names.Name(op.Title, op.SessionID)
	for i := range list {
		if list[i].Name != name {
			continue
		}
		var first sentMessage
		err := b.api.get(ctx, path("/channels/%s/messages/%s", list[i].ID, list[i].ID), &first)
		if errors.Is(err, chat.ErrMessageGone) || errors.Is(err, chat.ErrThreadGone) {
			continue
		}
		if err != nil {
			return "", err
		}
		if first.marked(op.Key) {
			return list[i].ID, nil
		}
	}
	return "", nil
}

// active lists the open threads that the bot created in its channel, newest first.
func (b *Bridge) active(ctx context.Context, at *channel) (list []channel, err error) {
	me, err := b.me(ctx)
	if err != nil {
		return nil, err
	}
	var answer struct {
		Threads []channel `json:"threads"`
	}
	if err := b.api.getWithRetry(ctx, path("/guilds/%s/threads/active", at.Guild), &answer); err != nil {
		return nil, err
	}
	for _, c := range answer.Threads {
		if c.Parent == b.cfg.ChannelID && c.Owner == me.ID {
			list = append(list, c)
		}
	}
	sort.Slice(list, func(i, j int) bool { return compareIDs(list[j].ID, list[i].ID) < 0 })
	return list, nil
}

// archiveCount is how many threads are archived when the server is full.
const archiveCount = 10

// makeRoom archives the bridge's quietest threads: a server has at most 1,000 open
// ones. A new message reopens them.
func (b *Bridge) makeRoom(ctx context.Context) error {
	at, err := b.homeChannel(ctx)
	if err != nil {
		return err
	}
	list, err := b.active(ctx, at)
	if err != nil {
		return err
	}
	if len(list) == 0 {
		return &chat.Misconfigured{Problem: "the server has 1,000 open threads, none of them relay's", Fix: "close threads that are done with in other channels"}
	}
	sort.Slice(list, func(i, j int) bool { return compareIDs(list[i].LastMessage, list[j].LastMessage) < 0 })
	b.log.Warn("the server has as many open threads as it may have; archiving the quietest", "count", min(archiveCount, len(list)))
	for _, c := range list[:min(archiveCount, len(list))] {
		if err := b.close(ctx, c.ID); err != nil && !errors.Is(err, chat.ErrThreadGone) {
			return err
		}
	}
	return nil
}
