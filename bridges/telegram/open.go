package telegram

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"

	"relay/server/chat"
)

// errAdopted: the topic that Telegram made for this call was taken by another
// that had lost its answer. It makes a new one.
var errAdopted = errors.New("the new topic went to another session")

// open makes the topic, then writes the summary into it.
func (b *Bridge) open(ctx context.Context, op chat.Op) (remote string, err error) {
	name := topicName(op.Title, op.SessionID)
	var topic int64
	if op.Ambiguous {
		topic = b.births.adopt(name)
	}
	if topic == 0 {
		if topic, err = b.createTopic(ctx, name); err != nil {
			return "", err
		}
	}
	ref := strconv.FormatInt(topic, 10)
	b.topics.learn(ref, op.SessionID)
	if op.Text == "" {
		return ref, nil
	}
	b.debts.owe(topic, op.Text)
	if err := b.settle(ctx, topic); err != nil {
		b.log.Debug("the thread's summary waits for its next message", "thread", ref, "err", err)
	}
	return ref, nil
}

// createTopic makes a topic. It costs a message of the group's budget.
func (b *Bridge) createTopic(ctx context.Context, name string) (topic int64, err error) {
	err = b.spend(ctx, false, func(ctx context.Context) error {
		made, err := b.bot.CreateForumTopicWithContext(ctx, b.group.Load(), name, nil)
		if err == nil {
			topic = made.MessageThreadId
		}
		return err
	})
	switch {
	case errors.Is(err, chat.ErrAmbiguous):
		b.births.miss(name)
	case err == nil && !b.births.claim(topic, name):
		return 0, errAdopted
	}
	return topic, err
}

// debts are summaries that could not be written when their topic was made.
// They go first when the topic is written to again.
type debts struct {
	mu    sync.Mutex
	texts map[int64]string
}

func (d *debts) owe(topic int64, text string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.texts == nil {
		d.texts = map[int64]string{}
	}
	d.texts[topic] = text
}

// take returns what is owed to a topic and is then the caller's to write.
func (d *debts) take(topic int64) (text string, ok bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	text, ok = d.texts[topic]
	delete(d.texts, topic)
	return text, ok
}

// settle writes the summary that a topic lacks.
func (b *Bridge) settle(ctx context.Context, topic int64) error {
	text, owed := b.debts.take(topic)
	if !owed {
		return nil
	}
	note := chat.Op{Kind: chat.OpNote, Text: text}
	_, err := b.write(ctx, topic, note)
	if err == nil || errors.Is(err, chat.ErrAmbiguous) || errors.Is(err, chat.ErrPermanent) || errors.Is(err, chat.ErrThreadGone) {
		return nil
	}
	b.debts.owe(topic, text)
	return fmt.Errorf("write the thread's summary: %w", err)
}
