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
func (t *threads) open(ctx context.Context, op chat.Op) (ref string, err error) {
	ref, err = t.openOnce(ctx, op)
	if errors.Is(err, errFull) {
		if err = t.makeRoom(ctx); err == nil {
			ref, err = t.openOnce(ctx, op)
		}
	}
	if errors.Is(err, errRejected) { // something of the visitor's
		t.log.Warn("Discord rejected a thread; opening it without the visitor's name and text", "err", err)
		op.Title, op.Text = "Visitor", ""
		if ref, err = t.openOnce(ctx, op); errors.Is(err, errRejected) {
			err = &chat.Misconfigured{Problem: "Discord opens no threads in the channel: " + reason(err), Fix: fixRights}
		}
	}
	if errors.Is(err, errChannelKind) {
		t.client.forgetChannel()
		err = fmt.Errorf("open a thread: %w", err)
	}
	if errors.Is(err, chat.ErrPermanent) { // not the thread was refused, but what was asked around it
		err = errors.New("open a thread: " + reason(err))
	}
	if err != nil {
		return "", channelError(err)
	}
	t.known.learn(&channel{ID: ref, LastMessage: ref}, op.SessionID)
	t.known.created(ref)
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
func (t *threads) searched(err error) error {
	if errors.Is(err, chat.ErrPermanent) || errors.Is(err, errForbidden) {
		t.log.Warn("Discord denies the search for what an earlier attempt may have made; making it again", "err", err)
		return nil
	}
	return err
}

func (t *threads) openOnce(ctx context.Context, op chat.Op) (ref string, err error) {
	at, err := t.client.homeChannel(ctx)
	if err != nil {
		return "", err
	}
	if at.forum() {
		return t.openPost(ctx, at, op)
	}
	return t.openThread(ctx, op)
}

// openThread creates a thread of a text channel from a message, whose id it gets.
// Both steps may be repeated.
func (t *threads) openThread(ctx context.Context, op chat.Op) (ref string, err error) {
	if ref, _ = t.starts.Get(op.Key); ref == "" && op.Ambiguous {
		ref, err = t.starter(ctx, t.client.cfg.ChannelID, op)
		if err = t.searched(err); err != nil {
			return "", err
		}
	}
	if ref == "" {
		m := firstMessage(op)
		m.Nonce, m.EnforceNonce = op.Key, op.Key != ""
		if ref, err = t.client.write(ctx, t.client.cfg.ChannelID, m, nil); err != nil {
			return "", rejected(err)
		}
		t.starts.Put(op.Key, ref)
	}
	var made channel
	err = t.client.call(ctx, request{method: http.MethodPost, path: path("/channels/%s/messages/%s/threads", t.client.cfg.ChannelID, ref),
		body: newThread{names.Name(op.Title, op.SessionID), keepOpen}, repeatable: true}, &made)
	switch {
	case errors.Is(err, errThreadExists):
		return t.threadOf(ctx, ref)
	case errors.Is(err, chat.ErrMessageGone): // removed between the steps
		t.starts.Put(op.Key, "")
		return "", fmt.Errorf("the thread's first message was removed: %s", reason(err))
	case err != nil:
		return "", rejected(err)
	}
	return cmp.Or(made.ID, ref), nil
}

// threadOf returns the thread of a message. On Discord both have the same id; the
// message may name another.
func (t *threads) threadOf(ctx context.Context, message string) (ref string, err error) {
	var m struct {
		Thread channel `json:"thread"`
	}
	if err := t.client.get(ctx, path("/channels/%s/messages/%s", t.client.cfg.ChannelID, message), &m); err != nil {
		return "", err
	}
	return cmp.Or(m.Thread.ID, message), nil
}

// starter finds the message that an earlier attempt created in the channel; "" when
// there is none.
func (t *threads) starter(ctx context.Context, in string, op chat.Op) (remote string, err error) {
	me, err := t.client.me(ctx)
	if err != nil {
		return "", err
	}
	since := op.Since.Std()
	if op.Since == 0 {
		since = time.Now().Add(-24 * time.Hour)
	}
	after := snowflakeAt(since.Add(-clockMargin))
	for range maxPages {
		list, err := t.client.messages(ctx, in, after)
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
func (t *threads) openPost(ctx context.Context, at *channel, op chat.Op) (ref string, err error) {
	if op.Ambiguous {
		ref, err = t.adopt(ctx, at, op)
		if err = t.searched(err); err != nil || ref != "" {
			return ref, err
		}
	}
	var made channel
	err = t.client.call(ctx, request{method: http.MethodPost, path: path("/channels/%s/threads", t.client.cfg.ChannelID),
		body: newPost{newThread{names.Name(op.Title, op.SessionID), keepOpen}, at.tags(), firstMessage(op)}}, &made)
	if err == nil && made.ID == "" {
		err = fmt.Errorf("%w: Discord returned no id", chat.ErrAmbiguous)
	}
	return made.ID, rejected(err)
}

// adopt finds the thread that an earlier attempt created; "" when there is none.
func (t *threads) adopt(ctx context.Context, at *channel, op chat.Op) (ref string, err error) {
	list, err := t.client.active(ctx, at)
	if err != nil {
		return "", err
	}
	name := names.Name(op.Title, op.SessionID)
	for i := range list {
		if list[i].Name != name {
			continue
		}
		var first sentMessage
		err := t.client.get(ctx, path("/channels/%s/messages/%s", list[i].ID, list[i].ID), &first)
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

// archiveCount is how many threads are archived when the server is full.
const archiveCount = 10

// makeRoom archives the bridge's quietest threads: a server has at most 1,000 open
// ones. A new message reopens them.
func (t *threads) makeRoom(ctx context.Context) error {
	at, err := t.client.homeChannel(ctx)
	if err != nil {
		return err
	}
	list, err := t.client.active(ctx, at)
	if err != nil {
		return err
	}
	if len(list) == 0 {
		return &chat.Misconfigured{Problem: "the server has 1,000 open threads, none of them relay's", Fix: "close threads that are done with in other channels"}
	}
	sort.Slice(list, func(i, j int) bool { return compareIDs(list[i].LastMessage, list[j].LastMessage) < 0 })
	t.log.Warn("the server has as many open threads as it may have; archiving the quietest", "count", min(archiveCount, len(list)))
	for _, c := range list[:min(archiveCount, len(list))] {
		if err := t.close(ctx, c.ID); err != nil && !errors.Is(err, chat.ErrThreadGone) {
			return err
		}
	}
	return nil
}
