package slack

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"log"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/relay-chat/relay/bridges/cache"
	"github.com/relay-chat/relay/bridges/call"
	"github.com/relay-chat/relay/server/chat"
	"github.com/slack-go/slack"
)

// client makes the calls of the Web API.
type client struct {
	cfg  Config
	log  *slog.Logger
	api  *slack.Client
	http *http.Client
	base *url.URL // of the Web API
	pace *pace
	self *atomic.Pointer[self] // of all its channels
}

func newClient(cfg Config, base *url.URL) *client {
	c := &client{cfg: cfg, log: cfg.Log.With("bridge", Name), http: call.NewClient(cfg.Transport, 8), base: base, pace: newPace(cfg.Pause), self: new(atomic.Pointer[self])}
	c.api = slack.New(cfg.BotToken, slack.OptionAPIURL(base.String()+"/"), slack.OptionAppLevelToken(cfg.AppToken),
		slack.OptionHTTPClient(caller{c.http, c.log, cache.New[bool](100)}), slack.OptionLog(log.New(io.Discard, "", 0)), slack.OptionOnResponseHeaders(c.readScopes))
	return c
}

// Channel implements [chat.Bridge].
func (c *client) Channel() string { return c.cfg.ChannelID }

// call makes one call of a method and translates its error. A call that may safely be
// repeated is never ambiguous.
func (c *client) call(ctx context.Context, method string, repeatable bool, do func(context.Context) error) error {
	if err := c.pace.spend(method); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	ctx, sent := call.Trace(ctx)
	err := do(ctx)
	if err == nil {
		return nil
	}
	return c.translate(method, err, sent.Load() && !repeatable)
}

// redact removes addresses and secrets from an error.
func (c *client) redact(err error) error {
	return call.Redact(err, c.cfg.BotToken, c.cfg.AppToken, c.cfg.SigningSecret)
}

// history calls conversations.history.
func (c *client) history(ctx context.Context, q *slack.GetConversationHistoryParameters) (page *slack.GetConversationHistoryResponse, err error) {
	q.ChannelID = c.cfg.ChannelID
	err = c.call(ctx, "conversations.history", true, func(ctx context.Context) (err error) {
		page, err = c.api.GetConversationHistoryContext(ctx, q)
		return err
	})
	return page, err
}

// replies calls conversations.replies: the messages of a thread, oldest first.
func (c *client) replies(ctx context.Context, q *slack.GetConversationRepliesParameters) (list []slack.Message, next string, err error) {
	q.ChannelID = c.cfg.ChannelID
	err = c.call(ctx, "conversations.replies", true, func(ctx context.Context) (err error) {
		list, _, next, err = c.api.GetConversationRepliesContext(ctx, q)
		return err
	})
	return list, next, err
}

// join enters a public channel, if the app may.
func (c *client) join(ctx context.Context) bool {
	if !c.self.Load().may(scopeJoin) {
		return false
	}
	err := c.call(ctx, "conversations.join", true, func(ctx context.Context) error {
		_, _, _, err := c.api.JoinConversationContext(ctx, c.cfg.ChannelID)
		return err
	})
	return err == nil || errors.Is(err, errUnchanged)
}

// parent reads a thread's first message.
func (c *client) parent(ctx context.Context, ref string) (slack.Message, error) {
	page, err := c.history(ctx, &slack.GetConversationHistoryParameters{Latest: ref, Oldest: ref, Inclusive: true, Limit: 1, IncludeAllMetadata: true})
	if err != nil {
		return slack.Message{}, err
	}
	for _, m := range page.Messages {
		if m.Timestamp == ref && m.SubType != subtypeTombstone {
			return m, nil
		}
	}
	return slack.Message{}, fmt.Errorf("%w: its first message was deleted", chat.ErrThreadGone)
}

// postOrPlain posts a message; if Slack rejects it for an unknown reason, it is repeated
// as plain text: the visitor's words matter more than their format.
func (c *client) postOrPlain(ctx context.Context, out rendered, thread string, about slack.SlackMetadata) (m slack.Message, err error) {
	m, err = c.postMessage(ctx, out, thread, about)
	if !errors.Is(err, errUnknown) {
		return m, err
	}
	c.log.Warn("Slack rejected a message; retrying it as plain text", "err", err)
	return c.postMessage(ctx, rendered{text: out.text}, thread, slack.SlackMetadata{})
}

// postMessage calls chat.postMessage. If the thread was deleted, Slack silently posts in the
// channel itself: only the response lacks thread_ts.
func (c *client) postMessage(ctx context.Context, out rendered, thread string, about slack.SlackMetadata) (m slack.Message, err error) {
	opts := []slack.MsgOption{slack.MsgOptionText(out.text, false), slack.MsgOptionDisableLinkUnfurl(), slack.MsgOptionDisableMediaUnfurl()}
	if about.EventType != "" {
		opts = append(opts, slack.MsgOptionMetadata(about))
	}
	if thread != "" {
		opts = append(opts, slack.MsgOptionTS(thread))
	}
	if out.markup {
		opts = append(opts, rich(out))
	} else {
		opts = append(opts, slack.MsgOptionDisableMarkdown())
	}
	if out.username != "" {
		opts = append(opts, slack.MsgOptionUsername(out.username))
	}
	err = c.call(ctx, methodPost, false, func(ctx context.Context) error {
		var ts string
		_, ts, m, err = c.api.PostMessageWithResponseContext(ctx, c.cfg.ChannelID, opts...)
		m.Timestamp = ts
		return err
	})
	return m, err
}

// change replaces a message's text. A server that does not know rich text gets plain
// text.
func (c *client) change(ctx context.Context, ts string, out rendered, more ...slack.MsgOption) error {
	opts := append(more, slack.MsgOptionText(out.text, false))
	err := c.updateMessage(ctx, ts, append(slices.Clip(opts), rich(out))...)
	if errors.Is(err, errUnknown) {
		err = c.updateMessage(ctx, ts, opts...)
	}
	return err
}

// updateMessage makes one call of chat.update.
func (c *client) updateMessage(ctx context.Context, ts string, opts ...slack.MsgOption) error {
	return c.call(ctx, "chat.update", true, func(ctx context.Context) error {
		_, _, _, err := c.api.UpdateMessageContext(ctx, c.cfg.ChannelID, ts, opts...)
		return err
	})
}

// delete removes a message of the bot, or a file with its message. An app cannot remove
// others' messages.
func (c *client) delete(ctx context.Context, remote string) error {
	if isFile(remote) {
		return c.call(ctx, "files.delete", true, func(ctx context.Context) error {
			return c.api.DeleteFileContext(ctx, remote)
		})
	}
	return c.call(ctx, "chat.delete", true, func(ctx context.Context) error {
		_, _, err := c.api.DeleteMessageContext(ctx, c.cfg.ChannelID, remote)
		return err
	})
}

// isFile reports whether a remote names a file: Slack does not return the ts of its
// message at once.
func isFile(remote string) bool { return strings.HasPrefix(remote, "F") }

// removeStray deletes a message that was posted outside its thread.
func (c *client) removeStray(ctx context.Context, ts string) {
	if err := c.delete(ctx, ts); err != nil {
		c.log.Warn("cannot delete a message posted outside its thread", "message", ts, "err", err)
	}
}

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
