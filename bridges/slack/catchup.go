package slack

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/slack-go/slack"

	"relay/server/chat"
)

// What operators wrote while there was no connection is read from the threads:
// Slack brings an event again for six minutes at most, and of a connection that
// broke nobody knows what was on its way.
const (
	gapMargin = time.Minute
	gapTries  = 5
)

// hearing notes up to when everything was heard.
type hearing struct {
	mu   sync.Mutex
	upTo time.Time // zero when nobody can tell
	busy bool      // a gap is being read
	owed bool      // a gap could not be read: the next connection begins with it
}

// start says from when on a new bridge hears, unless it knows already.
func (h *hearing) start(from time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.upTo.IsZero() {
		h.upTo = from
	}
}

// beat notes that the connection lives.
func (h *hearing) beat(now time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.busy && !h.owed {
		h.upTo = now
	}
}

// begin returns since when nothing was heard, if somebody can tell and nobody
// reads it yet.
func (h *hearing) begin() (from time.Time, worth bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.busy || h.upTo.IsZero() {
		return from, false
	}
	h.busy = true
	return h.upTo, true
}

// end notes that a gap was read, or not.
func (h *hearing) end(read bool, upTo time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.busy, h.owed = false, !read; read {
		h.upTo = upTo
	}
}

// catchUp reads what was missed, if anything.
func (b *Bridge) catchUp(ctx context.Context, in chat.Receiver) {
	now := time.Now()
	from, worth := b.hearing.begin()
	if !worth {
		return
	}
	err := b.readGap(ctx, in, from.Add(-gapMargin))
	if err != nil && ctx.Err() == nil {
		b.log.Warn("what operators wrote while relay was away cannot be read; it is tried with the next connection", "since", from, "err", err)
	}
	b.hearing.end(err == nil, now)
}

// readGap takes the messages of operators since a time as if they had been
// told: what was told already has the same key.
func (b *Bridge) readGap(ctx context.Context, in chat.Receiver, from time.Time) error {
	since := strconv.FormatInt(from.Unix(), 10) + ".000000"
	var changed []string
	q := slack.GetConversationHistoryParameters{Limit: pageSize, IncludeAllMetadata: true}
	for range lookPages {
		var page *slack.GetConversationHistoryResponse
		err := patiently(ctx, func() (err error) {
			page, err = b.history(ctx, &q)
			return err
		})
		if err != nil {
			return err
		}
		for i := range page.Messages {
			if m := &page.Messages[i]; m.LatestReply > since && m.Metadata.EventType == typeSession && b.self.Load().own(m) {
				changed = append(changed, m.Timestamp)
			}
		}
		if q.Cursor = page.ResponseMetaData.NextCursor; q.Cursor == "" {
			break
		}
	}
	for _, ref := range slices.Backward(changed) {
		if err := b.readThread(ctx, in, ref, since); err != nil {
			return fmt.Errorf("read the thread %s: %w", ref, err)
		}
	}
	return nil
}

// readThread takes what was written in a thread since a time, and what became of
// it.
func (b *Bridge) readThread(ctx context.Context, in chat.Receiver, ref, since string) error {
	q := slack.GetConversationRepliesParameters{Timestamp: ref, Oldest: since, Limit: pageSize, IncludeAllMetadata: true}
	for range lookPages {
		var list []slack.Message
		var next string
		err := patiently(ctx, func() (err error) {
			list, next, err = b.replies(ctx, &q)
			return err
		})
		if errors.Is(err, chat.ErrThreadGone) {
			return nil
		}
		if err != nil {
			return err
		}
		for i := range list {
			if list[i].Timestamp <= since {
				continue // the thread's first message always is among them
			}
			for _, raw := range b.eventsOf(&list[i], ref) {
				if err := b.take(ctx, in, raw); err != nil {
					return err
				}
			}
		}
		if q.Cursor = next; next == "" {
			break
		}
	}
	return nil
}

// eventsOf makes the events of a message that was read: that it was written, and
// changed.
func (b *Bridge) eventsOf(m *slack.Message, ref string) (raws [][]byte) {
	words := message{Subtype: m.SubType, User: m.User, BotID: m.BotID, Text: m.Text, TS: m.Timestamp, ThreadTS: ref}
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
		e.Type, e.Channel = "message", b.cfg.ChannelID
		raw, err := json.Marshal(envelope{Type: "event_callback", Event: e})
		if err != nil {
			continue // strings and numbers: it cannot fail
		}
		raws = append(raws, raw)
	}
	return raws
}

// patiently waits while Slack asks for patience.
func patiently(ctx context.Context, do func() error) (err error) {
	for range gapTries {
		err = do()
		var wait *chat.RetryAfter
		if !errors.As(err, &wait) {
			return err
		}
		if chat.Rest(ctx, wait.After); ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return err
}
