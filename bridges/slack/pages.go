package slack

import (
	"context"
	"iter"

	"github.com/slack-go/slack"

	"github.com/relay-chat/relay/bridges/call"
)

// channelPages reads the channel's messages outside of threads page by page, newest
// first. Each page is tried so many times.
func (b *Bridge) channelPages(ctx context.Context, times int, q slack.GetConversationHistoryParameters) iter.Seq2[[]slack.Message, error] {
	return pages(ctx, times, func(cursor string) ([]slack.Message, string, error) {
		q.Cursor = cursor
		page, err := b.history(ctx, &q)
		if err != nil {
			return nil, "", err
		}
		return page.Messages, page.ResponseMetaData.NextCursor, nil
	})
}

// replyPages reads a thread's messages page by page, oldest first. Each page is tried
// so many times.
func (b *Bridge) replyPages(ctx context.Context, times int, q slack.GetConversationRepliesParameters) iter.Seq2[[]slack.Message, error] {
	return pages(ctx, times, func(cursor string) ([]slack.Message, string, error) {
		q.Cursor = cursor
		return b.replies(ctx, &q)
	})
}

// pages reads pages until there is no next one or an error.
func pages(ctx context.Context, times int, read func(cursor string) (list []slack.Message, next string, err error)) iter.Seq2[[]slack.Message, error] {
	return func(yield func([]slack.Message, error) bool) {
		for cursor := ""; ; {
			var list []slack.Message
			var next string
			err := call.WithRetry(ctx, times, holdLimit, func() (err error) {
				list, next, err = read(cursor)
				return err
			})
			if !yield(list, err) || err != nil || next == "" {
				return
			}
			cursor = next
		}
	}
}

// history calls conversations.history.
func (b *Bridge) history(ctx context.Context, q *slack.GetConversationHistoryParameters) (page *slack.GetConversationHistoryResponse, err error) {
	q.ChannelID = b.cfg.ChannelID
	err = b.call(ctx, "conversations.history", true, func(ctx context.Context) (err error) {
		page, err = b.api.GetConversationHistoryContext(ctx, q)
		return err
	})
	return page, err
}

// replies calls conversations.replies: the messages of a thread, oldest first.
func (b *Bridge) replies(ctx context.Context, q *slack.GetConversationRepliesParameters) (list []slack.Message, next string, err error) {
	q.ChannelID = b.cfg.ChannelID
	err = b.call(ctx, "conversations.replies", true, func(ctx context.Context) (err error) {
		list, _, next, err = b.api.GetConversationRepliesContext(ctx, q)
		return err
	})
	return list, next, err
}
