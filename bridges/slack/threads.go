package slack

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/slack-go/slack"

	"github.com/relay-chat/relay/bridges/naming"
	"github.com/relay-chat/relay/server/chat"
)

// threads are those of sessions in the channel.
type threads struct {
	client *client
	known  naming.Threads
	scan   scan
}

// The metadata that identifies the bot's messages
// (https://docs.slack.dev/messaging/message-metadata).
const (
	typeSession = "relay_session" // of a thread's first message
	typeMessage = "relay_message"
	fieldKey    = "key"        // of the op that made it
	fieldID     = "session_id" // only in bridge mode
	fieldClosed = "closed"
	fieldMarked = "marked" // its first line names the author
	fieldQuotes = "quotes" // the ts of the message that it quotes
)

// note is the metadata of a message.
func note(op chat.Op) slack.SlackMetadata {
	about := slack.SlackMetadata{EventType: typeMessage, EventPayload: map[string]any{fieldKey: op.Key}}
	if op.ReplyTo != "" {
		about.EventPayload[fieldQuotes] = op.ReplyTo
	}
	return about
}

// open posts the first message of a thread; its ts is the thread's.
func (t *threads) open(ctx context.Context, op chat.Op) (ref string, err error) {
	if op.Ambiguous {
		ref, err = t.lookupParent(ctx, op)
	}
	if ref == "" && err == nil {
		ref, err = t.openNew(ctx, op)
	}
	if err != nil {
		return "", err
	}
	if op.SessionID != "" {
		t.learn(ref, op.SessionID)
	}
	return ref, nil
}

func (t *threads) openNew(ctx context.Context, op chat.Op) (ref string, err error) {
	about := slack.SlackMetadata{EventType: typeSession, EventPayload: map[string]any{fieldKey: op.Key, "v": 1}}
	if op.SessionID != "" {
		about.EventPayload[fieldID] = op.SessionID
	}
	m, err := t.client.postOrPlain(ctx, rendered{text: parentText(op)}, "", about)
	if errors.Is(err, errOutside) && t.client.join(ctx) {
		m, err = t.client.postOrPlain(ctx, rendered{text: parentText(op)}, "", about)
	}
	return m.Timestamp, err
}

// closedSign begins the first message of a thread whose session is closed:
// Slack's threads cannot be closed.
const closedSign = "[closed] "

// markClosed shows in a thread's first message whether its session is closed. It is no error
// if it already does.
func (t *threads) markClosed(ctx context.Context, th chat.Thread, closed bool) error {
	parent, err := t.client.parent(ctx, th.Ref)
	if err != nil {
		return err
	}
	text := strings.TrimPrefix(parent.Text, closedSign)
	about := parent.Metadata
	if about.EventType != typeSession {
		about = slack.SlackMetadata{EventType: typeSession, EventPayload: map[string]any{"v": 1}}
	}
	delete(about.EventPayload, fieldClosed)
	if closed {
		text = closedSign + text
		about.EventPayload[fieldClosed] = true
	}
	if text == parent.Text {
		return nil
	}
	return t.client.change(ctx, th.Ref, rendered{text: text}, slack.MsgOptionMetadata(about))
}

// scan is the reading of the channel for sessions' threads.
type scan struct {
	sync.Mutex             // held while the channel is read
	done       atomic.Bool // it was read, up to lookPages
}

// lookPages bounds the search for sessions' threads in the channel.
const lookPages = 5

// learn stores the session of a thread, "" for none.
func (t *threads) learn(ref, sessionID string) {
	if t.known.Learn(ref, sessionID) {
		t.scan.done.Store(false)
	}
}

// Find implements [chat.Bridge]. The first messages of threads contain their session.
// The channel is read once, newest first, up to lookPages; later threads are known.
func (t *threads) Find(ctx context.Context, sessionID string) (chat.Thread, error) {
	ref := t.known.Ref(sessionID)
	if ref == "" && !t.scan.done.Load() {
		if err := t.readChannel(ctx); err != nil {
			return chat.Thread{}, err
		}
		ref = t.known.Ref(sessionID)
	}
	if ref == "" {
		return chat.Thread{}, fmt.Errorf("%w: no thread of the channel is the session's", chat.ErrThreadGone)
	}
	return chat.Thread{Bridge: Name, Channel: t.client.cfg.ChannelID, Ref: ref, SessionID: sessionID}, nil
}

// readChannel learns the sessions of the channel's threads, unless another caller just
// did.
func (t *threads) readChannel(ctx context.Context) error {
	t.scan.Lock()
	defer t.scan.Unlock()
	if t.scan.done.Load() {
		return nil
	}
	if _, err := t.client.identify(ctx); err != nil {
		return err
	}
	q := slack.GetConversationHistoryParameters{Limit: pageSize, IncludeAllMetadata: true}
	read := 0
	for list, err := range t.client.channelPages(ctx, 1, q) {
		if err != nil {
			return err
		}
		for i := range list {
			if id := t.sessionOf(&list[i]); id != "" {
				t.learn(list[i].Timestamp, id)
			}
		}
		if read++; read == lookPages {
			break
		}
	}
	t.scan.done.Store(true)
	return nil
}

// Owner implements [chat.Bridge].
func (t *threads) Owner(ctx context.Context, th chat.Thread) (sessionID string, err error) {
	sessionID, known := t.known.Session(th.Ref)
	if !known {
		if _, err := t.client.identify(ctx); err != nil {
			return "", err
		}
		parent, err := t.client.parent(ctx, th.Ref)
		if err != nil {
			return "", err
		}
		sessionID = t.sessionOf(&parent)
		t.learn(th.Ref, sessionID)
	}
	if sessionID == "" {
		return "", fmt.Errorf("%w: the thread's first message names no session", chat.ErrThreadGone)
	}
	return sessionID, nil
}

// sessionOf reads the session from a thread's first message, "" for none. It trusts
// only the bot's messages.
func (t *threads) sessionOf(m *slack.Message) string {
	if m.Metadata.EventType != typeSession || !t.client.self.Load().own(m) {
		return ""
	}
	id, _ := m.Metadata.EventPayload[fieldID].(string)
	return id
}

// lookupParent finds the first message of a thread that an earlier attempt opened.
func (t *threads) lookupParent(ctx context.Context, op chat.Op) (ref string, err error) {
	ref, err = t.inChannel(ctx, []string{op.Key}, op.Since)
	return ref, blind(err)
}

// inChannel finds a message of one of the ops outside of threads, "" for none.
func (t *threads) inChannel(ctx context.Context, keys []string, first chat.Time) (ts string, err error) {
	q := slack.GetConversationHistoryParameters{Oldest: since(first), Limit: pageSize, IncludeAllMetadata: true}
	for list, err := range t.client.channelPages(ctx, 1, q) {
		if err != nil {
			return "", err
		}
		for _, key := range keys {
			if m := t.client.find(list, key); m != nil {
				return m.Timestamp, nil
			}
		}
	}
	return "", nil
}
