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

// Slack brings an event again for six minutes, then it is lost. What operators
// wrote while relay was away for longer is read from the threads.
const (
	gapLeast  = 2 * time.Minute // shorter ones Slack makes good itself
	gapMargin = time.Minute
	gapTries  = 5
)

// hearing notes up to when everything was heard.
type hearing struct {
	mu   sync.Mutex
	upTo time.Time // zero when nobody can tell
	busy bool      // a gap is being read
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
	if !h.busy {
		h.upTo = now
	}
}

// begin returns since when nothing was heard, if that is worth reading.
func (h *hearing) begin(now time.Time) (from time.Time, worth bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.busy || h.upTo.IsZero() || now.Sub(h.upTo) < gapLeast {
		return from, false
	}
	h.busy = true
	return h.upTo, true
}

// end notes that a gap was read, or not.
func (h *hearing) end(read bool, upTo time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.busy = false; read {
		h.upTo = upTo
	}
}

// catchUp reads what was missed, if anything.
func (b *Bridge) catchUp(ctx context.Context, in chat.Receiver) {
	now := time.Now()
	from, worth := b.hearing.begin(now)
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

// readThread takes what was written in a thread since a time.
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
			if err := b.take(ctx, in, b.eventOf(&list[i], ref)); err != nil {
				return err
			}
		}
		if q.Cursor = next; next == "" {
			break
		}
	}
	return nil
}

// eventOf makes the event of a message that was read.
func (b *Bridge) eventOf(m *slack.Message, ref string) []byte {
	e := envelope{Type: "event_callback", Event: event{Type: "message", Channel: b.cfg.ChannelID, EventTS: m.Timestamp,
		message: message{Subtype: m.SubType, User: m.User, BotID: m.BotID, Text: m.Text, TS: m.Timestamp, ThreadTS: ref}}}
	e.Event.Metadata.Type = m.Metadata.EventType
	for _, f := range m.Files {
		e.Event.Files = append(e.Event.Files, file{ID: f.ID, Name: f.Name, Title: f.Title, Type: f.Mimetype, Size: int64(f.Size), Mode: f.Mode, IsExternal: f.IsExternal, URL: f.URLPrivate})
	}
	raw, err := json.Marshal(e)
	if err != nil {
		return nil // strings and numbers: it cannot fail
	}
	return raw
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
