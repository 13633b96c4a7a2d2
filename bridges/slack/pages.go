package slack

import (
	"context"
	"iter"

	"github.com/slack-go/slack"

	"github.com/relay-chat/relay/bridges/call"
)

// channelPages reads the channel's messages outside of threads page by page, newest
// first. Each page is tried so many times.
func (c *client) channelPages(ctx context.Context, times int, q slack.GetConversationHistoryParameters) iter.Seq2[[]slack.Message, error] {
	return pages(ctx, times, func(cursor string) ([]slack.Message, string, error) {
		q.Cursor = cursor
		page, err := c.history(ctx, &q)
		if err != nil {
			return nil, "", err
		}
		return page.Messages, page.ResponseMetaData.NextCursor, nil
	})
}

// replyPages reads a thread's messages page by page, oldest first. Each page is tried
// so many times.
func (c *client) replyPages(ctx context.Context, times int, q slack.GetConversationRepliesParameters) iter.Seq2[[]slack.Message, error] {
	return pages(ctx, times, func(cursor string) ([]slack.Message, string, error) {
		q.Cursor = cursor
		return c.replies(ctx, &q)
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
