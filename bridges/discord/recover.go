package discord

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/relay-chat/relay/server/chat"
)

// Find implements [chat.Bridge]. The gateway lists open threads when a connection
// begins; otherwise they are fetched, and then the archived ones.
func (b *Bridge) Find(ctx context.Context, sessionID string) (chat.Thread, error) {
	none := fmt.Errorf("%w: no thread's name leads to the session", chat.ErrThreadGone)
	if names.Token(sessionID) == "" {
		return chat.Thread{}, none
	}
	if ref := b.threads.ref(sessionID); ref != "" {
		return b.found(sessionID, ref), nil
	}
	at, err := b.homeChannel(ctx)
	if err != nil {
		return chat.Thread{}, err
	}
	open, err := b.active(ctx, at)
	if err != nil {
		return chat.Thread{}, finalError(err)
	}
	b.remember(open)
	if ref := b.threads.ref(sessionID); ref != "" {
		return b.found(sessionID, ref), nil
	}
	if err := b.searchArchive(ctx, sessionID); err != nil {
		return chat.Thread{}, finalError(err)
	}
	if ref := b.threads.ref(sessionID); ref != "" {
		return b.found(sessionID, ref), nil
	}
	return chat.Thread{}, none
}

func (b *Bridge) found(sessionID, ref string) chat.Thread {
	th := chat.Thread{Bridge: Name, Channel: b.cfg.ChannelID, Ref: ref, SessionID: sessionID, Anchor: ref}
	if known, _, _ := b.threads.get(ref); known.closed {
		th.State = chat.ThreadClosed
	}
	return th
}

// remember registers threads that the bot created.
func (b *Bridge) remember(list []channel) {
	for i := range list {
		b.threads.learn(&list[i], names.Session(list[i].Name))
	}
}

// archivePages bounds the search among archived threads.
const archivePages = 3

// searchArchive registers archived threads, newest first, until it finds that of the
// session.
func (b *Bridge) searchArchive(ctx context.Context, sessionID string) error {
	me, err := b.me(ctx)
	if err != nil {
		return err
	}
	before := ""
	for range archivePages {
		list, next, err := b.archive(ctx, before)
		if err != nil {
			return err
		}
		b.remember(slices.DeleteFunc(list, func(c channel) bool { return c.Owner != me.ID }))
		if next == "" || b.threads.ref(sessionID) != "" {
			return nil
		}
		before = next
	}
	return nil
}

// archive lists archived threads, the last archived first. next is the query of the
// next page, "" when there is none.
func (b *Bridge) archive(ctx context.Context, before string) (list []channel, next string, err error) {
	var page struct {
		Threads []channel `json:"threads"`
		More    bool      `json:"has_more"`
	}
	if err := b.api.getWithRetry(ctx, path("/channels/%s/threads/archived/public", b.cfg.ChannelID)+"?limit=100"+before, &page); err != nil {
		return nil, "", err
	}
	for i := range page.Threads {
		if c := &page.Threads[i]; page.More && c.Thread != nil {
			next = "&before=" + c.Thread.ArchivedAt.UTC().Format("2006-01-02T15:04:05.000000Z")
		}
	}
	return page.Threads, next, nil
}

// Owner implements [chat.Bridge]. It trusts only a thread that the bot created; if
// that was renamed, its first message contains the session.
func (b *Bridge) Owner(ctx context.Context, th chat.Thread) (sessionID string, err error) {
	if known, is, _ := b.threads.get(th.Ref); is && known.session != "" {
		return known.session, nil
	}
	c := new(channel)
	if err := b.api.get(ctx, path("/channels/%s", th.Ref), c); err != nil {
		return "", finalError(err)
	}
	me, err := b.me(ctx)
	if err != nil {
		return "", err
	}
	if c.Parent != b.cfg.ChannelID || c.Owner != me.ID {
		return "", fmt.Errorf("%w: relay did not create the thread", chat.ErrThreadGone)
	}
	if sessionID = names.Session(c.Name); sessionID == "" {
		if sessionID, err = b.anchored(ctx, c, me); err != nil {
			return "", err
		}
	}
	if sessionID == "" {
		return "", fmt.Errorf("%w: the thread belongs to no session", chat.ErrThreadGone)
	}
	b.threads.learn(c, sessionID)
	return sessionID, nil
}

// anchored reads the session from a thread's first message, which has the thread's
// id. That of a text channel's thread is in the channel.
func (b *Bridge) anchored(ctx context.Context, c *channel, me *identity) (sessionID string, err error) {
	at, err := b.homeChannel(ctx)
	if err != nil {
		return "", err
	}
	in := b.cfg.ChannelID
	if at.forum() {
		in = c.ID
	}
	var first sentMessage
	err = b.api.get(ctx, path("/channels/%s/messages/%s", in, c.ID), &first)
	if errors.Is(err, chat.ErrMessageGone) {
		return "", nil
	}
	if err != nil {
		return "", finalError(err)
	}
	if first.Author.ID != me.ID || len(first.Embeds) == 0 || first.Embeds[0].Footer == nil {
		return "", nil
	}
	return anchors.Session(first.Embeds[0].Footer.Text), nil
}
