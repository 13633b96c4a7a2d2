package discord

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"

	"github.com/relay-chat/relay/bridges/cache"
	"github.com/relay-chat/relay/bridges/naming"
	"github.com/relay-chat/relay/server/chat"
)

// threads are those of sessions in the bridge's channel.
type threads struct {
	log    *slog.Logger
	client *client
	known  *registry
	starts *cache.Cache[string] // by key: the first message of a new thread
}

// lookupThread reports whether a channel is a thread of the bridge; an unknown one is
// fetched.
func (t *threads) lookupThread(ctx context.Context, id string) (th thread, ours bool, err error) {
	if id == t.client.cfg.ChannelID {
		return th, false, nil
	}
	th, known, other := t.known.get(id)
	if known || other {
		return th, known, nil
	}
	c := new(channel)
	err = t.client.getWithRetry(ctx, path("/channels/%s", id), c)
	if denied(err) {
		t.known.foreign(id)
		return th, false, nil
	}
	if err != nil {
		return th, false, fmt.Errorf("look up a channel: %w", err)
	}
	ours, err = t.registerThread(ctx, c)
	th, _, _ = t.known.get(id)
	return th, ours, err
}

// registerThread registers a channel: a thread of the bridge's channel that a bot
// created, relay's or its former one. Operators talk among themselves in others.
func (t *threads) registerThread(ctx context.Context, c *channel) (ours bool, err error) {
	if c.Thread == nil || c.Parent != t.client.cfg.ChannelID {
		t.known.foreign(c.ID)
		return false, nil
	}
	me, err := t.client.me(ctx)
	if err != nil {
		return false, err
	}
	session := ""
	if c.Owner == me.ID {
		session = names.Session(c.Name)
	} else if bot, err := t.client.bot(ctx, c.Owner); err != nil || !bot {
		if err == nil {
			t.known.foreign(c.ID)
		}
		return false, err
	}
	if known := t.known.learn(c, session); !known && !t.client.cfg.Forgets { // a relay that forgets cannot tell its own changes from those of people
		t.known.setPending(c.ID, true)
	}
	return true, nil
}

// close archives a thread.
func (t *threads) close(ctx context.Context, thread string) error {
	turned := t.known.setClosed(thread, true)
	_, err := t.turn(ctx, thread, threadChange{Archived: new(true)})
	if errors.Is(err, chat.ErrThreadClosed) {
		return nil
	}
	if err != nil && turned {
		t.known.setClosed(thread, false)
	}
	return err
}

// reopen unarchives a thread, and unlocks it if it was locked and the bot may.
func (t *threads) reopen(ctx context.Context, thread string) error {
	turned := t.known.setClosed(thread, false)
	at, err := t.turn(ctx, thread, threadChange{Archived: new(false)})
	if err == nil && at.locked() || errors.Is(err, errLocked) || errors.Is(err, errForbidden) {
		_, err = t.turn(ctx, thread, threadChange{Archived: new(false), Locked: new(false)})
	}
	if errors.Is(err, errForbidden) {
		err = fmt.Errorf("%w: the bot may not unlock it: %s", chat.ErrPermanent, reason(err))
	}
	if err != nil && turned {
		t.known.setClosed(thread, true)
	}
	return err
}

func (t *threads) turn(ctx context.Context, thread string, how threadChange) (*channel, error) {
	defer t.known.beginTurn(thread)()
	at := new(channel)
	err := t.client.call(ctx, request{method: http.MethodPatch, path: path("/channels/%s", thread), body: how, repeatable: true}, at)
	if err == nil && at.Thread != nil {
		t.known.setTurned(thread, at.archived(), at.Thread.ArchivedAt)
	}
	return at, err
}

// Find implements [chat.Bridge]. The gateway lists open threads when a connection
// begins; otherwise they are fetched, and then the archived ones.
func (t *threads) Find(ctx context.Context, sessionID string) (chat.Thread, error) {
	none := fmt.Errorf("%w: no thread's name leads to the session", chat.ErrThreadGone)
	if names.Token(sessionID) == "" {
		return chat.Thread{}, none
	}
	if ref := t.known.sessions.Ref(sessionID); ref != "" {
		return t.found(sessionID, ref), nil
	}
	at, err := t.client.homeChannel(ctx)
	if err != nil {
		return chat.Thread{}, err
	}
	open, err := t.client.active(ctx, at)
	if err != nil {
		return chat.Thread{}, finalError(err)
	}
	t.remember(open)
	if ref := t.known.sessions.Ref(sessionID); ref != "" {
		return t.found(sessionID, ref), nil
	}
	if err := t.searchArchive(ctx, sessionID); err != nil {
		return chat.Thread{}, finalError(err)
	}
	if ref := t.known.sessions.Ref(sessionID); ref != "" {
		return t.found(sessionID, ref), nil
	}
	return chat.Thread{}, none
}

func (t *threads) found(sessionID, ref string) chat.Thread {
	th := chat.Thread{Bridge: Name, Channel: t.client.cfg.ChannelID, Ref: ref, SessionID: sessionID, Anchor: ref}
	if known, _, _ := t.known.get(ref); known.closed {
		th.State = chat.ThreadClosed
	}
	return th
}

// remember registers threads that the bot created.
func (t *threads) remember(list []channel) {
	for i := range list {
		t.known.learn(&list[i], names.Session(list[i].Name))
	}
}

// archivePages bounds the search among archived threads.
const archivePages = 3

// searchArchive registers archived threads, newest first, until it finds that of the
// session.
func (t *threads) searchArchive(ctx context.Context, sessionID string) error {
	me, err := t.client.me(ctx)
	if err != nil {
		return err
	}
	before := ""
	for range archivePages {
		list, next, err := t.client.archive(ctx, before)
		if err != nil {
			return err
		}
		t.remember(slices.DeleteFunc(list, func(c channel) bool { return c.Owner != me.ID }))
		if next == "" || t.known.sessions.Ref(sessionID) != "" {
			return nil
		}
		before = next
	}
	return nil
}

// Owner implements [chat.Bridge]. It trusts only a thread that the bot created; if
// that was renamed, its first message contains the session.
func (t *threads) Owner(ctx context.Context, th chat.Thread) (sessionID string, err error) {
	if known, is, _ := t.known.get(th.Ref); is && known.session != "" {
		return known.session, nil
	}
	c := new(channel)
	if err := t.client.get(ctx, path("/channels/%s", th.Ref), c); err != nil {
		return "", finalError(err)
	}
	me, err := t.client.me(ctx)
	if err != nil {
		return "", err
	}
	if c.Parent != t.client.cfg.ChannelID || c.Owner != me.ID {
		return "", fmt.Errorf("%w: relay did not create the thread", chat.ErrThreadGone)
	}
	if sessionID = names.Session(c.Name); sessionID == "" {
		if sessionID, err = t.anchored(ctx, c, me); err != nil {
			return "", err
		}
	}
	if sessionID == "" {
		return "", fmt.Errorf("%w: the thread belongs to no session", chat.ErrThreadGone)
	}
	t.known.learn(c, sessionID)
	return sessionID, nil
}

// anchored reads the session from a thread's first message, which has the thread's
// id. That of a text channel's thread is in the channel.
func (t *threads) anchored(ctx context.Context, c *channel, me *identity) (sessionID string, err error) {
	at, err := t.client.homeChannel(ctx)
	if err != nil {
		return "", err
	}
	in := t.client.cfg.ChannelID
	if at.forum() {
		in = c.ID
	}
	var first sentMessage
	err = t.client.get(ctx, path("/channels/%s/messages/%s", in, c.ID), &first)
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

// EraseThread implements [chat.ThreadEraser]: Discord deletes a thread with all of its
// messages. The bot needs the permission Manage Threads.
func (t *threads) EraseThread(ctx context.Context, th chat.Thread) error {
	if !isSnowflake(th.Ref) {
		return fmt.Errorf("%w: %q is no thread", chat.ErrThreadGone, th.Ref)
	}
	return t.client.call(ctx, request{method: http.MethodDelete, path: path("/channels/%s", th.Ref), repeatable: true}, nil)
}

// gone checks, after a thread was not found, whether the channel was deleted: it
// returns that error then.
func (t *threads) gone(ctx context.Context, ref string, err error) error {
	t.known.forget(ref)
	t.client.forgetChannel()
	if _, wrong := t.client.homeChannel(ctx); wrong != nil {
		return wrong
	}
	return err
}

// names names threads: 1 to 100 characters (Discord, "Start Thread"). anchors are
// the tokens of their first messages, which hold longer ids.
var (
	names   = naming.Names{Limit: 100, Plain: 40, Encoded: 40}
	anchors = naming.Names{Plain: 40, Encoded: 1000}
)
