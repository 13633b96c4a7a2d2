package telegram

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/relay-chat/relay/bridges/call"
	"github.com/relay-chat/relay/server/chat"
)

// errAdopted means that another call, whose answer was lost, adopted the new
// topic. The retry creates another one.
var errAdopted = errors.New("the new topic was given to another session")

// errUnreported means that an earlier attempt may have created the topic.
var errUnreported = errors.New("waiting for Telegram's report of the topic that an earlier attempt may have created")

// open creates the topic. Its summary is a separate message: see splitOpen.
func (b *Bridge) open(ctx context.Context, op chat.Op) (remote string, err error) {
	name := names.Name(op.Title, op.SessionID)
	var topic int64
	if op.Ambiguous {
		wait := time.Duration(0)
		if topic, wait = b.created.adopt(name, names.Token(op.SessionID) != ""); wait > 0 {
			return "", call.Later(wait, chat.ScopeLane, errUnreported)
		}
	}
	if topic == 0 {
		if topic, err = b.createTopic(ctx, name); err != nil {
			return "", err
		}
	}
	ref := strconv.FormatInt(topic, 10)
	if names.Token(op.SessionID) != "" {
		b.topics.Learn(ref, op.SessionID)
	}
	return ref, nil
}

// createTopic creates a topic. It costs a message of the group's budget.
func (b *Bridge) createTopic(ctx context.Context, name string) (topic int64, err error) {
	err = b.spend(ctx, inTurn, false, func(ctx context.Context) error {
		made, err := b.bot.CreateForumTopicWithContext(ctx, b.group.Load(), name, nil)
		if err == nil {
			topic = made.MessageThreadId
		}
		return err
	})
	switch {
	case errors.Is(err, chat.ErrAmbiguous):
		b.created.addLost(name)
	case err == nil && !b.created.claim(topic, name):
		return 0, errAdopted
	}
	return topic, err
}
