package telegram

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/PaulSonOfLars/gotgbot/v2"

	"github.com/relay-chat/relay/bridges/call"
	"github.com/relay-chat/relay/bridges/naming"
	"github.com/relay-chat/relay/server/chat"
)

// threads are the topics of sessions.
type threads struct {
	client  *client
	known   naming.Threads
	created *createdTopics
}

// errAdopted means that another call, whose answer was lost, adopted the new
// topic. The retry creates another one.
var errAdopted = errors.New("the new topic was given to another session")

// errUnreported means that an earlier attempt may have created the topic.
var errUnreported = errors.New("waiting for Telegram's report of the topic that an earlier attempt may have created")

// open creates the topic. Its summary is a separate message: see splitOpen.
func (t *threads) open(ctx context.Context, op chat.Op) (remote string, err error) {
	name := names.Name(op.Title, op.SessionID)
	var topic int64
	if op.Ambiguous {
		wait := time.Duration(0)
		if topic, wait = t.created.adopt(name, names.Token(op.SessionID) != ""); wait > 0 {
			return "", call.Later(wait, chat.ScopeLane, errUnreported)
		}
	}
	if topic == 0 {
		if topic, err = t.createTopic(ctx, name); err != nil {
			return "", err
		}
	}
	ref := strconv.FormatInt(topic, 10)
	if names.Token(op.SessionID) != "" {
		t.known.Learn(ref, op.SessionID)
	}
	return ref, nil
}

// createTopic creates a topic. It costs a message of the group's budget.
func (t *threads) createTopic(ctx context.Context, name string) (topic int64, err error) {
	err = t.client.spend(ctx, inTurn, false, func(ctx context.Context) error {
		made, err := t.client.bot.CreateForumTopicWithContext(ctx, t.client.group.Load(), name, nil)
		if err == nil {
			topic = made.MessageThreadId
		}
		return err
	})
	switch {
	case errors.Is(err, chat.ErrAmbiguous):
		t.created.addLost(name)
	case err == nil && !t.created.claim(topic, name):
		return 0, errAdopted
	}
	return topic, err
}

// close closes a topic; a closed one is no error.
func (t *threads) close(ctx context.Context, topic int64) error {
	return t.client.free(ctx, func(ctx context.Context) error {
		_, err := t.client.bot.CloseForumTopicWithContext(ctx, t.client.group.Load(), topic, nil)
		return err
	})
}

// reopen reopens a topic; an open one is no error.
func (t *threads) reopen(ctx context.Context, topic int64) error {
	return t.client.free(ctx, func(ctx context.Context) error {
		_, err := t.client.bot.ReopenForumTopicWithContext(ctx, t.client.group.Load(), topic, nil)
		return err
	})
}

// EraseThread implements [chat.ThreadEraser]: Telegram deletes a topic with all of its
// messages, whatever their age. The bot needs the right to delete messages.
func (t *threads) EraseThread(ctx context.Context, th chat.Thread) error {
	topic, err := strconv.ParseInt(th.Ref, 10, 64)
	if err != nil {
		return fmt.Errorf("%w: %q is not a topic", chat.ErrThreadGone, th.Ref)
	}
	return t.client.free(ctx, func(ctx context.Context) error {
		_, err := t.client.bot.DeleteForumTopicWithContext(ctx, t.client.group.Load(), topic, nil)
		return err
	})
}

// Find implements [chat.Bridge]. The Bot API lists no topics: only those seen since
// the start are found.
func (t *threads) Find(_ context.Context, sessionID string) (chat.Thread, error) {
	ref := t.known.Ref(sessionID)
	if ref == "" {
		return chat.Thread{}, fmt.Errorf("%w: Telegram does not say which topic belongs to the session", chat.ErrThreadGone)
	}
	return chat.Thread{Bridge: Name, Channel: t.client.Channel(), Ref: ref, SessionID: sessionID}, nil
}

// learn stores the session of a topic, from the topic's first message that Telegram
// returns with every message sent there.
func (t *threads) learn(m *gotgbot.Message) {
	root := m.ReplyToMessage
	if root == nil || root.ForumTopicCreated == nil {
		return
	}
	sessionID := ""
	if root.From != nil && root.From.Id == t.client.bot.Id {
		sessionID = names.Session(root.ForumTopicCreated.Name)
	}
	t.known.Learn(strconv.FormatInt(m.MessageThreadId, 10), sessionID)
}

// sessionByRoot reads the session from the topic's first message, whose name
// never changes, if the bot created the topic.
func (t *threads) sessionByRoot(m *message) string {
	r := m.ReplyTo
	if r == nil || r.TopicCreated == nil || r.From == nil || r.From.ID != t.client.bot.Id {
		return ""
	}
	return names.Session(r.TopicCreated.Name)
}

func owned(sessionID string) (string, error) {
	if sessionID == "" {
		return "", fmt.Errorf("%w: the topic's name matches no session", chat.ErrThreadGone)
	}
	return sessionID, nil
}

// names names topics: 1 to 128 characters (Bot API, createForumTopic). A session
// whose id is too long for a token gets a new topic after a restart. The limits
// leave room for a short title.
var names = naming.Names{Limit: 128, Plain: 110, Encoded: 82}
