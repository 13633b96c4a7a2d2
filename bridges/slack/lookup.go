package slack

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/slack-go/slack"

	"github.com/relay-chat/relay/server/chat"
)

// Range of the search for an op that may have been carried out: from a minute before
// its first attempt, or a day back if that is unknown.
const (
	lookMargin = time.Minute
	lookBack   = 24 * time.Hour
	pageSize   = 200
)

func since(first chat.Time) string {
	from := first.Std()
	if first == 0 {
		from = time.Now().Add(lookMargin - lookBack)
	}
	return tsOf(from.Add(-lookMargin))
}

// tsOf returns the ts of a time.
func tsOf(at time.Time) string { return strconv.FormatInt(at.Unix(), 10) + ".000000" }

// exactTS is the time stamp of a message that is posted at a time.
func exactTS(at time.Time) string { return fmt.Sprintf("%d.%06d", at.Unix(), at.Nanosecond()/1000) }

// lookup finds the message of an earlier attempt, "" for none. If the thread was
// deleted, the message is in the channel: it is removed.
func (w *writer) lookup(ctx context.Context, th chat.Thread, op chat.Op) (remote string, err error) {
	if op.File != nil && w.client.self.Load().may(scopeUpload) {
		return w.lookupFile(ctx, th, op)
	}
	remotes, err := w.recall(ctx, th, []string{op.Key}, op.Since)
	if err != nil {
		return "", err
	}
	return remotes[0], nil
}

// Recall implements [chat.Recaller].
func (w *writer) Recall(ctx context.Context, th chat.Thread, keys []string, first chat.Time) (remotes []string, err error) {
	if _, err := w.client.identify(ctx); err != nil {
		return nil, err
	}
	return w.recall(ctx, th, keys, first)
}

// recall finds the messages of ops. If the thread was deleted, they are in the channel
// and removed.
func (w *writer) recall(ctx context.Context, th chat.Thread, keys []string, first chat.Time) (remotes []string, err error) {
	remotes, err = w.made(ctx, th, keys, first)
	if errors.Is(err, chat.ErrThreadGone) {
		return nil, w.sweep(ctx, keys, first, err)
	}
	return remotes, blind(err)
}

// made finds the messages of ops in a thread, "" for each that is not there.
func (w *writer) made(ctx context.Context, th chat.Thread, keys []string, first chat.Time) (remotes []string, err error) {
	remotes = make([]string, len(keys))
	q := slack.GetConversationRepliesParameters{Timestamp: th.Ref, Oldest: since(first), Limit: pageSize, IncludeAllMetadata: true}
	for list, err := range w.client.replyPages(ctx, 1, q) {
		if err != nil {
			return remotes, err
		}
		for i, key := range keys {
			if m := w.client.find(list, key); m != nil {
				remotes[i] = m.Timestamp
			}
		}
		if !slices.Contains(remotes, "") {
			break
		}
	}
	return remotes, nil
}

// blind ignores a search that Slack denies: a duplicate is better than a loss.
func blind(err error) error {
	var wrong *chat.Misconfigured
	if errors.As(err, &wrong) || errors.Is(err, chat.ErrPermanent) {
		return nil
	}
	return err
}

// find returns the bot's message of an op.
func (c *client) find(list []slack.Message, key string) *slack.Message {
	for i := range list {
		m := &list[i]
		if found, _ := m.Metadata.EventPayload[fieldKey].(string); found != "" && found == key && c.self.Load().own(m) {
			return m
		}
	}
	return nil
}

// sweep removes what an earlier attempt posted in the channel itself because its thread
// is deleted, and returns that error.
func (w *writer) sweep(ctx context.Context, keys []string, first chat.Time, gone error) error {
	stray, err := w.threads.inChannel(ctx, keys, first)
	if err != nil {
		return err
	}
	if stray != "" {
		w.client.removeStray(ctx, stray)
	}
	return gone
}

// Stands implements [chat.Stander].
func (w *writer) Stands(ctx context.Context, th chat.Thread, remote string) (bool, error) {
	q := &slack.GetConversationRepliesParameters{Timestamp: th.Ref, Oldest: remote, Latest: remote, Inclusive: true, Limit: 10}
	list, _, err := w.client.replies(ctx, q)
	if denied := blind(err); denied == nil && err != nil || errors.Is(err, chat.ErrThreadGone) {
		return true, nil
	}
	if err != nil {
		return true, err
	}
	return slices.ContainsFunc(list, func(m slack.Message) bool { return m.Timestamp == remote && m.SubType != subtypeTombstone }), nil
}
