package slack

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/slack-go/slack"

	"github.com/relay-chat/relay/server/chat"
)

// Messages that operators wrote without a connection are read from the threads:
// Slack repeats an event for six minutes at most, and those on their way in a broken
// connection are lost.
const (
	gapMargin = time.Minute
	gapTries  = 5
	// holdLimit is how long live events wait for a gap to be read. What is read later
	// may follow them.
	holdLimit = time.Minute
	// editable is how much older than a gap the messages are that are read with it: they may
	// have been edited or deleted in it.
	editable = time.Hour
)

// readGap receives operators' messages since a time as if they were live. An event
// that was received already has the same key.
func (r *receiver) readGap(ctx context.Context, in chat.Receiver, from time.Time) error {
	if !r.cfg.Forgets {
		from = from.Add(-editable)
	}
	since, begun := tsOf(from), time.Now()
	var failed []error
	q := slack.GetConversationHistoryParameters{Limit: pageSize, IncludeAllMetadata: true}
	for list, err := range r.client.channelPages(ctx, gapTries, q) {
		if err != nil {
			return err
		}
		for _, m := range slices.Backward(list) {
			if m.LatestReply <= since || m.Metadata.EventType != typeSession || !r.client.self.Load().own(&m) {
				continue
			}
			if err := r.readThread(ctx, in, m.Timestamp, since); err != nil {
				failed = append(failed, fmt.Errorf("read the thread %s: %w", m.Timestamp, err))
			}
		}
		if time.Since(begun) > holdLimit {
			_ = r.flush(ctx, in, false) // it is retried at the end
		}
		if ctx.Err() != nil {
			break
		}
	}
	return errors.Join(failed...)
}

// readThread receives a thread's messages since a time, and their edits.
func (r *receiver) readThread(ctx context.Context, in chat.Receiver, ref, since string) error {
	q := slack.GetConversationRepliesParameters{Timestamp: ref, Oldest: since, Limit: pageSize, IncludeAllMetadata: true}
	var held []slack.Message // with Forgets
	found := []string{}
	for list, err := range r.client.replyPages(ctx, gapTries, q) {
		if errors.Is(err, chat.ErrThreadGone) {
			return nil
		}
		if err != nil {
			return err
		}
		// The thread's first message is always included.
		list = slices.DeleteFunc(slices.Clone(list), func(m slack.Message) bool { return m.Timestamp <= since })
		for i := range list {
			found = append(found, list[i].Timestamp)
		}
		if r.cfg.Forgets {
			held = append(held, list...)
		} else if err := r.storeMessages(ctx, in, list, ref); err != nil {
			return err
		}
	}
	if r.cfg.Forgets {
		return r.storeMessages(ctx, in, r.unanswered(held), ref)
	}
	return r.storeListing(ctx, in, ref, since, found)
}

// storeMessages stores messages that were read in a thread, in order.
func (r *receiver) storeMessages(ctx context.Context, in chat.Receiver, list []slack.Message, ref string) error {
	for i := range list {
		for _, raw := range r.eventsOf(&list[i], ref) {
			if err := r.store(ctx, in, raw); err != nil {
				return err
			}
		}
	}
	return nil
}

// unanswered returns the messages behind the last one of which it shows that it was
// received: the bridge posted it before it was started, or reacted to it.
func (r *receiver) unanswered(list []slack.Message) []slack.Message {
	me := r.client.self.Load()
	for i := len(list) - 1; i >= 0; i-- {
		if m := &list[i]; m.Timestamp < r.begun && (me.own(m) || me.reacted(m)) {
			return list[i+1:]
		}
	}
	return list
}

// eventsOf returns the events of a message that was read: its creation and its last
// edit.
func (r *receiver) eventsOf(m *slack.Message, ref string) (raws [][]byte) {
	words := message{Subtype: m.SubType, User: m.User, BotID: m.BotID, Text: m.Text, TS: m.Timestamp, ThreadTS: ref, Team: m.Team}
	words.Metadata.Type = m.Metadata.EventType
	for _, f := range m.Files {
		words.Files = append(words.Files, file{ID: f.ID, Name: f.Name, Title: f.Title, Type: f.Mimetype, Size: int64(f.Size), Mode: f.Mode, IsExternal: f.IsExternal, URL: f.URLPrivate})
	}
	if m.Edited != nil {
		words.Edited = &edited{TS: m.Edited.Timestamp}
	}
	events := []event{{message: words, EventTS: m.Timestamp}}
	if m.Edited != nil {
		events = append(events, event{message: message{Subtype: subtypeChanged}, Changed: &words, EventTS: m.Edited.Timestamp})
	}
	for _, e := range events {
		e.Type, e.Channel = "message", r.cfg.ChannelID
		raw, err := json.Marshal(envelope{Type: "event_callback", Event: e})
		if err != nil {
			continue // strings and numbers cannot fail
		}
		raws = append(raws, raw)
	}
	return raws
}

// storeListing stores which messages stand, so that deletions that were missed are
// learned.
func (r *receiver) storeListing(ctx context.Context, in chat.Receiver, ref, since string, found []string) error {
	e := envelope{Type: typeListed, Since: since, Standing: found}
	e.Event.Channel, e.Event.ThreadTS, e.Event.EventTS = r.cfg.ChannelID, ref, strconv.FormatInt(time.Now().UnixMicro(), 10)
	raw, err := json.Marshal(e)
	if err != nil {
		return err
	}
	return r.store(ctx, in, raw)
}
